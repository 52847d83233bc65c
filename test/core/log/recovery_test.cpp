// recovery_test.cpp: opening a folder after a clean stop, a crash, and damage. Losses of power are the matter of
// recovery_power_test.cpp, lost offsets of recovery_hole_test.cpp.
#include <fmt/format.h>

#include "core/codec/writer.h"
#include "core/log/file_names.h"
#include "core/log/recovery_rules.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

std::vector<LogConfig> all_log_configs() {
  std::vector<LogConfig> configs;
  for (const FlushPolicy flush : {FlushPolicy::kNone, FlushPolicy::kCommit}) {
    for (const int64_t segment_bytes : {int64_t{1500}, int64_t{1} << 30}) {
      for (const int64_t interval : {1, 300, 1 << 20}) {
        LogConfig config = small_segments(flush);
        config.segment_bytes = segment_bytes;
        config.index_interval_bytes = interval;
        configs.push_back(config);
      }
    }
  }
  return configs;
}

// Several codecs, sizes, producers, and timestamps that do not only grow.
void write_sample_log(OpenLog& log) {
  for (int i = 0; i < 40; ++i) {
    NewBatch batch;
    batch.records = 1 + i % 4;
    batch.value_bytes = static_cast<size_t>(10 + (i * 37) % 150);
    batch.codec = static_cast<Codec>(i % 5);
    batch.timestamp_ms = kStartMs + (i % 7) * 1000 + i;
    if (i % 2 == 0) batch.producer_id = 7;
    batch.base_sequence = i % 2 == 0 ? (i / 2) * 2 + (i / 4) * 0 : 0;
    if (i % 2 == 0) {
      batch.records = 2;
      batch.base_sequence = i;
    }
    const BatchOutcome outcome = log.append_one(batch);
    if (outcome.error) FAIL(outcome.error->context);
    if (i == 25) log.run(log.log->begin_checkpoint(kStartMs));
  }
}

void mutate_folder(SimFileSystem& disk, const std::vector<std::string>& names, Random& random) {
  const uint64_t mutations = 1 + random.below(6);
  for (uint64_t i = 0; i < mutations; ++i) {
    const std::string path = join_path(kFolder, names[random.below(names.size())]);
    if (!disk.stat(path)) continue;
    const auto size = static_cast<uint64_t>(size_of(disk, path));
    switch (random.below(7)) {
      case 0:
      case 1:
        if (size > 0) flip_bit(disk, path, static_cast<int64_t>(random.below(size)), static_cast<int>(random.below(8)));
        break;
      case 2:
        truncate_file(disk, path, static_cast<int64_t>(random.below(size + 1)));
        break;
      case 3:
        append_bytes(disk, path, std::vector<uint8_t>(random.below(300), static_cast<uint8_t>(random.next())));
        break;
      case 4:
        append_bytes(disk, path, as_bytes(file_text(disk, path)));
        break;  // everything twice
      case 5:
        REQUIRE(disk.remove(path));
        break;
      default: {
        const std::string other = join_path(kFolder, names[random.below(names.size())]);
        if (disk.stat(other)) put_file(disk, path, as_bytes(file_text(disk, other)));
        break;
      }
    }
  }
}

}  // namespace

TEST_CASE("recovery: the table gives every input one verdict", "[log][recovery]") {
  STATIC_REQUIRE(recovery_rules::every_input_matches_exactly_one());
  // What must never happen, said again without the table.
  for (unsigned bits = 0; bits < recovery_rules::kInputCount; ++bits) {
    const RecoveryInput input = recovery_rules::input_of_bits(bits);
    const Verdict verdict = recovery_verdict(input);
    const bool whole = input.complete && input.crc_ok && input.in_order;
    CHECK((verdict == Verdict::kKeep) == whole);
    if (input.below_point) CHECK((verdict == Verdict::kKeep || verdict == Verdict::kReport));
    if (!input.below_point && !whole && input.valid_follows) CHECK(verdict == Verdict::kSaveAside);
  }
}

TEST_CASE("recovery: a clean stop is trusted, and costs no scan", "[log][recovery]") {
  for (const LogConfig& config : all_log_configs()) {
    SimFileSystem disk(5);
    OpenLog log(disk, config);
    log.create();
    write_sample_log(log);
    log.close();
    const std::vector<SeenRecord> before = log.read_all();
    const Offset end = log.log->offsets().log_end;
    const size_t segments = log.log->segment_count();
    log.recover_clean();
    CHECK(log.report.scanned_bytes == 0);
    CHECK(log.report.indexes_rebuilt == 0);
    CHECK(log.report.damaged.empty());
    CHECK(log.log->offsets().log_end == end);
    CHECK(log.log->segment_count() == segments);
    CHECK(log.log->leader_epoch() == 0);
    CHECK(log.log->begin_close() == nullptr);  // nothing changed, so nothing is written
    CHECK(log.read_all() == before);
  }
}

TEST_CASE("recovery: a log to which nothing was written is left as it is at a stop, after a crash too",
          "[log][recovery]") {
  for (const LogConfig& config : all_log_configs()) {
    SimFileSystem disk(5);
    OpenLog log(disk, config);
    log.create();
    write_sample_log(log);
    log.close();
    const Offset end = log.log->offsets().log_end;
    const std::vector<SeenRecord> before = log.read_all();
    for (int crash = 0; crash < 2; ++crash) {
      log.recover_unclean(end);
      CHECK(log.report.damaged.empty());
      CHECK(log.log->recovery_point() == end);
      CHECK(log.log->begin_checkpoint(kStartMs) == nullptr);
      CHECK(log.log->begin_close() == nullptr);
      CHECK(log.log->unused_epoch() == 1);  // for the directory to keep
    }
    REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = end, .leader_epoch = 1}));
    CHECK(log.log->leader_epoch() == 1);
    CHECK(log.log->begin_close() == nullptr);
    CHECK(log.read_all() == before);
    log.append_one({});
    CHECK_FALSE(log.log->unused_epoch());
    CHECK(log.read_all().back().leader_epoch == 1);
    log.recover_unclean(end);
    CHECK(log.log->leader_epoch() == 2);
    CHECK(log.log->begin_close() != nullptr);  // of the record behind the recovery point files say nothing yet
  }
}

TEST_CASE("recovery: an empty log writes nothing at a stop", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk, small_segments(FlushPolicy::kCommit));
  log.create();
  CHECK(log.log->begin_close() == nullptr);
  for (int crash = 0; crash < 3; ++crash) {
    log.recover_unclean();
    CHECK(log.log->begin_close() == nullptr);
    CHECK(log.log->leader_epoch() == 1);  // nothing bears it, so the next one is the same
    CHECK(log.log->unused_epoch() == 1);
  }
  REQUIRE(log.recover({.clean_shutdown = true, .leader_epoch = 1}));
  CHECK(log.log->leader_epoch() == 1);
  CHECK(log.log->begin_close() == nullptr);
  REQUIRE(log.recover({.leader_epoch = 1}));
  CHECK(log.log->leader_epoch() == 2);
  REQUIRE(log.recover({.leader_epoch = INT32_MAX}));
  CHECK(log.log->leader_epoch() == INT32_MAX);
}

TEST_CASE("recovery: losing any derived file gives the same log", "[log][recovery]") {
  for (const LogConfig& config : all_log_configs()) {
    for (const std::string_view suffix :
         {".index", ".timeindex", ".snapshot", "leader-epoch-checkpoint", "partition.metadata"}) {
      for (const bool clean : {true, false}) {
        SimFileSystem disk(5);
        OpenLog log(disk, config);
        log.create();
        write_sample_log(log);
        if (clean) log.close();
        const std::vector<SeenRecord> before = log.read_all();
        const Offset point = log.log->recovery_point();
        const std::vector<ProducerSummary> producers = log.log->producers();
        std::vector<std::optional<TimestampOffset>> times;
        for (int i = 0; i < 8; ++i) times.push_back(log.lookup(kStartMs + i * 1000));
        disk.remove_matching(suffix);
        INFO(suffix << " clean " << clean << " segment " << config.segment_bytes << " interval "
                    << config.index_interval_bytes);
        REQUIRE(log.recover({.clean_shutdown = clean, .recovery_point = point}));
        CHECK(log.report.damaged.empty());
        CHECK(log.read_all() == before);
        CHECK(log.log->producers().size() == producers.size());
        CHECK(log.log->producers()[0].last_sequence == producers[0].last_sequence);
        for (int i = 0; i < 8; ++i) {
          const std::optional<TimestampOffset> found = log.lookup(kStartMs + i * 1000);
          REQUIRE(found.has_value() == times[static_cast<size_t>(i)].has_value());
          if (found) CHECK(found->offset == times[static_cast<size_t>(i)]->offset);
        }
        const BatchOutcome repeated = log.append_one({.records = 2, .producer_id = 7, .base_sequence = 38});
        CHECK(repeated.duplicate);
        CHECK(!log.append_one({.records = 2, .producer_id = 7, .base_sequence = 40}).error);
      }
    }
  }
}

TEST_CASE("recovery: damaged derived files give the same log", "[log][recovery]") {
  for (const LogConfig& config : all_log_configs()) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      SimFileSystem disk(5);
      OpenLog log(disk, config);
      log.create();
      write_sample_log(log);
      log.close();
      const std::vector<SeenRecord> before = log.read_all();
      SeededRandom random(seed);
      for (const std::string& name : log.file_names()) {
        if (name.ends_with(".log") || name == "partition.metadata") continue;
        const std::string path = join_path(kFolder, name);
        const int64_t size = size_of(disk, path);
        if (size == 0) continue;
        switch (random.below(3)) {
          case 0:
            flip_bit(disk, path, static_cast<int64_t>(random.below(static_cast<uint64_t>(size))),
                     static_cast<int>(random.below(8)));
            break;
          case 1:
            truncate_file(disk, path, static_cast<int64_t>(random.below(static_cast<uint64_t>(size))));
            break;
          default:
            put_file(disk, path, std::vector<uint8_t>(static_cast<size_t>(size), 0));
            break;
        }
      }
      INFO("seed " << seed << " segment " << config.segment_bytes << " interval " << config.index_interval_bytes);
      REQUIRE(log.recover({.clean_shutdown = seed % 2 == 0, .recovery_point = log.log->offsets().log_end}));
      std::vector<SeenRecord> after = log.read_all();
      CHECK(after == before);
      CHECK(log.append_one({}).base_offset.v == static_cast<int64_t>(before.size()));
    }
  }
}

TEST_CASE("recovery: a torn tail is cut at any byte, and appends go on", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk, small_segments(FlushPolicy::kCommit));
  log.create();
  log.append_many(3, {.records = 2});
  const int64_t good = log.log->size_bytes();
  const std::vector<SeenRecord> before = log.read_all();
  log.append_one({.records = 2});
  const int64_t whole = size_of(disk, kFirstLog);
  const std::string bytes = file_text(disk, kFirstLog);
  for (int64_t size = good; size < whole; ++size) {
    put_file(disk, kFirstLog, as_bytes(bytes).first(static_cast<size_t>(size)));
    log.recover_unclean();
    REQUIRE(log.report.cut_bytes == size - good);
    REQUIRE(log.report.damaged.empty());
    REQUIRE(size_of(disk, kFirstLog) == good);
    REQUIRE(log.read_all() == before);
    REQUIRE(log.log->leader_epoch() == 1);
  }
  CHECK(log.append_one({}).base_offset == Offset(6));
  CHECK(log.read_all().size() == 7);
}

TEST_CASE("recovery: a corrupt tail is cut", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk, small_segments(FlushPolicy::kCommit));
  log.create();
  log.append_many(3, {.records = 2});
  const int64_t good = log.log->size_bytes();
  const std::vector<SeenRecord> before = log.read_all();
  SECTION("zeros") { append_bytes(disk, kFirstLog, std::vector<uint8_t>(5000, 0)); }
  SECTION("noise") {
    std::vector<uint8_t> noise(5000);
    SeededRandom random(3);
    for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random.next());
    append_bytes(disk, kFirstLog, noise);
  }
  SECTION("a batch whose CRC does not hold") {
    const AppendInput input = make_input({.records = 2, .value_bytes = 300});
    set_base_offset(input.batch.bytes.unpublished(), Offset(6));
    input.batch.bytes.unpublished()[200] ^= 1;
    append_bytes(disk, kFirstLog, input.batch.bytes.view());
  }
  SECTION("a length claim of 2 GB") {
    std::vector<uint8_t> claim(100, 2);
    to_big_endian(int64_t{6}, claim.data());
    to_big_endian(int32_t{INT32_MAX - 12}, claim.data() + kBatchLengthAt);
    append_bytes(disk, kFirstLog, claim);
  }
  log.recover_unclean();
  CHECK(log.report.saved_aside_bytes == 0);
  CHECK(log.report.cut_bytes > 0);
  CHECK(size_of(disk, kFirstLog) == good);
  CHECK(log.read_all() == before);
  CHECK(log.append_one({}).base_offset == Offset(6));
}

TEST_CASE("recovery: a corrupt middle beyond the recovery point is saved aside, its offsets are not used again",
          "[log][recovery]") {
  SimFileSystem disk(5);
  LogConfig config = small_segments(FlushPolicy::kCommit);
  config.segment_bytes = 1 << 20;
  OpenLog log(disk, config);
  log.create();
  log.append_many(2, {});
  const int64_t good = log.log->size_bytes();
  log.append_many(5, {.value_bytes = 100});
  const std::string bytes = file_text(disk, kFirstLog);
  flip_bit(disk, kFirstLog, good + 80);
  log.recover_unclean();
  CHECK(log.report.saved_aside_bytes == static_cast<int64_t>(bytes.size()) - good);
  REQUIRE(log.report.damaged.size() == 1);
  CHECK(log.report.damaged[0].find("saved aside") != std::string::npos);
  const std::string aside = log.aside_name();
  CHECK(aside == fmt::format("00000000000000000000.log.{}.aside", good));
  std::string expected = bytes.substr(static_cast<size_t>(good));
  expected[80] = static_cast<char>(expected[80] ^ 8);
  CHECK(file_text(disk, join_path(kFolder, aside)) == expected);
  CHECK(log.read_all().size() == 2);
  CHECK(log.log->offsets().log_end == Offset(7));
  CHECK(log.append_one({}).base_offset == Offset(7));
  // And again: the side file stays, nothing else changes.
  const std::vector<SeenRecord> before = log.read_all();
  log.recover_unclean();
  CHECK(log.report.damaged.empty());
  CHECK(log.aside_name() == aside);
  CHECK(log.read_all() == before);
}

TEST_CASE("recovery: damage in one segment with valid later segments saves them all aside", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk, small_segments(FlushPolicy::kNone));
  log.create();
  log.append_many(40, {.value_bytes = 100});
  REQUIRE(log.log->segment_count() >= 3);
  flip_bit(disk, kFirstLog, 900);
  log.recover_unclean();
  CHECK(log.log->offsets().log_end == Offset(40));
  CHECK(log.read_from(Offset(0)).size() == 5);
  CHECK(log.append_one({}).base_offset == Offset(40));
  CHECK(log.log->segment_count() == 2);
}

TEST_CASE("recovery: of a log that is damaged all over a hundred lines are enough", "[log][recovery]") {
  SimFileSystem disk(5);
  LogConfig config;
  config.index_interval_bytes = 1 << 20;  // so that the scan begins at the first batch
  OpenLog log(disk, config);
  log.create();
  constexpr int64_t kBatches = 300;
  log.append_many(kBatches, {});
  log.close();
  const int64_t batch_bytes = size_of(disk, kFirstLog) / kBatches;
  for (int64_t i = 0; i < kBatches; ++i) flip_bit(disk, kFirstLog, i * batch_bytes + batch_bytes - 5);
  log.recover_unclean(Offset(kBatches));
  REQUIRE(log.report.damaged.size() == 100);
  CHECK(log.report.damaged[98].find("leat log verify") == std::string::npos);
  CHECK(log.report.damaged[99].find("there may be more: leat log verify shows all") != std::string::npos);
  CHECK(log.log->offsets().log_end == Offset(kBatches));
}

TEST_CASE("recovery: damage below the recovery point is reported, never cut", "[log][recovery]") {
  for (const bool clean : {true, false}) {
    for (const int64_t at : {int64_t{kBatchLengthAt + 2}, int64_t{kBatchLengthAt + 3}, int64_t{kBaseOffsetAt + 7},
                             int64_t{kBaseOffsetAt + 2}, int64_t{kLeaderEpochAt + 1}, int64_t{kMagicAt},
                             int64_t{kLastOffsetDeltaAt + 3}, int64_t{100}}) {
      for (const bool in_active : {false, true}) {
        SimFileSystem disk(5);
        LogConfig config = small_segments(FlushPolicy::kCommit);
        OpenLog log(disk, config);
        log.create();
        log.append_many(20, {.records = 2, .value_bytes = 100});
        REQUIRE(log.log->segment_count() == 3);  // seven batches in each
        log.close();
        const std::vector<SeenRecord> before = log.read_all();
        const std::string path = segment_path(kFolder, Offset(in_active ? 28 : 14), kLogSuffix);
        const std::string bytes = file_text(disk, path);
        const int64_t batch_bytes = BatchView(as_bytes(bytes)).size_bytes();
        const int damaged_batch = in_active ? 0 : 2;
        flip_bit(disk, path, damaged_batch * batch_bytes + at, 2);
        const int64_t first_lost = (in_active ? 28 : 14) + damaged_batch * 2;
        INFO("clean " << clean << " at " << at << " active " << in_active);
        REQUIRE(log.recover({.clean_shutdown = clean, .recovery_point = Offset(40)}));
        CHECK(size_of(disk, path) == static_cast<int64_t>(bytes.size()));
        CHECK(log.log->offsets().log_end >= Offset(40));
        CHECK(log.aside_name().empty());
        // All that is not in the damaged batch is served.
        for (const SeenRecord& record : before) {
          if (record.offset / 2 == first_lost / 2) continue;
          const Result<FetchedBatches> fetched = log.read(Offset(record.offset), {.bytes_max = 1});
          REQUIRE(fetched);
          REQUIRE(fetched->pieces.size() == 1);
          const std::vector<SeenRecord> seen = records_of(*fetched);
          const bool found = std::find_if(seen.begin(), seen.end(), [&](const SeenRecord& other) {
                               return other.offset == record.offset && other.value == record.value;
                             }) != seen.end();
          CHECK(found);
        }
        // The damaged one is an error, or is served for the client's CRC to reject; never silently passed over.
        const Result<FetchedBatches> damaged = log.read(Offset(first_lost), {.bytes_max = 1});
        if (damaged) {
          REQUIRE(damaged->pieces.size() == 1);
          CHECK(BatchView(damaged->pieces[0].view()).base_offset().v >= first_lost);
        } else {
          CHECK(damaged.error().code == Errc::kCorrupt);
          CHECK(damaged.error().context.find(path) != std::string::npos);
        }
        const BatchOutcome next = log.append_one({});
        REQUIRE(!next.error);
        CHECK(next.base_offset >= Offset(40));
        CHECK(log.read(next.base_offset)->pieces.size() == 1);
      }
    }
  }
}

TEST_CASE("recovery: records that were durable and are gone keep their offsets", "[log][recovery]") {
  SimFileSystem disk(5);
  LogConfig config = small_segments(FlushPolicy::kCommit);
  config.segment_bytes = 1 << 20;
  OpenLog log(disk, config);
  log.create();
  log.append_many(10, {});
  log.close();
  SECTION("the file is shorter") {
    truncate_file(disk, kFirstLog, 300);
    log.recover_unclean(Offset(10));
    CHECK(records_of(*log.read(Offset(0))).size() == 3);
    CHECK(log.read(Offset(3)).error().code == Errc::kCorrupt);
    CHECK(size_of(disk, kFirstLog) == 300);
  }
  SECTION("the file is gone") {
    REQUIRE(disk.remove(kFirstLog));
    log.recover_unclean(Offset(10));
  }
  SECTION("the file is shorter although the stop was clean") {
    truncate_file(disk, kFirstLog, 300);
    REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = Offset(10)}));
  }
  CHECK(!log.report.damaged.empty());
  CHECK(log.append_one({}).base_offset == Offset(10));
}

TEST_CASE("recovery: a log start beyond the end of the log is told of, and not believed", "[log][recovery]") {
  for (const FlushPolicy flush : {FlushPolicy::kNone, FlushPolicy::kCommit}) {
    for (const bool clean : {true, false}) {
      SimFileSystem disk(5);
      disk.set_now_ms(kStartMs);
      OpenLog log(disk, small_segments(flush));
      log.create();
      log.append_many(40, {.value_bytes = 100});
      log.close();
      const std::vector<SeenRecord> before = log.read_all();
      for (const int64_t log_start : {int64_t{41}, int64_t{99'999}, INT64_MAX}) {
        INFO("clean " << clean << ", log start " << log_start);
        REQUIRE(log.recover(
            {.clean_shutdown = clean, .recovery_point = Offset(40), .log_start = Offset(log_start), .foreign = false}));
        REQUIRE(log.report.damaged.size() == 1);
        CHECK(log.report.damaged[0].find("log-start-offset-checkpoint") != std::string::npos);
        CHECK(log.report.damaged[0].find(fmt::format("offset {}, but it ends at 40", log_start)) != std::string::npos);
        CHECK(log.log->offsets().log_start == Offset(0));
        CHECK(log.log->offsets().log_end == Offset(40));
        log.retention();
        CHECK(log.read_all() == before);
      }
      for (const int64_t log_start : {int64_t{40}, int64_t{17}}) {  // those are right
        REQUIRE(log.recover(
            {.clean_shutdown = clean, .recovery_point = Offset(40), .log_start = Offset(log_start), .foreign = false}));
        CHECK(log.report.damaged.empty());
        CHECK(log.log->offsets().log_start == Offset(log_start));
      }
      CHECK(log.append_one({}).base_offset == Offset(40));
    }
  }
}

TEST_CASE("recovery: leftovers are removed, strays are left alone", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk, small_segments(FlushPolicy::kCommit));
  log.create();
  log.append_many(3, {});
  put_file(disk, "/data/t-0/00000000000000000007.log.deleted", as_bytes("x"));
  put_file(disk, "/data/t-0/00000000000000000003.snapshot.tmp", as_bytes("x"));
  put_file(disk, "/data/t-0/00000000000000000009.index", as_bytes("12345678"));
  put_file(disk, "/data/t-0/notes.txt", as_bytes("mine"));
  log.recover_unclean();
  CHECK(log.file_names() == std::vector<std::string>{"00000000000000000000.log", "leader-epoch-checkpoint", "notes.txt",
                                                     "partition.metadata"});
  CHECK(log.read_all().size() == 3);
}

TEST_CASE("recovery: a folder of another topic is refused", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk);
  log.create();
  put_file(disk, "/data/t-0/partition.metadata", as_bytes("version: 0\ntopic_id: BBBBBBBBBBBBBBBBBBBBBA\n"));
  const Result<void> refused = log.recover({});
  REQUIRE(!refused);
  CHECK(refused.error().code == Errc::kInvalidArgument);
}

TEST_CASE("recovery: a foreign folder is never cut", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk, small_segments(FlushPolicy::kCommit));
  log.create();
  log.append_many(10, {});
  const int64_t good = size_of(disk, kFirstLog);
  append_bytes(disk, kFirstLog, std::vector<uint8_t>(77, 9));
  REQUIRE(log.recover({.foreign = true}));
  CHECK(size_of(disk, kFirstLog) == good + 77);
  CHECK(log.report.damaged.size() == 1);
  CHECK(log.append_one({}).base_offset == Offset(10));
  CHECK(log.log->segment_count() == 2);
  CHECK(log.read_all().size() == 11);
}

TEST_CASE("recovery: the leader epoch rises at each unclean start that something follows", "[log][epoch]") {
  SimFileSystem disk(5);
  OpenLog log(disk, small_segments(FlushPolicy::kNone));
  log.create();
  log.append_many(2, {});
  log.recover_unclean();
  CHECK(log.log->leader_epoch() == 1);
  log.append_one({});
  log.recover_unclean();
  CHECK(log.log->leader_epoch() == 2);
  log.close();
  REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = Offset(3)}));
  CHECK(log.log->leader_epoch() == 2);  // clients have seen it, so it does not fall
  log.append_one({});
  CHECK(log.read_all()[0].leader_epoch == 0);
  CHECK(log.read_all()[2].leader_epoch == 1);
  CHECK(log.read_all()[3].leader_epoch == 2);
  CHECK(log.log->end_offset_for(0).end_offset == Offset(2));
  CHECK(log.log->end_offset_for(1).end_offset == Offset(3));
  CHECK(log.log->end_offset_for(2).end_offset == Offset(4));
  CHECK(log.log->end_offset_for(3).end_offset == kNoOffset);
  CHECK(log.log->end_offset_for(-1).leader_epoch == kNoLeaderEpoch);
}

TEST_CASE("recovery: whatever lies in the folder, it opens or says why, and then works", "[log][recovery][fuzz]") {
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    SimFileSystem disk(seed);
    SeededRandom random(seed);
    LogConfig config = small_segments(random.one_in(2) ? FlushPolicy::kNone : FlushPolicy::kCommit);
    OpenLog log(disk, config);
    log.create();
    write_sample_log(log);
    if (random.one_in(2)) log.close();
    const Offset end = log.log->offsets().log_end;
    mutate_folder(disk, log.file_names(), random);
    RecoveryHints hints;
    hints.clean_shutdown = random.one_in(3);
    hints.foreign = random.one_in(4);
    hints.recovery_point = Offset(static_cast<int64_t>(random.below(static_cast<uint64_t>(end.v) + 2)));
    hints.log_start = Offset(static_cast<int64_t>(random.below(static_cast<uint64_t>(hints.recovery_point.v) + 1)));
    std::string listing;
    for (const std::string& name : log.file_names())
      listing += fmt::format("{} {}, ", name, size_of(disk, join_path(kFolder, name)));
    INFO("seed " << seed << " clean " << hints.clean_shutdown << " foreign " << hints.foreign << " point "
                 << hints.recovery_point.v << " start " << hints.log_start.v << " end " << end.v << ": " << listing);
    const Result<void> opened = log.recover(hints);
    if (!opened) {
      CHECK(!opened.error().context.empty());
      continue;
    }
    INFO(fmt::format("{}", fmt::join(log.report.damaged, "; "))
         << fmt::format("{}", fmt::join(log.report.notes, "; ")));
    const LogOffsets& offsets = log.log->offsets();
    if (!hints.foreign) REQUIRE(offsets.log_end >= hints.recovery_point);
    // A flipped bit in the last base offset, which no CRC covers, may have moved the end far away.
    const Offset looked_at = std::min(offsets.log_end, Offset(200));
    for (Offset from = offsets.log_start; from < looked_at; from += 1) (void)log.read(from);
    (void)log.lookup(kStartMs + 3000);
    (void)log.lookup_max();
    const BatchOutcome next = log.append_one({.text = "after"});
    if (next.error) FAIL(next.error->context);
    const Result<FetchedBatches> read = log.read(next.base_offset);
    REQUIRE(read);
    REQUIRE(records_of(*read).back().value.starts_with("after"));
    log.retention();
    log.close();
    const int64_t log_end = log.log->offsets().log_end.v;
    REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = Offset(log_end)}));
    REQUIRE(log.log->offsets().log_end.v == log_end);
    REQUIRE(records_of(*log.read(next.base_offset)).back().value.starts_with("after"));
  }
}
