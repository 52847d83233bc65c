// validator.h: all that is checked of a client's record batch before the log is touched, as Kafka 4.4.0's
// ProduceRequest and LogValidator check it; where Kafka throws or answers UNKNOWN_SERVER_ERROR, the right client error.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/topic_partition.h"
#include "core/record/batch.h"

namespace leat {

struct ValidationRules {
  int16_t produce_version = 13;         // zstd needs 7
  int32_t message_bytes_max = 1048588;  // max.message.bytes of the topic, for the stored batch
  TimestampType timestamp_type = TimestampType::kCreateTime;
  int64_t timestamp_before_ms_max = INT64_MAX;          // message.timestamp.before.max.ms
  int64_t timestamp_after_ms_max = INT64_MAX;           // message.timestamp.after.max.ms
  bool compacted = false;                               // a key is required
  std::optional<Codec> stored_codec = {};               // compression.type of the topic; nullopt: producer
  int compression_level = 0;                            // 0: the codec's default
  int64_t decompressed_bytes_max = int64_t{128} << 20;  // of one batch; beyond it kMessageTooLarge
  bool from_client =
      true;  // else an internal writer's: base offset, count against offsets, control bit are not looked at
  int64_t now_ms = 0;
  const TopicPartition* name = nullptr;  // for the texts of errors; must outlive the call
};

struct RecordError {
  int32_t index;  // within the batch
  std::string message;
};

struct InvalidBatch {
  Error error;  // kCorruptBatch, kInvalidRecord, kInvalidTimestamp, kMessageTooLarge, kUnsupportedCodec
  std::vector<RecordError> records;  // the first kRecordErrorsMax of them
};
inline constexpr size_t kRecordErrorsMax = 1000;

// A batch that may be appended. `bytes` is the client's own slice unless it had to be rebuilt for another codec. Base
// offset and leader epoch are still the client's. On a topic with CreateTime the header's timestamp type and max
// timestamp are put right in place, with the CRC; under LogAppendTime that is left to set_append_time, when the lane
// knows the time.
struct ValidBatch {
  Slice bytes = {};
  int32_t record_count = 0;
  int32_t last_offset_delta = 0;
  int64_t max_timestamp_ms = kNoTimestamp;  // `now_ms` under LogAppendTime
  int32_t max_timestamp_delta = 0;          // offset delta of the first record with max_timestamp_ms
};

// `records` is the records field of one partition of a Produce request, not yet seen by anybody else: its header may be
// patched. A trailing partial batch is dropped, as in Kafka. Memory stays small also for compressed batches, unless one
// is rebuilt.
tl::expected<ValidBatch, InvalidBatch> validate_produced(const Slice& records, const ValidationRules& rules);

}  // namespace leat
