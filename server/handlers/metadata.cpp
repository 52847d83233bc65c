// metadata.cpp: what there is and where.
//   Metadata 0-13               null topics (v0: none) are all; a name that is not there is created when the client and
//                               auto.create.topics.enable allow it, and answered at once with the topic that was made
//     name not valid                        INVALID_TOPIC_EXCEPTION
//     not there                             UNKNOWN_TOPIC_OR_PARTITION (by id UNKNOWN_TOPIC_ID)
//     cannot be created now, or not with what is left of controller_mutation_rate
//                                           LEADER_NOT_AVAILABLE: clients ask again, and are not held back
//     a partition whose log is not open     LEADER_NOT_AVAILABLE in it
//     ids, or null names, at versions 10, 11   INVALID_REQUEST in each topic
//   DescribeTopicPartitions 0   topics in the order of names, cut at the limit, with a cursor to go on from
#include <algorithm>
#include <set>

#include "core/base/topic_partition.h"
#include "core/metadata/topic_name.h"
#include "server/broker.h"
#include "server/handlers/metadata_errors.h"
#include "server/handlers/metadata_handlers.h"
#include "server/handlers/throttle.h"
#include "server/metadata_store.h"
#include "server/offsets_topic.h"
#include "server/settings.h"

namespace leat {
namespace {

using Topic = MetadataResponse::MetadataResponseTopic;
using ServedTopic = MetadataStore::ServedTopic;

// Bits by Kafka's AclOperation code: READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS; and
// for the cluster CREATE, ALTER, DESCRIBE, CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS, IDEMPOTENT_WRITE. Nobody is
// authorized yet.
constexpr int32_t kTopicOperations = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 10 | 1 << 11;
constexpr int32_t kClusterOperations = 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12;

constexpr int16_t kTopicIdsSince = 12;

// The fields that partitions of both answers share.
template <class Answer>
Answer partition_answer(Broker& broker, const ServedTopic& topic, int32_t index) {
  Answer answer;
  answer.partition_index = index;
  answer.replica_nodes = {broker.node_id};
  const Partition* partition = broker.partitions->find(topic.state->id, index);
  if (partition == nullptr) {
    answer.error_code = ErrorCode::kLeaderNotAvailable;
    answer.leader_id = -1;
    answer.offline_replicas = {broker.node_id};
    return answer;
  }
  answer.leader_id = broker.node_id;
  answer.leader_epoch = partition->log().leader_epoch();
  answer.isr_nodes = {broker.node_id};
  return answer;
}

Topic topic_answer(Broker& broker, const ServedTopic& topic, bool with_operations) {
  Topic answer;
  answer.name = topic.state->name;
  answer.topic_id = topic.state->id;
  answer.is_internal = is_internal_topic(topic.state->name);
  answer.partitions.reserve(static_cast<size_t>(topic.partition_count));
  for (int32_t i = 0; i < topic.partition_count; ++i) {
    answer.partitions.push_back(partition_answer<MetadataResponse::MetadataResponsePartition>(broker, topic, i));
  }
  if (with_operations) answer.topic_authorized_operations = kTopicOperations;
  return answer;
}

Topic topic_error(std::optional<std::string> name, const Uuid& id, ErrorCode code) {
  Topic answer;
  answer.error_code = code;
  answer.name = std::move(name);
  answer.topic_id = id;
  answer.is_internal = answer.name && is_internal_topic(*answer.name);
  return answer;
}

ErrorCode absence_of(const std::string& name) {
  return topic_name_fault(name) ? ErrorCode::kInvalidTopicException : ErrorCode::kUnknownTopicOrPartition;
}

ErrorCode creation_fault(MetadataErrc code) {
  if (code == MetadataErrc::kInvalidTopic) return ErrorCode::kInvalidTopicException;
  return ErrorCode::kLeaderNotAvailable;
}

// Creates those of `names` that are missing; gives the error of each that could not be made.
Task<std::map<std::string, ErrorCode>> create_missing(Broker& broker, const Request& request,
                                                      std::vector<std::string> names) {
  constexpr int16_t kStrictSince = 0;
  std::vector<CreateTopicEvent> events;
  std::map<std::string, ErrorCode> faults;
  for (std::string& name : names) {
    if (broker.metadata->find_topic(name)) continue;
    if (name == kOffsetsTopic) {
      events.push_back(offsets_topic_event(broker.metadata->broker_configs()));
      continue;
    }
    CreateTopicEvent event;
    event.name = std::move(name);
    events.push_back(std::move(event));
  }
  if (events.empty()) co_return faults;
  std::vector<std::string> asked;
  for (const CreateTopicEvent& event : events) asked.push_back(event.name);
  MutationQuota quota(broker, request, kStrictSince);
  const std::vector<MetadataResult<TopicState>> results =
      co_await broker.metadata->create_topics(std::move(events), Validate::kAndDo, &quota);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i] && results[i].error().code != MetadataErrc::kTopicAlreadyExists)
      faults[asked[i]] = creation_fault(results[i].error().code);
  }
  co_return faults;
}

void fill_cluster(Broker& broker, const Request& request, const MetadataRequest& message, MetadataResponse& response) {
  response.cluster_id = broker.cluster_id;
  response.controller_id = broker.node_id;
  if (message.include_cluster_authorized_operations) response.cluster_authorized_operations = kClusterOperations;
  const auto address = broker.advertised.find(request.origin->listener_name);
  if (address == broker.advertised.end()) return;
  MetadataResponse::MetadataResponseBroker self;
  self.node_id = broker.node_id;
  self.host = address->second.host;
  self.port = address->second.port;
  if (!broker.settings.rack.empty()) self.rack = broker.settings.rack;
  response.brokers.push_back(std::move(self));
}

bool asks_by_id(const MetadataRequest::MetadataRequestTopic& topic) { return !topic.topic_id.is_zero() || !topic.name; }

std::vector<std::string> distinct_names(const MetadataRequest& message) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const auto& topic : *message.topics) {
    if (!asks_by_id(topic) && seen.insert(*topic.name).second) names.push_back(*topic.name);
  }
  return names;
}

void add_by_id(Broker& broker, const MetadataRequest& message, MetadataResponse& response) {
  std::set<Uuid> seen;
  for (const auto& topic : *message.topics) {
    if (!asks_by_id(topic) || !seen.insert(topic.topic_id).second) continue;
    const std::optional<ServedTopic> found = broker.metadata->find_topic(topic.topic_id);
    response.topics.push_back(found ? topic_answer(broker, *found, message.include_topic_authorized_operations)
                                    : topic_error(std::nullopt, topic.topic_id, ErrorCode::kUnknownTopicId));
  }
}

}  // namespace

Task<MetadataResponse> handle_metadata(Broker& broker, Request request, MetadataRequest message) {
  MetadataResponse response;
  fill_cluster(broker, request, message, response);
  const bool with_operations = message.include_topic_authorized_operations;
  const bool all_topics = !message.topics || (request.version == 0 && message.topics->empty());
  if (all_topics) {
    for (const ServedTopic& topic : broker.metadata->served_topics()) {
      response.topics.push_back(topic_answer(broker, topic, with_operations));
    }
    co_return response;
  }
  if (request.version < kTopicIdsSince && std::any_of(message.topics->begin(), message.topics->end(), asks_by_id)) {
    for (auto& topic : *message.topics) {
      response.topics.push_back(topic_error(topic.name.value_or(""), topic.topic_id, ErrorCode::kInvalidRequest));
    }
    co_return response;
  }
  const std::vector<std::string> names = distinct_names(message);
  std::map<std::string, ErrorCode> faults;
  if (message.allow_auto_topic_creation && broker.settings.auto_create_topics) {
    std::vector<std::string> good;
    std::copy_if(names.begin(), names.end(), std::back_inserter(good),
                 [](const std::string& name) { return !topic_name_fault(name); });
    faults = co_await create_missing(broker, request, std::move(good));
  }
  for (const std::string& name : names) {
    const std::optional<ServedTopic> found = broker.metadata->find_topic(name);
    if (found) {
      response.topics.push_back(topic_answer(broker, *found, with_operations));
      continue;
    }
    if (message.allow_auto_topic_creation && !broker.settings.auto_create_topics) {
      broker.metadata->note_missing_topic(name, request.origin->client_id);
    }
    const auto fault = faults.find(name);
    response.topics.push_back(topic_error(name, Uuid{}, fault != faults.end() ? fault->second : absence_of(name)));
  }
  add_by_id(broker, message, response);
  co_return response;
}

namespace {

using DescribedTopic = DescribeTopicPartitionsResponse::DescribeTopicPartitionsResponseTopic;
using DescribedPartition = DescribeTopicPartitionsResponse::DescribeTopicPartitionsResponsePartition;

// Names to describe, sorted, from the cursor on.
std::vector<std::string> names_to_describe(Broker& broker, const DescribeTopicPartitionsRequest& message) {
  std::set<std::string> names;
  for (const auto& topic : message.topics) names.insert(topic.name);
  if (message.topics.empty()) {
    for (const ServedTopic& topic : broker.metadata->served_topics()) names.insert(topic.state->name);
  }
  const auto from = message.cursor ? names.lower_bound(message.cursor->topic_name) : names.begin();
  return {from, names.end()};
}

DescribedTopic described_head(const std::string& name, const std::optional<ServedTopic>& topic) {
  DescribedTopic answer;
  answer.name = name;
  answer.is_internal = is_internal_topic(name);
  if (topic) {
    answer.topic_id = topic->state->id;
    answer.topic_authorized_operations = kTopicOperations;
  } else {
    answer.error_code = absence_of(name);
  }
  return answer;
}

}  // namespace

Task<DescribeTopicPartitionsResponse> handle_describe_topic_partitions(Broker& broker, Request /*request*/,
                                                                       DescribeTopicPartitionsRequest message) {
  DescribeTopicPartitionsResponse response;
  int32_t left = std::max(1, std::min(message.response_partition_limit, broker.settings.describe_partitions_max));
  for (const std::string& name : names_to_describe(broker, message)) {
    const std::optional<ServedTopic> topic = broker.metadata->find_topic(name);
    if (left == 0) {
      response.next_cursor = DescribeTopicPartitionsResponse::Cursor{.topic_name = name, .partition_index = 0};
      break;
    }
    DescribedTopic answer = described_head(name, topic);
    const int32_t count = topic ? topic->partition_count : 0;
    const bool from_cursor = message.cursor && message.cursor->topic_name == name;
    int32_t index = from_cursor ? std::max(0, message.cursor->partition_index) : 0;
    for (; index < count && left > 0; ++index, --left) {
      answer.partitions.push_back(partition_answer<DescribedPartition>(broker, *topic, index));
      answer.partitions.back().eligible_leader_replicas.emplace();
      answer.partitions.back().last_known_elr.emplace();
    }
    response.topics.push_back(std::move(answer));
    if (index < count) {
      response.next_cursor = DescribeTopicPartitionsResponse::Cursor{.topic_name = name, .partition_index = index};
      break;
    }
  }
  co_return response;
}

}  // namespace leat
