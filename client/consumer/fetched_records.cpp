// fetched_records.cpp: the one walk over fetched batches that checks everything, and the reading that trusts it.
#include "client/consumer/fetched_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "core/codec/control_records.h"
#include "core/codec/prefixed.h"
#include "core/record/compression.h"
#include "core/record/record_parse.h"

namespace leat::client::detail {
namespace {

constexpr int16_t kAbortMarker = 0;

std::optional<std::string_view> text_of(const std::optional<ByteView>& bytes) noexcept {
  if (!bytes) return std::nullopt;
  return as_text(*bytes);
}

bool ends_with_abort(const BatchView& batch) {
  if (batch.codec_bits() != 0) return false;
  leat::RecordView record;
  const ByteView records = batch.records();
  const uint8_t* next = records.data();
  if (parse_record(next, next + records.size(), record) != RecordFault::kNone || !record.key) return false;
  const leat::Result<ControlRecordTypeSchema> type = decode_value<ControlRecordTypeSchema>(*record.key);
  return type && type->type == kAbortMarker;
}

}  // namespace

// Which producers' transactional records are of an aborted transaction, as the walk goes on (KIP-98).
class FetchedChunk::Aborted {
 public:
  explicit Aborted(std::vector<FetchResponse::AbortedTransaction> transactions)
      : transactions_(std::move(transactions)) {
    std::sort(transactions_.begin(), transactions_.end(),
              [](const auto& a, const auto& b) { return a.first_offset < b.first_offset; });
  }
  bool leaves_out(const BatchView& batch) {
    while (next_ < transactions_.size() && transactions_[next_].first_offset <= batch.last_offset().v) {
      open_.insert(transactions_[next_++].producer_id);
    }
    if (batch.is_control()) {
      if (ends_with_abort(batch)) open_.erase(batch.producer_id());
      return true;
    }
    return batch.is_transactional() && open_.contains(batch.producer_id());
  }

 private:
  std::vector<FetchResponse::AbortedTransaction> transactions_;
  size_t next_ = 0;
  std::set<int64_t> open_;
};

void FetchedChunk::read() {
  Aborted aborted(order_.isolation == IsolationLevel::kReadCommitted
                      ? std::move(order_.aborted)
                      : std::vector<FetchResponse::AbortedTransaction>());
  ByteView left = order_.records.view();
  while (!left.empty()) {
    const leat::Result<std::optional<BatchView>> parsed = BatchView::parse(left);
    if (!parsed) {
      const Cause cause = parsed.error().code == Errc::kUnsupportedFormat ? Cause::kUnsupported : Cause::kDamaged;
      error_ = Error(cause, fmt::format("{}-{} at offset {}: {}", *order_.topic, order_.partition, next_offset_,
                                        parsed.error().context));
      return;
    }
    if (!*parsed || (*parsed)->size_bytes() > static_cast<int64_t>(left.size())) return;  // cut off: fetched again
    const auto size = static_cast<size_t>((*parsed)->size_bytes());
    const BatchView batch(left.first(size));
    left = left.subspan(size);
    if (batch.last_offset().v < order_.position) continue;
    if (batch.last_offset_delta() < 0 || batch.record_count() < 0) {
      (void)damaged(batch, "its offsets cannot be");
      return;
    }
    if (order_.check_crcs == CrcCheck::kYes && !batch.crc_matches()) {
      (void)damaged(batch, "its CRC is wrong");
      return;
    }
    if (!aborted.leaves_out(batch) && !read_batch(batch)) return;
    next_offset_ = batch.next_offset().v;
    leader_epoch_ = batch.leader_epoch();
  }
}

bool FetchedChunk::damaged(const BatchView& batch, std::string_view what) {
  error_ =
      Error(Cause::kDamaged, fmt::format("{}-{}: the batch at offset {} is damaged: {}. It is fetched again; to go "
                                         "on behind it, seek to offset {}",
                                         *order_.topic, order_.partition, batch.base_offset().v, what,
                                         batch.base_offset().v + std::max(batch.last_offset_delta(), 0) + 1));
  return false;
}

bool FetchedChunk::read_batch(const BatchView& batch) {
  if (batch.codec_bits() == 0) return check_records(batch, batch.records());
  const leat::Result<Codec> codec = codec_from_bits(batch.codec_bits());
  if (!codec) return damaged(batch, codec.error().context);
  leat::Result<Slice> unpacked = decompress(*codec, batch.records(), order_.unpacked_bytes_max);
  if (!unpacked) {
    if (unpacked.error().code != Errc::kLimit) return damaged(batch, unpacked.error().context);
    error_ =
        Error(Cause::kTooLarge, fmt::format("{}-{}: the batch at offset {} unpacks to more than unpacked_bytes_max "
                                            "= {}: raise that, or seek to offset {}",
                                            *order_.topic, order_.partition, batch.base_offset().v,
                                            order_.unpacked_bytes_max, batch.next_offset().v));
    return false;
  }
  unpacked_bytes_ += unpacked->size();
  unpacked_.push_back(*std::move(unpacked));
  return check_records(batch, unpacked_.back().view());
}

bool FetchedChunk::check_records(const BatchView& batch, ByteView records) {
  const int32_t total = batch.record_count();
  const int64_t base_offset = batch.base_offset().v;
  const int64_t position = order_.position;
  const uint8_t* next = records.data();
  const uint8_t* const end = next + records.size();
  const uint8_t* begin = next;
  int32_t before = 0;  // the position
  leat::RecordView record;
  for (int32_t i = 0; i < total; ++i) {
    const RecordFault fault = record_parse::record(next, end, record);
    if (fault != RecordFault::kNone) [[unlikely]] {
      return damaged(batch, fmt::format("record {} of {}: {}", i, total, to_string(fault)));
    }
    if (base_offset + record.offset_delta < position) [[unlikely]] {
      before = i + 1;
      begin = next;
    }
  }
  if (next != end) return damaged(batch, "bytes are left over after its last record");
  if (before == total) return true;
  const bool append_time = batch.timestamp_type() == leat::TimestampType::kLogAppendTime;
  parts_.push_back({.begin = begin,
                    .end = end,
                    .topic = *order_.topic,
                    .base_offset = base_offset,
                    .base_timestamp = append_time ? batch.max_timestamp() : batch.base_timestamp(),
                    .next_offset = batch.next_offset().v,
                    .partition = order_.partition,
                    .leader_epoch = batch.leader_epoch(),
                    .count = total - before,
                    .timestamp_type = append_time ? TimestampType::kLogAppendTime : TimestampType::kCreateTime});
  return true;
}

void FetchedChunk::charge(std::shared_ptr<PrefetchBudget> budget) {
  charged_bytes_ = order_.records.size();
  budget->take(charged_bytes_);
  budget_ = std::move(budget);
}

void FetchedChunk::charge_unpacked() {
  charged_bytes_ += unpacked_bytes_;
  budget_->take(unpacked_bytes_);
}

ChunkOutline outline(ByteView records, int64_t position) noexcept {
  ChunkOutline found{.next_offset = position};
  while (records.size() >= kBatchHeaderBytes) {
    const BatchView batch(records);
    const int64_t size = batch.size_bytes();
    if (batch.batch_length() < kBatchLengthMin || size > static_cast<int64_t>(records.size())) break;
    if (batch.magic() != kMagicV2 || batch.last_offset_delta() < 0) break;
    found.next_offset = std::max(found.next_offset, batch.next_offset().v);
    found.whole_bytes += static_cast<size_t>(size);
    if (batch.codec_bits() != 0) found.compressed_bytes += static_cast<size_t>(size);
    records = records.subspan(static_cast<size_t>(size));
  }
  return found;
}

void FetchedRecords::add(std::shared_ptr<const FetchedChunk> chunk, size_t first_part, size_t part_count) {
  ENSURE(first_part + part_count <= chunk->parts().size());
  for (size_t i = first_part; i < first_part + part_count; ++i) {
    parts_.push_back(chunk->parts()[i]);
    count_ += static_cast<size_t>(parts_.back().count);
  }
  if (part_count > 0) chunks_.push_back(std::move(chunk));
}

}  // namespace leat::client::detail

namespace leat::client {

void HeaderRange::Iterator::advance() noexcept {
  if (--left_ < 0) return;
  std::optional<ByteView> key;
  std::optional<ByteView> value;
  const bool whole =
      record_parse::field(next_, end_, key) && key.has_value() && record_parse::field(next_, end_, value);
  ENSURE(whole, "headers are checked when their record is parsed");
  header_.key = as_text(*key);
  header_.value = detail::text_of(value);
}

Records::Iterator::Iterator(const detail::FetchedRecords* of) noexcept : of_(of) {
  if (of_ == nullptr || of_->parts().empty()) return;
  ended_ = false;
  part_ = static_cast<size_t>(-1);  // before the first
  advance();
}

void Records::Iterator::advance() noexcept {
  if (left_in_batch_ == 0) {
    if (++part_ == of_->parts().size()) {
      ended_ = true;
      return;
    }
    const detail::BatchPart& part = of_->parts()[part_];
    next_ = part.begin;
    end_ = part.end;
    base_offset_ = part.base_offset;
    base_timestamp_ = part.base_timestamp;
    left_in_batch_ = part.count;
    record_.topic = part.topic;
    record_.partition = part.partition;
    record_.leader_epoch = part.leader_epoch;
    record_.timestamp_type = part.timestamp_type;
  }
  --left_in_batch_;
  leat::RecordView parsed;
  const RecordFault fault = record_parse::record(next_, end_, parsed);
  ENSURE(fault == RecordFault::kNone, "records are checked when they arrive");
  record_.offset = base_offset_ + parsed.offset_delta;
  record_.timestamp_ms = record_.timestamp_type == TimestampType::kLogAppendTime
                             ? base_timestamp_
                             : add_timestamps(base_timestamp_, parsed.timestamp_delta);
  record_.key = detail::text_of(parsed.key);
  record_.value = detail::text_of(parsed.value);
  record_.headers = HeaderRange(parsed.encoded_headers.data(), parsed.encoded_headers.size(), parsed.header_count);
}

size_t Records::count_max() const noexcept { return fetched_ ? fetched_->count() : 0; }

}  // namespace leat::client
