// group_log.cpp: records to batches and back, and the log over a partition.
#include "server/group_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "net/loop/run_on.h"
#include "server/partition_table.h"

namespace leat {
namespace {

// What a worker walks in one go: 4 MiB are some 40,000 commits, a few milliseconds.
constexpr int64_t kReadBytes = 4 << 20;
constexpr int64_t kUnpackedBytesMax = 64 << 20;  // of one batch; a bound for what others may have put there

Error at_offset(const Error& error, Offset offset) {
  return {error.code, fmt::format("offset {}: {}", offset, error.context)};
}

// A record on its way: decoded only if no later one bears its key.
struct SeenRecord {
  ByteView key;
  std::optional<ByteView> value;
  Offset offset;
  int64_t producer_id = kNoProducerId;              // of a transaction
  std::optional<MarkerType> marker = std::nullopt;  // it ends one
  bool is_superseded = false;
};

class PieceReader {
 public:
  Result<void> take(ByteView batches);
  Result<GroupLogPiece> finish() const;

 private:
  Result<void> take_batch(const BatchView& batch);
  Result<void> take_marker(BatchRecords& records);
  void add(SeenRecord seen);

  std::vector<BatchRecords> opened_;  // hold what was unpacked
  std::vector<SeenRecord> seen_;
  std::unordered_map<std::string_view, size_t> last_of_key_;  // outside of transactions
  Offset next_ = kNoOffset;
};

Result<void> PieceReader::take(ByteView batches) {
  while (!batches.empty()) {
    TRY(batch, BatchView::parse(batches));
    if (!batch) return fail(Errc::kCorrupt, "a batch that ends early");
    const auto size = static_cast<size_t>(batch->size_bytes());
    const BatchView whole(batches.first(size));
    if (!whole.crc_matches()) {
      return fail(at_offset(Error(Errc::kCorrupt, "the batch's CRC does not match its bytes"), whole.base_offset()));
    }
    if (Result<void> taken = take_batch(whole); !taken) return fail(at_offset(taken.error(), whole.base_offset()));
    next_ = whole.next_offset();
    batches = batches.subspan(size);
  }
  return {};
}

Result<void> PieceReader::take_batch(const BatchView& batch) {
  if (batch.record_count() == 0) return {};  // compaction left its header alone
  TRY(opened, BatchRecords::open(batch, kUnpackedBytesMax));
  BatchRecords& records = opened_.emplace_back(std::move(opened));
  if (batch.is_control()) return take_marker(records);
  while (true) {
    TRY(record, records.next());
    if (!record) return {};
    if (!record->key) return fail(Errc::kCorrupt, "a record without a key");
    add({.key = *record->key,
         .value = record->value,
         .offset = records.offset_of(*record),
         .producer_id = batch.is_transactional() ? batch.producer_id() : kNoProducerId});
  }
}

Result<void> PieceReader::take_marker(BatchRecords& records) {
  TRY(record, records.next());
  if (!record) return {};
  const std::optional<int16_t> type = control_record_type(*record);
  const bool is_commit = type == static_cast<int16_t>(MarkerType::kCommit);
  if (!is_commit && type != static_cast<int16_t>(MarkerType::kAbort)) return {};
  add({.key = {},
       .value = std::nullopt,
       .offset = records.offset_of(*record),
       .producer_id = records.batch().producer_id(),
       .marker = is_commit ? MarkerType::kCommit : MarkerType::kAbort});
  return {};
}

void PieceReader::add(SeenRecord seen) {
  if (seen.producer_id == kNoProducerId) {
    const auto [place, is_new] = last_of_key_.try_emplace(as_text(seen.key), seen_.size());
    if (!is_new) seen_[std::exchange(place->second, seen_.size())].is_superseded = true;
  }
  seen_.push_back(seen);
}

Result<GroupLogPiece> PieceReader::finish() const {
  GroupLogPiece piece;
  piece.next = next_;
  for (const SeenRecord& seen : seen_) {
    if (seen.is_superseded) continue;
    if (seen.marker) {
      piece.entries.emplace_back(EndedTransaction{seen.producer_id, *seen.marker == MarkerType::kCommit});
      continue;
    }
    Result<std::optional<GroupRecord>> record = decode_group_record(seen.key, seen.value);
    if (!record) return fail(at_offset(record.error(), seen.offset));
    if (!*record) continue;
    if (seen.producer_id == kNoProducerId) {
      piece.entries.emplace_back(**std::move(record));
    } else {
      piece.entries.emplace_back(TransactionalGroupRecord{seen.producer_id, **std::move(record)});
    }
  }
  return piece;
}

// Compaction may have left nothing in the range.
Result<GroupLogPiece> read_piece(ReadPlan plan, Offset end) {
  TRY(batches, execute(std::move(plan)));
  if (batches.pieces.empty()) return GroupLogPiece{.entries = {}, .next = end};
  return decode_group_batches(batches.pieces);
}

}  // namespace

Result<void> GroupBatch::add(std::span<const GroupRecord> records) {
  for (const GroupRecord& record : records) {
    TRY(encoded, encode_group_record(record));
    NewRecord added{.key = encoded.key, .value = std::nullopt, .timestamp_ms = timestamp_ms_};
    if (encoded.value) added.value = *encoded.value;
    builder_.append(added);
  }
  return {};
}

Result<Slice> encode_group_batch(std::span<const GroupRecord> records, const GroupBatchOptions& options) {
  GroupBatch batch(options);
  TRY(batch.add(records));
  return batch.finish();
}

Result<GroupLogPiece> decode_group_batches(std::span<const Slice> pieces) {
  PieceReader reader;
  for (const Slice& piece : pieces) TRY(reader.take(piece.view()));
  return reader.finish();
}

std::optional<Error> PartitionGroupLog::closed() const {
  const Partition* partition = table_.find(topic_id_, name_.partition);
  if (partition == nullptr) return Error(Errc::kNotFound, fmt::format("{} is not open", name_));
  return partition->log().health().offline;
}

size_t PartitionGroupLog::step_bytes_max() const {
  const Partition* partition = table_.find(topic_id_, name_.partition);
  if (partition == nullptr) return SIZE_MAX;  // an append tells what is wrong
  const int64_t bytes_max =
      std::min<int64_t>(partition->settings().produce.message_bytes_max, partition->settings().log.segment_bytes);
  return static_cast<size_t>(std::max<int64_t>(bytes_max, 0));
}

Task<Result<void>> PartitionGroupLog::append(Slice batch, int32_t record_count, int64_t timestamp_ms) {
  Partition* partition = table_.find(topic_id_, name_.partition);
  if (partition == nullptr) co_return fail(Errc::kNotFound, fmt::format("{} is not open", name_));
  AppendInput input;
  input.batch.bytes = std::move(batch);
  input.batch.record_count = record_count;
  input.batch.last_offset_delta = record_count - 1;
  input.batch.max_timestamp_ms = timestamp_ms;
  if (appends_out_++ == 0) written_end_ = partition->offsets().log_end;
  written_end_ = written_end_ + record_count;
  Task<AppendOutcome> appending = partition->lane().append(std::move(input), Acks::kAll);
  AppendOutcome outcome = co_await appending;
  --appends_out_;
  if (outcome.error) co_return fail(*std::move(outcome.error));
  co_return Result<void>{};
}

bool PartitionGroupLog::is_written() const {
  const Partition* partition = table_.find(topic_id_, name_.partition);
  return partition != nullptr && (appends_out_ == 0 || partition->offsets().log_end == written_end_);
}

Result<GroupLog::Range> PartitionGroupLog::range() const {
  const Partition* partition = table_.find(topic_id_, name_.partition);
  if (partition == nullptr) return fail(Errc::kNotFound, fmt::format("{} is not open", name_));
  return Range{.begin = partition->offsets().log_start, .end = partition->offsets().high_watermark};
}

Task<Result<GroupLogPiece>> PartitionGroupLog::read(Range range) {
  Partition* partition = table_.find(topic_id_, name_.partition);
  if (partition == nullptr) co_return fail(Errc::kNotFound, fmt::format("{} is not open", name_));
  const ReadLimits limits{.bytes_max = kReadBytes, .first_batch_whole = true, .upper = range.end};
  Result<ReadPlan> plan = partition->log().plan_read(range.begin, limits);
  if (!plan) co_return fail(at_offset(plan.error(), range.begin));
  auto work = [taken = *std::move(plan), end = range.end]() mutable { return read_piece(std::move(taken), end); };
  Result<GroupLogPiece> piece = co_await run_on(scheduler_, WorkQueue::kRead, std::move(work));
  if (!piece) co_return fail(at_offset(piece.error(), range.begin));
  co_return piece;
}

}  // namespace leat
