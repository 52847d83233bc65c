// producer_batch.cpp: the encoding is that of core/record/batch_builder.cpp, written for the one place where each
// nanosecond is paid once a record: sizes come from bit counts, and there is one bounds check a record.
#include "client/producer/producer_batch.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"
#include "core/codec/byte_order.h"
#include "core/codec/writer.h"
#include "core/record/compression.h"
#include "core/record/record_parse.h"

namespace leat::client::detail {
namespace {

constexpr size_t kFirstBlockBytes = 512;
constexpr size_t kFixedBytesMax = 5 + 1 + 10 + 5 + 5;  // size, attributes, both deltas, count of headers
constexpr size_t kSizeBytesMax = 5;

size_t varint_size(uint64_t raw) noexcept { return (static_cast<size_t>(std::bit_width(raw | 1)) + 6) / 7; }
size_t length_size(size_t length) noexcept { return varint_size(zigzag(static_cast<int64_t>(length))); }

inline uint8_t* put_varint(uint8_t* at, uint64_t raw) noexcept {
  while (raw >= 0x80) [[unlikely]] {
      *at++ = static_cast<uint8_t>(raw | 0x80);
      raw >>= 7;
    }
  *at++ = static_cast<uint8_t>(raw);
  return at;
}

inline uint8_t* put_text(uint8_t* at, std::string_view text) noexcept {
  at = put_varint(at, zigzag(static_cast<int64_t>(text.size())));
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  return at + text.size();
}
inline uint8_t* put_field(uint8_t* at, const std::optional<std::string_view>& field) noexcept {
  if (!field) {
    *at++ = 1;  // -1
    return at;
  }
  return put_text(at, *field);
}
inline size_t field_size(const std::optional<std::string_view>& field) noexcept {
  return field ? length_size(field->size()) + field->size() : 1;
}

size_t headers_size(std::span<const Header> headers) noexcept {
  size_t size = 0;
  for (const Header& header : headers)
    size += length_size(header.key.size()) + header.key.size() + field_size(header.value);
  return size;
}

}  // namespace

ProducerBatch::ProducerBatch(uint64_t id, Nanos opened_at, const Guess& guess)
    : expires_with(id), id_(id), opened_at_(opened_at), guess_(guess) {}

size_t ProducerBatch::record_size_max(const ProducerRecord& record) noexcept {
  const size_t key = record.key ? record.key->size() : 0;
  const size_t value = record.value ? record.value->size() : 0;
  return kFixedBytesMax + 2 * kSizeBytesMax + key + value + (record.headers.empty() ? 0 : headers_size(record.headers));
}

void ProducerBatch::grow(size_t size_max) {
  const size_t needed = size_ + size_max;
  BlockRef larger = BlockRef::allocate(
      std::max(needed, block_ ? 2 * block_.capacity() : std::max(guess_.size_bytes, kFirstBlockBytes)));
  if (block_) std::memcpy(larger.data(), block_.data(), size_);
  block_ = std::move(larger);
}

void ProducerBatch::encode(const ProducerRecord& record, int64_t timestamp_ms) {
  if (record_count_ == 0) {
    base_timestamp_ms_ = timestamp_ms;
    max_timestamp_ms_ = timestamp_ms;
  }
  max_timestamp_ms_ = std::max(max_timestamp_ms_, timestamp_ms);
  const uint64_t timestamp_delta =
      zigzag(static_cast<int64_t>(static_cast<uint64_t>(timestamp_ms) - static_cast<uint64_t>(base_timestamp_ms_)));
  const uint64_t offset_delta = zigzag(int64_t{record_count_});
  const uint64_t header_count = zigzag(static_cast<int64_t>(record.headers.size()));
  const size_t body_size = 1 + varint_size(timestamp_delta) + varint_size(offset_delta) + field_size(record.key) +
                           field_size(record.value) + varint_size(header_count) +
                           (record.headers.empty() ? 0 : headers_size(record.headers));
  uint8_t* const begin = make_room(body_size + kSizeBytesMax);
  uint8_t* at = put_varint(begin, zigzag(static_cast<int64_t>(body_size)));
  *at++ = 0;
  at = put_varint(at, timestamp_delta);
  at = put_varint(at, offset_delta);
  at = put_field(at, record.key);
  at = put_field(at, record.value);
  at = put_varint(at, header_count);
  for (const Header& header : record.headers) at = put_field(put_text(at, header.key), header.value);
  size_ += static_cast<size_t>(at - begin);
  ++record_count_;
}

void ProducerBatch::keep(DeliveryCallback& on_delivery) {
  if (on_delivery) {
    if (outcomes_.empty()) {
      // A little more than the last batch had: one record beyond it would move all of them, every second batch.
      outcomes_.reserve(
          static_cast<size_t>(std::max({record_count_, guess_.record_count + guess_.record_count / 8, 8})));
      outcomes_.resize(static_cast<size_t>(record_count_) - 1);
    }
    outcomes_.push_back(std::move(on_delivery));
    charged_bytes_ += sizeof(DeliveryCallback);
  } else if (!outcomes_.empty()) {
    outcomes_.emplace_back();
    charged_bytes_ += sizeof(DeliveryCallback);
  }
}

OutcomePlace ProducerBatch::append(const ProducerRecord& record, int64_t timestamp_ms, DeliveryCallback& on_delivery) {
  const size_t before = size_;
  encode(record, timestamp_ms);
  charged_bytes_ += size_ - before;
  keep(on_delivery);
  return {this, static_cast<uint32_t>(record_count_ - 1)};
}

void ProducerBatch::append_moved(const ProducerRecord& record, int64_t timestamp_ms, ProducerBatch& from,
                                 size_t index) {
  DeliveryCallback moved;
  if (index < from.outcomes_.size()) moved = std::move(from.outcomes_[index]);
  moved.moved_to({this, static_cast<uint32_t>(record_count_)});
  append(record, timestamp_ms, moved);
}

leat::Result<Slice> ProducerBatch::pack(Codec codec, std::optional<int> level, ByteView records) {
  const size_t room = compressed_size_max(codec, records.size());
  BlockRef block = BlockRef::allocate(kBatchHeaderBytes + room);
  TRY(size, compress(codec, level, records, {block.data() + kBatchHeaderBytes, room}));
  return Slice(std::move(block), 0, kBatchHeaderBytes + size);
}

void ProducerBatch::set_packed(Codec codec, Slice packed) {
  ENSURE(packed.size() >= kBatchHeaderBytes);
  codec_ = codec;
  packed_size_ = packed.size();
  packed_ = std::move(packed);
  block_ = BlockRef();
}

void ProducerBatch::seal_unpacked() {
  ENSURE(record_count_ > 0);
  packed_size_ = size_;
  packed_ = Slice(std::move(block_), 0, size_);
}

leat::Result<Slice> ProducerBatch::unpacked_records() const {
  ENSURE(is_packed());
  const Slice body = packed_.sub(kBatchHeaderBytes, packed_.size() - kBatchHeaderBytes);
  if (codec_ == Codec::kNone) return body;
  return decompress(codec_, body.view(), static_cast<int64_t>(size_ - kBatchHeaderBytes));
}

void ProducerBatch::visit(const Slice& records, std::string_view topic, const VisitRecord& on_record) const {
  std::vector<Header> headers;
  const uint8_t* next = records.data();
  const uint8_t* const end = next + records.size();
  for (size_t index = 0; next != end; ++index) {
    leat::RecordView view;
    const RecordFault fault = record_parse::record(next, end, view);
    ENSURE(fault == RecordFault::kNone, "a record of our own: {}", to_string(fault));
    headers.clear();
    leat::HeaderReader reader = view.headers();
    for (leat::HeaderView header; view.header_count > 0 && reader.next(header);) {
      headers.push_back({.key = header.key, .value = {}});
      if (header.value) headers.back().value = leat::as_text(*header.value);
    }
    ProducerRecord record{.topic = topic, .headers = headers};
    if (view.key) record.key = leat::as_text(*view.key);
    if (view.value) record.value = leat::as_text(*view.value);
    on_record(index, record, add_timestamps(base_timestamp_ms_, view.timestamp_delta));
  }
}

const Slice& ProducerBatch::stamp(const ProducerIdentity& identity, int32_t base_sequence) {
  const MutableByteView batch = packed_.unpublished();
  uint8_t* const at = batch.data();
  to_big_endian(int64_t{0}, at + kBaseOffsetAt);
  to_big_endian(static_cast<int32_t>(batch.size() - kBatchLengthEnd), at + kBatchLengthAt);
  to_big_endian(kNoLeaderEpoch, at + kLeaderEpochAt);
  to_big_endian(kMagicV2, at + kMagicAt);
  to_big_endian(static_cast<int16_t>(codec_), at + kAttributesAt);
  to_big_endian(record_count_ - 1, at + kLastOffsetDeltaAt);
  to_big_endian(base_timestamp_ms_, at + kBaseTimestampAt);
  to_big_endian(max_timestamp_ms_, at + kMaxTimestampAt);
  to_big_endian(identity.producer_id, at + kProducerIdAt);
  to_big_endian(identity.epoch, at + kProducerEpochAt);
  to_big_endian(base_sequence, at + kBaseSequenceAt);
  to_big_endian(record_count_, at + kRecordCountAt);
  set_crc(batch);
  return packed_;
}

void ProducerBatch::report(DeliveryReport report) {
  const int64_t base_offset = report.offset;
  for (size_t i = 0; i < outcomes_.size(); ++i) {
    if (base_offset >= 0) report.offset = base_offset + static_cast<int64_t>(i);
    report.batch_index = static_cast<int32_t>(i);
    outcomes_[i].report(report);
  }
}

}  // namespace leat::client::detail
