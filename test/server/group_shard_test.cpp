// group_shard_test.cpp: a machine of groups over a log that can fail, on a loop that moves when told: what is answered
// is durable, what failed leaves nothing, nobody waits for ever, and a log is read as compaction would have left it.
#include "server/group_shard.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/record/batch_builder.h"
#include "test/core/coordinator/group_fixture.h"
#include "test/server/fake_group_log.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat {
namespace {

// A reply that may not be there yet.
template <class Reply>
struct Answer {
  std::optional<Reply> reply;
  bool is_there() const { return reply.has_value(); }
  Reply& operator*() {
    REQUIRE(reply.has_value());
    return *reply;
  }
  Reply* operator->() { return &**this; }
};

template <class Reply>
Task<void> fill(Task<GroupReply> asking, std::shared_ptr<Answer<Reply>> answer) {
  GroupReply reply = co_await std::move(asking);
  REQUIRE(std::holds_alternative<Reply>(reply));
  answer->reply = std::get<Reply>(std::move(reply));
}

struct Fixture {
  ManualScheduler scheduler;
  SeededRandom random{5};
  GroupRules rules;
  MapTopicCatalog catalog;
  GroupDisk disk;
  TopicNames absent;
  std::unique_ptr<GroupShard> shard;

  Fixture() {
    catalog.add("t", 4);
    start();
  }
  ~Fixture() { stop(); }

  void start(const std::shared_ptr<const TopicNames>& names = nullptr) {
    const GroupShard::Parts parts{
        .scheduler = scheduler, .random = random, .rules = rules, .catalog = catalog, .absent = &absent};
    shard = std::make_unique<GroupShard>(parts, std::make_unique<FakeGroupLog>(scheduler, disk));
    shard->start(names);
    scheduler.run_until_idle();
  }
  void stop() {
    if (shard == nullptr) return;
    disk.release();
    spawn(shard->stop());
    scheduler.run_until_idle();
    shard.reset();
  }
  void restart() {
    stop();
    start();
  }
  template <class Event>
  std::shared_ptr<Answer<ReplyTo<Event>>> ask(Event event) {
    auto answer = std::make_shared<Answer<ReplyTo<Event>>>();
    spawn(fill(shard->ask(std::move(event)), answer));
    scheduler.run_until_idle();
    return answer;
  }
  auto commit(int32_t partition, int64_t offset, std::string group = "g") {
    CommitOffsets event;
    event.group_id = std::move(group);
    event.offsets.push_back({.topic = "t", .topic_id = {}, .partition = partition, .offset = offset, .metadata = ""});
    return ask(std::move(event));
  }
  // As an old client does: what it asks for leaves no room for the topic's id in the record.
  auto commit_without_id(int32_t partition, int64_t offset) {
    CommitOffsets event;
    event.group_id = "g";
    event.retention_ms = 1'000'000'000;
    event.offsets.push_back({.topic = "t", .topic_id = {}, .partition = partition, .offset = offset, .metadata = ""});
    return ask(std::move(event));
  }
  void delete_topic(const std::string& name) {
    const Uuid id = catalog.find(name)->id;
    catalog.remove(name);
    shard->tell(TopicGone{.topic = name, .topic_id = id});
    scheduler.run_until_idle();
  }
  auto fetch(int32_t partition, std::string group = "g") {
    FetchOffsets event;
    event.group_id = std::move(group);
    event.topics.emplace();
    event.topics->push_back({.topic = "t", .partitions = {partition}});
    return ask(std::move(event));
  }
  int64_t committed(int32_t partition, std::string group = "g") {
    const auto answer = fetch(partition, std::move(group));
    REQUIRE((*answer)->error == GroupErrc::kNone);
    return (*answer)->offsets.at(0).offset;
  }
  auto join(std::string group, std::string member_id = "") {
    JoinGroup event;
    event.group_id = std::move(group);
    event.member_id = std::move(member_id);
    event.protocol_type = "consumer";
    event.protocols.push_back({"range", {}});
    event.session_timeout_ms = 10'000;
    event.rebalance_timeout_ms = 10'000;
    event.client = {.id = "client", .host = "/127.0.0.1"};
    return ask(std::move(event));
  }
};

GroupErrc error_of(const std::shared_ptr<Answer<CommitOffsetsReply>>& answer) {
  if ((*answer)->error != GroupErrc::kNone) return (*answer)->error;
  return (*answer)->partitions.at(0);
}

TEST_CASE("group shard: a commit is answered when it is durable, and is there after a restart", "[server][groups]") {
  Fixture f;
  f.disk.is_held = true;
  const auto committed = f.commit(1, 41);
  CHECK_FALSE(committed->is_there());
  f.disk.release();
  f.scheduler.run_until_idle();
  CHECK(error_of(committed) == GroupErrc::kNone);
  CHECK(f.committed(1) == 41);
  CHECK(f.committed(2) == -1);
  f.restart();
  CHECK(f.shard->is_ready());
  CHECK(f.committed(1) == 41);
}

TEST_CASE("group shard: what is asked while an append is under way leaves in the next, all of it", "[server][groups]") {
  Fixture f;
  f.disk.is_held = true;
  std::vector<std::shared_ptr<Answer<CommitOffsetsReply>>> answers;
  for (int i = 0; i < 100; ++i) answers.push_back(f.commit(i % 4, i, fmt::format("g{}", i)));
  CHECK(f.disk.appends == 1);
  f.disk.release();
  f.scheduler.run_until_idle();
  CHECK(f.disk.appends == 2);
  for (const auto& answer : answers) CHECK(error_of(answer) == GroupErrc::kNone);
  f.restart();
  for (int i = 0; i < 100; ++i) CHECK(f.committed(i % 4, fmt::format("g{}", i)) == i);
}

TEST_CASE("group shard: an append that only waits for its sync holds up nobody's", "[server][groups]") {
  Fixture f;
  f.disk.is_held = true;
  f.disk.is_ahead = true;
  const auto first = f.commit(0, 1);
  const auto second = f.commit(0, 2);
  const auto fetched = f.fetch(0);
  CHECK(f.disk.appends == 2);
  f.disk.waiting.at(1)->set();  // a sync that is heard of early
  f.scheduler.run_until_idle();
  CHECK_FALSE(second->is_there());
  f.disk.release();
  f.scheduler.run_until_idle();
  CHECK(error_of(first) == GroupErrc::kNone);
  CHECK(error_of(second) == GroupErrc::kNone);
  CHECK((*fetched)->offsets.at(0).offset == 2);
}

TEST_CASE("group shard: of an append of several batches none stands behind what came later", "[server][groups]") {
  Fixture f;
  constexpr int32_t kPartitions = 5000;
  f.catalog.add("t", kPartitions);
  f.catalog.add("u", 1);
  CommitOffsets all;
  all.group_id = "g";
  for (int32_t partition = 0; partition < kPartitions; ++partition) {
    all.offsets.push_back({.topic = "t", .topic_id = {}, .partition = partition, .offset = 1, .metadata = ""});
  }
  REQUIRE(error_of(f.ask(std::move(all))) == GroupErrc::kNone);
  CHECK(f.disk.appends == 1);
  f.disk.is_held = true;
  f.disk.is_ahead = true;
  f.delete_topic("t");
  CommitOffsets other;
  other.group_id = "g";
  other.offsets.push_back({.topic = "u", .topic_id = {}, .partition = 0, .offset = 7, .metadata = ""});
  const auto committed = f.ask(std::move(other));
  CHECK(f.disk.appends == 2);  // the first of the tombstones' two
  f.disk.release();
  f.scheduler.run_until_idle();
  CHECK(error_of(committed) == GroupErrc::kNone);
  CHECK(f.disk.appends == 4);
  for (size_t i = 1; i < f.disk.batches.size(); ++i) {
    CHECK(BatchView(f.disk.batches[i].view()).record_count() < kPartitions);
  }
  f.restart();
  f.catalog.add("t", kPartitions);
  CHECK(f.committed(0) == -1);
  CHECK(f.committed(kPartitions - 1) == -1);
  FetchOffsets left;
  left.group_id = "g";
  CHECK((*f.ask(std::move(left)))->offsets.size() == 1);
}

TEST_CASE("group shard: nobody is told of what is not durable yet", "[server][groups]") {
  Fixture f;
  REQUIRE(error_of(f.commit(0, 1)) == GroupErrc::kNone);
  f.disk.is_held = true;
  const auto committed = f.commit(0, 2);
  const auto fetched = f.fetch(0);
  CHECK_FALSE(fetched->is_there());
  f.disk.release();
  f.scheduler.run_until_idle();
  CHECK((*fetched)->offsets.at(0).offset == 2);
  CHECK(f.fetch(0)->is_there());  // nothing is under way: at once
}

TEST_CASE("group shard: a failed append sends everybody away, and the state is the log's again", "[server][groups]") {
  Fixture f;
  REQUIRE(error_of(f.commit(0, 1)) == GroupErrc::kNone);
  const auto parked = f.join("other");
  REQUIRE_FALSE(parked->is_there());
  f.disk.is_held = true;
  f.disk.failures_left = 1;
  const auto failing = f.commit(0, 2);
  const auto after = f.commit(1, 3);
  const auto read = f.fetch(0);
  f.disk.release();
  f.scheduler.run_until_idle();
  for (const GroupErrc told : {error_of(failing), error_of(after), (*read)->error, (*parked)->error}) {
    CHECK(told == GroupErrc::kCoordinatorNotAvailable);  // the disk is full; they come again
  }
  CHECK(f.shard->waiting_count() == 0);
  CHECK(f.committed(0) == 1);
  CHECK(f.committed(1) == -1);
  CHECK(error_of(f.commit(0, 4)) == GroupErrc::kNone);
  CHECK(f.committed(0) == 4);
}

TEST_CASE("group shard: an append that fails for another reason says that the coordinator is elsewhere",
          "[server][groups]") {
  Fixture f;
  f.disk.failure = Errc::kIo;
  f.disk.failures_left = 1;
  CHECK(error_of(f.commit(0, 2)) == GroupErrc::kNotCoordinator);
  CHECK(error_of(f.commit(0, 3)) == GroupErrc::kNone);
}

TEST_CASE("group shard: on a disk that stays full not every attempt costs the machine", "[server][groups]") {
  Fixture f;
  REQUIRE(error_of(f.commit(0, 1)) == GroupErrc::kNone);
  f.disk.failures_left = 1000;
  CHECK(error_of(f.commit(0, 2)) == GroupErrc::kCoordinatorNotAvailable);
  CHECK(f.committed(0) == 1);
  CHECK(error_of(f.commit(0, 2)) == GroupErrc::kCoordinatorNotAvailable);
  CHECK_FALSE(f.shard->is_ready());
  f.scheduler.advance(GroupShard::kFullPause);
  REQUIRE(f.shard->is_ready());
  const int appends = f.disk.appends;
  const int reads = f.disk.reads;
  for (int i = 0; i < 10; ++i) {
    CHECK(error_of(f.commit(0, 2)) == GroupErrc::kCoordinatorNotAvailable);
    CHECK(f.committed(0) == 1);  // who only reads is served
  }
  CHECK(f.disk.appends == appends);
  CHECK(f.disk.reads == reads);
  f.disk.failures_left = 0;
  f.scheduler.advance(GroupShard::kWriteAgainAfter);
  CHECK(error_of(f.commit(0, 3)) == GroupErrc::kNone);
  f.disk.failures_left = 1;  // it was free in between: at once again
  CHECK(error_of(f.commit(0, 4)) == GroupErrc::kCoordinatorNotAvailable);
  CHECK(f.shard->is_ready());
  CHECK(error_of(f.commit(0, 5)) == GroupErrc::kNone);
}

TEST_CASE("group shard: stopping while a full disk is waited for", "[server][groups]") {
  Fixture f;
  f.disk.failures_left = 1000;
  for (int i = 0; i < 2; ++i) CHECK(error_of(f.commit(0, 2)) == GroupErrc::kCoordinatorNotAvailable);
  CHECK_FALSE(f.shard->is_ready());
  spawn(f.shard->stop());
  f.scheduler.run_until_idle();
  f.scheduler.advance(GroupShard::kFullPause);
  CHECK_FALSE(f.shard->is_ready());
  f.shard.reset();
}

TEST_CASE("group shard: while the log is read, clients come again; what the broker says is kept", "[server][groups]") {
  Fixture f;
  REQUIRE(error_of(f.commit(0, 7)) == GroupErrc::kNone);
  f.stop();
  f.disk.is_read_held = true;
  f.start();
  CHECK_FALSE(f.shard->is_ready());
  CHECK((*f.fetch(0))->error == GroupErrc::kCoordinatorLoadInProgress);
  CHECK((*f.join("g"))->error == GroupErrc::kCoordinatorLoadInProgress);
  ListGroups all;
  CHECK((*f.ask(all))->error == GroupErrc::kCoordinatorLoadInProgress);
  const Uuid id = f.catalog.find("t")->id;
  f.catalog.remove("t");
  f.shard->tell(TopicGone{.topic = "t", .topic_id = id});
  f.disk.release();
  f.scheduler.run_until_idle();
  CHECK(f.shard->is_ready());
  f.catalog.add("t", 4);
  CHECK(f.committed(0) == -1);
  f.restart();
  CHECK(f.committed(0) == -1);
}

TEST_CASE("group shard: that a topic is gone is heard again when the step is lost", "[server][groups]") {
  Fixture f;
  REQUIRE(error_of(f.commit_without_id(0, 7)) == GroupErrc::kNone);
  REQUIRE(error_of(f.commit(1, 8)) == GroupErrc::kNone);
  f.disk.is_held = true;
  f.disk.failures_left = 1;
  f.delete_topic("t");
  f.catalog.add("t", 4);  // before the log is read again: by its name the first commit would be this one's
  f.disk.release();
  f.scheduler.run_until_idle();
  REQUIRE(f.shard->is_ready());
  CHECK(f.committed(0) == -1);
  CHECK(f.committed(1) == -1);
  f.restart();
  CHECK(f.committed(0) == -1);
  CHECK(f.committed(1) == -1);
}

TEST_CASE("group shard: what a crash left of a topic that is gone goes when the log is read", "[server][groups]") {
  Fixture f;
  f.catalog.add("u", 1);
  CommitOffsets kept;
  kept.group_id = "g";
  kept.offsets.push_back({.topic = "u", .topic_id = {}, .partition = 0, .offset = 9, .metadata = ""});
  REQUIRE(error_of(f.ask(std::move(kept))) == GroupErrc::kNone);
  REQUIRE(error_of(f.commit_without_id(0, 7)) == GroupErrc::kNone);
  REQUIRE(error_of(f.commit(1, 8)) == GroupErrc::kNone);
  f.stop();
  f.catalog.remove("t");
  f.disk.is_read_held = true;
  f.start(std::make_shared<const TopicNames>(TopicNames{"u"}));
  f.catalog.add("t", 4);  // made while the log is read
  f.disk.release();
  f.scheduler.run_until_idle();
  REQUIRE(f.shard->is_ready());
  FetchOffsets all;
  all.group_id = "g";
  CHECK((*f.ask(all))->offsets.size() == 1);
  f.restart();
  CHECK((*f.ask(all))->offsets.size() == 1);
  CHECK(f.committed(0) == -1);
  REQUIRE(error_of(f.commit_without_id(0, 3)) == GroupErrc::kNone);
  f.restart();
  CHECK(f.committed(0) == 3);
}

TEST_CASE("group shard: what was committed for a topic that may be taken in again is left alone", "[server][groups]") {
  Fixture f;
  f.catalog.add("u", 1);
  REQUIRE(error_of(f.commit(1, 8)) == GroupErrc::kNone);
  CommitOffsets other;
  other.group_id = "g";
  other.offsets.push_back({.topic = "u", .topic_id = {}, .partition = 0, .offset = 9, .metadata = ""});
  REQUIRE(error_of(f.ask(std::move(other))) == GroupErrc::kNone);
  f.stop();
  f.catalog.remove("t");
  f.catalog.remove("u");
  f.absent = {"t"};
  f.start();
  FetchOffsets all;
  all.group_id = "g";
  const auto kept = f.ask(all);
  REQUIRE((*kept)->offsets.size() == 1);
  CHECK((*kept)->offsets.front().topic == "t");
}

TEST_CASE("group shard: a topic that goes while the log cannot be read is not forgotten", "[server][groups]") {
  Fixture f;
  REQUIRE(error_of(f.commit_without_id(0, 7)) == GroupErrc::kNone);
  f.stop();
  f.disk.is_unreadable = true;
  f.start(std::make_shared<const TopicNames>(TopicNames{"t"}));
  f.delete_topic("t");
  f.catalog.add("t", 4);
  f.disk.is_unreadable = false;
  f.scheduler.advance(GroupShard::kReadAgainAfter);
  CHECK((*f.fetch(0))->error == GroupErrc::kCoordinatorLoadInProgress);
  CHECK(f.committed(0) == -1);
}

TEST_CASE("group shard: a commit beyond max.message.bytes is refused, and costs nobody else", "[server][groups]") {
  Fixture f;
  f.disk.step_bytes_max = 1000;
  CommitOffsets event;
  event.group_id = "g";
  for (int32_t partition = 0; partition < 4; ++partition) {
    event.offsets.push_back(
        {.topic = "t", .topic_id = {}, .partition = partition, .offset = 1, .metadata = std::string(size_t{300}, 'm')});
  }
  CHECK(error_of(f.ask(event)) == GroupErrc::kInvalidCommitOffsetSize);
  CHECK(f.disk.appends == 0);
  event.offsets.resize(2);
  CHECK(error_of(f.ask(event)) == GroupErrc::kNone);
}

TEST_CASE("group shard: a log that cannot be read is tried again when somebody asks later", "[server][groups]") {
  Fixture f;
  REQUIRE(error_of(f.commit(0, 7)) == GroupErrc::kNone);
  f.stop();
  f.disk.is_unreadable = true;
  f.start();
  CHECK((*f.fetch(0))->error == GroupErrc::kCoordinatorNotAvailable);
  f.disk.is_unreadable = false;
  CHECK((*f.fetch(0))->error == GroupErrc::kCoordinatorNotAvailable);
  f.scheduler.advance(GroupShard::kReadAgainAfter);
  CHECK((*f.fetch(0))->error == GroupErrc::kCoordinatorLoadInProgress);
  CHECK(f.committed(0) == 7);
}

TEST_CASE("group shard: on a log that is closed reads go on, and nothing is begun", "[server][groups]") {
  Fixture f;
  REQUIRE(error_of(f.commit(0, 7)) == GroupErrc::kNone);
  f.disk.closed = Error(Errc::kOffline, "a sync failed");
  CHECK(error_of(f.commit(0, 8)) == GroupErrc::kNotCoordinator);
  CHECK((*f.join("g"))->error == GroupErrc::kNotCoordinator);
  CHECK(f.committed(0) == 7);
  CHECK(f.disk.appends == 1);
}

TEST_CASE("group shard: a join waits for the machine's deadline, and one timer does for all", "[server][groups]") {
  Fixture f;
  const auto one = f.join("a");
  const auto two = f.join("b");
  CHECK_FALSE(one->is_there());
  CHECK(f.scheduler.timer_count() == 1);
  f.scheduler.advance(Millis(f.rules.initial_rebalance_delay_ms - 1));
  CHECK_FALSE(one->is_there());
  f.scheduler.advance(Millis(2));
  CHECK((*one)->error == GroupErrc::kNone);
  CHECK((*two)->generation == 1);
  CHECK(f.scheduler.timer_count() == 1);
  CHECK(f.shard->waiting_count() == 0);
}

TEST_CASE("group shard: stopping finishes what was decided and sends the parked away", "[server][groups]") {
  Fixture f;
  const auto parked = f.join("a");
  f.disk.is_held = true;
  const auto committed = f.commit(0, 9);
  spawn(f.shard->stop());
  f.scheduler.run_until_idle();
  CHECK_FALSE(committed->is_there());
  CHECK((*f.fetch(0))->error == GroupErrc::kCoordinatorNotAvailable);
  f.disk.release();
  f.scheduler.run_until_idle();
  CHECK(error_of(committed) == GroupErrc::kNone);
  CHECK((*parked)->error == GroupErrc::kNotCoordinator);
  CHECK(f.scheduler.timer_count() == 0);
  f.shard.reset();
  f.start();
  CHECK(f.committed(0) == 9);
}

TEST_CASE("group shard: stopping while the log is read, and while it is read again", "[server][groups]") {
  Fixture f;
  REQUIRE(error_of(f.commit(0, 1)) == GroupErrc::kNone);
  f.disk.is_held = true;
  f.disk.failures_left = 1;
  const auto failing = f.commit(0, 2);
  f.disk.is_read_held = true;
  for (const auto& event : std::exchange(f.disk.waiting, {})) event->set();
  f.scheduler.run_until_idle();
  CHECK_FALSE(f.shard->is_ready());
  CHECK(error_of(failing) == GroupErrc::kCoordinatorNotAvailable);
  f.stop();
  f.disk.is_read_held = true;
  f.start();
  CHECK_FALSE(f.shard->is_ready());
  f.stop();
}

TEST_CASE("group shard: a log of many pieces and many records is read whole", "[server][groups]") {
  Fixture f;
  f.disk.batches_per_read = 1;
  for (int i = 0; i < 50; ++i) REQUIRE(error_of(f.commit(i % 4, i, fmt::format("g{}", i % 10))) == GroupErrc::kNone);
  const int reads = f.disk.reads;
  f.restart();
  CHECK(f.disk.reads == reads + 50);
  for (int i = 30; i < 50; ++i) CHECK(f.committed(i % 4, fmt::format("g{}", i % 10)) == i);
}

// --- the log --------------------------------------------------------------------------------------------------------

OffsetCommitRecord commit_record(std::string group, int64_t offset) {
  OffsetCommitRecord record;
  record.key.group = std::move(group);
  record.key.topic = "t";
  OffsetCommitValue& value = record.value.emplace();
  value.offset = offset;
  value.commit_timestamp = 1'700'000'000'000;
  return record;
}

Slice batch_of(const std::vector<GroupRecord>& records, Codec codec = Codec::kNone) {
  Result<Slice> batch = encode_group_batch(records, {.timestamp_ms = 1'700'000'000'000, .codec = codec});
  REQUIRE(batch.has_value());
  return *batch;
}

int64_t offset_in(const GroupLogEntry& entry) {
  return std::get<OffsetCommitRecord>(std::get<GroupRecord>(entry)).value->offset;
}

TEST_CASE("group log: of the records of one key the last is given, in any codec", "[server][groups]") {
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    const std::vector<Slice> pieces = {batch_of({commit_record("a", 1), commit_record("b", 2)}, codec),
                                       batch_of({commit_record("a", 3), commit_record("a", 4)}, codec)};
    const Result<GroupLogPiece> piece = decode_group_batches(pieces);
    REQUIRE(piece.has_value());
    REQUIRE(piece->entries.size() == 2);
    CHECK(offset_in(piece->entries[0]) == 2);
    CHECK(offset_in(piece->entries[1]) == 4);
  }
}

TEST_CASE("group log: what others wrote there is left out, what is no record is an error", "[server][groups]") {
  BatchBuilder builder;
  const std::vector<uint8_t> share_group_key = {0, 11, 0, 0};
  builder.append({.key = share_group_key, .value = as_bytes("x"), .timestamp_ms = 1});
  const std::vector<Slice> foreign = {*builder.finish()};
  const Result<GroupLogPiece> piece = decode_group_batches(foreign);
  REQUIRE(piece.has_value());
  CHECK(piece->entries.empty());
  CHECK(piece->next == Offset(1));

  BatchBuilder keyless;
  keyless.append({.value = as_bytes("x"), .timestamp_ms = 1});
  const std::vector<Slice> wrong = {*keyless.finish()};
  CHECK(decode_group_batches(wrong).error().code == Errc::kCorrupt);

  Slice damaged = batch_of({commit_record("a", 1)});
  damaged.unpublished()[kBatchHeaderBytes + 5] ^= 0x20;
  const std::vector<Slice> rotten = {damaged};
  CHECK(decode_group_batches(rotten).error().code == Errc::kCorrupt);
}

TEST_CASE("group shard: what a transaction wrote holds once it is committed", "[server][groups]") {
  Fixture f;
  f.stop();
  const auto append = [&f](Slice batch, int32_t count) {
    set_base_offset(batch.unpublished(), Offset(f.disk.next_offset));
    f.disk.next_offset += count;
    f.disk.batches.push_back(std::move(batch));
  };
  for (const int64_t producer_id : {int64_t{1}, int64_t{2}, int64_t{3}}) {
    BatchBuilder builder(
        {.producer_id = producer_id, .producer_epoch = 0, .base_sequence = 0, .kind = BatchKind::kTransactional});
    const Result<EncodedGroupRecord> record =
        encode_group_record(commit_record(fmt::format("g{}", producer_id), producer_id));
    REQUIRE(record.has_value());
    builder.append({.key = record->key, .value = *record->value, .timestamp_ms = 1});
    append(*builder.finish(), 1);
  }
  append(end_marker_batch({.type = MarkerType::kCommit, .producer_id = 1, .producer_epoch = 0, .timestamp_ms = 1}), 1);
  append(end_marker_batch({.type = MarkerType::kAbort, .producer_id = 2, .producer_epoch = 0, .timestamp_ms = 1}), 1);
  f.disk.batches_per_read = 1;
  f.start();
  CHECK(f.committed(0, "g1") == 1);
  CHECK(f.committed(0, "g2") == -1);
  CHECK(f.committed(0, "g3") == -1);  // still open
}

}  // namespace
}  // namespace leat
