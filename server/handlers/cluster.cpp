// cluster.cpp: what a cluster of one broker answers truthfully.
//   DescribeCluster 0-2           endpoint type 2 (controllers)    MISMATCHED_ENDPOINT_TYPE
//                                 another type                     UNSUPPORTED_ENDPOINT_TYPE
//   DescribeLogDirs 1-5           the one directory                KAFKA_STORAGE_ERROR when a write or sync failed
//                                 asked for, not here              left out
//   DescribeQuorum 0-2            __cluster_metadata-0             the metadata journal: one voter, this node
//                                 another partition                UNKNOWN_TOPIC_OR_PARTITION
//   ElectLeaders 0-2              a partition of ours              ELECTION_NOT_NEEDED: its only replica leads
//                                 no such partition                UNKNOWN_TOPIC_OR_PARTITION
//   ListPartitionReassignments 0  never one in progress
#include <algorithm>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/log/log_directory.h"
#include "core/storage/file_system.h"
#include "net/loop/run_on.h"
#include "server/broker.h"
#include "server/handlers/cluster_handlers.h"
#include "server/partition_table.h"
#include "server/settings.h"

namespace leat {

namespace {

constexpr std::string_view kQuorumTopic = "__cluster_metadata";  // Kafka's name of what __leat_metadata is here
constexpr int8_t kBrokerEndpoints = 1;
constexpr int8_t kControllerEndpoints = 2;

// Bits by Kafka's AclOperation code: what may be done to a cluster, all of it, as nobody is authorized yet.
constexpr int32_t kClusterOperations = 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12;

}  // namespace

Task<DescribeClusterResponse> handle_describe_cluster(Broker& broker, Request request, DescribeClusterRequest message) {
  DescribeClusterResponse response;
  response.endpoint_type = message.endpoint_type;
  if (message.endpoint_type != kBrokerEndpoints) {
    const bool controllers = message.endpoint_type == kControllerEndpoints;
    response.error_code = controllers ? ErrorCode::kMismatchedEndpointType : ErrorCode::kUnsupportedEndpointType;
    response.error_message =
        controllers ? "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER"
                    : fmt::format("Unsupported endpoint type {}", message.endpoint_type);
    co_return response;
  }
  response.cluster_id = broker.cluster_id;
  response.controller_id = broker.node_id;
  const auto address = broker.advertised.find(request.origin->listener_name);
  if (address != broker.advertised.end()) {
    DescribeClusterResponse::DescribeClusterBroker self;
    self.broker_id = broker.node_id;
    self.host = address->second.host;
    self.port = address->second.port;
    if (!broker.settings.rack.empty()) self.rack = broker.settings.rack;
    response.brokers.push_back(std::move(self));
  }
  if (message.include_cluster_authorized_operations) response.cluster_authorized_operations = kClusterOperations;
  co_return response;
}

namespace {

using LogDirTopic = DescribeLogDirsResponse::DescribeLogDirsTopic;

bool asked_for(const DescribeLogDirsRequest& message, const std::string& topic, int32_t partition) {
  if (!message.topics) return true;
  return std::any_of(message.topics->begin(), message.topics->end(), [&](const auto& each) {
    return each.topic == topic &&
           std::find(each.partitions.begin(), each.partitions.end(), partition) != each.partitions.end();
  });
}

std::vector<LogDirTopic> log_dir_topics(Broker& broker, const DescribeLogDirsRequest& message) {
  std::vector<LogDirTopic> topics;
  for (const auto& [name, topic] : broker.partitions->topics()) {
    LogDirTopic described;
    described.name = name;
    for (size_t i = 0; i < topic->partitions.size(); ++i) {
      const Partition* partition = topic->partitions[i].get();
      const auto index = static_cast<int32_t>(i);
      if (partition == nullptr || !asked_for(message, name, index)) continue;
      described.partitions.push_back({index, partition->log().size_bytes(), 0, false});
    }
    if (!described.partitions.empty()) topics.push_back(std::move(described));
  }
  return topics;
}

struct VolumeSpace {
  int64_t total_bytes = -1;  // -1: not known
  int64_t usable_bytes = -1;
};

}  // namespace

Task<DescribeLogDirsResponse> handle_describe_log_dirs(Broker& broker, Request, DescribeLogDirsRequest message) {
  DescribeLogDirsResponse response;
  DescribeLogDirsResponse::DescribeLogDirsResult result;
  result.log_dir = broker.settings.data_dir;
  if (broker.directory->health().offline) result.error_code = ErrorCode::kKafkaStorageError;
  result.topics = log_dir_topics(broker, message);
  auto measure = [&files = broker.files, path = broker.settings.data_dir] {
    return VolumeSpace{files.total_bytes(path).value_or(-1), files.free_bytes(path).value_or(-1)};
  };
  const Result<VolumeSpace> space = co_await run_on(broker.scheduler, WorkQueue::kRead, std::move(measure));
  if (space) {
    result.total_bytes = space->total_bytes;
    result.usable_bytes = space->usable_bytes;
  }
  response.results.push_back(std::move(result));
  co_return response;
}

namespace {

using QuorumPartition = DescribeQuorumResponse::PartitionData;

QuorumPartition describe_metadata_journal(Broker& broker) {
  QuorumPartition quorum;
  const Partition* journal = broker.metadata_journal;
  ENSURE(journal != nullptr, "no request is taken before the journal is open");
  const int64_t now_ms = broker.scheduler.clock().wall_ms();
  quorum.leader_id = broker.node_id;
  quorum.leader_epoch = journal->log().leader_epoch();
  quorum.high_watermark = journal->offsets().high_watermark.v;
  DescribeQuorumResponse::ReplicaState self;
  self.replica_id = broker.node_id;
  self.replica_directory_id = Uuid::parse(broker.directory->directory_id()).value_or(Uuid{});
  self.log_end_offset = journal->offsets().log_end.v;
  self.last_fetch_timestamp = now_ms;
  self.last_caught_up_timestamp = now_ms;
  quorum.current_voters.push_back(self);
  return quorum;
}

}  // namespace

Task<DescribeQuorumResponse> handle_describe_quorum(Broker& broker, Request request, DescribeQuorumRequest message) {
  DescribeQuorumResponse response;
  for (const auto& topic : message.topics) {
    DescribeQuorumResponse::TopicData described;
    described.topic_name = topic.topic_name;
    for (const auto& partition : topic.partitions) {
      QuorumPartition answer;
      if (topic.topic_name == kQuorumTopic && partition.partition_index == 0) {
        answer = describe_metadata_journal(broker);
      } else {
        answer.error_code = ErrorCode::kUnknownTopicOrPartition;
      }
      answer.partition_index = partition.partition_index;
      described.partitions.push_back(std::move(answer));
    }
    response.topics.push_back(std::move(described));
  }
  if (request.version >= 2) {
    DescribeQuorumResponse::Node self;
    self.node_id = broker.node_id;
    for (const auto& [name, address] : broker.advertised) {
      self.listeners.push_back({name, address.host, static_cast<uint16_t>(address.port)});
    }
    response.nodes.push_back(std::move(self));
  }
  co_return response;
}

Task<ElectLeadersResponse> handle_elect_leaders(Broker& broker, Request, ElectLeadersRequest message) {
  ElectLeadersResponse response;
  // All partitions: only those that had an election are listed, and none needs one.
  if (!message.topic_partitions) co_return response;
  for (const auto& topic : *message.topic_partitions) {
    ElectLeadersResponse::ReplicaElectionResult result;
    result.topic = topic.topic;
    const PartitionTable::Topic* found = broker.partitions->find_topic(topic.topic);
    for (const int32_t partition : topic.partitions) {
      ElectLeadersResponse::PartitionResult each;
      each.partition_id = partition;
      const bool known =
          found != nullptr && partition >= 0 && static_cast<size_t>(partition) < found->partitions.size();
      each.error_code = known ? ErrorCode::kElectionNotNeeded : ErrorCode::kUnknownTopicOrPartition;
      each.error_message = known ? "The only replica is the leader" : "No such topic or partition";
      result.partition_result.push_back(std::move(each));
    }
    response.replica_election_results.push_back(std::move(result));
  }
  co_return response;
}

Task<ListPartitionReassignmentsResponse> handle_list_partition_reassignments(Broker&, Request,
                                                                             ListPartitionReassignmentsRequest) {
  co_return ListPartitionReassignmentsResponse{};
}

}  // namespace leat
