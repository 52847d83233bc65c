// produce.cpp: Produce 3-13 (0-2 are listed for old librdkafka, and closed on like Kafka does). Gaps: transactions: a
// transactional batch is refused as by a broker whose coordinator does not know the id.
// Waits: until its batches are written (acks 0, 1) or durable (acks -1), or timeout.ms passed.
//   whole request: acks other than 0, 1, -1                          INVALID_REQUIRED_ACKS
//                  transactional batch without a transactional id    TRANSACTIONAL_ID_AUTHORIZATION_FAILED
//   a partition:   transactional batch, producer id not known        INVALID_PRODUCER_ID_MAPPING
//                  no such topic (by id) / topic or partition        UNKNOWN_TOPIC_ID / UNKNOWN_TOPIC_OR_PARTITION
//                  a topic of the broker's own                       INVALID_TOPIC_EXCEPTION
//                  null records (Kafka never answers those)          INVALID_RECORD
//                  its log could not be opened                       KAFKA_STORAGE_ERROR
//                  the batch is bad, or its append failed            error_of() below
#include <algorithm>

#include "server/broker.h"
#include "server/handlers/data_handlers.h"
#include "server/handlers/topic_lookup.h"

namespace leat {

namespace {

ErrorCode error_of(Errc code) noexcept {
  switch (code) {
    case Errc::kIo:
    case Errc::kNoSpace:  // retriable: the append succeeds when space is freed; the text says that the disk is full
    case Errc::kOffline:
    case Errc::kLocked:
    case Errc::kCorrupt:
      return ErrorCode::kKafkaStorageError;
    case Errc::kNotFound:
      return ErrorCode::kUnknownTopicOrPartition;  // deleted while the batch waited
    case Errc::kCancelled:
      return ErrorCode::kNotLeaderOrFollower;  // shutting down: the client asks again, elsewhere or later
    case Errc::kTimedOut:
      return ErrorCode::kRequestTimedOut;
    case Errc::kCorruptBatch:
      return ErrorCode::kCorruptMessage;
    case Errc::kInvalidRecord:
      return ErrorCode::kInvalidRecord;
    case Errc::kInvalidTimestamp:
      return ErrorCode::kInvalidTimestamp;
    case Errc::kMessageTooLarge:
    case Errc::kLimit:
      return ErrorCode::kMessageTooLarge;
    case Errc::kUnsupportedFormat:
      return ErrorCode::kUnsupportedForMessageFormat;
    case Errc::kUnsupportedCodec:
      return ErrorCode::kUnsupportedCompressionType;
    case Errc::kOutOfOrderSequence:
      return ErrorCode::kOutOfOrderSequenceNumber;
    case Errc::kDuplicateSequence:
      return ErrorCode::kDuplicateSequenceNumber;
    case Errc::kInvalidProducerEpoch:
      return ErrorCode::kInvalidProducerEpoch;
    case Errc::kUnknownProducerId:
      return ErrorCode::kUnknownProducerId;
    case Errc::kPolicyViolation:
      return ErrorCode::kPolicyViolation;
    case Errc::kAlreadyExists:
    case Errc::kUnsupported:
    case Errc::kInvalidArgument:
    case Errc::kProtocol:
    case Errc::kOffsetOutOfRange:
      return ErrorCode::kUnknownServerError;  // an append gives none of these
  }
  return ErrorCode::kUnknownServerError;
}

bool is_transactional(const Slice& records) noexcept {
  return records.size() >= kBatchHeaderBytes && BatchView(records.view()).magic() == 2 &&
         BatchView(records.view()).is_transactional();
}

std::optional<Acks> acks_of(int16_t value) noexcept {
  switch (value) {
    case 0:
      return Acks::kNone;
    case 1:
      return Acks::kLeader;
    case -1:
      return Acks::kAll;
  }
  return std::nullopt;
}

// The answer's shape, every partition without error yet.
ProduceResponse blank_response(const ProduceRequest& message) {
  ProduceResponse response;
  response.responses.reserve(message.topic_data.size());
  for (const ProduceRequest::TopicProduceData& topic : message.topic_data) {
    ProduceResponse::TopicProduceResponse& out = response.responses.emplace_back();
    out.name = topic.name;
    out.topic_id = topic.topic_id;
    out.partition_responses.reserve(topic.partition_data.size());
    for (const ProduceRequest::PartitionProduceData& partition : topic.partition_data) {
      ProduceResponse::PartitionProduceResponse& result = out.partition_responses.emplace_back();
      result.index = partition.index;
      result.base_offset = -1;
    }
  }
  return response;
}

void fail_partition(ProduceResponse::PartitionProduceResponse& result, ErrorCode code, std::string message = {}) {
  result.error_code = code;
  result.base_offset = -1;
  if (!message.empty()) result.error_message = std::move(message);
}

void fail_all(ProduceResponse& response, ErrorCode code) {
  for (ProduceResponse::TopicProduceResponse& topic : response.responses) {
    for (ProduceResponse::PartitionProduceResponse& result : topic.partition_responses) fail_partition(result, code);
  }
}

struct RequestTotals {
  size_t partitions = 0;
  size_t bytes = 0;
  bool transactional = false;
};

RequestTotals totals_of(const ProduceRequest& message) noexcept {
  RequestTotals totals;
  for (const ProduceRequest::TopicProduceData& topic : message.topic_data) {
    for (const ProduceRequest::PartitionProduceData& partition : topic.partition_data) {
      ++totals.partitions;
      if (!partition.records) continue;
      totals.bytes += partition.records->size();
      totals.transactional = totals.transactional || is_transactional(partition.records->first());
    }
  }
  return totals;
}

struct Submission {
  Broker& broker;
  const Request& request;
  std::shared_ptr<AppendGroup> group;
};

// False, with the error in `result`, when nothing was put on a lane.
bool submit_partition(const Submission& to, const TopicRef& topic, const ProduceRequest::PartitionProduceData& data,
                      ProduceResponse::PartitionProduceResponse& result, uint32_t index) {
  const PartitionRef found = find_partition(*to.broker.partitions, topic, data.index);
  if (found.partition == nullptr) {
    fail_partition(result, found.error);
    return false;
  }
  Partition& partition = *found.partition;
  if (is_internal_topic(partition.name().topic)) {
    fail_partition(result, ErrorCode::kInvalidTopicException,
                   fmt::format("Cannot append to internal topic {}", partition.name().topic));
    return false;
  }
  if (!data.records) {
    fail_partition(result, ErrorCode::kInvalidRecord, "The records of a produce request may not be null");
    return false;
  }
  const Slice& records = data.records->first();
  if (is_transactional(records) && BatchView(records.view()).has_producer_id()) {
    fail_partition(result, ErrorCode::kInvalidProducerIdMapping, "The transactional id of this producer is not known");
    return false;
  }
  ValidationRules rules = partition.settings().produce;
  rules.produce_version = to.request.version;
  rules.now_ms = to.broker.scheduler.clock().wall_ms();
  rules.name = &partition.name();
  partition.lane().submit(records, rules, to.group, index);
  return true;
}

void submit_all(const Submission& to, const ProduceRequest& message, ProduceResponse& response) {
  uint32_t index = 0;
  for (size_t t = 0; t < message.topic_data.size(); ++t) {
    const ProduceRequest::TopicProduceData& topic = message.topic_data[t];
    const TopicRef reference =
        to.request.version >= 13 ? TopicRef::by_id(topic.topic_id) : TopicRef::by_name(topic.name);
    for (size_t p = 0; p < topic.partition_data.size(); ++p, ++index) {
      ProduceResponse::PartitionProduceResponse& result = response.responses[t].partition_responses[p];
      if (!submit_partition(to, reference, topic.partition_data[p], result, index)) to.group->finish(index, {});
    }
  }
}

void fill_result(AppendOutcome& outcome, ProduceResponse::PartitionProduceResponse& result) {
  if (!outcome.finished) {
    return fail_partition(result, ErrorCode::kRequestTimedOut,
                          "The append was not finished within the request's timeout");
  }
  if (outcome.error) {
    fail_partition(result, error_of(outcome.error->code), std::move(outcome.error->context));
    for (RecordError& record : outcome.record_errors) {
      result.record_errors.push_back(
          {.batch_index = record.index, .batch_index_error_message = std::move(record.message)});
    }
    return;
  }
  result.base_offset = outcome.base_offset.v;
  result.log_append_time_ms = outcome.append_time_ms;
  result.log_start_offset = outcome.log_start.v;
}

bool has_error(const ProduceResponse& response) noexcept {
  return std::any_of(response.responses.begin(), response.responses.end(),
                     [](const ProduceResponse::TopicProduceResponse& topic) {
                       return std::any_of(topic.partition_responses.begin(), topic.partition_responses.end(),
                                          [](const ProduceResponse::PartitionProduceResponse& result) {
                                            return result.error_code != ErrorCode::kNone;
                                          });
                     });
}

}  // namespace

Task<std::optional<ProduceResponse>> handle_produce(Broker& broker, Request request, ProduceRequest message) {
  ProduceResponse response = blank_response(message);
  const RequestTotals totals = totals_of(message);
  const std::optional<Acks> acks = acks_of(message.acks);
  if (totals.transactional && !message.transactional_id) {
    fail_all(response, ErrorCode::kTransactionalIdAuthorizationFailed);
    co_return response;
  }
  if (!acks) {
    fail_all(response, ErrorCode::kInvalidRequiredAcks);
    co_return response;
  }
  const ByteBudget::Grant grant = co_await broker.append_budget.acquire(totals.bytes);
  const auto group = std::make_shared<AppendGroup>(broker.scheduler, totals.partitions, *acks);
  const Submission submission{broker, request, group};
  submit_all(submission, message, response);
  message.topic_data.clear();  // the lanes hold what they need of the buffer
  broker.append_deadlines.add(*group, Millis(std::max(message.timeout_ms, 0)));
  co_await group->finished();

  size_t index = 0;
  for (ProduceResponse::TopicProduceResponse& topic : response.responses) {
    for (ProduceResponse::PartitionProduceResponse& result : topic.partition_responses) {
      AppendOutcome& outcome = group->outcomes[index++];
      if (result.error_code == ErrorCode::kNone) fill_result(outcome, result);
    }
  }
  if (*acks == Acks::kNone && !has_error(response)) co_return std::nullopt;
  co_return response;
}

}  // namespace leat
