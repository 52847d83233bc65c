// delete_records.cpp: DeleteRecords 0-2. Offset -1 means the high watermark. The new log start is durable (the log
// directory's checkpoint) before it is answered, and so is what lies below it (under leat.flush=none it is synced for
// that); the files follow with retention. An offset below the log start changes nothing and is answered with the log
// start. Gaps: none. Waits: for the sync and the checkpoint.
//   a partition, low watermark -1:
//                  no such topic or partition                    UNKNOWN_TOPIC_OR_PARTITION
//                  a topic of the broker's own                   INVALID_TOPIC_EXCEPTION
//                  cleanup.policy without delete                 POLICY_VIOLATION
//                  offset beyond the high watermark, or < -1     OFFSET_OUT_OF_RANGE
//                  the log or its checkpoint cannot be written   KAFKA_STORAGE_ERROR
#include "core/base/topic_partition.h"
#include "server/broker.h"
#include "server/handlers/data_handlers.h"
#include "server/handlers/topic_lookup.h"
#include "server/partition_folders.h"

namespace leat {

namespace {

using PartitionResult = DeleteRecordsResponse::DeleteRecordsPartitionResult;

ErrorCode error_of(Errc code) noexcept {
  switch (code) {
    case Errc::kOffsetOutOfRange:
      return ErrorCode::kOffsetOutOfRange;
    case Errc::kPolicyViolation:
      return ErrorCode::kPolicyViolation;
    case Errc::kNotFound:
      return ErrorCode::kUnknownTopicOrPartition;
    case Errc::kCancelled:
      return ErrorCode::kNotLeaderOrFollower;  // shutting down
    case Errc::kTimedOut:
      return ErrorCode::kRequestTimedOut;
    case Errc::kIo:
    case Errc::kNoSpace:
    case Errc::kOffline:
    case Errc::kLocked:
    case Errc::kCorrupt:
    case Errc::kAlreadyExists:
      return ErrorCode::kKafkaStorageError;
    case Errc::kUnsupported:
    case Errc::kLimit:
    case Errc::kInvalidArgument:
    case Errc::kProtocol:
    case Errc::kCorruptBatch:
    case Errc::kInvalidRecord:
    case Errc::kInvalidTimestamp:
    case Errc::kMessageTooLarge:
    case Errc::kUnsupportedFormat:
    case Errc::kUnsupportedCodec:
    case Errc::kOutOfOrderSequence:
    case Errc::kDuplicateSequence:
    case Errc::kInvalidProducerEpoch:
    case Errc::kUnknownProducerId:
      return ErrorCode::kUnknownServerError;  // deleting gives none of these
  }
  return ErrorCode::kUnknownServerError;
}

void fail_partition(PartitionResult& result, ErrorCode code) {
  result.error_code = code;
  result.low_watermark = -1;
}

void delete_before(PartitionTable& table, std::string_view topic, int64_t offset, PartitionResult& result) {
  const PartitionRef found = find_partition(table, TopicRef::by_name(topic), result.partition_index);
  if (found.error != ErrorCode::kNone) return fail_partition(result, found.error);
  Partition& partition = *found.partition;
  if (is_internal_topic(topic)) return fail_partition(result, ErrorCode::kInvalidTopicException);
  if (!partition.settings().log.delete_old) return fail_partition(result, ErrorCode::kPolicyViolation);
  if (offset < -1) return fail_partition(result, ErrorCode::kOffsetOutOfRange);
  const Offset to = offset == -1 ? partition.offsets().high_watermark : Offset(offset);
  const Result<void> advanced = partition.advance_log_start(to);
  if (!advanced) return fail_partition(result, error_of(advanced.error().code));
  result.low_watermark = partition.offsets().log_start.v;
}

}  // namespace

Task<DeleteRecordsResponse> handle_delete_records(Broker& broker, Request /*request*/, DeleteRecordsRequest message) {
  DeleteRecordsResponse response;
  response.topics.reserve(message.topics.size());
  bool any = false;
  for (const DeleteRecordsRequest::DeleteRecordsTopic& topic : message.topics) {
    DeleteRecordsResponse::DeleteRecordsTopicResult& out = response.topics.emplace_back();
    out.name = topic.name;
    for (const DeleteRecordsRequest::DeleteRecordsPartition& asked : topic.partitions) {
      PartitionResult& result = out.partitions.emplace_back();
      result.partition_index = asked.partition_index;
      delete_before(*broker.partitions, topic.name, asked.offset, result);
      any = any || result.error_code == ErrorCode::kNone;
    }
  }
  if (!any) co_return response;
  for (DeleteRecordsResponse::DeleteRecordsTopicResult& topic : response.topics) {
    for (PartitionResult& result : topic.partitions) {
      if (result.error_code != ErrorCode::kNone) continue;
      TopicPartition name{topic.name, result.partition_index};
      const Result<void> synced = co_await broker.folders->sync_up_to_log_start(std::move(name));
      if (!synced) fail_partition(result, error_of(synced.error().code));
    }
  }
  const Result<void> saved = co_await broker.folders->save_checkpoints();
  if (saved) co_return response;
  for (DeleteRecordsResponse::DeleteRecordsTopicResult& topic : response.topics) {
    for (PartitionResult& result : topic.partitions) {
      if (result.error_code == ErrorCode::kNone) fail_partition(result, error_of(saved.error().code));
    }
  }
  co_return response;
}

}  // namespace leat
