// group_cases.cpp: groups of every protocol and assignor: what one member has committed, the next one goes on from; and
// members share the partitions, hand them over as they come and go, and lose no record.
#include <array>
#include <set>

#include "test/client_live/group_watch.h"
#include "test/client_live/read_back.h"

namespace leat::client_live {
namespace {

using client::ClassicAssignor;
using client::GroupProtocol;

struct Way {
  const char* name;
  GroupProtocol protocol;
  ClassicAssignor assignor = ClassicAssignor::kRange;
};

constexpr Way kConsumer{.name = "consumer", .protocol = GroupProtocol::kConsumer};
constexpr Way kAuto{.name = "auto", .protocol = GroupProtocol::kAuto};
constexpr Way kRange{.name = "range", .protocol = GroupProtocol::kClassic, .assignor = ClassicAssignor::kRange};
constexpr Way kRoundRobin{
    .name = "roundrobin", .protocol = GroupProtocol::kClassic, .assignor = ClassicAssignor::kRoundRobin};
constexpr Way kSticky{
    .name = "sticky", .protocol = GroupProtocol::kClassic, .assignor = ClassicAssignor::kCooperativeSticky};

client::ConsumerSettings settings_of(const Way& way, const std::string& group) {
  client::ConsumerSettings settings = member_settings(group, way.protocol);
  settings.classic_assignors = {way.assignor};
  return settings;
}

void commit_and_resume(const Place& place, const Way& way) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, std::string("resume-") + way.name, 3);
  for (int i = 0; i < 9; ++i) fill(*client, topic, 3, 10, i * 10);  // batches of a few records
  client::ConsumerSettings settings = settings_of(way, topic + "-readers");
  settings.enable_auto_commit = client::AutoCommit::kNo;
  settings.poll_records_max = 5;

  std::set<std::pair<int32_t, int64_t>> seen;
  const auto note = [&seen](const std::vector<Stored>& records) {
    for (const Stored& one : records) {
      require(seen.insert({one.partition, one.offset}).second, place_of(one.partition, one.offset) + " came twice");
    }
  };
  const auto first = join(*client, settings, topic);
  note(read(*first, 40));
  const size_t committed = seen.size();
  require(committed < 90, "all records came at once");
  need(first->commit(), "commit()");
  int64_t sum = 0;
  for (const auto& [name, at] : need(first->committed(partitions_of(topic, 3)), "committed()")) sum += at.offset;
  require(sum == static_cast<int64_t>(committed), "commit() claims what poll() has given");
  need(first->close(10'000), "close()");

  const auto second = join(*client, settings, topic);
  note(read(*second, 90 - seen.size()));
  expect_nothing(*second, milliseconds(300));
  need(second->close(10'000), "close()");  // without a commit
  settings.enable_auto_commit = client::AutoCommit::kYes;
  const auto third = join(*client, settings, topic);
  require(read(*third, 90 - committed).size() == 90 - committed, "what the second one did not commit comes again");
  need(third->close(10'000), "close()");
  const auto left = need(client->admin().list_group_offsets(topic + "-readers"), "list_group_offsets()");
  for (const client::TopicPartition& name : partitions_of(topic, 3)) {
    require(left.contains(name) && left.at(name).offset == 30, "a close() commits what poll() has given");
  }
}

void wait_for_shares(const Ownership& ownership, const std::vector<std::pair<int, size_t>>& shares) {
  eventually(seconds(40), "the partitions are shared out", [&] {
    ownership.check();
    for (const auto& [member, count] : shares) {
      if (ownership.count_of(member) != count) return false;
    }
    return true;
  });
}

void share(const Place& place, const Way& way) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, std::string("share-") + way.name, 6);
  const client::ConsumerSettings settings = settings_of(way, topic + "-readers");
  Ownership ownership;
  Member first(place, settings, topic, ownership, 1);
  wait_for_shares(ownership, {{1, 6}});
  Member second(place, settings, topic, ownership, 2);
  wait_for_shares(ownership, {{1, 3}, {2, 3}});
  fill(*client, topic, 6, 600);
  Member third(place, settings, topic, ownership, 3);
  fill(*client, topic, 6, 600, 600);
  wait_for_shares(ownership, {{1, 2}, {2, 2}, {3, 2}});
  second.end();
  fill(*client, topic, 6, 300, 1'200);
  wait_for_shares(ownership, {{1, 3}, {2, 0}, {3, 3}});
  eventually(seconds(30), "every record was given to a member", [&] { return ownership.seen_count() == 1'500; });
  first.end();
  third.end();
  ownership.check();
  require(ownership.count_of(1) == 0 && ownership.count_of(3) == 0, "who has left has given up its partitions");
}

void resume_consumer(const Place& place) { commit_and_resume(place, kConsumer); }
void resume_auto(const Place& place) { commit_and_resume(place, kAuto); }
void resume_range(const Place& place) { commit_and_resume(place, kRange); }
void resume_round_robin(const Place& place) { commit_and_resume(place, kRoundRobin); }
void resume_sticky(const Place& place) { commit_and_resume(place, kSticky); }
void share_consumer(const Place& place) { share(place, kConsumer); }
void share_range(const Place& place) { share(place, kRange); }
void share_round_robin(const Place& place) { share(place, kRoundRobin); }
void share_sticky(const Place& place) { share(place, kSticky); }

constexpr std::array kCases{
    Case{"group_resume_consumer", resume_consumer}, Case{"group_resume_auto", resume_auto},
    Case{"group_resume_range", resume_range},       Case{"group_resume_roundrobin", resume_round_robin},
    Case{"group_resume_sticky", resume_sticky},     Case{"group_share_consumer", share_consumer},
    Case{"group_share_range", share_range},         Case{"group_share_roundrobin", share_round_robin},
    Case{"group_share_sticky", share_sticky},
};

}  // namespace

std::span<const Case> group_cases() { return kCases; }

}  // namespace leat::client_live
