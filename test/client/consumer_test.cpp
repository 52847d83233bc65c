// consumer_test.cpp: whole consumers in manual time against a FakeCluster: what is read, in which order, what is
// committed, and what becomes of all that when brokers move, groups change and things end.
#include <set>
#include <string>
#include <vector>

#include "test/client/client_fixture.h"
#include "test/client/fake_readers.h"
#include "test/support/sanitizers.h"

namespace leat::test {
namespace {

using client::AutoCommit;
using client::Cause;
using client::Client;
using client::Consumer;
using client::ConsumerSettings;
using client::GroupProtocol;
using client::OffsetReset;
using client::Task;
using client::WhenUnreachable;

struct ReadRecord {
  int32_t partition;
  int64_t offset;
  std::string value;
};

struct ConsumerFixture : ClientFixture {
  explicit ConsumerFixture(int32_t node_count = 1, uint64_t seed = 1,
                           WhenUnreachable when_unreachable = WhenUnreachable::kTryOn)
      : ClientFixture(node_count, seed, when_unreachable) {}

  void fill(const std::string& topic, int32_t partition, int count) {
    auto& log = cluster.partition(topic, partition).log;
    for (int i = 0; i < count; ++i) {
      StoredRecord record;
      record.value = std::to_string(log.size());
      record.timestamp_ms = 1'000 + static_cast<int64_t>(log.size());
      log.push_back(std::move(record));
    }
  }
  std::unique_ptr<Consumer> consumer(const ConsumerSettings& settings) {
    auto made = client->consumer(settings);
    REQUIRE(made);
    return *std::move(made);
  }
  // Polls until so many records came, or nothing comes any more.
  std::vector<ReadRecord> read(Consumer& from, size_t at_least, std::vector<std::string>* errors = nullptr) {
    std::vector<ReadRecord> got;
    int vain = 0;
    while (got.size() < at_least && vain < 20) {
      const client::Result<client::Records> records = wait(from.poll(1'000));
      if (!records) {
        if (errors == nullptr) FAIL(records.error().message());
        errors->push_back(records.error().message());
        ++vain;
        continue;
      }
      if (records->empty()) ++vain;
      for (const client::RecordView& record : *records) {
        got.push_back({record.partition, record.offset, std::string(record.value.value_or(""))});
      }
    }
    return got;
  }
};

void check_in_order(const std::vector<ReadRecord>& got, int64_t first = 0) {
  std::map<int32_t, int64_t> next;
  for (const ReadRecord& record : got) {
    const auto [at, is_new] = next.try_emplace(record.partition, first);
    REQUIRE(record.offset == at->second);
    REQUIRE(record.value == std::to_string(record.offset));
    ++at->second;
  }
}

}  // namespace

TEST_CASE("consumer: assigned partitions from the beginning, in order", "[client][consumer]") {
  ConsumerFixture f(3);
  f.cluster.add_topic("orders", 3);
  for (int32_t i = 0; i < 3; ++i) f.fill("orders", i, 95);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}, {"orders", 1}, {"orders", 2}}));
  const auto got = f.read(*consumer, 285);
  CHECK(got.size() == 285);
  check_in_order(got);
  CHECK(*consumer->position({"orders", 1}) == 95);
  CHECK(consumer->stats().records_given == 285);
  f.fill("orders", 1, 1);
  CHECK(f.read(*consumer, 1).at(0).offset == 95);
}

TEST_CASE("consumer: an answer is noted whole before the next fetch, which asks for nothing twice",
          "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 4);
  for (int32_t i = 0; i < 4; ++i) f.fill("orders", i, 100);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}, {"orders", 1}, {"orders", 2}, {"orders", 3}}));
  const auto got = f.read(*consumer, 400);
  CHECK(got.size() == 400);
  check_in_order(got);
  // Ten records of each partition in an answer, so ten answers and the fetch that waits for more. One that left while
  // its predecessor was half noted would bring three partitions a second time, and half of all answers for nothing.
  CHECK(consumer->stats().fetches <= 15);
}

TEST_CASE("consumer: kLatest begins behind what is there", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 50);
  auto consumer = f.consumer({});
  REQUIRE(consumer->assign({{"orders", 0}}));
  CHECK(f.wait(consumer->poll(2'000))->empty());
  f.fill("orders", 0, 5);
  check_in_order(f.read(*consumer, 5), 50);
}

TEST_CASE("consumer: seek, also into the middle of a batch, and what was fetched before is dropped",
          "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 100);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}}));
  REQUIRE(!f.read(*consumer, 1).empty());
  f.scheduler.advance(Millis(1'000));
  REQUIRE(consumer->seek({"orders", 0}, 37));
  const auto got = f.read(*consumer, 63);
  CHECK(got.size() == 63);
  check_in_order(got, 37);
  REQUIRE(consumer->seek({"orders", 0}, client::kEarliestOffset));
  CHECK(f.read(*consumer, 1).at(0).offset == 0);
  CHECK(!consumer->seek({"orders", 7}, 0));
  CHECK(!consumer->seek({"orders", 0}, -7));
}

TEST_CASE("consumer: paused partitions give nothing until they are resumed", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 2);
  f.fill("orders", 0, 20);
  f.fill("orders", 1, 20);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}, {"orders", 1}}));
  REQUIRE(consumer->pause({{"orders", 1}}));
  for (const ReadRecord& record : f.read(*consumer, 20)) CHECK(record.partition == 0);
  CHECK(f.wait(consumer->poll(2'000))->empty());
  REQUIRE(consumer->resume({{"orders", 1}}));
  const auto got = f.read(*consumer, 20);
  CHECK(got.size() == 20);
  check_in_order(got);
}

TEST_CASE("consumer: poll_records_max takes whole batches and loses none", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 100);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest, .poll_records_max = 15});
  REQUIRE(consumer->assign({{"orders", 0}}));
  std::vector<ReadRecord> got;
  while (got.size() < 100) {
    const auto records = f.wait(consumer->poll(1'000));
    REQUIRE(records);
    CHECK(records->count_max() <= 20);
    for (const auto& record : *records) {
      got.push_back({record.partition, record.offset, std::string(record.value.value_or(""))});
    }
  }
  check_in_order(got);
}

TEST_CASE("consumer: the prefetch bound holds while the program keeps its records", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 10'000);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest, .prefetch_bytes_max = 1'000});
  REQUIRE(consumer->assign({{"orders", 0}}));
  std::vector<client::Records> kept;
  for (int i = 0; i < 50; ++i) {
    auto records = f.wait(consumer->poll(100));
    REQUIRE(records);
    if (!records->empty()) kept.push_back(*std::move(records));
  }
  CHECK(consumer->stats().prefetched_bytes < 2'000);
  CHECK(kept.size() < 20);
  kept.clear();
  CHECK(!f.read(*consumer, 1).empty());
}

TEST_CASE("consumer: leaders move and brokers die, nothing is lost or doubled", "[client][consumer][faults]") {
  for (uint64_t seed = 1; seed <= (kSanitized ? 5 : 50); ++seed) {
    INFO("seed " << seed);
    ConsumerFixture f(3, seed);
    f.cluster.faults.delay_max = Millis(30);
    f.cluster.add_topic("orders", 3);
    for (int32_t i = 0; i < 3; ++i) f.fill("orders", i, 300);
    auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
    REQUIRE(consumer->assign({{"orders", 0}, {"orders", 1}, {"orders", 2}}));
    std::vector<std::string> errors;
    std::vector<ReadRecord> got = f.read(*consumer, 100, &errors);
    f.cluster.kill(2);
    for (ReadRecord& record : f.read(*consumer, 200, &errors)) got.push_back(std::move(record));
    f.cluster.revive(2);
    f.cluster.move_leader("orders", 0, 2);
    f.cluster.cut_connections(3);
    f.cluster.fetch_errors = {ErrorCode::kUnknownLeaderEpoch, ErrorCode::kFencedLeaderEpoch};
    for (ReadRecord& record : f.read(*consumer, 900 - got.size(), &errors)) got.push_back(std::move(record));
    CHECK(errors.empty());
    CHECK(got.size() == 900);
    check_in_order(got);
  }
}

TEST_CASE("consumer: a broker that is gone is waited for, or told at once, as the client's settings say",
          "[client][consumer]") {
  for (const WhenUnreachable how : {WhenUnreachable::kTryOn, WhenUnreachable::kFail}) {
    ConsumerFixture f(1, 1, how);
    f.cluster.add_topic("orders", 1);
    auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
    REQUIRE(consumer->assign({{"orders", 0}}));
    CHECK(f.wait(consumer->poll(100))->empty());
    f.cluster.kill(1);
    bool told = false;
    for (int i = 0; i < 5; ++i) {
      const auto records = f.wait(consumer->poll(1'000));
      if (records) continue;
      told = true;
      CHECK(records.error().cause() == Cause::kUnreachable);
    }
    CHECK(told == (how == WhenUnreachable::kFail));
    const Nanos asked_at = f.scheduler.clock().monotonic();
    const auto topics = f.wait(f.client->admin().list_topics());
    REQUIRE(!topics);
    CHECK(topics.error().cause() == Cause::kUnreachable);
    const Nanos took = f.scheduler.clock().monotonic() - asked_at;
    CHECK((took < Millis(2'000)) == (how == WhenUnreachable::kFail));
    f.cluster.revive(1);
    f.fill("orders", 0, 3);
    std::vector<std::string> errors;
    CHECK(f.read(*consumer, 3, &errors).size() == 3);
    if (how == WhenUnreachable::kTryOn) CHECK(errors.empty());
  }
}

TEST_CASE("consumer: an offset that is gone becomes the nearest that is there, if the program wants that",
          "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 10);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kNone, .out_of_range = client::OutOfRange::kNearest});
  REQUIRE(consumer->assign({{"orders", 0}}));
  REQUIRE(consumer->seek({"orders", 0}, 1'000));
  const auto told = f.wait(consumer->poll(5'000));
  REQUIRE(!told);
  CHECK(told.error().message().find("orders-0: OFFSET_OUT_OF_RANGE") == 0);
  CHECK(told.error().message().find("no offset 1000: going on at 10") != std::string::npos);
  f.fill("orders", 0, 2);
  check_in_order(f.read(*consumer, 2), 10);
}

TEST_CASE("client: connect() is answered by the first broker that can be reached, or says why none can", "[client]") {
  ClientFixture f(2);
  f.cluster.kill(1);
  REQUIRE(f.wait(f.client->connect()));
  f.cluster.kill(2);
  const auto none = f.wait(f.client->connect());
  REQUIRE(!none);
  CHECK(none.error().cause() == Cause::kUnreachable);
  CHECK(none.error().message() == "broker n1:9092 is not reachable (connection refused)");
  f.cluster.revive(2);
  REQUIRE(f.wait(f.client->connect()));
}

TEST_CASE("client: names that are too long for any broker are refused before one is asked", "[client]") {
  ClientFixture f;
  client::Admin& admin = f.client->admin();
  const std::string topic(250, 't');
  const std::string group(40'000, 'g');
  const auto check = [](const auto& refused, const std::string& what) {
    REQUIRE(!refused);
    INFO(refused.error().message());
    CHECK(refused.error().cause() == Cause::kInvalidArgument);
    CHECK(refused.error().message().find(what) == 0);
    CHECK(refused.error().message().size() < 120);
  };
  const std::string no_topic =
      "topic '" + std::string(32, 't') + "...': a name may have 249 bytes at most, this one has 250";
  check(f.wait(admin.describe_topics({"orders", topic})), no_topic);
  check(f.wait(admin.create_topic({.name = topic})), no_topic);
  check(f.wait(admin.delete_topic(topic)), no_topic);
  check(f.wait(admin.create_partitions(topic, 2)), no_topic);
  check(f.wait(admin.describe_configs({.type = client::ResourceType::kTopic, .name = topic})), no_topic);
  const std::string no_group =
      "group '" + std::string(32, 'g') + "...': a name may have 32767 bytes at most, this one has 40000";
  check(f.wait(admin.describe_configs({.type = client::ResourceType::kGroup, .name = group})), no_group);
  check(f.wait(admin.describe_group(group)), no_group);
  check(f.wait(admin.delete_group(group)), no_group);
  check(f.wait(admin.list_group_offsets(group)), no_group);
  check(f.client->consumer({.group_id = group}), no_group);
  check(f.client->consumer({.group_id = "g", .group_instance_id = group}), "group instance 'ggg");
}

TEST_CASE("consumer: offsets out of range follow the policy", "[client][consumer]") {
  for (const OffsetReset reset : {OffsetReset::kEarliest, OffsetReset::kNone}) {
    ConsumerFixture f;
    f.cluster.add_topic("orders", 1);
    f.fill("orders", 0, 10);
    auto consumer = f.consumer({.auto_offset_reset = reset});
    REQUIRE(consumer->assign({{"orders", 0}}));
    REQUIRE(consumer->seek({"orders", 0}, 1'000));
    std::vector<std::string> errors;
    const auto got = f.read(*consumer, 10, &errors);
    CHECK(got.size() == (reset == OffsetReset::kEarliest ? 10 : 0));
    if (reset == OffsetReset::kNone) {
      REQUIRE(!errors.empty());
      CHECK(errors.front().find("orders-0") == 0);
      CHECK(errors.front().find("OFFSET_OUT_OF_RANGE") != std::string::npos);
      CHECK(errors.size() == 1);
    }
  }
}

TEST_CASE("consumer: a group of one, in either protocol, commits and goes on from there", "[client][consumer][group]") {
  for (const GroupProtocol protocol : {GroupProtocol::kConsumer, GroupProtocol::kClassic, GroupProtocol::kAuto}) {
    ConsumerFixture f(2);
    // kAuto against a broker without the consumer protocol.
    if (protocol == GroupProtocol::kAuto) f.cluster.unknown_apis = {68};
    f.cluster.add_topic("orders", 4);
    for (int32_t i = 0; i < 4; ++i) f.fill("orders", i, 30);
    const ConsumerSettings settings{
        .group_id = "g", .group_protocol = protocol, .auto_offset_reset = OffsetReset::kEarliest};
    auto consumer = f.consumer(settings);
    REQUIRE(consumer->subscribe({"orders"}));
    const auto got = f.read(*consumer, 120);
    CHECK(got.size() == 120);
    check_in_order(got);
    CHECK(consumer->assignment().size() == 4);
    REQUIRE(f.wait(consumer->commit()));
    CHECK(f.cluster.readers().committed.at({"orders", 2}) == 30);
    const auto told = f.wait(consumer->committed({{"orders", 2}}));
    REQUIRE(told);
    CHECK(told->at({"orders", 2}).offset == 30);
    REQUIRE(f.wait(consumer->close(10'000)));
    CHECK(f.cluster.readers().members.empty());
    if (protocol != GroupProtocol::kConsumer) CHECK(f.cluster.readers().farewells == 1);
    for (int32_t i = 0; i < 4; ++i) f.fill("orders", i, 1);
    auto next = f.consumer(settings);
    REQUIRE(next->subscribe({"orders"}));
    check_in_order(f.read(*next, 4), 30);
  }
}

TEST_CASE("consumer: unsubscribe() commits as the member that it was, and its end is waited for",
          "[client][consumer][group]") {
  for (const GroupProtocol protocol : {GroupProtocol::kConsumer, GroupProtocol::kClassic}) {
    ConsumerFixture f;
    f.cluster.add_topic("orders", 1);
    f.fill("orders", 0, 30);
    const ConsumerSettings settings{
        .group_id = "g", .group_protocol = protocol, .auto_offset_reset = OffsetReset::kEarliest};
    auto consumer = f.consumer(settings);
    REQUIRE(consumer->subscribe({"orders"}));
    REQUIRE(f.read(*consumer, 30).size() == 30);
    REQUIRE(f.wait(consumer->poll(100)));  // the program is done with them
    REQUIRE(consumer->unsubscribe());
    REQUIRE(consumer->unsubscribe());
    const client::Result<> early = consumer->assign({{"orders", 0}});
    REQUIRE(!early);
    CHECK(early.error().is_retriable());
    f.scheduler.advance(Millis(1'000));
    CHECK(f.cluster.readers().committed.at({"orders", 0}) == 30);
    CHECK(consumer->assignment().empty());
    REQUIRE(consumer->assign({{"orders", 0}}));
    f.scheduler.advance(Millis(1'000));
    CHECK(consumer->assignment().size() == 1);
    CHECK(*consumer->position({"orders", 0}) == 30);
    REQUIRE(f.wait(consumer->close(10'000)));

    auto another = f.consumer(settings);
    REQUIRE(another->subscribe({"orders"}));
    REQUIRE(f.wait(another->poll(2'000)));
    REQUIRE(another->unsubscribe());
    REQUIRE(f.wait(another->close(10'000)));
    CHECK(f.cluster.readers().members.empty());
    CHECK(f.cluster.readers().farewells == (protocol == GroupProtocol::kClassic ? 2 : 0));
  }
}

TEST_CASE("consumer: automatic commits claim only what the program has worked through", "[client][consumer][group]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 30);
  auto consumer = f.consumer({.group_id = "g", .auto_offset_reset = OffsetReset::kEarliest, .poll_records_max = 10});
  REQUIRE(consumer->subscribe({"orders"}));
  REQUIRE(f.read(*consumer, 10).size() == 10);
  f.scheduler.advance(Millis(20'000));
  CHECK(f.cluster.readers().committed.empty());  // it may still be at work with them
  REQUIRE(f.read(*consumer, 10).size() == 10);
  f.scheduler.advance(Millis(100));
  CHECK(f.cluster.readers().committed.at({"orders", 0}) == 10);
  REQUIRE(f.wait(consumer->close(10'000)));
  CHECK(f.cluster.readers().committed.at({"orders", 0}) == 20);
}

namespace {

class Notes final : public client::RebalanceListener {
 public:
  Task<> on_assigned(std::vector<client::TopicPartition> partitions) override {
    assigned += partitions.size();
    co_return;
  }
  Task<> on_revoked(std::vector<client::TopicPartition> partitions) override {
    if (consumer != nullptr) {
      const client::Result<> committed = co_await consumer->commit();
      CHECK(committed);
    }
    revoked += partitions.size();
  }
  Task<> on_lost(std::vector<client::TopicPartition> partitions) override {
    lost += partitions.size();
    co_return;
  }

  Consumer* consumer = nullptr;
  size_t assigned = 0;
  size_t revoked = 0;
  size_t lost = 0;
};

}  // namespace

TEST_CASE("consumer: two members share, and the listener commits before partitions go", "[client][consumer][group]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 4);
  for (int32_t i = 0; i < 4; ++i) f.fill("orders", i, 20);
  const auto notes = std::make_shared<Notes>();
  ConsumerSettings settings{.group_id = "g",
                            .group_protocol = GroupProtocol::kConsumer,
                            .rebalance_listener = notes,
                            .auto_offset_reset = OffsetReset::kEarliest,
                            .enable_auto_commit = AutoCommit::kNo};
  auto first = f.consumer(settings);
  notes->consumer = first.get();
  REQUIRE(first->subscribe({"orders"}));
  std::set<std::pair<int32_t, int64_t>> seen;
  for (const ReadRecord& record : f.read(*first, 80)) CHECK(seen.insert({record.partition, record.offset}).second);
  CHECK(notes->assigned == 4);
  settings.rebalance_listener = nullptr;
  auto second = f.consumer(settings);
  REQUIRE(second->subscribe({"orders"}));
  f.scheduler.advance(Millis(10'000));
  CHECK(notes->revoked == 2);
  CHECK(first->assignment().size() == 2);
  CHECK(second->assignment().size() == 2);
  for (int32_t i = 0; i < 4; ++i) f.fill("orders", i, 5);
  for (const ReadRecord& record : f.read(*first, 10)) CHECK(seen.insert({record.partition, record.offset}).second);
  for (const ReadRecord& record : f.read(*second, 10)) CHECK(seen.insert({record.partition, record.offset}).second);
  CHECK(seen.size() == 100);
  REQUIRE(f.wait(second->close(10'000)));
  f.scheduler.advance(Millis(10'000));
  CHECK(first->assignment().size() == 4);
  notes->consumer = nullptr;
}

TEST_CASE("consumer: a member that was fenced loses its partitions and comes back", "[client][consumer][group]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 2);
  const auto notes = std::make_shared<Notes>();
  auto consumer = f.consumer({.group_id = "g",
                              .group_protocol = GroupProtocol::kConsumer,
                              .rebalance_listener = notes,
                              .auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->subscribe({"orders"}));
  CHECK(f.wait(consumer->poll(3'000))->empty());
  CHECK(notes->assigned == 2);
  f.cluster.readers().heartbeat_errors = {ErrorCode::kFencedMemberEpoch};
  CHECK(f.wait(consumer->poll(5'000))->empty());
  CHECK(notes->lost == 2);
  CHECK(notes->assigned == 4);
}

TEST_CASE("consumer: who does not poll leaves the group, and joins again when it polls", "[client][consumer][group]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  auto consumer =
      f.consumer({.group_id = "g", .auto_offset_reset = OffsetReset::kEarliest, .max_poll_interval_ms = 10'000});
  REQUIRE(consumer->subscribe({"orders"}));
  CHECK(f.wait(consumer->poll(2'000))->empty());
  CHECK(f.cluster.readers().members.size() == 1);
  f.scheduler.advance(Millis(15'000));
  CHECK(f.cluster.readers().members.empty());
  const auto told = f.wait(consumer->poll(1'000));
  REQUIRE(!told);
  CHECK(told.error().message().find("max_poll_interval_ms") != std::string::npos);
  f.fill("orders", 0, 3);
  CHECK(f.read(*consumer, 3).size() == 3);
}

TEST_CASE("consumer: coordinators that are not ready, and commits that pass at the second try",
          "[client][consumer][group]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 5);
  f.cluster.readers().coordinator_errors = {ErrorCode::kCoordinatorNotAvailable, ErrorCode::kCoordinatorLoadInProgress};
  auto consumer = f.consumer({.group_id = "g", .auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->subscribe({"orders"}));
  CHECK(f.read(*consumer, 5).size() == 5);
  f.cluster.readers().commit_errors = {ErrorCode::kNotCoordinator, ErrorCode::kStaleMemberEpoch};
  REQUIRE(f.wait(consumer->commit()));
  CHECK(f.cluster.readers().committed.at({"orders", 0}) == 5);
  f.cluster.readers().commit_errors = {ErrorCode::kGroupAuthorizationFailed};
  const auto refused = f.wait(consumer->commit());
  REQUIRE(!refused);
  CHECK(refused.error().message().find("group 'g'") == 0);
}

TEST_CASE("consumer: settings and calls that do not fit together", "[client][consumer]") {
  ConsumerFixture f;
  const auto refused = [&](const ConsumerSettings& settings) {
    auto made = f.client->consumer(settings);
    return !made && made.error().cause() == Cause::kInvalidArgument;
  };
  CHECK(refused({.fetch_bytes_max = 0}));
  CHECK(refused({.group_instance_id = "i"}));
  CHECK(refused({.classic_assignors = {}}));
  CHECK(refused({.session_timeout_ms = 100}));
  auto consumer = f.consumer({});
  CHECK(!consumer->subscribe({"orders"}));
  CHECK(!consumer->pause({{"orders", 0}}));
  CHECK(!consumer->assign({{"", 0}}));
  CHECK(!f.wait(consumer->committed({{"orders", 0}})));
  auto member = f.consumer({.group_id = "g"});
  CHECK(!member->subscribe_pattern("("));
  auto first = member->poll(1'000);
  CHECK(f.wait(member->poll(1'000)).error().cause() == Cause::kInvalidArgument);
  CHECK(f.wait(std::move(first)));
}

TEST_CASE("consumer: everything is answered at its end, however it ends", "[client][consumer]") {
  for (const int how : {0, 1, 2}) {
    ConsumerFixture f;
    f.cluster.add_topic("orders", 1);
    f.fill("orders", 0, 20);
    auto consumer = f.consumer({.group_id = "g", .auto_offset_reset = OffsetReset::kEarliest});
    REQUIRE(consumer->subscribe({"orders"}));
    client::Records kept = *f.wait(consumer->poll(5'000));
    f.cluster.silent = true;
    f.scheduler.advance(Millis(2'000));
    auto polling = consumer->poll(100'000);
    f.scheduler.run_until_idle();
    if (polling.is_done()) polling = consumer->poll(100'000);
    auto committing = consumer->commit();
    auto asking = consumer->offsets_for_times({{{"orders", 0}, 0}});
    f.scheduler.run_until_idle();
    if (how == 0) CHECK(!f.wait(consumer->close(3'000)));
    if (how == 1) consumer.reset();
    if (how == 2) f.client.reset();
    f.scheduler.run_until_idle();
    CHECK(polling.is_done());
    CHECK(committing.is_done());
    CHECK(asking.is_done());
    CHECK((*kept.begin()).value == "0");
    if (how != 1) CHECK(f.wait(consumer->poll(10)).error().cause() == Cause::kClosed);
  }
}

TEST_CASE("consumer: the callback form goes on until it is told to stop", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 45);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}}));
  size_t count = 0;
  consumer->poll_each([&](client::Result<client::Records> records) {
    REQUIRE(records);
    for (const auto& record : *records) count += record.value ? 1 : 0;
    return count < 45 ? Consumer::Continue::kGoOn : Consumer::Continue::kStop;
  });
  f.scheduler.advance(Millis(5'000));
  CHECK(count == 45);
  f.fill("orders", 0, 1);
  f.scheduler.advance(Millis(5'000));
  CHECK(count == 45);
}

TEST_CASE("admin: leaders that move, are being chosen or go away are looked for again", "[client][admin]") {
  ConsumerFixture f(3);
  f.cluster.add_topic("orders", 3);
  client::Admin& admin = f.client->admin();
  const std::map<client::TopicPartition, int64_t> before{{{"orders", 0}, 5}, {{"orders", 1}, 6}, {{"orders", 2}, 7}};
  f.cluster.readers().deletion_errors = {ErrorCode::kNotLeaderOrFollower, ErrorCode::kNone,
                                         ErrorCode::kRequestTimedOut};
  f.cluster.metadata_errors = {ErrorCode::kLeaderNotAvailable};
  auto deleting = admin.delete_records(before);
  f.scheduler.run_until_idle();
  f.cluster.kill(2);
  const auto starts = f.wait(std::move(deleting));
  REQUIRE(starts);
  CHECK(*starts == before);
  f.cluster.readers().deletion_errors = {ErrorCode::kOffsetOutOfRange};
  const auto refused = f.wait(admin.delete_records(before));
  REQUIRE(!refused);
  CHECK(refused.error().message().find("its records are not deleted") != std::string::npos);
  CHECK(!f.wait(admin.delete_records({{{"orders", 9}, 1}})));
}

TEST_CASE("admin: what it tells of cluster, topics and offsets", "[client][admin]") {
  ConsumerFixture f(2);
  f.cluster.add_topic("orders", 3);
  f.fill("orders", 1, 7);
  client::Admin& admin = f.client->admin();
  const auto cluster = f.wait(admin.describe_cluster());
  REQUIRE(cluster);
  CHECK(cluster->brokers.size() == 2);
  CHECK(cluster->controller_id == 1);
  const auto topics = f.wait(admin.list_topics());
  REQUIRE(topics);
  REQUIRE(topics->size() == 1);
  CHECK(topics->front().partitions.size() == 3);
  const auto missing = f.wait(admin.describe_topics({"orders", "nowhere"}));
  REQUIRE(!missing);
  CHECK(missing.error().message().find("topic 'nowhere': UNKNOWN_TOPIC_OR_PARTITION") == 0);
  const auto offsets = f.wait(admin.list_offsets({{{"orders", 1}, client::kLatestOffset}}));
  REQUIRE(offsets);
  CHECK(offsets->at({"orders", 1}).offset == 7);
  CHECK(!f.wait(admin.list_offsets({{{"orders", 9}, client::kLatestOffset}})));
  const auto altered = f.wait(admin.alter_group_offsets("g", {{{"orders", 1}, {.offset = 3}}}));
  REQUIRE(altered);
  CHECK(altered->empty());
  const auto committed = f.wait(admin.list_group_offsets("g"));
  REQUIRE(committed);
  CHECK(committed->at({"orders", 1}).offset == 3);
  const auto versions = f.wait(admin.api_versions(2));
  REQUIRE(versions);
  CHECK(!versions->empty());
  f.cluster.silent = true;
  auto waiting = admin.list_topics();
  f.client.reset();
  CHECK(waiting.is_done());
}

}  // namespace leat::test
