// offset_for_leader_epoch.cpp: OffsetForLeaderEpoch 2-4 (KIP-101, KIP-320): where a leader epoch ended, so that clients
// notice truncation. Gaps: none. Never waits.
//   a partition:   no such topic or partition              UNKNOWN_TOPIC_OR_PARTITION
//                  its log could not be opened             KAFKA_STORAGE_ERROR
//                  current epoch below / above ours        FENCED_LEADER_EPOCH / UNKNOWN_LEADER_EPOCH
//                  an epoch we do not know                 no error, (-1, -1)
#include "server/broker.h"
#include "server/handlers/data_handlers.h"
#include "server/handlers/topic_lookup.h"

namespace leat {

Task<OffsetForLeaderEpochResponse> handle_offset_for_leader_epoch(Broker& broker, Request /*request*/,
                                                                  OffsetForLeaderEpochRequest message) {
  OffsetForLeaderEpochResponse response;
  response.topics.reserve(message.topics.size());
  for (const OffsetForLeaderEpochRequest::OffsetForLeaderTopic& topic : message.topics) {
    OffsetForLeaderEpochResponse::OffsetForLeaderTopicResult& out = response.topics.emplace_back();
    out.topic = topic.topic;
    for (const OffsetForLeaderEpochRequest::OffsetForLeaderPartition& asked : topic.partitions) {
      OffsetForLeaderEpochResponse::EpochEndOffset& answer = out.partitions.emplace_back();
      answer.partition = asked.partition;
      PartitionRef found = find_partition(*broker.partitions, TopicRef::by_name(topic.topic), asked.partition);
      if (found.partition != nullptr) found.error = check_leader_epoch(*found.partition, asked.current_leader_epoch);
      answer.error_code = found.error;
      if (found.error != ErrorCode::kNone) continue;
      const EpochEndOffset end = found.partition->log().end_offset_for(asked.leader_epoch);
      answer.leader_epoch = end.leader_epoch;
      answer.end_offset = end.end_offset.v;
    }
  }
  co_return response;
}

}  // namespace leat
