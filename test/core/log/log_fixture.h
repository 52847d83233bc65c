// log_fixture.h: a partition log on a simulated disk, with short words for what tests do to it: append, read all,
// reopen.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/log_directory.h"
#include "core/log/partition_log.h"
#include "core/log/tail_cache.h"
#include "core/record/batch_builder.h"
#include "core/record/record.h"
#include "core/storage/sim_file_system.h"
#include "test/support/catch.h"

namespace leat::test {

inline constexpr std::string_view kFolder = "/data/t-0";
inline constexpr std::string_view kFirstLog = "/data/t-0/00000000000000000000.log";
inline constexpr int64_t kStartMs = 1'700'000'000'000;

struct NewBatch {
  int records = 1;
  size_t value_bytes = 20;
  Codec codec = Codec::kNone;
  int64_t timestamp_ms = kStartMs;
  int64_t timestamp_step_ms = 1;
  int64_t producer_id = kNoProducerId;
  int16_t producer_epoch = 0;
  int32_t base_sequence = 0;
  std::string_view text = "value";
};
AppendInput make_input(const NewBatch& batch);

// A record as a reader sees it.
struct SeenRecord {
  int64_t offset;
  int64_t timestamp_ms;
  int32_t leader_epoch;
  std::string value;
  friend bool operator==(const SeenRecord&, const SeenRecord&) = default;
};

struct OpenLog {
  FileSystem& files;
  LogConfig config;
  int64_t now_ms = kStartMs;
  Uuid topic_id = *Uuid::parse("AAAAAAAAAAAAAAAAAAABAA");
  TailCache* tail_cache = nullptr;
  LogKind kind = LogKind::kClient;
  DirectoryHealth health;
  RecoveryReport report;
  std::unique_ptr<PartitionLog> log;

  explicit OpenLog(FileSystem& file_system, const LogConfig& log_config = {})
      : files(file_system), config(log_config) {}

  void create();
  Result<void> recover(RecoveryHints hints);
  void recover_clean(Offset log_start = Offset(0));
  // After a crash; the recovery point is what the log last said unless told.
  void recover_unclean(Offset recovery_point = Offset(0), Offset log_start = Offset(0));
  void close();  // clean

  std::vector<BatchOutcome> append(std::vector<AppendInput> inputs);  // written, and synced when the policy says so
  BatchOutcome append_one(const NewBatch& batch);
  void append_many(int batches, const NewBatch& batch);

  Result<FetchedBatches> read(Offset from, ReadLimits limits = {});
  std::vector<SeenRecord> read_all();  // from the log start to the log end
  std::vector<SeenRecord> read_from(Offset from);
  Offset read_on_from(Offset from);  // how far a consumer comes that begins there: then it gets nothing and waits
  std::optional<TimestampOffset> lookup(int64_t timestamp_ms);
  std::optional<TimestampOffset> lookup_max();
  void run(std::unique_ptr<Maintenance> work);
  std::vector<std::string> retention();
  std::vector<std::string> file_names();
  std::string aside_name();  // of the first side file; empty: there is none

 private:
  PartitionLog::Open open();
};

// Each record, in the order of offsets, with its batch; the batches are whole and their CRCs match.
using OnRecord = std::function<void(const BatchView&, const BatchRecords&, const RecordView&)>;
void for_each_record(ByteView batches, const OnRecord& on_record);
std::vector<SeenRecord> records_of(const FetchedBatches& fetched);
std::vector<SeenRecord> records_of(ByteView batches);
Offset next_offset_of(const FetchedBatches& fetched);  // of the last batch; there is one
// Segments of some ten batches.
LogConfig small_segments(FlushPolicy flush);
std::string file_text(FileSystem& files, std::string_view path);
void put_file(FileSystem& files, std::string_view path, ByteView bytes);
void flip_bit(FileSystem& files, std::string_view path, int64_t position, int bit = 3);
int64_t size_of(FileSystem& files, std::string_view path);
void truncate_file(FileSystem& files, std::string_view path, int64_t size_bytes);
void append_bytes(FileSystem& files, std::string_view path, ByteView bytes);

}  // namespace leat::test
