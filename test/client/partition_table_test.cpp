// partition_table_test.cpp: positions, what is fetched from whom, and what may be committed, without a broker.
#include "client/consumer/partition_table.h"

#include "core/record/batch_builder.h"
#include "test/support/catch.h"

namespace leat::client::detail {
namespace {

const TopicPartition kFirst{.topic = "orders", .partition = 0};
const TopicPartition kSecond{.topic = "orders", .partition = 1};

MetadataCache two_leaders() {
  MetadataCache cache;
  (void)cache.want("orders", AutoCreate::kNo);
  MetadataResponse response;
  auto& topic = response.topics.emplace_back();
  topic.name = "orders";
  for (int32_t i = 0; i < 2; ++i) {
    auto& partition = topic.partitions.emplace_back();
    partition.partition_index = i;
    partition.leader_id = i + 1;
    partition.leader_epoch = 5;
  }
  cache.apply(response);
  return cache;
}

Slice batch(int64_t base_offset, int count) {
  BatchBuilder builder({.base_offset = Offset(base_offset), .leader_epoch = 5});
  for (int i = 0; i < count; ++i) builder.append(text_record("k", "v", 0));
  return *builder.finish();
}

struct Table {
  explicit Table(ConsumerSettings with = {}) : settings(std::move(with)), table(settings) {}

  std::map<int32_t, FetchPlan> plan(Nanos now = Nanos(0), const std::set<int32_t>& busy = {}) {
    return table.plan(metadata, now, busy, leaderless);
  }
  std::shared_ptr<FetchedChunk> fetched(const FetchItem& item, const Slice& records) {
    ChunkOrder order;
    order.topic = std::make_shared<const std::string>(item.name.topic);
    order.partition = item.name.partition;
    order.records = records;
    order.position = item.offset;
    auto chunk = std::make_shared<FetchedChunk>(std::move(order));
    return table.on_fetched(item, chunk, outline(records.view(), item.offset)) ? chunk : nullptr;
  }
  std::vector<Error> read(const FetchItem& item, const std::shared_ptr<FetchedChunk>& chunk) {
    chunk->read();
    return table.on_read(item.name, chunk, Nanos(100));
  }
  FetchItem only_item(const TopicPartition& name) {
    for (const auto& [node, plan] : plan()) {
      for (const FetchItem& item : plan.items) {
        if (item.name == name) return item;
      }
    }
    FAIL("nothing is to be fetched of it");
    return {};
  }

  const ConsumerSettings settings;
  MetadataCache metadata = two_leaders();
  bool leaderless = false;
  PartitionTable table;
};

}  // namespace

TEST_CASE("partition table: positions come from commits, then from the policy", "[client][consumer]") {
  Table t({.group_id = "g", .auto_offset_reset = OffsetReset::kEarliest});
  t.table.add(kFirst);
  t.table.add(kSecond);
  CHECK(t.plan().empty());
  const auto asked = t.table.wanting_commit();
  REQUIRE(asked.size() == 2);
  t.table.on_commit(asked[0], OffsetAndMetadata{.offset = 7});
  t.table.on_commit(asked[1], std::nullopt);
  CHECK(t.table.position(kFirst) == 7);
  CHECK(!t.table.position(kSecond));
  const auto wanting = t.table.wanting_offset();
  REQUIRE(wanting.size() == 1);
  CHECK(wanting[0].timestamp == kEarliestOffset);
  t.table.on_offset(wanting[0], 3);
  CHECK(t.table.position(kSecond) == 3);
  CHECK(t.plan().size() == 2);
  CHECK(t.plan(Nanos(0), {1}).size() == 1);
}

TEST_CASE("partition table: a policy by time, and no record so late", "[client][consumer]") {
  Table t({.auto_offset_reset = OffsetReset::kTimestamp, .auto_offset_reset_timestamp_ms = 5'000});
  t.table.add(kFirst);
  auto wanting = t.table.wanting_offset();
  REQUIRE(wanting.size() == 1);
  CHECK(wanting[0].timestamp == 5'000);
  t.table.on_offset(wanting[0], -1);
  CHECK(!t.table.position(kFirst));
  wanting = t.table.wanting_offset();
  REQUIRE(wanting.size() == 1);
  CHECK(wanting[0].timestamp == kLatestOffset);
  t.table.on_offset(wanting[0], 9);
  CHECK(t.table.position(kFirst) == 9);
}

TEST_CASE("partition table: out of range, it goes to the nearest end of the log, which is told once",
          "[client][consumer]") {
  struct Move {
    int64_t from;
    int64_t to;
  };
  for (const Move& move : {Move{99, 10}, Move{1, 3}, Move{10, 10}, Move{5, 5}}) {
    Table t({.auto_offset_reset = OffsetReset::kNone, .out_of_range = OutOfRange::kNearest});
    t.table.add(kFirst);
    t.table.seek(kFirst, move.from);
    CHECK(t.table.on_error(t.only_item(kFirst), ErrorCode::kOffsetOutOfRange, 1, Nanos(0), Nanos(50)) ==
          PartitionTable::AfterError::kNothing);
    CHECK(!t.table.position(kFirst));
    for (auto asked = t.table.wanting_offset(); !asked.empty(); asked = t.table.wanting_offset()) {
      t.table.on_offset(asked[0], asked[0].timestamp == kLatestOffset ? 10 : 3);
    }
    CHECK(t.table.position(kFirst) == move.to);
    const std::vector<MovedPosition> moved = t.table.take_moved();
    CHECK(moved.empty() == (move.from == move.to));
    if (!moved.empty()) {
      CHECK(moved.size() == 1);
      CHECK(moved[0].name == kFirst);
      CHECK(moved[0].from == move.from);
      CHECK(moved[0].to == move.to);
    }
    CHECK(t.table.take_moved().empty());
    CHECK(t.table.take_nowhere().empty());
  }
}

TEST_CASE("partition table: without a commit and a policy it stands nowhere, which is told once",
          "[client][consumer]") {
  Table t({.group_id = "g", .auto_offset_reset = OffsetReset::kNone});
  t.table.add(kFirst);
  CHECK(t.table.take_nowhere().empty());
  t.table.on_commit(t.table.wanting_commit().at(0), std::nullopt);
  CHECK(t.table.take_nowhere() == std::vector<TopicPartition>{kFirst});
  CHECK(t.table.take_nowhere().empty());
  CHECK(t.table.seek(kFirst, 4));
  CHECK(t.table.position(kFirst) == 4);
}

TEST_CASE("partition table: an answer to a question from before a seek counts for nothing", "[client][consumer]") {
  Table t({.auto_offset_reset = OffsetReset::kEarliest});
  t.table.add(kFirst);
  const auto asked = t.table.wanting_offset();
  CHECK(t.table.seek(kFirst, 40));
  t.table.on_offset(asked.at(0), 0);
  CHECK(t.table.position(kFirst) == 40);
  const FetchItem item = t.only_item(kFirst);
  CHECK(t.table.seek(kFirst, 10));
  CHECK(t.fetched(item, batch(40, 3)) == nullptr);
  CHECK(t.table.on_error(item, ErrorCode::kOffsetOutOfRange, 1, Nanos(0), Nanos(0)) ==
        PartitionTable::AfterError::kNothing);
  CHECK(t.table.position(kFirst) == 10);
}

TEST_CASE("partition table: chunks are given in order, however they become ready", "[client][consumer]") {
  Table t;
  t.table.add(kFirst);
  t.table.seek(kFirst, 0);
  const FetchItem one = t.only_item(kFirst);
  const auto first = t.fetched(one, batch(0, 3));
  const FetchItem two = t.only_item(kFirst);
  CHECK(two.offset == 3);
  const auto second = t.fetched(two, batch(3, 3));
  CHECK(t.read(two, second).empty());
  CHECK(!t.table.has_ready());
  CHECK(t.read(one, first).empty());
  CHECK(t.table.has_ready());
  CHECK(t.table.take(0)->count() == 6);
  CHECK(t.table.position(kFirst) == 6);
  CHECK(t.table.given().at(kFirst).leader_epoch == 5);
  CHECK(t.table.processed().at(kFirst).offset == 0);
  t.table.note_processed();
  CHECK(t.table.processed().at(kFirst).offset == 6);
}

TEST_CASE("partition table: damage is told once, and fetched again from there", "[client][consumer]") {
  Table t;
  t.table.add(kFirst);
  t.table.seek(kFirst, 0);
  const FetchItem one = t.only_item(kFirst);
  const Slice good = batch(0, 3);
  std::vector<uint8_t> broken(good.view().begin(), good.view().end());
  broken.back() ^= 1;
  const auto chunk = t.fetched(one, Slice::copy_of(broken));
  const FetchItem behind = t.only_item(kFirst);
  const auto later = t.fetched(behind, batch(3, 3));
  CHECK(t.read(one, chunk).size() == 1);
  CHECK(t.read(behind, later).empty());
  CHECK(!t.table.has_ready());
  CHECK(t.plan(Nanos(0)).empty());
  CHECK(t.plan(Nanos(100)).at(1).items.at(0).offset == 0);
  CHECK(t.table.next_retry(Nanos(0)) == Nanos(100));
}

namespace {

Slice commit_marker(int64_t offset) {
  BatchBuilder builder({.base_offset = Offset(offset),
                        .leader_epoch = 5,
                        .producer_id = 7,
                        .producer_epoch = 0,
                        .kind = BatchKind::kTransactionalControl});
  builder.append(text_record("k", "v", 0));
  return *builder.finish();
}

}  // namespace

// A poll() comes for records; a long stretch without any (aborted transactions) must not fill the bounds meanwhile.
TEST_CASE("partition table: what has no records is not kept for a poll", "[client][consumer]") {
  Table t({.isolation_level = IsolationLevel::kReadCommitted, .partition_prefetch_bytes_max = 100});
  t.table.add(kFirst);
  t.table.seek(kFirst, 0);
  for (int64_t offset = 0; offset < 10; ++offset) {
    const FetchItem item = t.only_item(kFirst);
    REQUIRE(item.offset == offset);
    const auto chunk = t.fetched(item, commit_marker(offset));
    REQUIRE(t.read(item, chunk).empty());
    CHECK(!t.table.has_ready());
    CHECK(t.table.position(kFirst) == offset + 1);
  }
  // Behind records it waits for them, and goes with them.
  const FetchItem item = t.only_item(kFirst);
  const auto records = t.fetched(item, batch(10, 1));
  const FetchItem behind = {.name = kFirst, .offset = 11, .leader_epoch = 5, .round = item.round};
  const auto marker = t.fetched(behind, commit_marker(11));
  REQUIRE(marker != nullptr);
  CHECK(t.read(behind, marker).empty());
  CHECK(t.table.position(kFirst) == 10);
  CHECK(t.read(item, records).empty());
  CHECK(t.table.take(0)->count() == 1);
  CHECK(t.table.position(kFirst) == 12);
}

TEST_CASE("partition table: bounds and pauses hold fetches back", "[client][consumer]") {
  Table t({.partition_prefetch_bytes_max = 10});
  for (const TopicPartition& name : {kFirst, kSecond}) {
    t.table.add(name);
    t.table.seek(name, 0);
  }
  t.metadata.move_leader("orders", 1, 1, 6);  // both on one node
  const FetchItem item = t.only_item(kFirst);
  const auto chunk = t.fetched(item, batch(0, 3));
  const auto plans = t.plan();
  REQUIRE(plans.size() == 1);
  CHECK(plans.at(1).holds_back);
  CHECK(plans.at(1).items.size() == 1);
  CHECK(t.read(item, chunk).empty());
  CHECK(t.table.set_paused(kFirst, true));
  CHECK(!t.table.has_ready());
  CHECK(!t.plan().at(1).holds_back);
  CHECK(t.table.set_paused(kFirst, false));
  CHECK(t.table.take(0)->count() == 3);
  CHECK(t.plan().at(1).items.size() == 2);
}

TEST_CASE("partition table: errors", "[client][consumer]") {
  using After = PartitionTable::AfterError;
  const auto after = [](ErrorCode code, OffsetReset reset) {
    Table t({.auto_offset_reset = reset});
    t.table.add(kFirst);
    t.table.seek(kFirst, 100);
    const After said = t.table.on_error(t.only_item(kFirst), code, 1, Nanos(0), Nanos(50));
    CHECK(t.plan(Nanos(49)).empty());
    return said;
  };
  CHECK(after(ErrorCode::kNotLeaderOrFollower, OffsetReset::kLatest) == After::kRefreshMetadata);
  CHECK(after(ErrorCode::kUnknownTopicOrPartition, OffsetReset::kLatest) == After::kRefreshMetadata);
  CHECK(after(ErrorCode::kOffsetOutOfRange, OffsetReset::kLatest) == After::kNothing);
  CHECK(after(ErrorCode::kOffsetOutOfRange, OffsetReset::kNone) == After::kTell);
  CHECK(after(ErrorCode::kTopicAuthorizationFailed, OffsetReset::kLatest) == After::kTell);
}

TEST_CASE("partition table: a replica is read until it fails or its time is over", "[client][consumer]") {
  Table t;
  t.table.add(kFirst);
  t.table.seek(kFirst, 0);
  const FetchItem item = t.only_item(kFirst);
  t.table.set_replica(item, 9, Nanos(1'000));
  CHECK(t.plan(Nanos(999)).contains(9));
  CHECK(t.plan(Nanos(1'000)).contains(1));
  (void)t.table.on_error(item, ErrorCode::kOffsetOutOfRange, 9, Nanos(1), Nanos(1));
  CHECK(t.plan(Nanos(2)).contains(1));
  CHECK(t.table.position(kFirst) == 0);
}

TEST_CASE("partition table: a partition without a leader is told", "[client][consumer]") {
  Table t;
  t.table.add({.topic = "orders", .partition = 7});
  t.table.seek({.topic = "orders", .partition = 7}, 0);
  CHECK(t.plan().empty());
  CHECK(t.leaderless);
}

}  // namespace leat::client::detail
