// metadata_journal.cpp: records to batches and back, and the journal over a partition.
#include "server/metadata_journal.h"

#include <fmt/format.h>

#include "core/log/batch_scanner.h"
#include "core/log/file_names.h"
#include "core/metadata/topic_configs.h"
#include "core/record/batch_builder.h"
#include "net/loop/run_on.h"
#include "server/partition.h"
#include "server/settings.h"

namespace leat {
namespace {

constexpr int64_t kSegmentBytes = 8 << 20;
constexpr int64_t kRoomAheadBytes = 128 << 10;  // some hundreds of changes: deletions free the space for more
constexpr int64_t kReadBytes = 1 << 20;
constexpr int64_t kUnpackedBytesMax =
    64 << 20;  // we write no compressed batches; a bound for what others may have put there

Error at_offset(const Error& error, Offset offset) {
  return {error.code, fmt::format("metadata journal, offset {}: {}", offset, error.context)};
}

// What cannot be applied, and the offset at which it stands.
struct Fault {
  Offset offset;
  Error error;
};
using Applied = tl::expected<void, Fault>;

tl::unexpected<Fault> fault_at(Offset offset, Error error) {
  return tl::unexpected<Fault>(Fault{.offset = offset, .error = std::move(error)});
}

Result<void> apply_record(ByteView key, std::optional<ByteView> value, MetadataMachine& machine) {
  TRY(record, decode_metadata_record(key, value));
  if (std::optional<std::string> why = machine.contradiction(record)) return fail(Errc::kCorrupt, *std::move(why));
  machine.apply(record);
  return {};
}

Applied apply_batch(const BatchView& batch, MetadataMachine& machine) {
  const Offset base = batch.base_offset();
  if (!batch.crc_matches()) return fault_at(base, Error(Errc::kCorrupt, "the batch's CRC does not match its bytes"));
  if (batch.is_control()) return {};
  Result<BatchRecords> records = BatchRecords::open(batch, kUnpackedBytesMax);
  if (!records) return fault_at(base, records.error());
  while (true) {
    const Result<std::optional<RecordView>> next = records->next();
    if (!next) return fault_at(base, next.error());
    if (!*next) return {};
    const RecordView& record = **next;
    const Offset offset = records->offset_of(record);
    if (!record.key) return fault_at(offset, Error(Errc::kCorrupt, "a record without a key"));
    if (Result<void> applied = apply_record(*record.key, record.value, machine); !applied)
      return fault_at(offset, std::move(applied).error());
  }
}

// `next_offset` is that of the first batch, and then behind the last that was applied.
Applied apply_batches(ByteView batches, Offset& next_offset, MetadataMachine& machine) {
  while (!batches.empty()) {
    const Result<std::optional<BatchView>> batch = BatchView::parse(batches);
    if (!batch) return fault_at(next_offset, batch.error());
    if (!*batch) return fault_at(next_offset, Error(Errc::kCorrupt, "a batch that ends early"));
    if (Applied applied = apply_batch(**batch, machine); !applied) return applied;
    next_offset = (*batch)->next_offset();
    batches = batches.subspan(static_cast<size_t>((*batch)->size_bytes()));
  }
  return {};
}

// "FILE at POSITION" of the batch that holds an offset. Worker.
Result<std::string> place_of(FileSystem& files, const std::string& folder, Offset offset) {
  TRY(entries, files.list(folder));
  std::optional<Offset> base_offset;
  for (const FileInfo& entry : entries) {  // sorted, and so are their offsets
    const std::optional<SegmentFileName> name = parse_segment_file_name(entry.name);
    if (name && name->suffix == kLogSuffix && name->base_offset <= offset) base_offset = name->base_offset;
  }
  if (!base_offset) return fail(Errc::kNotFound, folder);
  const std::string path = segment_path(folder, *base_offset, kLogSuffix);
  TRY(file, files.open(path, OpenMode::kRead));
  TRY(size_bytes, file->size());
  BatchScanner scanner(*file, Position(0), size_bytes, BatchScanner::Depth::kHeaders);
  while (true) {
    TRY(scanned, scanner.next());
    if (!scanned) return fmt::format("{} at {}", path, scanner.position());
    if (scanned->batch.last_offset() >= offset) return fmt::format("{} at {}", path, scanned->position);
  }
}

}  // namespace

Result<Slice> encode_metadata_batch(std::span<const MetadataRecord> records, int64_t timestamp_ms) {
  BatchBuilder builder;
  for (const MetadataRecord& record : records) {
    TRY(encoded, encode_metadata_record(record));
    NewRecord added{.key = encoded.key, .value = std::nullopt, .timestamp_ms = timestamp_ms};
    if (encoded.value) added.value = *encoded.value;
    builder.append(added);
  }
  return builder.finish();
}

Result<void> apply_metadata_batches(ByteView batches, MetadataMachine& machine) {
  Offset next_offset{0};
  const Applied applied = apply_batches(batches, next_offset, machine);
  if (!applied) return fail(at_offset(applied.error().error, applied.error().offset));
  return {};
}

Error with_journal_advice(Error error, std::string_view folder) {
  if (error.code != Errc::kCorrupt && error.code != Errc::kCorruptBatch) return error;
  error.context += fmt::format(
      "; it says which topics there are, so leatd does not start without a part of it. Put {} back from a copy, or "
      "take the damage out: leat log verify {} shows it, leat log repair {} removes it, and topics that are unknown "
      "afterwards are taken in again by leatd --adopt",
      folder, folder, folder);
  return error;
}

LogConfig metadata_journal_config(const Settings& settings) {
  LogConfig config;
  config.segment_bytes = kSegmentBytes;
  config.segment_ms = INT64_MAX;
  config.retention_ms = -1;
  config.retention_bytes = -1;
  config.delete_old = true;  // segments below the log start go; nothing else does
  config.room_ahead_bytes = kRoomAheadBytes;
  const auto flush = settings.given.find("leat.flush");
  const std::string_view policy =
      flush == settings.given.end() ? std::string_view(kFlushDefault) : std::string_view(flush->second);
  config.flush = policy == "full" ? FlushPolicy::kFull : FlushPolicy::kCommit;
  return config;
}

Task<Result<Offset>> PartitionJournal::append(Slice batch, int32_t record_count, int64_t timestamp_ms) {
  AppendInput input;
  input.batch.bytes = std::move(batch);
  input.batch.record_count = record_count;
  input.batch.last_offset_delta = record_count - 1;
  input.batch.max_timestamp_ms = timestamp_ms;
  AppendOutcome outcome = co_await partition_.lane().append(std::move(input), Acks::kAll);
  if (outcome.error) co_return fail(*std::move(outcome.error));
  co_return outcome.base_offset;
}

Task<Result<MetadataMachine>> PartitionJournal::replay() {
  MetadataMachine machine;
  Offset from = partition_.offsets().log_start;
  const Offset end = partition_.offsets().high_watermark;
  while (from < end) {
    Result<FetchedBatches> fetched = co_await read_from(from, end);
    if (!fetched) co_return fail(with_journal_advice(at_offset(fetched.error(), from), folder_));
    for (const Slice& piece : fetched->pieces) {
      const Applied applied = apply_batches(piece.view(), from, machine);
      if (applied) continue;
      Task<Error> locating = located(applied.error().offset, applied.error().error);
      const Error error = co_await locating;
      co_return fail(with_journal_advice(error, folder_));
    }
  }
  co_return machine;
}

// At least one batch from `from` on.
Task<Result<FetchedBatches>> PartitionJournal::read_from(Offset from, Offset end) {
  const ReadLimits limits{.bytes_max = kReadBytes, .first_batch_whole = true, .upper = end};
  Result<ReadPlan> plan = partition_.log().plan_read(from, limits);
  if (!plan) co_return fail(plan.error());
  auto read = [taken = *std::move(plan)]() mutable { return execute(std::move(taken)); };
  Result<FetchedBatches> fetched = co_await run_on(scheduler_, WorkQueue::kRead, std::move(read));
  if (fetched && fetched->pieces.empty()) co_return fail(Errc::kCorrupt, "nothing to read before the end");
  co_return fetched;
}

// The log's own errors name the file; what its batches hold, nobody else has looked at.
Task<Error> PartitionJournal::located(Offset offset, Error error) {
  auto find = [files = &files_, folder = folder_, offset] { return place_of(*files, folder, offset); };
  const Result<std::string> place = co_await run_on(scheduler_, WorkQueue::kRead, std::move(find));
  const std::string& where = place ? *place : folder_;
  co_return at_offset(Error(error.code, fmt::format("{}: {}", where, error.context)), offset);
}

int64_t PartitionJournal::record_count() const {
  return partition_.offsets().high_watermark - partition_.offsets().log_start;
}

bool PartitionJournal::is_short_of_room() const { return partition_.log().health().below_reserve; }

void PartitionJournal::forget_before(Offset offset) {
  // Failing is harmless: the next snapshot tries again, and until then a start replays more.
  if (!partition_.advance_log_start(offset)) return;
  (void)partition_.start_upkeep(Partition::Upkeep::kRetention, scheduler_.clock().wall_ms());
}

}  // namespace leat
