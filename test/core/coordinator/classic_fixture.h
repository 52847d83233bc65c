// classic_fixture.h: requests of the classic protocol, and groups that have come to rest, for its tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/coordinator/group/classic_group.h"
#include "test/core/coordinator/group_fixture.h"

namespace leat {

inline Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }

// A member with one protocol, "range", and a session of 10 s; it has a minute to rejoin.
inline JoinGroup joining(std::string member_id = "") {
  JoinGroup request;
  request.group_id = "g";
  request.member_id = std::move(member_id);
  request.protocol_type = "consumer";
  request.protocols.push_back({"range", bytes("subscription")});
  request.session_timeout_ms = 10'000;
  request.rebalance_timeout_ms = 60'000;
  request.client.id = "client";
  request.client.host = "/127.0.0.1";
  return request;
}
inline JoinGroup joining_static(std::string instance_id, std::string member_id = "") {
  JoinGroup request = joining(std::move(member_id));
  request.instance_id = std::move(instance_id);
  return request;
}
inline JoinGroup with_protocols(JoinGroup request, const std::vector<std::string>& names) {
  request.protocols.clear();
  for (const std::string& name : names) request.protocols.push_back({name, bytes(name + " metadata")});
  return request;
}

inline SyncGroup syncing(const JoinGroupReply& joined) {
  SyncGroup request;
  request.group_id = "g";
  request.generation = joined.generation;
  request.member_id = joined.member_id;
  return request;
}
// The leader gives everybody its own member id.
inline SyncGroup assigning(const JoinGroupReply& leader) {
  SyncGroup request = syncing(leader);
  for (const JoinedMember& member : leader.members) {
    request.assignments.emplace_back(member.member_id, bytes(member.member_id));
  }
  return request;
}

inline GroupHeartbeat beating(const JoinGroupReply& joined) {
  GroupHeartbeat request;
  request.group_id = "g";
  request.generation = joined.generation;
  request.member_id = joined.member_id;
  return request;
}

inline LeaveGroup leaving(const std::vector<std::string>& member_ids) {
  LeaveGroup request;
  request.group_id = "g";
  for (const std::string& member_id : member_ids) request.members.push_back({member_id, std::nullopt});
  return request;
}
inline LeaveGroup leaving_instance(std::string instance_id, std::string member_id = "") {
  LeaveGroup request;
  request.group_id = "g";
  request.members.push_back({std::move(member_id), std::move(instance_id)});
  return request;
}

inline CommitOffsets committing(int32_t generation, std::string member_id) {
  CommitOffsets request;
  request.group_id = "g";
  request.generation_or_epoch = generation;
  request.member_id = std::move(member_id);
  return request;
}

// Invariant of its helpers: what they expect to be answered is answered when they return.
struct ClassicFixture {
  GroupDriver<ClassicGroup> driver;

  Ticket join(const JoinGroup& request) { return driver.ask(&ClassicGroup::join, request); }
  JoinGroupReply join_now(const JoinGroup& request) {
    return driver.answer<JoinGroupReply>(&ClassicGroup::join, request);
  }
  Ticket sync(const SyncGroup& request) { return driver.ask(&ClassicGroup::sync, request); }
  SyncGroupReply sync_now(const SyncGroup& request) {
    return driver.answer<SyncGroupReply>(&ClassicGroup::sync, request);
  }
  GroupErrc heartbeat(const GroupHeartbeat& request) {
    return driver.answer<GroupHeartbeatReply>(&ClassicGroup::heartbeat, request).error;
  }
  GroupErrc heartbeat(const JoinGroupReply& joined) { return heartbeat(beating(joined)); }
  std::vector<GroupErrc> leave(const LeaveGroup& request) {
    const auto reply = driver.answer<LeaveGroupReply>(&ClassicGroup::leave, request);
    CHECK(reply.error == GroupErrc::kNone);
    return reply.members;
  }
  GroupErrc commit(const CommitOffsets& request) {
    return driver.step([&](GroupStep& step) { return driver.group().check_commit(step, request); });
  }
  JoinGroupReply joined(Ticket ticket) { return driver.take<JoinGroupReply>(ticket); }
  SyncGroupReply synced(Ticket ticket) { return driver.take<SyncGroupReply>(ticket); }
  std::string_view state() const { return driver.group().state_name(); }
  size_t member_count() const { return driver.group().members().size(); }

  // A generation of all these, each at its first join. In their order.
  std::vector<JoinGroupReply> gather(const std::vector<JoinGroup>& requests) {
    driver.rules.initial_rebalance_delay_ms = 3'000;
    std::vector<Ticket> tickets;
    for (const JoinGroup& request : requests) tickets.push_back(join(request));
    driver.advance(requests.size() == 1 ? 3'000 : 6'000);
    return joined_all(tickets);
  }
  std::vector<JoinGroupReply> joined_all(const std::vector<Ticket>& tickets) {
    std::vector<JoinGroupReply> replies;
    for (const Ticket ticket : tickets) {
      replies.push_back(joined(ticket));
      REQUIRE(replies.back().error == GroupErrc::kNone);
    }
    return replies;
  }
  // All ask for their assignment, the leader last.
  void settle(const std::vector<JoinGroupReply>& members) {
    std::vector<Ticket> tickets;
    for (const JoinGroupReply& member : members) {
      if (member.member_id != member.leader) tickets.push_back(sync(syncing(member)));
    }
    for (const JoinGroupReply& member : members) {
      if (member.member_id == member.leader) tickets.push_back(sync(assigning(member)));
    }
    for (const Ticket ticket : tickets) REQUIRE(synced(ticket).error == GroupErrc::kNone);
    REQUIRE(state() == "Stable");
  }
  std::vector<JoinGroupReply> stable(const std::vector<JoinGroup>& requests) {
    std::vector<JoinGroupReply> members = gather(requests);
    settle(members);
    return members;
  }
  std::vector<JoinGroupReply> stable(size_t count) { return stable(std::vector<JoinGroup>(count, joining())); }

  const GroupMetadataValue& last_record() const {
    REQUIRE_FALSE(driver.records.empty());
    return std::get<ClassicGroupRecord>(driver.records.back()).value.value();
  }
  void check_replay() { CHECK(driver.replayed()->to_record_value(0) == driver.group().to_record_value(0)); }
};

inline const JoinGroupReply& leader_of(const std::vector<JoinGroupReply>& members) {
  for (const JoinGroupReply& member : members) {
    if (member.member_id == member.leader) return member;
  }
  FAIL("no leader");
  return members.front();
}
inline const JoinGroupReply& follower_of(const std::vector<JoinGroupReply>& members) {
  for (const JoinGroupReply& member : members) {
    if (member.member_id != member.leader) return member;
  }
  FAIL("no follower");
  return members.front();
}

}  // namespace leat
