// group_machine_driver.h: a whole GroupMachine under a simulated clock: its log as a list of records, a broker that can
// crash, and requests with the fields that most tests leave alone filled in.
// After a crash the records are read from their bytes, and the state must be the one that was there.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "core/coordinator/group/group_machine.h"
#include "test/core/coordinator/group_fixture.h"
#include "test/support/catch.h"

namespace leat {

inline GroupRecord through_bytes(const GroupRecord& record) {
  const Result<EncodedGroupRecord> bytes = encode_group_record(record);
  REQUIRE(bytes.has_value());
  const std::optional<ByteView> value = bytes->value ? std::optional<ByteView>(*bytes->value) : std::nullopt;
  Result<std::optional<GroupRecord>> read = decode_group_record(bytes->key, value);
  REQUIRE(read.has_value());
  REQUIRE(read->has_value());
  return std::move(**read);
}

class MachineDriver {
 public:
  GroupRules rules;
  MapTopicCatalog catalog;
  int64_t now_ms = 50'000;
  int64_t wall_ms = 1'700'000'000'000;
  std::vector<std::vector<GroupRecord>> log;  // by step
  std::map<std::string, size_t> expired;      // offsets that the sweep has removed, by group

  MachineDriver() : machine_(std::make_unique<GroupMachine>(random_)) { load(); }

  GroupMachine& machine() noexcept { return *machine_; }

  Ticket ask(GroupEvent event) {
    const Ticket ticket = ++last_ticket_;
    open_.insert(ticket);
    collect(machine_->handle(ticket, std::move(event), moment()));
    return ticket;
  }
  bool is_answered(Ticket ticket) const { return replies_.contains(ticket); }
  template <class Reply>
  Reply take(Ticket ticket) {
    INFO("ticket " << ticket);
    const auto place = replies_.find(ticket);
    REQUIRE(place != replies_.end());
    REQUIRE(std::holds_alternative<Reply>(place->second));
    Reply reply = std::get<Reply>(std::move(place->second));
    replies_.erase(place);
    return reply;
  }
  template <class Reply>
  Reply answer(GroupEvent event) {
    return take<Reply>(ask(std::move(event)));
  }

  // Each deadline is seen to at its own time.
  void advance(int64_t by_ms) {
    const int64_t until_ms = now_ms + by_ms;
    for (auto next_ms = machine_->next_deadline_ms(); next_ms && *next_ms <= until_ms;
         next_ms = machine_->next_deadline_ms()) {
      move_to(std::max(*next_ms, now_ms));
      answer<BroadcastReply>(TimePassed{});
    }
    move_to(until_ms);
  }

  // Whoever waited is not answered any more.
  void crash() {
    const std::vector<GroupRecord> before = machine_->snapshot();
    open_.clear();
    machine_ = replayed(flat_log());
    CHECK(machine_->snapshot() == before);
    load();
  }
  // The log as compaction may leave it, at each place that it may have come to, with and without old tombstones, gives
  // the same state.
  void check_compacted() {
    const std::vector<GroupRecord> expected = machine_->snapshot();
    for (size_t cleaned_steps = 0; cleaned_steps <= log.size(); ++cleaned_steps) {
      for (const bool keeps_tombstones : {true, false}) {
        INFO(cleaned_steps << " of " << log.size() << " steps are compacted, tombstones kept: " << keeps_tombstones);
        CHECK(replayed(compacted(cleaned_steps, keeps_tombstones))->snapshot() == expected);
      }
    }
  }

  std::vector<GroupRecord> flat_log() const {
    std::vector<GroupRecord> records;
    for (const auto& step : log) records.insert(records.end(), step.begin(), step.end());
    return records;
  }
  size_t record_count() const { return flat_log().size(); }
  std::optional<ListedGroup> listed(const std::string& group_id) {
    const auto reply = answer<ListGroupsReply>(ListGroups{});
    for (const ListedGroup& group : reply.groups) {
      if (group.group_id == group_id) return group;
    }
    return std::nullopt;
  }

 private:
  GroupMoment moment() const { return {.now_ms = now_ms, .wall_ms = wall_ms, .rules = rules, .catalog = catalog}; }
  void load() { collect(machine_->loaded(moment())); }
  void collect(GroupOutput output) {
    if (!output.records.empty()) log.push_back(std::move(output.records));
    for (auto& [ticket, reply] : output.replies) {
      INFO("ticket " << ticket);
      REQUIRE(open_.erase(ticket) == 1);
      replies_.emplace(ticket, std::move(reply));
    }
    for (const ExpiredGroup& group : output.expired) expired[group.group_id] += group.offset_count;
  }
  void move_to(int64_t then_ms) {
    wall_ms += then_ms - now_ms;
    now_ms = then_ms;
  }
  std::unique_ptr<GroupMachine> replayed(const std::vector<GroupRecord>& records) {
    auto machine = std::make_unique<GroupMachine>(random_);
    for (const GroupRecord& record : records) machine->replay(through_bytes(record));
    return machine;
  }
  std::vector<GroupRecord> compacted(size_t cleaned_steps, bool keeps_tombstones) const {
    std::map<std::vector<uint8_t>, std::pair<size_t, const GroupRecord*>> last;  // by key: where in the log
    size_t position = 0;
    for (size_t i = 0; i < cleaned_steps; ++i) {
      for (const GroupRecord& record : log[i]) last[encode_group_record(record)->key] = {position++, &record};
    }
    std::map<size_t, const GroupRecord*> kept;
    for (const auto& [key, place] : last) {
      const bool has_value = std::visit([](const auto& one) { return one.value.has_value(); }, *place.second);
      if (has_value || keeps_tombstones) kept.insert(place);
    }
    std::vector<GroupRecord> records;
    for (const auto& [at, record] : kept) records.push_back(*record);
    for (size_t i = cleaned_steps; i < log.size(); ++i) records.insert(records.end(), log[i].begin(), log[i].end());
    return records;
  }

  SeededRandom random_{1};
  std::unique_ptr<GroupMachine> machine_;
  Ticket last_ticket_ = 0;
  std::set<Ticket> open_;
  std::map<Ticket, GroupReply> replies_;
};

inline constexpr int32_t kTestSessionMs = 30'000;
inline constexpr int32_t kTestRebalanceMs = 60'000;

inline Bytes subscription_to(std::vector<std::string> topics) {
  ConsumerProtocolSubscription subscription;
  subscription.topics = std::move(topics);
  return *encode_value(subscription, int16_t{1});
}

inline Bytes assignment_of(const std::string& topic, std::vector<int32_t> partitions) {
  ConsumerProtocolAssignment assignment;
  assignment.assigned_partitions.push_back({topic, std::move(partitions)});
  return *encode_value(assignment, int16_t{1});
}

// Of one topic, as the tests have it; "none" is an empty assignment.
inline std::vector<int32_t> partitions_in(const Bytes& assignment) {
  const auto decoded = decode_value<ConsumerProtocolAssignment>(assignment);
  REQUIRE(decoded.has_value());
  REQUIRE(decoded->assigned_partitions.size() <= 1);
  return decoded->assigned_partitions.empty() ? std::vector<int32_t>() : decoded->assigned_partitions[0].partitions;
}

inline JoinGroup join_of(std::string member_id, Bytes metadata = subscription_to({"t"})) {
  JoinGroup join;
  join.group_id = "g";
  join.member_id = std::move(member_id);
  join.protocol_type = "consumer";
  join.protocols = {{"range", metadata}, {"roundrobin", metadata}};
  join.session_timeout_ms = kTestSessionMs;
  join.rebalance_timeout_ms = kTestRebalanceMs;
  join.client = {"client", "/127.0.0.1"};
  return join;
}

inline SyncGroup sync_of(const JoinGroupReply& joined, std::vector<std::pair<std::string, Bytes>> assignments = {}) {
  SyncGroup sync;
  sync.group_id = "g";
  sync.generation = joined.generation;
  sync.member_id = joined.member_id;
  sync.assignments = std::move(assignments);
  return sync;
}

inline GroupHeartbeat beat_of(const JoinGroupReply& joined) {
  GroupHeartbeat beat;
  beat.group_id = "g";
  beat.generation = joined.generation;
  beat.member_id = joined.member_id;
  return beat;
}

inline LeaveGroup leave_of(const JoinGroupReply& joined) {
  LeaveGroup leave;
  leave.group_id = "g";
  leave.members.push_back({joined.member_id, std::nullopt});
  return leave;
}

inline ConsumerHeartbeat consumer_join(std::string member_id) {
  ConsumerHeartbeat beat;
  beat.group_id = "g";
  beat.member_id = std::move(member_id);
  beat.rebalance_timeout_ms = kTestRebalanceMs;
  beat.subscribed_topic_names = std::vector<std::string>{"t"};
  beat.owned_partitions = std::vector<TopicPartitions>();
  beat.client = {"client", "/127.0.0.1"};
  return beat;
}

inline ConsumerHeartbeat consumer_beat(std::string member_id, int32_t member_epoch) {
  ConsumerHeartbeat beat;
  beat.group_id = "g";
  beat.member_id = std::move(member_id);
  beat.member_epoch = member_epoch;
  beat.client = {"client", "/127.0.0.1"};
  return beat;
}

inline OffsetToCommit offset_of(std::string topic, int32_t partition, int64_t offset) {
  OffsetToCommit one;
  one.topic = std::move(topic);
  one.partition = partition;
  one.offset = offset;
  return one;
}

// Of a simple consumer, or a tool.
inline CommitOffsets commit_of(std::string group_id, std::vector<OffsetToCommit> offsets) {
  CommitOffsets commit;
  commit.group_id = std::move(group_id);
  commit.offsets = std::move(offsets);
  return commit;
}

inline CommitOffsets commit_of(const JoinGroupReply& joined, std::vector<OffsetToCommit> offsets) {
  CommitOffsets commit = commit_of("g", std::move(offsets));
  commit.generation_or_epoch = joined.generation;
  commit.member_id = joined.member_id;
  return commit;
}

inline FetchOffsets fetch_of(std::string group_id, std::string topic, std::vector<int32_t> partitions) {
  FetchOffsets fetch;
  fetch.group_id = std::move(group_id);
  fetch.topics.emplace().push_back({std::move(topic), std::move(partitions)});
  return fetch;
}

inline int64_t committed(MachineDriver& driver, std::string group_id, std::string topic = "t", int32_t partition = 0) {
  const auto reply = driver.answer<FetchOffsetsReply>(fetch_of(std::move(group_id), std::move(topic), {partition}));
  REQUIRE(reply.error == GroupErrc::kNone);
  REQUIRE(reply.offsets.size() == 1);
  return reply.offsets[0].offset;
}

// The first member of group "g" and its leader: it has partitions 0 to 3 of topic "t".
inline JoinGroupReply stable_leader(MachineDriver& driver) {
  const Ticket joining = driver.ask(join_of(""));
  driver.advance(driver.rules.initial_rebalance_delay_ms);
  const auto joined = driver.take<JoinGroupReply>(joining);
  REQUIRE(joined.error == GroupErrc::kNone);
  const auto synced =
      driver.answer<SyncGroupReply>(sync_of(joined, {{joined.member_id, assignment_of("t", {0, 1, 2, 3})}}));
  REQUIRE(synced.error == GroupErrc::kNone);
  return joined;
}

}  // namespace leat
