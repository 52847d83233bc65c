// describe_producers.cpp: DescribeProducers 0: the producers that a partition remembers. Gaps: none. Never waits.
//   a partition:   no such topic or partition         UNKNOWN_TOPIC_OR_PARTITION
//                  its log could not be opened        KAFKA_STORAGE_ERROR
#include "server/broker.h"
#include "server/handlers/data_handlers.h"
#include "server/handlers/topic_lookup.h"

namespace leat {

Task<DescribeProducersResponse> handle_describe_producers(Broker& broker, Request /*request*/,
                                                          DescribeProducersRequest message) {
  DescribeProducersResponse response;
  response.topics.reserve(message.topics.size());
  for (const DescribeProducersRequest::TopicRequest& topic : message.topics) {
    DescribeProducersResponse::TopicResponse& out = response.topics.emplace_back();
    out.name = topic.name;
    for (const int32_t index : topic.partition_indexes) {
      DescribeProducersResponse::PartitionResponse& answer = out.partitions.emplace_back();
      answer.partition_index = index;
      const PartitionRef found = find_partition(*broker.partitions, TopicRef::by_name(topic.name), index);
      answer.error_code = found.error;
      if (found.error != ErrorCode::kNone) {
        answer.error_message = std::string(error_message(found.error));
        continue;
      }
      for (const ProducerSummary& producer : found.partition->log().producers()) {
        answer.active_producers.push_back({.producer_id = producer.producer_id,
                                           .producer_epoch = producer.producer_epoch,
                                           .last_sequence = producer.last_sequence,
                                           .last_timestamp = producer.last_timestamp_ms,
                                           .coordinator_epoch = producer.coordinator_epoch,
                                           .current_txn_start_offset = producer.transaction_start.v});
      }
    }
  }
  co_return response;
}

}  // namespace leat
