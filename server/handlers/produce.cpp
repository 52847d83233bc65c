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

#include "core/base/topic_partition.h"
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

// A partition whose batch was put on no lane.
struct Refusal {
  size_t index;  // among all partitions of the request
  ErrorCode code;
  std::string message;
};

using PartitionAnswer = ProduceResponse::PartitionProduceResponse;

void fail_partition(PartitionAnswer& answer, ErrorCode code, std::string message = {}) {
  answer.error_code = code;
  answer.base_offset = -1;
  if (!message.empty()) answer.error_message = std::move(message);
}

// The answer's shape; the names move over. `fill` is called for each partition, in order.
template <class Fill>
ProduceResponse response_to(ProduceRequest& message, const Fill& fill) {
  ProduceResponse response;
  response.responses.reserve(message.topic_data.size());
  for (ProduceRequest::TopicProduceData& topic : message.topic_data) {
    ProduceResponse::TopicProduceResponse& out = response.responses.emplace_back();
    out.name = std::move(topic.name);
    out.topic_id = topic.topic_id;
    out.partition_responses.reserve(topic.partition_data.size());
    for (const ProduceRequest::PartitionProduceData& partition : topic.partition_data) {
      PartitionAnswer& answer = out.partition_responses.emplace_back();
      answer.index = partition.index;
      fill(answer);
    }
  }
  return response;
}

ProduceResponse refuse_all(ProduceRequest& message, ErrorCode code) {
  return response_to(message, [code](PartitionAnswer& answer) { fail_partition(answer, code); });
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
  std::vector<Refusal>& refusals;

  void refuse(uint32_t index, ErrorCode code, std::string message = {}) const {
    refusals.push_back({index, code, std::move(message)});
    group->finish(index, {});
  }
};

void submit_partition(const Submission& to, const TopicRef& topic, const ProduceRequest::PartitionProduceData& data,
                      uint32_t index) {
  const PartitionRef found = find_partition(*to.broker.partitions, topic, data.index);
  if (found.partition == nullptr) return to.refuse(index, found.error);
  Partition& partition = *found.partition;
  if (is_internal_topic(partition.name().topic)) {
    return to.refuse(index, ErrorCode::kInvalidTopicException,
                     fmt::format("Cannot append to internal topic {}", partition.name().topic));
  }
  if (!data.records) {
    return to.refuse(index, ErrorCode::kInvalidRecord, "The records of a produce request may not be null");
  }
  const Slice& records = data.records->first();
  if (is_transactional(records) && BatchView(records.view()).has_producer_id()) {
    return to.refuse(index, ErrorCode::kInvalidProducerIdMapping, "The transactional id of this producer is not known");
  }
  ValidationRules rules = partition.settings().produce;
  rules.produce_version = to.request.version;
  rules.now_ms = to.broker.scheduler.clock().wall_ms();
  rules.name = &partition.name();
  partition.lane().submit(records, rules, to.group, index);
}

// Afterwards the lanes hold what they need of the buffer, and the message nothing of it.
void submit_all(const Submission& to, ProduceRequest& message) {
  uint32_t index = 0;
  for (ProduceRequest::TopicProduceData& topic : message.topic_data) {
    const TopicRef reference =
        to.request.version >= 13 ? TopicRef::by_id(topic.topic_id) : TopicRef::by_name(topic.name);
    for (ProduceRequest::PartitionProduceData& partition : topic.partition_data) {
      submit_partition(to, reference, partition, index++);
      partition.records.reset();
    }
  }
}

void fill_answer(AppendOutcome& outcome, PartitionAnswer& answer) {
  if (!outcome.finished) {
    return fail_partition(answer, ErrorCode::kRequestTimedOut,
                          "The append was not finished within the request's timeout");
  }
  if (outcome.error) {
    fail_partition(answer, error_of(outcome.error->code), std::move(outcome.error->context));
    for (RecordError& record : outcome.record_errors) {
      answer.record_errors.push_back(
          {.batch_index = record.index, .batch_index_error_message = std::move(record.message)});
    }
    return;
  }
  answer.base_offset = outcome.base_offset.v;
  answer.log_append_time_ms = outcome.append_time_ms;
  answer.log_start_offset = outcome.log_start.v;
}

ProduceResponse answer_of(ProduceRequest& message, AppendGroup& group, std::vector<Refusal>& refusals) {
  size_t index = 0;
  auto refusal = refusals.begin();  // in order of the indexes
  return response_to(message, [&](PartitionAnswer& answer) {
    AppendOutcome& outcome = group.outcomes[index];
    if (refusal != refusals.end() && refusal->index == index) {
      fail_partition(answer, refusal->code, std::move(refusal->message));
      ++refusal;
    } else {
      fill_answer(outcome, answer);
    }
    ++index;
  });
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
  const RequestTotals totals = totals_of(message);
  const std::optional<Acks> acks = acks_of(message.acks);
  if (totals.transactional && !message.transactional_id) {
    co_return refuse_all(message, ErrorCode::kTransactionalIdAuthorizationFailed);
  }
  if (!acks) co_return refuse_all(message, ErrorCode::kInvalidRequiredAcks);
  const ByteBudget::Grant grant = co_await broker.append_budget.acquire(totals.bytes);
  const std::shared_ptr<AppendGroup> group = AppendGroup::make(broker.scheduler, totals.partitions, *acks);
  std::vector<Refusal> refusals;
  const Submission submission{broker, request, group, refusals};
  submit_all(submission, message);
  broker.append_deadlines.add(*group, Millis(std::max(message.timeout_ms, 0)));
  co_await group->finished();
  ProduceResponse response = answer_of(message, *group, refusals);
  if (*acks == Acks::kNone && !has_error(response)) co_return std::nullopt;
  co_return response;
}

}  // namespace leat
