// running_broker_test.cpp: the broker as a whole on a simulated disk and a manual scheduler: start, stop, crash,
// deletion, adoption. What it does by itself: running_broker_upkeep_test.cpp.
#include "server/running_broker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/log/file_names.h"
#include "core/log/recovery.h"
#include "core/storage/sim_file_system.h"
#include "server/metadata_store.h"
#include "server/partition_folders.h"
#include "test/server/running_broker_fixture.h"

using namespace leat;
using namespace leat::test;

TEST_CASE("running broker: a clean stop leaves its mark, the next start finds all", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  const std::string cluster_id = world.broker->broker().cluster_id;
  world.create_topic("t", 3);
  for (int i = 0; i < 10; ++i) REQUIRE(world.produce("t", i % 3, "v") == Offset(i / 3));
  const Uuid id = world.id_of("t");
  REQUIRE(world.stop());
  CHECK(world.exists("/data/.kafka_cleanshutdown"));
  REQUIRE(world.start());
  CHECK_FALSE(world.exists("/data/.kafka_cleanshutdown"));
  CHECK(world.broker->broker().cluster_id == cluster_id);
  CHECK(world.id_of("t") == id);
  CHECK(world.find("t", 0)->offsets().high_watermark == Offset(4));
  CHECK(world.find("t", 2)->offsets().high_watermark == Offset(3));
  const int32_t epoch = world.find("t", 0)->log().leader_epoch();
  world.crash();
  REQUIRE(world.start());
  CHECK(world.find("t", 0)->log().leader_epoch() > epoch);  // an unclean start: clients can notice
}

namespace {

enum class Records : uint8_t { kNone, kOneEach };

// What a stop after a crash does to the disk, when nothing was written since the last clean stop.
uint64_t operations_of_idle_stop(int32_t partitions, Records records) {
  World world;
  REQUIRE(world.start());
  world.create_topic("t", partitions);
  for (int32_t i = 0; i < partitions && records == Records::kOneEach; ++i) REQUIRE(world.produce("t", i, "v"));
  REQUIRE(world.stop());
  REQUIRE(world.start());
  sync_all(world.files, "/data");
  world.crash();
  REQUIRE(world.start());
  const int32_t epoch = world.find("t", partitions - 1)->log().leader_epoch();
  CHECK(epoch == 1);
  const uint64_t before = world.files.operations();
  REQUIRE(world.stop());
  const uint64_t operations = world.files.operations() - before;
  REQUIRE(world.start());
  CHECK(world.find("t", partitions - 1)->log().leader_epoch() == epoch);  // clients have seen it
  CHECK(world.produce("t", 0, "v") == Offset(records == Records::kOneEach ? 1 : 0));
  world.crash();
  REQUIRE(world.start());
  CHECK(world.find("t", partitions - 1)->log().leader_epoch() == epoch + 1);
  return operations;
}

}  // namespace

TEST_CASE("running broker: idle partitions cost a stop nothing, after a crash neither", "[server][broker]") {
  for (const Records records : {Records::kNone, Records::kOneEach}) {
    CHECK(operations_of_idle_stop(40, records) == operations_of_idle_stop(2, records));
  }
}

TEST_CASE("running broker: a stop saves all of many partitions", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("t", 50);
  for (int32_t i = 0; i < 50; ++i) REQUIRE(world.produce("t", i, "v") == Offset(0));
  REQUIRE(world.stop());
  for (int32_t i = 0; i < 50; ++i) CHECK(world.exists(fmt::format("/data/t-{}/00000000000000000001.snapshot", i)));
  REQUIRE(world.start());
  for (int32_t i = 0; i < 50; ++i) CHECK(world.find("t", i)->log().recovery_point() == Offset(1));
}

TEST_CASE("running broker: what was acknowledged survives a loss of power", "[server][broker]") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    World world(seed);
    REQUIRE(world.start());
    world.create_topic("t", 2);
    std::array<int64_t, 2> acknowledged = {0, 0};
    for (int life = 0; life < 3; ++life) {
      const uint64_t appends = 1 + world.random.below(20);
      for (uint64_t i = 0; i < appends; ++i) {
        const auto partition = static_cast<int32_t>(world.random.below(2));
        const std::optional<Offset> offset = world.produce("t", partition, "value");
        if (offset) acknowledged[static_cast<size_t>(partition)] = offset->v + 1;
        if (world.random.one_in(8)) world.files.lose_power_at(1 + world.random.below(6));
      }
      world.crash();
      INFO("seed " << seed << ", life " << life);
      REQUIRE(world.start());
      for (int32_t partition = 0; partition < 2; ++partition) {
        REQUIRE(world.find("t", partition) != nullptr);
        REQUIRE(world.find("t", partition)->offsets().high_watermark.v >= acknowledged[static_cast<size_t>(partition)]);
      }
    }
  }
}

TEST_CASE("running broker: two on one directory do not start", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  RunningBroker::Parts parts{world.scheduler, world.files, world.random, world.settings, Adopt::kNo};
  const auto second = world.run(RunningBroker::start(parts));
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == Errc::kLocked);
}

TEST_CASE("running broker: a damaged metadata journal is told with its place and what to do", "[server][broker]") {
  constexpr int64_t kLengthAt = 10;   // a byte of the batch's length: its end cannot be told
  constexpr int64_t kRecordsAt = 70;  // a byte of its records: only the CRC shows it
  const std::string path = "/data/__leat_metadata-0/00000000000000000000.log";
  for (const int64_t at : {kLengthAt, kRecordsAt}) {
    World world;
    REQUIRE(world.start());
    for (const char* name : {"a", "b", "c"}) world.create_topic(name, 1);
    REQUIRE(world.stop());
    const std::vector<int64_t> positions = batch_positions(world.files, path);
    REQUIRE(positions.size() >= 3);
    flip_byte(world.files, path, positions[1] + at);
    const Result<void> started = world.start();
    REQUIRE_FALSE(started.has_value());
    CHECK(started.error().code == Errc::kCorrupt);
    const std::string said = started.error().context;
    INFO(said);
    CHECK(said.find("metadata journal, offset 1: ") == 0);
    CHECK(said.find(fmt::format("{} at {}: ", path, positions[1])) != std::string::npos);
    CHECK(said.find("leat log verify /data/__leat_metadata-0 ") != std::string::npos);
    CHECK(said.find("--adopt") != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
    flip_byte(world.files, path, positions[1] + at);  // put back from a copy
    REQUIRE(world.start());
    for (const char* name : {"a", "b", "c"}) CHECK(world.find(name, 0) != nullptr);
  }
}

TEST_CASE("running broker: without its metadata journal a directory with partitions is not served",
          "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("h", 2);
  REQUIRE(world.produce("h", 0, "v") == Offset(0));
  REQUIRE(world.stop());
  REQUIRE(remove_tree(world.files, "/data/__leat_metadata-0"));
  for (int tries = 0; tries < 2; ++tries) {
    const Result<void> refused = world.start();
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == Errc::kCorrupt);
    const std::string said = refused.error().context;
    INFO(said);
    CHECK(said.find("/data: the metadata journal is missing") == 0);
    CHECK(said.find("h-0") != std::string::npos);
    CHECK(said.find("put /data/__leat_metadata-0 back from a copy, or start leatd with --adopt") != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
    CHECK_FALSE(world.exists("/data/__leat_metadata-0"));  // nothing is made that would look like one
  }
  REQUIRE(world.start(Adopt::kYes));
  REQUIRE(world.find("h", 1) != nullptr);
  CHECK(world.produce("h", 0, "v") == Offset(1));
  REQUIRE(world.stop());
  REQUIRE(world.start());
  CHECK(world.find("h", 0)->offsets().high_watermark == Offset(2));
}

TEST_CASE("running broker: a directory without partitions gets a new metadata journal", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  const std::string cluster_id = world.broker->broker().cluster_id;
  REQUIRE(world.stop());
  REQUIRE(remove_tree(world.files, "/data/__leat_metadata-0"));
  REQUIRE(world.start());
  CHECK(world.broker->broker().cluster_id == cluster_id);
  world.create_topic("t", 1);
  REQUIRE(world.stop());
  REQUIRE(world.start());
  CHECK(world.find("t", 0) != nullptr);
}

TEST_CASE("running broker: a metadata journal that has lost a record stops the start", "[server][broker]") {
  const std::string path = "/data/__leat_metadata-0/00000000000000000000.log";
  enum class Loss : uint8_t { kDamagedAfterCrash, kShorter, kRemoved };
  for (const Loss loss : {Loss::kDamagedAfterCrash, Loss::kShorter, Loss::kRemoved}) {
    World world;
    REQUIRE(world.start());
    for (const char* name : {"a", "b", "c"}) world.create_topic(name, 1);
    if (loss == Loss::kDamagedAfterCrash) {  // of what no checkpoint knows yet only damage in the middle shows
      world.crash();
    } else {
      REQUIRE(world.stop());
    }
    const std::string bytes = *read_text_file(world.files, path);
    const std::vector<int64_t> positions = batch_positions(world.files, path);
    REQUIRE(positions.size() >= 3);
    std::string told;
    if (loss == Loss::kDamagedAfterCrash) {
      flip_byte(world.files, path, positions[1] + 70);
      told = fmt::format("{} at {}: ", path, positions[1]);
    } else if (loss == Loss::kShorter) {
      const auto file = *world.files.open(path, OpenMode::kReadWrite);
      REQUIRE(file->truncate(positions[2]));
      REQUIRE(file->sync(SyncKind::kData));
      told = "were durable, the log ends at";
    } else {
      REQUIRE(world.files.remove(path));
      told = "no segments";
    }
    for (int tries = 0; tries < 2; ++tries) {
      const Result<void> refused = world.start();
      REQUIRE_FALSE(refused.has_value());
      CHECK(refused.error().code == Errc::kCorrupt);
      INFO(refused.error().context);
      CHECK(refused.error().context.find("metadata journal: ") == 0);
      CHECK(refused.error().context.find(told) != std::string::npos);
      CHECK(refused.error().context.find("leat log repair") != std::string::npos);
    }
    put_file(world.files, path, bytes);  // from a copy
    REQUIRE(world.start());
    for (const char* name : {"a", "b", "c"}) CHECK(world.find(name, 0) != nullptr);
  }
}

TEST_CASE("running broker: a start that fails ends what it has begun", "[server][broker]") {
  for (uint64_t leftovers = 0; leftovers < 6; ++leftovers) {
    World world(leftovers + 1);
    REQUIRE(make_directories(world.files, "/data"));
    for (uint64_t i = 0; i < leftovers; ++i) {
      const std::string gone =
          "/data/" + deletion_folder_name({"gone", static_cast<int32_t>(i)}, Uuid::make(world.random));
      REQUIRE(world.files.make_directory(gone));
      put_file(world.files, gone + "/00000000000000000000.log", "x");
    }
    for (const char* folder : {"/data/odd-0", "/data/odd-1"}) {  // of one name and two ids: not to be taken in
      REQUIRE(world.files.make_directory(folder));
      put_file(world.files, std::string(folder) + "/partition.metadata",
               encode_partition_metadata(Uuid::make(world.random)));
    }
    const Result<void> started = world.start(Adopt::kYes);
    REQUIRE_FALSE(started.has_value());
    CHECK(started.error().context == "cannot adopt odd: its folders bear different topic ids");
    REQUIRE(world.start());
    world.create_topic("t", 1);
    CHECK(world.produce("t", 0, "v") == Offset(0));
  }
}

TEST_CASE("running broker: a deleted topic's folders go, also over a crash", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("gone", 3);
  world.create_topic("kept", 1);
  REQUIRE(world.produce("gone", 1, "v"));
  REQUIRE(world.exists("/data/gone-1"));
  const auto deleted = world.run(world.broker->broker().metadata->delete_topic(world.id_of("gone")));
  REQUIRE(deleted.has_value());
  CHECK(world.find("gone", 1) == nullptr);
  CHECK_FALSE(world.exists("/data/gone-1"));
  if (GENERATE(false, true)) {
    world.crash();
  } else {
    REQUIRE(world.stop());
  }
  REQUIRE(world.start());
  world.scheduler.advance(Millis(1000));
  CHECK(world.find("gone", 1) == nullptr);
  CHECK(world.find("kept", 0) != nullptr);
  const std::vector<FileInfo> left = *world.files.list("/data");
  for (const FileInfo& entry : left) CHECK(entry.name.find("gone") == std::string::npos);
  world.create_topic("gone", 1);  // the name is free, and its log is new
  CHECK(world.produce("gone", 0, "v") == Offset(0));
}

TEST_CASE("running broker: checkpoints forget a deleted topic before its folder is gone", "[server][broker]") {
  const auto names = [](World& world, std::string_view part) {
    return read_text_file(world.files, "/data/recovery-point-offset-checkpoint")->find(part) != std::string::npos;
  };
  const auto is_going = [](World& world) {
    const std::vector<FileInfo> entries = *world.files.list("/data");
    return std::any_of(entries.begin(), entries.end(),
                       [](const FileInfo& entry) { return entry.name.ends_with("-delete"); });
  };
  for (uint64_t operation = 1; operation < 40; ++operation) {
    INFO("power gone at operation " << operation);
    World world(operation);
    REQUIRE(world.start());
    world.create_topic("gone", 1);
    REQUIRE(world.produce("gone", 0, "v"));
    REQUIRE(world.stop());
    REQUIRE(world.start());
    REQUIRE(names(world, "gone 0 1"));
    world.files.lose_power_at(operation);
    (void)world.run(world.broker->broker().metadata->delete_topic(world.id_of("gone")));
    world.scheduler.advance(Millis(100));
    world.files.lose_power_at(0);
    if (!world.files.power_is_out()) {
      CHECK_FALSE(names(world, "gone"));
      CHECK_FALSE(is_going(world));
    } else {
      (void)world.stop();
      world.files.lose_power();
      const bool is_there = world.exists("/data/gone-0") || is_going(world);
      CHECK((is_there || !names(world, "gone")));
      REQUIRE(world.start());
      world.scheduler.advance(Millis(100));
      CHECK_FALSE(is_going(world));
    }
  }
}

TEST_CASE("running broker: deleted records stay deleted", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("t", 1);
  for (int i = 0; i < 10; ++i) REQUIRE(world.produce("t", 0, "v"));
  REQUIRE(world.find("t", 0)->advance_log_start(Offset(7)));
  REQUIRE(world.run(world.broker->broker().folders->save_checkpoints()));
  world.crash();
  REQUIRE(world.start());
  CHECK(world.find("t", 0)->offsets().log_start == Offset(7));
  CHECK(world.find("t", 0)->offsets().high_watermark == Offset(10));
}

TEST_CASE("running broker: what is known of a log that cannot be opened is kept until it can", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("t", 2);
  for (int i = 0; i < 10; ++i) REQUIRE(world.produce("t", 1, "v"));
  REQUIRE(world.find("t", 1)->advance_log_start(Offset(7)));
  REQUIRE(world.run(world.broker->broker().folders->save_checkpoints()));
  REQUIRE(world.stop());
  const std::string id = *read_text_file(world.files, "/data/t-1/partition.metadata");
  put_file(world.files, "/data/t-1/partition.metadata", encode_partition_metadata(Uuid::make(world.random)));
  REQUIRE(world.start());
  CHECK(world.find("t", 0) != nullptr);
  CHECK(world.find("t", 1) == nullptr);
  REQUIRE(world.run(world.broker->broker().folders->save_checkpoints()));
  REQUIRE(world.stop());
  put_file(world.files, "/data/t-1/partition.metadata", id);
  REQUIRE(world.start());
  REQUIRE(world.find("t", 1) != nullptr);
  CHECK(world.find("t", 1)->offsets().log_start == Offset(7));
  CHECK(world.find("t", 1)->log().recovery_point() == Offset(10));
}

TEST_CASE("running broker: a log start beyond the log's end hides nothing", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("t", 1);
  for (int i = 0; i < 10; ++i) REQUIRE(world.produce("t", 0, "v"));
  const bool clean = GENERATE(true, false);
  REQUIRE(world.stop());
  put_file(world.files, "/data/log-start-offset-checkpoint", "0\n1\nt 0 99999\n");
  REQUIRE(world.files.sync_directory("/data"));
  if (!clean) REQUIRE(world.files.remove("/data/.kafka_cleanshutdown"));
  for (int life = 0; life < 2; ++life) {
    REQUIRE(world.start());
    CHECK(world.find("t", 0)->offsets().log_start == Offset(0));
    CHECK(world.find("t", 0)->offsets().high_watermark == Offset(10 + life));
    CHECK(world.produce("t", 0, "v") == Offset(10 + life));
    REQUIRE(world.stop());  // and the file is right again
    CHECK(*read_text_file(world.files, "/data/log-start-offset-checkpoint") == "0\n0\n");
  }
}

TEST_CASE("running broker: records deleted under the policy none stay deleted, over a loss of power",
          "[server][broker]") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    World world(seed);
    REQUIRE(world.start());
    CreateTopicEvent event;
    event.name = "t";
    event.partition_count = 1;
    event.configs = {{"leat.flush", "none"}};
    std::vector<CreateTopicEvent> events = {event};
    REQUIRE(world.run(world.broker->broker().metadata->create_topics(std::move(events), Validate::kAndDo)).at(0));
    for (int i = 0; i < 10; ++i) REQUIRE(world.produce("t", 0, "v"));
    REQUIRE(world.find("t", 0)->advance_log_start(Offset(7)));
    PartitionFolders& folders = *world.broker->broker().folders;
    REQUIRE(world.run(folders.sync_up_to_log_start({"t", 0})));
    REQUIRE(world.run(folders.save_checkpoints()));
    world.crash();
    REQUIRE(world.start());
    CHECK(world.find("t", 0)->offsets().log_start == Offset(7));
    CHECK(world.find("t", 0)->offsets().log_end >= Offset(7));
  }
}

TEST_CASE("running broker: a lost folder's offsets are not given out again", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("t", 1);
  for (int i = 0; i < 5; ++i) REQUIRE(world.produce("t", 0, "v"));
  REQUIRE(world.stop());
  const Result<std::vector<FileInfo>> inside = world.files.list("/data/t-0");
  REQUIRE(inside.has_value());
  for (const FileInfo& file : *inside) REQUIRE(world.files.remove("/data/t-0/" + file.name));
  REQUIRE(world.files.remove("/data/t-0"));
  REQUIRE(world.start());
  CHECK(world.find("t", 0)->offsets().log_start == Offset(5));
  CHECK(world.find("t", 0)->offsets().log_end == Offset(5));
  CHECK(world.produce("t", 0, "v") == Offset(5));

  SECTION("but those of a deleted topic are its own") {
    REQUIRE(world.run(world.broker->broker().metadata->delete_topic(world.id_of("t"))).has_value());
    world.create_topic("t", 1);
    CHECK(world.produce("t", 0, "v") == Offset(0));
  }
}

TEST_CASE("running broker: checkpoints that are asked for together are written once or twice", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("t", 1);
  std::array<std::optional<Result<void>>, 20> results;
  for (auto& result : results) spawn(into(world.broker->broker().folders->save_checkpoints(), &result));
  const uint64_t before = world.files.operations();
  world.scheduler.run_until_idle();
  const uint64_t together = world.files.operations() - before;
  for (const auto& result : results) CHECK((result.has_value() && result->has_value()));
  const uint64_t before_one = world.files.operations();
  REQUIRE(world.run(world.broker->broker().folders->save_checkpoints()));
  CHECK(together <= 2 * (world.files.operations() - before_one));
}

TEST_CASE("running broker: a folder that nobody knows is left alone, and adopted when told to", "[server][broker]") {
  World donor;
  REQUIRE(donor.start());
  donor.create_topic("stranger", 1);
  for (int i = 0; i < 5; ++i) REQUIRE(donor.produce("stranger", 0, "v"));
  REQUIRE(donor.stop());

  World world(2);
  REQUIRE(world.start());
  REQUIRE(world.stop());
  REQUIRE(world.files.make_directory("/data/stranger-0"));
  const std::vector<FileInfo> entries = *donor.files.list("/data/stranger-0");
  for (const FileInfo& entry : entries) {
    const auto from = *donor.files.open("/data/stranger-0/" + entry.name, OpenMode::kRead);
    std::vector<uint8_t> bytes(static_cast<size_t>(entry.size_bytes));
    REQUIRE(from->read_at(Position(0), bytes));
    const auto to = *world.files.open("/data/stranger-0/" + entry.name, OpenMode::kCreate);
    const std::array<ByteView, 1> pieces = {ByteView(bytes)};
    REQUIRE(to->write_at(Position(0), pieces));
    REQUIRE(to->sync(SyncKind::kData));
  }
  REQUIRE(world.files.sync_directory("/data/stranger-0"));
  REQUIRE(world.files.sync_directory("/data"));

  REQUIRE(world.start());
  CHECK(world.find("stranger", 0) == nullptr);
  CHECK(world.exists("/data/stranger-0"));
  REQUIRE(world.stop());
  REQUIRE(world.start(Adopt::kYes));
  REQUIRE(world.find("stranger", 0) != nullptr);
  CHECK(world.find("stranger", 0)->offsets().high_watermark == Offset(5));
  CHECK(world.produce("stranger", 0, "v") == Offset(5));
  world.crash();
  REQUIRE(world.start());
  CHECK(world.find("stranger", 0)->offsets().high_watermark == Offset(6));
}

TEST_CASE("running broker: below the disk reserve clients are refused, deletes work, appends resume",
          "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("t", 1);
  REQUIRE(world.produce("t", 0, "v"));
  world.files.limit_space_to_used_and(500 << 10);
  world.scheduler.advance(Millis(1100));
  CHECK_FALSE(world.produce("t", 0, "v"));
  CHECK(world.find("t", 0)->offsets().high_watermark == Offset(1));
  const auto id = world.run(world.broker->broker().metadata->next_producer_id());
  CHECK(id.has_value());  // the broker's own log may use the reserve
  world.files.set_space_bytes(std::nullopt);
  world.scheduler.advance(Millis(1100));
  CHECK(world.produce("t", 0, "v") == Offset(1));
}

TEST_CASE("running broker: on a volume without a free byte, after a crash, deletes and settings still work",
          "[server][broker]") {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    World world(seed);
    REQUIRE(world.start());
    for (const char* name : {"gone", "kept"}) {
      world.create_topic(name, 2);
      for (int i = 0; i < 5; ++i) REQUIRE(world.produce(name, i % 2, std::string(1000, 'x')));
    }
    sync_all(world.files, "/data");
    world.crash();
    world.files.limit_space_to_used_and(0);  // another program has filled it
    REQUIRE(world.start());
    CHECK_FALSE(world.produce("kept", 0, "v"));
    std::vector<ConfigChange> changes;
    changes.push_back({.name = "retention.ms", .value = "1000"});
    MetadataStore& metadata = *world.broker->broker().metadata;
    const MetadataResult<void> altered =
        world.run(metadata.alter_topic_configs("kept", std::move(changes), AlterMode::kIncremental, Validate::kAndDo));
    if (!altered) FAIL(altered.error().message);
    const MetadataResult<TopicState> deleted = world.run(metadata.delete_topic(world.id_of("gone")));
    if (!deleted) FAIL(deleted.error().message);
    world.scheduler.advance(Millis(100));
    CHECK_FALSE(world.exists("/data/gone-0"));
    CHECK(*world.files.free_bytes("/data") > 4000);
    world.files.set_space_bytes(std::nullopt);
    world.scheduler.advance(Millis(1100));
    CHECK(world.produce("kept", 0, "v"));
    REQUIRE(world.stop());
    REQUIRE(world.start());
    CHECK(world.find("gone", 0) == nullptr);
    CHECK(world.find("kept", 0)->log().config().retention_ms == 1000);
  }
}

TEST_CASE("running broker: appends between two looks at the disk leave the reserve alone", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("t", 1);
  world.files.limit_space_to_used_and((1 << 20) + (300 << 10));  // the reserve is 1 MiB
  world.scheduler.advance(Millis(1100));
  const std::string value(50 << 10, 'x');
  int accepted = 0;
  while (accepted < 100 && world.produce("t", 0, value)) ++accepted;
  CHECK(accepted >= 4);
  CHECK(accepted <= 7);
  CHECK(*world.files.free_bytes("/data") > 900 << 10);
}

TEST_CASE("running broker: a failed sync takes the directory offline; it stops without its clean mark",
          "[server][broker]") {
  World world;
  REQUIRE(world.start());
  world.create_topic("a", 1);
  world.create_topic("b", 1);
  REQUIRE(world.produce("a", 0, "v"));
  world.files.fail_sync_at(1);
  CHECK_FALSE(world.produce("a", 0, "lost?"));
  CHECK_FALSE(world.produce("b", 0, "v"));
  CHECK(world.find("a", 0)->offsets().high_watermark == Offset(1));
  CHECK_FALSE(world.stop());
  CHECK_FALSE(world.exists("/data/.kafka_cleanshutdown"));
  REQUIRE(world.start());
  CHECK(world.find("a", 0)->offsets().high_watermark >= Offset(1));
  CHECK(world.produce("b", 0, "v") == Offset(0));
}

TEST_CASE("running broker: producer ids are never given twice, also after a crash", "[server][broker]") {
  World world;
  std::set<int64_t> given;
  for (int life = 0; life < 4; ++life) {
    REQUIRE(world.start());
    for (int i = 0; i < 5; ++i) {
      const auto id = world.run(world.broker->broker().metadata->next_producer_id());
      REQUIRE(id.has_value());
      REQUIRE(given.insert(*id).second);
    }
    world.crash();
  }
}
