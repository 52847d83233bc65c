// metadata_journal.cpp: records to batches and back, and the journal over a partition.
#include "server/metadata_journal.h"

#include <fmt/format.h>

#include "core/metadata/topic_configs.h"
#include "core/record/batch_builder.h"
#include "net/loop/run_on.h"
#include "server/partition.h"
#include "server/settings.h"

namespace leat {
namespace {

constexpr int64_t kSegmentBytes = 8 << 20;
constexpr int64_t kReadBytes = 1 << 20;
constexpr int64_t kUnpackedBytesMax =
    64 << 20;  // we write no compressed batches; a bound for what others may have put there

Error at_offset(const Error& error, Offset offset) {
  return {error.code, fmt::format("metadata journal, offset {}: {}", offset, error.context)};
}

Result<void> apply_record(ByteView key, std::optional<ByteView> value, MetadataMachine& machine) {
  TRY(record, decode_metadata_record(key, value));
  if (std::optional<std::string> why = machine.contradiction(record)) return fail(Errc::kCorrupt, *std::move(why));
  machine.apply(record);
  return {};
}

Result<void> apply_batch(const BatchView& batch, MetadataMachine& machine) {
  if (batch.is_control()) return {};
  TRY(records, BatchRecords::open(batch, kUnpackedBytesMax));
  while (true) {
    TRY(record, records.next());
    if (!record) return {};
    if (!record->key) return fail(Errc::kCorrupt, "a record without a key");
    if (Result<void> applied = apply_record(*record->key, record->value, machine); !applied) {
      return fail(at_offset(applied.error(), records.offset_of(*record)));
    }
  }
}

Result<Offset> next_offset_after(const Slice& batches) {
  ByteView rest = batches.view();
  Offset next = kNoOffset;
  while (!rest.empty()) {
    TRY(batch, BatchView::parse(rest));
    if (!batch) return fail(Errc::kCorrupt, "metadata journal: a batch that ends early");
    next = batch->next_offset();
    rest = rest.subspan(static_cast<size_t>(batch->size_bytes()));
  }
  return next;
}

Result<FetchedBatches> read_some(ReadPlan plan) {
  if (plan.cached) return *std::move(plan.cached);
  return plan.read->execute();
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
  while (!batches.empty()) {
    TRY(batch, BatchView::parse(batches));
    if (!batch) return fail(Errc::kCorrupt, "metadata journal: a batch that ends early");
    if (!batch->crc_matches()) {
      return fail(at_offset(Error(Errc::kCorrupt, "the batch's CRC does not match its bytes"), batch->base_offset()));
    }
    if (Result<void> applied = apply_batch(*batch, machine); !applied) return fail(applied.error());
    batches = batches.subspan(static_cast<size_t>(batch->size_bytes()));
  }
  return {};
}

LogConfig metadata_journal_config(const Settings& settings) {
  LogConfig config;
  config.segment_bytes = kSegmentBytes;
  config.segment_ms = INT64_MAX;
  config.retention_ms = -1;
  config.retention_bytes = -1;
  config.delete_old = true;  // segments below the log start go; nothing else does
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
    const ReadLimits limits{.bytes_max = kReadBytes, .first_batch_whole = true, .upper = end};
    Result<ReadPlan> plan = partition_.log().plan_read(from, limits);
    if (!plan) co_return fail(at_offset(plan.error(), from));
    auto read = [taken = *std::move(plan)]() mutable { return read_some(std::move(taken)); };
    Result<FetchedBatches> fetched = co_await run_on(scheduler_, WorkQueue::kRead, std::move(read));
    if (!fetched) co_return fail(at_offset(fetched.error(), from));
    if (fetched->pieces.empty())
      co_return fail(at_offset(Error(Errc::kCorrupt, "nothing to read before the end"), from));
    for (const Slice& piece : fetched->pieces) {
      if (Result<void> applied = apply_metadata_batches(piece.view(), machine); !applied)
        co_return fail(applied.error());
    }
    const Result<Offset> next = next_offset_after(fetched->pieces.back());
    if (!next) co_return fail(next.error());
    from = *next;
  }
  co_return machine;
}

int64_t PartitionJournal::record_count() const {
  return partition_.offsets().high_watermark - partition_.offsets().log_start;
}

void PartitionJournal::forget_before(Offset offset) {
  // Failing is harmless: the next snapshot tries again, and until then a start replays more.
  if (!partition_.advance_log_start(offset)) return;
  (void)partition_.start_upkeep(Partition::Upkeep::kRetention, scheduler_.clock().wall_ms());
}

}  // namespace leat
