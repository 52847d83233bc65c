// list_offsets.cpp: ListOffsets 1-11. A timestamp, or: -1 latest (high watermark, or last stable offset under
// read_committed), -2 earliest, -3 the record with the largest timestamp (7+), -4 earliest local (8+), -5 latest tiered
// (9+), -6 earliest pending upload (11+). There is no tiered storage here: -4 is -2, and -5 and -6 find nothing.
// Nothing found: (-1, -1), no error. Gaps: none. Look-ups by time read files, on a worker; the rest is answered at
// once.
//   a partition:   no such topic or partition                UNKNOWN_TOPIC_OR_PARTITION
//                  named twice in the request                INVALID_REQUEST
//                  leader epoch below / above ours           FENCED_LEADER_EPOCH / UNKNOWN_LEADER_EPOCH
//                  special value not of this version         UNSUPPORTED_VERSION
//                  the files cannot be read / are damaged    KAFKA_STORAGE_ERROR / CORRUPT_MESSAGE
#include <fmt/format.h>

#include <set>

#include "net/loop/run_on.h"
#include "server/broker.h"
#include "server/fetch_watch.h"
#include "server/handlers/data_handlers.h"
#include "server/handlers/topic_lookup.h"

namespace leat {

namespace {

using PartitionAnswer = ListOffsetsResponse::ListOffsetsPartitionResponse;

constexpr int64_t kLatest = -1;
constexpr int64_t kEarliest = -2;
constexpr int64_t kMaxTimestamp = -3;
constexpr int64_t kEarliestLocal = -4;
constexpr int64_t kLatestTiered = -5;
constexpr int64_t kEarliestPendingUpload = -6;

// The first version that knows the value; times are known to all.
int16_t version_of(int64_t timestamp) noexcept {
  switch (timestamp) {
    case kMaxTimestamp:
      return 7;
    case kEarliestLocal:
      return 8;
    case kLatestTiered:
      return 9;
    case kEarliestPendingUpload:
      return 11;
  }
  return timestamp >= kEarliest ? int16_t{0} : INT16_MAX;
}

ErrorCode error_of(Errc code) noexcept {
  switch (code) {
    case Errc::kCorrupt:
    case Errc::kCorruptBatch:
      return ErrorCode::kCorruptMessage;
    case Errc::kIo:
    case Errc::kNoSpace:
    case Errc::kOffline:
    case Errc::kLocked:
      return ErrorCode::kKafkaStorageError;
    case Errc::kNotFound:
      return ErrorCode::kUnknownTopicOrPartition;
    case Errc::kCancelled:
    case Errc::kTimedOut:
      return ErrorCode::kNotLeaderOrFollower;
    case Errc::kLimit:
      return ErrorCode::kMessageTooLarge;  // a batch that unpacks beyond our bound
    case Errc::kAlreadyExists:
    case Errc::kUnsupported:
    case Errc::kInvalidArgument:
    case Errc::kProtocol:
    case Errc::kInvalidRecord:
    case Errc::kInvalidTimestamp:
    case Errc::kMessageTooLarge:
    case Errc::kUnsupportedFormat:
    case Errc::kUnsupportedCodec:
    case Errc::kOffsetOutOfRange:
    case Errc::kOutOfOrderSequence:
    case Errc::kDuplicateSequence:
    case Errc::kInvalidProducerEpoch:
    case Errc::kUnknownProducerId:
    case Errc::kPolicyViolation:
      return ErrorCode::kUnknownServerError;  // a look-up gives none of these
  }
  return ErrorCode::kUnknownServerError;
}

struct Question {
  int16_t version = 0;
  IsolationLevel isolation = IsolationLevel::kReadUncommitted;
  int32_t current_leader_epoch = kNoLeaderEpoch;
  int64_t timestamp = 0;
};

void set_found(PartitionAnswer& answer, const Question& question, const TimestampOffset& found) {
  answer.offset = found.offset.v;
  answer.timestamp = found.timestamp_ms;
  if (question.version >= 4) answer.leader_epoch = found.leader_epoch;
}

Offset last_fetchable(const Partition& partition, IsolationLevel isolation) noexcept {
  const LogOffsets& offsets = partition.offsets();
  return isolation == IsolationLevel::kReadCommitted ? offsets.last_stable : offsets.high_watermark;
}

// The epoch under which the record at `offset` was written: where an epoch ends never falls with the epoch.
int32_t epoch_of(const PartitionLog& log, Offset offset) noexcept {
  int32_t low = 0;
  int32_t high = log.leader_epoch();
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (log.end_offset_for(middle).end_offset > offset) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// What needs no file; a look-up for what does.
std::unique_ptr<TimeLookup> answer_or_plan(Partition& partition, const Question& question, PartitionAnswer& answer) {
  PartitionLog& log = partition.log();
  switch (question.timestamp) {
    case kLatest:
      set_found(answer, question, {last_fetchable(partition, question.isolation), kNoTimestamp, log.leader_epoch()});
      return nullptr;
    case kEarliest:
    case kEarliestLocal:
      set_found(answer, question, {log.offsets().log_start, kNoTimestamp, epoch_of(log, log.offsets().log_start)});
      return nullptr;
    case kLatestTiered:
    case kEarliestPendingUpload:
      return nullptr;
    case kMaxTimestamp:
      return log.plan_lookup_max_timestamp();
  }
  return log.plan_lookup_by_time(question.timestamp);
}

Task<PartitionAnswer> answer_partition(Broker& broker, std::string topic, int32_t index, Question question) {
  PartitionAnswer answer;
  answer.partition_index = index;
  PartitionRef found = find_partition(*broker.partitions, TopicRef::by_name(topic), index);
  if (found.partition != nullptr) found.error = check_leader_epoch(*found.partition, question.current_leader_epoch);
  if (found.error == ErrorCode::kNone && question.version < version_of(question.timestamp))
    found.error = ErrorCode::kUnsupportedVersion;
  if (found.error != ErrorCode::kNone) {
    answer.error_code = found.error;
    co_return answer;
  }
  std::unique_ptr<TimeLookup> lookup = answer_or_plan(*found.partition, question, answer);
  if (lookup == nullptr) co_return answer;
  auto work = [lookup = std::move(lookup)] { return lookup->execute(); };
  Result<std::optional<TimestampOffset>> result = co_await run_on(broker.scheduler, WorkQueue::kRead, std::move(work));
  found = find_partition(*broker.partitions, TopicRef::by_name(topic), index);
  if (found.partition == nullptr) {
    answer.error_code = found.error;
  } else if (!result) {
    broker.note_unreadable({topic, index}, fmt::format("the offset of timestamp {}", question.timestamp),
                           result.error());
    answer.error_code = error_of(result.error().code);
  } else if (result->has_value() && (*result)->offset < last_fetchable(*found.partition, question.isolation)) {
    set_found(answer, question, **result);
  }
  co_return answer;
}

}  // namespace

Task<ListOffsetsResponse> handle_list_offsets(Broker& broker, Request request, ListOffsetsRequest message) {
  std::set<std::pair<std::string_view, int32_t>> seen;
  std::set<std::pair<std::string_view, int32_t>> twice;
  for (const ListOffsetsRequest::ListOffsetsTopic& topic : message.topics) {
    for (const ListOffsetsRequest::ListOffsetsPartition& partition : topic.partitions) {
      if (!seen.emplace(topic.name, partition.partition_index).second)
        twice.emplace(topic.name, partition.partition_index);
    }
  }
  ListOffsetsResponse response;
  response.topics.reserve(message.topics.size());
  for (const ListOffsetsRequest::ListOffsetsTopic& topic : message.topics) {
    ListOffsetsResponse::ListOffsetsTopicResponse& out = response.topics.emplace_back();
    out.name = topic.name;
    for (const ListOffsetsRequest::ListOffsetsPartition& partition : topic.partitions) {
      if (twice.contains({topic.name, partition.partition_index})) {
        PartitionAnswer& answer = out.partitions.emplace_back();
        answer.partition_index = partition.partition_index;
        answer.error_code = ErrorCode::kInvalidRequest;
        continue;
      }
      Question question;
      question.version = request.version;
      question.isolation =
          message.isolation_level == 1 ? IsolationLevel::kReadCommitted : IsolationLevel::kReadUncommitted;
      question.current_leader_epoch = partition.current_leader_epoch;
      question.timestamp = partition.timestamp;
      PartitionAnswer answer = co_await answer_partition(broker, topic.name, partition.partition_index, question);
      out.partitions.push_back(answer);
    }
  }
  co_return response;
}

}  // namespace leat
