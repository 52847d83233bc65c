// record_stream.cpp: whole records in the window take the fast parser; a record that is larger than the window is read
// field by field, its key and value skipped.
#include "core/record/record_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/record/record_parse.h"

namespace leat {
namespace {

constexpr size_t kWindowBytes = 64 * 1024;

}  // namespace

RecordStream::RecordStream(Codec codec, ByteView payload, int64_t unpacked_bytes_max)
    : reader_(Decompressor::open(codec, payload, unpacked_bytes_max)),
      window_(BlockRef::allocate(kWindowBytes)),
      next_(window_.data()),
      end_(next_) {}

RecordStream::Next RecordStream::failed(RecordFault fault) {
  if (!error_) {
    error_.emplace(Errc::kInvalidRecord, fmt::format("record {} of the batch: {}", record_index_, to_string(fault)));
  }
  return Next::kFailed;
}

RecordStream::Next RecordStream::next(RecordMeta& meta) {
  for (;;) {
    RecordView record;
    const RecordFault fault = record_parse::record(next_, end_, record);
    if (fault == RecordFault::kNone) [[likely]] {
      meta = {.timestamp_delta = record.timestamp_delta,
              .offset_delta = record.offset_delta,
              .has_key = record.key.has_value()};
      ++record_index_;
      return Next::kRecord;
    }
    if (fault != RecordFault::kBeyondEnd) return failed(fault);
    if (drained_) return next_ == end_ ? Next::kEnd : failed(fault);
    if (static_cast<size_t>(end_ - next_) == kWindowBytes) {
      const RecordFault spanning_fault = parse_spanning(meta);
      if (spanning_fault != RecordFault::kNone) return failed(spanning_fault);
      ++record_index_;
      return Next::kRecord;
    }
    if (!refill()) return failed(fault);
  }
}

// Moves what is left to the front and fills the window. False when the reader failed.
bool RecordStream::refill() {
  const auto kept = static_cast<size_t>(end_ - next_);
  if (kept != 0) std::memmove(window_.data(), next_, kept);
  next_ = window_.data();
  end_ = next_ + kept;
  Result<size_t> more = reader_->read({window_.data() + kept, kWindowBytes - kept});
  if (!more) {
    error_ = std::move(more).error();
    return false;
  }
  drained_ = *more < kWindowBytes - kept;
  end_ += *more;
  return true;
}

bool RecordStream::take_byte(uint8_t& byte) {
  if (left_in_record_ == 0) return false;
  if (next_ == end_ && (drained_ || !refill() || next_ == end_)) return false;
  byte = *next_++;
  --left_in_record_;
  return true;
}

bool RecordStream::take_varint(int bits, uint64_t& value) {
  uint8_t bytes[10];
  size_t count = 0;
  do {
    if (count == sizeof bytes || !take_byte(bytes[count])) return false;
  } while (bytes[count++] >= 0x80);
  const record_varint::LongForm form = record_varint::read_long(bytes, bytes + count, bits);
  value = form.value;
  return form.next != nullptr;
}

bool RecordStream::take_int(int32_t& value) {
  uint64_t raw = 0;
  if (!take_varint(32, raw)) return false;
  value = static_cast<int32_t>(record_varint::unzigzag(raw));
  return true;
}

bool RecordStream::skip_field(bool& present) {
  int32_t size = 0;
  if (!take_int(size)) return false;
  present = size >= 0;
  if (size > left_in_record_) return false;
  for (int64_t left = std::max(size, 0); left > 0;) {
    if (next_ == end_ && (drained_ || !refill() || next_ == end_)) return false;
    const int64_t step = std::min<int64_t>(left, end_ - next_);
    next_ += step;
    left -= step;
    left_in_record_ -= step;
  }
  return true;
}

RecordFault RecordStream::parse_spanning(RecordMeta& meta) {
  uint64_t raw = 0;
  uint8_t attributes = 0;
  int32_t header_count = 0;
  bool present = false;
  left_in_record_ = 5;
  int32_t size = 0;
  if (!take_int(size)) return RecordFault::kVarint;
  left_in_record_ = size;
  if (!take_byte(attributes) || !take_varint(64, raw)) return RecordFault::kVarint;
  meta.timestamp_delta = record_varint::unzigzag(raw);
  if (!take_int(meta.offset_delta)) return RecordFault::kVarint;
  if (!skip_field(meta.has_key)) return RecordFault::kKey;
  if (!skip_field(present)) return RecordFault::kValue;
  if (!take_int(header_count) || header_count < 0 || header_count > left_in_record_) return RecordFault::kHeaderCount;
  for (int32_t i = 0; i < header_count; ++i) {
    if (!skip_field(present) || !present) return RecordFault::kHeaderKey;
    if (!skip_field(present)) return RecordFault::kHeaderValue;
  }
  return left_in_record_ == 0 ? RecordFault::kNone : RecordFault::kTrailing;
}

namespace {

// Calls visit(offset, timestamp) for each record until it gives false.
template <class Visit>
Result<void> visit_timestamps(const BatchView& batch, int64_t unpacked_bytes_max, const Visit& visit) {
  TRY(codec, codec_from_bits(batch.codec_bits()));
  RecordStream stream(codec, batch.records(), unpacked_bytes_max);
  const bool stamped = batch.timestamp_type() == TimestampType::kLogAppendTime;
  for (int32_t index = 0; index < batch.record_count(); ++index) {
    RecordMeta meta;
    switch (stream.next(meta)) {
      case RecordStream::Next::kFailed:
        return fail(stream.error());
      case RecordStream::Next::kEnd:
        return fail(Errc::kInvalidRecord,
                    fmt::format("the batch holds {} of its {} records", index, batch.record_count()));
      case RecordStream::Next::kRecord:
        break;
    }
    const int64_t timestamp_ms =
        stamped ? batch.max_timestamp() : add_timestamps(batch.base_timestamp(), meta.timestamp_delta);
    if (!visit(batch.base_offset() + meta.offset_delta, timestamp_ms)) break;
  }
  return {};
}

}  // namespace

Result<std::optional<FoundRecord>> find_by_timestamp(const BatchView& batch, int64_t timestamp_ms,
                                                     int64_t unpacked_bytes_max) {
  std::optional<FoundRecord> found;
  TRY(visit_timestamps(batch, unpacked_bytes_max, [&](Offset offset, int64_t record_ms) {
    if (record_ms >= timestamp_ms) found = FoundRecord{offset, record_ms};
    return !found;
  }));
  return found;
}

Result<std::optional<FoundRecord>> find_max_timestamp(const BatchView& batch, int64_t unpacked_bytes_max) {
  std::optional<FoundRecord> found;
  TRY(visit_timestamps(batch, unpacked_bytes_max, [&](Offset offset, int64_t record_ms) {
    if (!found || record_ms > found->timestamp_ms) found = FoundRecord{offset, record_ms};
    return true;
  }));
  return found;
}

}  // namespace leat
