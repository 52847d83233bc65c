// validator.cpp: the checks in Kafka's order: which batches there are, what the header says, the CRC, then each record.
// What Kafka answers with UNKNOWN_SERVER_ERROR is here kCorruptBatch when compressed bytes are damaged, else
// kInvalidRecord: tests hold the table of both (test/data/batches).
#include "core/record/validator.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/record/batch_builder.h"
#include "core/record/compression.h"
#include "core/record/record_parse.h"
#include "core/record/record_stream.h"

namespace leat {
namespace {

constexpr int16_t kFirstProduceVersionWithZstd = 7;

std::string in_partition(const ValidationRules& rules) {
  return rules.name == nullptr ? std::string() : fmt::format(" in topic partition {}", *rules.name);
}

int64_t saturating_subtract(int64_t a, int64_t b) noexcept {
  int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return a < 0 ? INT64_MIN : INT64_MAX;
  return result;
}
int64_t saturating_add(int64_t a, int64_t b) noexcept {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return a < 0 ? INT64_MIN : INT64_MAX;
  return result;
}

// Checks records as they are walked over; the errors are the records', the faults of the format are the walker's.
class RecordCheck {
 public:
  RecordCheck(const BatchView& batch, const ValidationRules& rules) noexcept
      : rules_(rules),
        base_timestamp_ms_(batch.base_timestamp()),
        stamp_ms_(batch.max_timestamp()),
        stamped_(batch.timestamp_type() == TimestampType::kLogAppendTime),
        offsets_must_count_(batch.codec_bits() != 0 && !rebuilds(batch, rules)) {
    if (rules.timestamp_type == TimestampType::kCreateTime) {
      timestamp_least_ms_ = saturating_subtract(rules.now_ms, rules.timestamp_before_ms_max);
      timestamp_greatest_ms_ = saturating_add(rules.now_ms, rules.timestamp_after_ms_max);
    } else {
      stamp_refused_ = stamped_;
    }
  }

  static bool rebuilds(const BatchView& batch, const ValidationRules& rules) noexcept {
    if (!rules.stored_codec || static_cast<uint8_t>(*rules.stored_codec) == batch.codec_bits()) return false;
    return batch.record_count() > 0 &&
           !(batch.is_control() && batch.codec_bits() == 0);  // control records stay as they are
  }

  void on_record(int32_t index, const RecordMeta& record) {
    const int64_t timestamp_ms = stamped_ ? stamp_ms_ : add_timestamps(base_timestamp_ms_, record.timestamp_delta);
    const bool outside =
        timestamp_ms != kNoTimestamp && (timestamp_ms < timestamp_least_ms_ || timestamp_ms > timestamp_greatest_ms_);
    if ((rules_.compacted && !record.has_key) || outside || stamp_refused_) [[unlikely]] {
      refuse(index, record, timestamp_ms);
      return;
    }
    if (timestamp_ms > max_timestamp_ms_) {
      max_timestamp_ms_ = timestamp_ms;
      max_timestamp_delta_ = record.offset_delta;
    }
    offsets_count_ = offsets_count_ && record.offset_delta == index;
  }

  bool refused() const noexcept { return error_count_ > 0; }
  // Kafka rewrites such batches record by record, and fails at it: it has skipped the keys and values.
  bool offsets_wrong() const noexcept { return offsets_must_count_ && !offsets_count_; }
  int64_t max_timestamp_ms() const noexcept { return max_timestamp_ms_; }
  int32_t max_timestamp_delta() const noexcept { return max_timestamp_delta_; }
  InvalidBatch invalid_batch() &&;

 private:
  void refuse(int32_t index, const RecordMeta& record, int64_t timestamp_ms);

  const ValidationRules& rules_;
  int64_t base_timestamp_ms_;
  int64_t stamp_ms_;  // every record's timestamp when the batch is stamped
  int64_t timestamp_least_ms_ = INT64_MIN;
  int64_t timestamp_greatest_ms_ = INT64_MAX;
  int64_t max_timestamp_ms_ = kNoTimestamp;
  int32_t max_timestamp_delta_ = 0;
  bool stamped_;
  bool stamp_refused_ = false;  // a client's stamp on a topic that stamps by itself
  bool offsets_must_count_;
  bool offsets_count_ = true;
  bool timestamp_refused_ = false;
  int64_t error_count_ = 0;
  std::vector<RecordError> errors_;
};

void RecordCheck::refuse(int32_t index, const RecordMeta& record, int64_t timestamp_ms) {
  const bool keyless = rules_.compacted && !record.has_key;
  timestamp_refused_ = timestamp_refused_ || !keyless;
  if (++error_count_ > static_cast<int64_t>(kRecordErrorsMax)) return;
  std::string message;
  if (keyless) {
    message = fmt::format("Compacted topic cannot accept message without key{}.", in_partition(rules_));
  } else if (stamp_refused_) {
    message = "Invalid timestamp type in message. Producer should not set timestamp type to LogAppendTime.";
  } else {
    message =
        fmt::format("Timestamp {} of message with offset {} is out of range. The timestamp should be within [{}, {}]",
                    timestamp_ms, record.offset_delta, timestamp_least_ms_, timestamp_greatest_ms_);
  }
  errors_.push_back({.index = index, .message = std::move(message)});
}

InvalidBatch RecordCheck::invalid_batch() && {
  if (timestamp_refused_) {
    return {.error = {Errc::kInvalidTimestamp, "One or more records have been rejected due to invalid timestamp"},
            .records = std::move(errors_)};
  }
  std::string text = fmt::format(
      "One or more records have been rejected due to {} record errors in total, the first are:", error_count_);
  for (size_t i = 0; i < std::min<size_t>(errors_.size(), 3); ++i) {
    text += fmt::format(" record {}: {}", errors_[i].index, errors_[i].message);
  }
  return {.error = {Errc::kInvalidRecord, std::move(text)}, .records = std::move(errors_)};
}

// The one batch of the request.
Result<BatchView> find_batch(ByteView records, const ValidationRules& rules) {
  const auto refusal = [&rules](std::string_view what) {
    return fail(Errc::kInvalidRecord, fmt::format("Produce requests with version {} {}", rules.produce_version, what));
  };
  Result<std::optional<BatchView>> first = BatchView::parse(records);
  if (!first) {
    if (first.error().code != Errc::kUnsupportedFormat) return fail(Errc::kCorruptBatch, first.error().context);
    return refusal("are only allowed to contain record batches with magic version 2");
  }
  if (!*first) return refusal("must have at least one record batch per partition");
  const BatchView batch = **first;
  if (rules.produce_version < kFirstProduceVersionWithZstd &&
      batch.codec_bits() == static_cast<uint8_t>(Codec::kZstd)) {
    return fail(Errc::kUnsupportedCodec,
                fmt::format("Produce requests with version {} are not allowed to use ZStandard compression",
                            rules.produce_version));
  }
  const Result<std::optional<BatchView>> second = BatchView::parse(records.subspan(batch.bytes().size()));
  if (!second && second.error().code != Errc::kUnsupportedFormat) {
    return fail(Errc::kCorruptBatch, second.error().context);
  }
  if (!second || *second) return refusal("are only allowed to contain exactly one record batch per partition");
  return batch;
}

Result<void> check_client_header(const BatchView& batch, const ValidationRules& rules) {
  const int64_t offset_count = int64_t{batch.last_offset_delta()} + 1;
  const int32_t count = batch.record_count();
  if (offset_count <= 0) {
    return fail(Errc::kInvalidRecord, fmt::format("Batch has an invalid offset range: [0, {}]{}",
                                                  batch.last_offset_delta(), in_partition(rules)));
  }
  if (count <= 0) {
    return fail(Errc::kInvalidRecord,
                fmt::format("Invalid reported count for record batch: {}{}", count, in_partition(rules)));
  }
  if (offset_count != count) {
    return fail(Errc::kInvalidRecord, fmt::format("Inconsistent batch offset range [0, {}] and count of records {}{}",
                                                  batch.last_offset_delta(), count, in_partition(rules)));
  }
  if (batch.is_control()) return fail(Errc::kInvalidRecord, "Clients are not allowed to write control records");
  if (batch.has_producer_id() && batch.base_sequence() < 0) {
    return fail(Errc::kInvalidRecord, fmt::format("Invalid sequence number {} in record batch with producerId {}",
                                                  batch.base_sequence(), batch.producer_id()));
  }
  return {};
}

Result<void> check_size(size_t size_bytes, const ValidationRules& rules) {
  if (static_cast<int64_t>(size_bytes) <= rules.message_bytes_max) return {};
  return fail(Errc::kMessageTooLarge,
              fmt::format("The record batch size{} is {} bytes which exceeds the maximum configured value of {}.",
                          in_partition(rules), size_bytes, rules.message_bytes_max));
}

Result<void> check_header(const BatchView& batch, const ValidationRules& rules) {
  if (rules.from_client && batch.base_offset() != Offset(0)) {
    return fail(Errc::kInvalidRecord, fmt::format("The baseOffset of the record batch{} should be 0, but it is {}",
                                                  in_partition(rules), batch.base_offset()));
  }
  TRY(check_size(batch.bytes().size(), rules));
  if (!batch.crc_matches()) {
    return fail(Errc::kCorruptBatch,
                fmt::format("Record is corrupt (stored crc = {}){}.", batch.crc(), in_partition(rules)));
  }
  if (rules.from_client) TRY(check_client_header(batch, rules));
  return {};
}

tl::unexpected<Error> ends_early(int32_t index, int32_t count) {
  return fail(Errc::kInvalidRecord, fmt::format("the batch ends after {} of its {} records", index, count));
}
tl::unexpected<Error> goes_on(int32_t count) {
  return fail(Errc::kInvalidRecord,
              fmt::format("Incorrect declared batch size: data are left over after its {} records", count));
}

Result<void> walk_plain(const BatchView& batch, RecordCheck& check) {
  const int32_t count = batch.record_count();
  const ByteView records = batch.records();
  const uint8_t* next = records.data();
  const uint8_t* const end = next + records.size();
  for (int32_t index = 0; index < count; ++index) {
    if (next == end) return ends_early(index, count);
    const uint8_t* const begin = next;
    RecordView record;
    const RecordFault fault = record_parse::record(next, end, record);
    if (fault != RecordFault::kNone) [[unlikely]] {
      return fail(Errc::kInvalidRecord, fmt::format("record {} of {} at byte {} of the records: {}", index, count,
                                                    begin - records.data(), to_string(fault)));
    }
    check.on_record(index, {.timestamp_delta = record.timestamp_delta,
                            .offset_delta = record.offset_delta,
                            .has_key = record.key.has_value()});
  }
  if (next != end) return goes_on(count);
  return {};
}

Error unpacking_error(const Error& error) {
  return {error.code == Errc::kLimit ? Errc::kMessageTooLarge : error.code, error.context};
}

Result<void> walk_compressed(Codec codec, const BatchView& batch, const ValidationRules& rules, RecordCheck& check) {
  const int32_t count = batch.record_count();
  RecordStream stream(codec, batch.records(), rules.decompressed_bytes_max);
  RecordMeta record;
  for (int32_t index = 0; index < count; ++index) {
    switch (stream.next(record)) {
      case RecordStream::Next::kFailed:
        return fail(unpacking_error(stream.error()));
      case RecordStream::Next::kEnd:
        return ends_early(index, count);
      case RecordStream::Next::kRecord:
        break;
    }
    check.on_record(index, record);
  }
  switch (stream.next(record)) {
    case RecordStream::Next::kFailed:
      return fail(unpacking_error(stream.error()));
    case RecordStream::Next::kEnd:
      return {};
    case RecordStream::Next::kRecord:
      break;
  }
  return goes_on(count);
}

BatchKind kind_of(const BatchView& batch) noexcept {
  if (batch.is_control()) return batch.is_transactional() ? BatchKind::kTransactionalControl : BatchKind::kControl;
  return batch.is_transactional() ? BatchKind::kTransactional : BatchKind::kData;
}

// The same records with the topic's codec.
Result<Slice> rebuild(const BatchView& batch, const ValidationRules& rules) {
  Result<BatchRecords> records = BatchRecords::open(batch, rules.decompressed_bytes_max);
  if (!records) return fail(unpacking_error(records.error()));
  BatchBuilder builder(
      {.codec = *rules.stored_codec,
       .compression_level = rules.compression_level == 0 ? std::nullopt : std::optional(rules.compression_level),
       .timestamp_type = rules.timestamp_type,
       .append_time_ms = rules.now_ms,
       .producer_id = batch.producer_id(),
       .producer_epoch = batch.producer_epoch(),
       .base_sequence = batch.base_sequence(),
       .kind = kind_of(batch)});
  for (;;) {
    TRY(record, records->next());
    if (!record) break;
    builder.append_copy(*record, records->timestamp_of(*record));
  }
  TRY(rebuilt, builder.finish());
  TRY(check_size(rebuilt.size(), rules));
  return rebuilt;
}

Result<ValidBatch> finish(const Slice& records, const BatchView& batch, const ValidationRules& rules,
                          const RecordCheck& check) {
  const bool stamps = rules.timestamp_type == TimestampType::kLogAppendTime;
  ValidBatch valid{.record_count = batch.record_count(),
                   .last_offset_delta = batch.last_offset_delta(),
                   .max_timestamp_ms = stamps ? rules.now_ms : check.max_timestamp_ms(),
                   .max_timestamp_delta =
                       stamps ? 0 : std::clamp(check.max_timestamp_delta(), 0, std::max(batch.last_offset_delta(), 0))};
  if (RecordCheck::rebuilds(batch, rules)) {
    TRY(rebuilt, rebuild(batch, rules));
    valid.bytes = std::move(rebuilt);
    return valid;
  }
  valid.bytes = records.sub(0, batch.bytes().size());
  const bool header_right = stamps || (batch.timestamp_type() == TimestampType::kCreateTime &&
                                       batch.max_timestamp() == valid.max_timestamp_ms);
  if (!header_right) set_timestamps(valid.bytes.unpublished(), TimestampType::kCreateTime, valid.max_timestamp_ms);
  return valid;
}

}  // namespace

tl::expected<ValidBatch, InvalidBatch> validate_produced(const Slice& records, const ValidationRules& rules) {
  const auto refuse = [](Error error) {
    return tl::unexpected<InvalidBatch>({.error = std::move(error), .records = {}});
  };
  Result<BatchView> batch = find_batch(records.view(), rules);
  if (!batch) return refuse(std::move(batch).error());
  if (Result<void> header = check_header(*batch, rules); !header) return refuse(std::move(header).error());
  const Result<Codec> codec = codec_from_bits(batch->codec_bits());
  if (!codec) return refuse(codec.error());

  RecordCheck check(*batch, rules);
  Result<void> walked =
      *codec == Codec::kNone ? walk_plain(*batch, check) : walk_compressed(*codec, *batch, rules, check);
  if (!walked) return refuse(std::move(walked).error());
  if (check.refused()) return tl::unexpected<InvalidBatch>(std::move(check).invalid_batch());
  if (check.offsets_wrong()) {
    return refuse({Errc::kInvalidRecord, "the offset deltas of a compressed batch must count 0, 1, 2, ..."});
  }
  Result<ValidBatch> valid = finish(records, *batch, rules, check);
  if (!valid) return refuse(std::move(valid).error());
  return *std::move(valid);
}

}  // namespace leat
