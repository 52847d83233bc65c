// log_rows.cpp: the partition log on the real file system: append, read, index look-up, and the scan of a recovery
// after a crash. Everything is in the page cache, but for the rows that sync.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "benchmarks/load/load.h"
#include "benchmarks/micro/micro.h"
#include "core/base/check.h"
#include "core/base/random.h"
#include "core/log/offset_index.h"
#include "core/log/partition_log.h"
#include "core/storage/posix_file_system.h"
#include "test/support/temporary_directory.h"

namespace leat::bench {
namespace {

constexpr int64_t kLogBytesMax = 512 << 20;  // then a row begins a new log

ValidBatch valid_batch(const BatchShape& shape) {
  const auto valid = validate_produced(Slice::copy_of(make_batch(shape)), {});
  ENSURE(valid.has_value());
  return *valid;
}

// A log in a directory of its own.
class OneLog {
 public:
  explicit OneLog(FlushPolicy policy) { config_.flush = policy; }

  void create() {
    log_.reset();
    directory_ = std::make_unique<TemporaryDirectory>();
    Result<std::unique_ptr<PartitionLog>> created = PartitionLog::create(open());
    ENSURE(created.has_value());
    log_ = std::move(*created);
  }

  // As after a crash of the machine: nothing is known to be durable.
  void recover() {
    log_.reset();
    RecoveryReport report;
    Result<std::unique_ptr<PartitionLog>> recovered = PartitionLog::recover(open(), {.clean_shutdown = false}, report);
    ENSURE(recovered.has_value());
    log_ = std::move(*recovered);
  }

  void append(const ValidBatch& batch) {
    inputs_.push_back({.batch = batch});
    const std::unique_ptr<LogAppend> append = log_->begin_append(inputs_, now_ms_);
    append->write();
    log_->on_written(*append);
    if (append->needs_sync()) {
      append->sync();
      log_->on_synced(*append);
    }
    ENSURE(!append->failed());
  }

  void fill(const BatchShape& shape, int64_t bytes) {
    const ValidBatch batch = valid_batch(shape);
    while (log_->size_bytes() < bytes) append(batch);
  }

  PartitionLog& log() noexcept { return *log_; }

 private:
  PartitionLog::Open open() {
    return {.files = files_,
            .directory = directory_->path() + "/bench-0",
            .name = {"bench", 0},
            .topic_id = *Uuid::parse("AAAAAAAAAAAAAAAAAAABAA"),
            .config = config_,
            .now_ms = now_ms_};
  }

  PosixFileSystem files_;
  LogConfig config_;
  const int64_t now_ms_ = SystemClock().wall_ms();
  std::vector<AppendInput> inputs_;
  std::unique_ptr<TemporaryDirectory> directory_;
  std::unique_ptr<PartitionLog> log_;
};

void add_append(const std::string& name, const BatchShape& shape, FlushPolicy policy) {
  add_micro(name, [shape, policy](benchmark::State& state) {
    OneLog one(policy);
    one.create();
    const ValidBatch batch = valid_batch(shape);
    for ([[maybe_unused]] auto _ : state) {
      one.append(batch);
      if (one.log().size_bytes() < kLogBytesMax) continue;
      state.PauseTiming();
      one.create();
      state.ResumeTiming();
    }
    set_bytes(state, batch.bytes.size());
  });
}

void add_read(int64_t bytes_max) {
  add_micro(fmt::format("log/read_{}KiB", bytes_max >> 10), [bytes_max](benchmark::State& state) {
    OneLog one(FlushPolicy::kNone);
    one.create();
    one.fill({.record_count = 64, .record_bytes = 1000}, 64 << 20);
    SeededRandom random(1);
    const auto end = static_cast<uint64_t>(one.log().offsets().log_end.v);
    int64_t bytes = 0;
    for ([[maybe_unused]] auto _ : state) {
      const Offset from(static_cast<int64_t>(random.next() % end));
      Result<ReadPlan> plan = one.log().plan_read(from, {.bytes_max = bytes_max});
      ENSURE(plan.has_value() && plan->read != nullptr);
      const Result<FetchedBatches> fetched = plan->read->execute();
      ENSURE(fetched.has_value());
      bytes += fetched->size_bytes;
    }
    state.SetBytesProcessed(bytes);
  });
}

void add_recovery(const std::string& name, const BatchShape& shape) {
  add_micro(name, [shape](benchmark::State& state) {
    OneLog one(FlushPolicy::kNone);
    one.create();
    one.fill(shape, 64 << 20);
    const auto bytes = static_cast<size_t>(one.log().size_bytes());
    for ([[maybe_unused]] auto _ : state) one.recover();
    set_bytes(state, bytes);
  });
}

// As many entries as a segment of 1 GB has.
void add_index_lookup() {
  add_micro("index/lookup_in_262144_entries", [](benchmark::State& state) {
    constexpr int64_t kEntries = 262'144;
    constexpr int64_t kRecordsBetween = 40;
    OffsetIndex index(Offset(0));
    for (int64_t i = 1; i <= kEntries; ++i) index.append(Offset(i * kRecordsBetween), Position(i * 4096));
    SeededRandom random(1);
    for ([[maybe_unused]] auto _ : state) {
      const Offset offset(static_cast<int64_t>(random.next() % (kEntries * kRecordsBetween)));
      benchmark::DoNotOptimize(index.lookup(offset));
    }
  });
}

}  // namespace

void register_log_rows() {
  constexpr BatchShape kSmall{.record_count = 1, .record_bytes = 100};
  constexpr BatchShape kThousand{.record_count = 1000, .record_bytes = 100};
  constexpr BatchShape kLarge{.record_count = 1000, .record_bytes = 1024};
  add_append("log/append_100B_x_1", kSmall, FlushPolicy::kNone);
  add_append("log/append_100B_x_1000", kThousand, FlushPolicy::kNone);
  add_append("log/append_1024B_x_1000", kLarge, FlushPolicy::kNone);
  add_append("log/append_100B_x_1_commit", kSmall, FlushPolicy::kCommit);
  add_append("log/append_1024B_x_1000_commit", kLarge, FlushPolicy::kCommit);
  add_read(64 << 10);
  add_read(1 << 20);
  add_index_lookup();
  add_recovery("recovery/scan_64MiB_of_100B_x_1000", kThousand);
  add_recovery("recovery/scan_64MiB_of_100B_x_10", {.record_count = 10, .record_bytes = 100});
}

}  // namespace leat::bench
