// topics.cpp: making and removing topics and partitions. When the answer leaves, the change is durable and in effect.
//   CreateTopics 2-7        the created topic's effective settings since 5, its id since 7; validate_only makes nothing
//     of __consumer_offsets                 it is compacted unless the request says otherwise
//     named twice in one request            INVALID_REQUEST, once
//   DeleteTopics 1-6        by name, since 6 also by id
//     delete.topic.enable=false             TOPIC_DELETION_DISABLED, below version 3 INVALID_REQUEST
//   CreatePartitions 0-3
//     of __consumer_offsets                 INVALID_PARTITIONS: groups are found by the number of its partitions, and
//                                           would be lost (Kafka lets it happen)
//   All: rules and texts are those of core/metadata; a journal or folder that cannot be written is KAFKA_STORAGE_ERROR.
// Above the client's controller_mutation_rate: THROTTLING_QUOTA_EXCEEDED, since CreateTopics 6, DeleteTopics 5 and
// CreatePartitions 3; in older versions all is done, and the client waits afterwards.
// The requests' timeouts are not looked at: the work is done at once.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/metadata/topic_configs.h"
#include "server/broker.h"
#include "server/countdown.h"
#include "server/handlers/metadata_errors.h"
#include "server/handlers/metadata_handlers.h"
#include "server/handlers/throttle.h"
#include "server/metadata_store.h"
#include "server/offsets_topic.h"
#include "server/settings.h"

namespace leat {
namespace {

constexpr int16_t kDeletionDisabledSince = 3;
constexpr int16_t kDeleteByIdSince = 6;
// Of each API, since when a client is refused when it has used up its controller_mutation_rate.
constexpr int16_t kCreateStrictSince = 6;
constexpr int16_t kDeleteStrictSince = 5;
constexpr int16_t kPartitionsStrictSince = 3;

template <class Topics, class Name>
std::map<std::string, int> counted_names(const Topics& topics, const Name& name_of) {
  std::map<std::string, int> counts;
  for (const auto& topic : topics) ++counts[name_of(topic)];
  return counts;
}

CreateTopicEvent event_of(CreateTopicsRequest::CreatableTopic& topic) {
  CreateTopicEvent event;
  event.name = std::move(topic.name);
  event.partition_count = topic.num_partitions;
  event.replication_factor = topic.replication_factor;
  for (auto& assignment : topic.assignments) {
    event.assignments.push_back(
        {.partition = assignment.partition_index, .replicas = std::move(assignment.broker_ids)});
  }
  for (auto& config : topic.configs) event.configs.emplace_back(std::move(config.name), std::move(config.value));
  return event;
}

std::vector<CreateTopicsResponse::CreatableTopicConfigs> configs_of(const TopicState& topic,
                                                                    const BrokerConfigs& broker) {
  std::vector<CreateTopicsResponse::CreatableTopicConfigs> configs;
  for (const ConfigKey& key : topic_configs().keys()) {
    if (key.listing == ConfigListing::kHidden) continue;
    EffectiveConfig effective = resolve_topic_config(key, topic.configs, broker);
    CreateTopicsResponse::CreatableTopicConfigs config;
    config.name = key.name;
    config.value = std::move(effective.value);
    config.config_source = static_cast<int8_t>(effective.source);
    configs.push_back(std::move(config));
  }
  return configs;
}

CreateTopicsResponse::CreatableTopicResult created_result(std::string name, const MetadataResult<TopicState>& topic,
                                                          const BrokerConfigs& broker) {
  CreateTopicsResponse::CreatableTopicResult result;
  result.name = std::move(name);
  if (!topic) {
    result.error_code = error_code_of(topic.error().code);
    result.error_message = topic.error().message;
    return result;
  }
  result.topic_id = topic->id;
  result.num_partitions = topic->partition_count;
  result.replication_factor = 1;
  result.configs = configs_of(*topic, broker);
  return result;
}

}  // namespace

Task<CreateTopicsResponse> handle_create_topics(Broker& broker, Request request, CreateTopicsRequest message) {
  CreateTopicsResponse response;
  MutationQuota quota(broker, request, kCreateStrictSince);
  const std::map<std::string, int> counts = counted_names(message.topics, [](const auto& topic) { return topic.name; });
  std::vector<CreateTopicEvent> events;
  for (auto& topic : message.topics) {
    if (counts.find(topic.name)->second == 1) events.push_back(event_of(topic));
  }
  std::vector<std::string> names;
  for (const CreateTopicEvent& event : events) names.push_back(event.name);
  const Validate validate = message.validate_only ? Validate::kOnly : Validate::kAndDo;
  const std::vector<MetadataResult<TopicState>> results =
      co_await broker.metadata->create_topics(std::move(events), validate, &quota);
  response.throttle_time_ms = quota.take_throttle_time_ms();

  const BrokerConfigs configs = broker.metadata->broker_configs();
  for (size_t i = 0; i < results.size(); ++i)
    response.topics.push_back(created_result(std::move(names[i]), results[i], configs));
  for (const auto& [name, count] : counts) {
    if (count == 1) continue;
    CreateTopicsResponse::CreatableTopicResult result;
    result.name = name;
    result.error_code = ErrorCode::kInvalidRequest;
    result.error_message = "Duplicate topic name.";
    response.topics.push_back(std::move(result));
  }
  co_return response;
}

namespace {

using DeleteResult = DeleteTopicsResponse::DeletableTopicResult;
using DeleteAsked = DeleteTopicsRequest::DeleteTopicState;

void set_error(DeleteResult& result, ErrorCode code, std::string message) {
  result.error_code = code;
  result.error_message = std::move(message);
}

// Up to version 5 names, since 6 states with a name or an id.
std::vector<DeleteAsked> deletions_asked(DeleteTopicsRequest& message, int16_t version) {
  if (version >= kDeleteByIdSince) return std::move(message.topics);
  std::vector<DeleteAsked> asked;
  for (std::string& name : message.topic_names) {
    DeleteAsked one;
    one.name = std::move(name);
    asked.push_back(std::move(one));
  }
  return asked;
}

// What can be said without looking at a topic: exactly one of name and id, none twice.
std::vector<DeleteResult> deletion_results(const std::vector<DeleteAsked>& asked) {
  std::vector<DeleteResult> results;
  for (const DeleteAsked& one : asked) {
    DeleteResult result;
    result.name = one.name;
    result.topic_id = one.topic_id;
    const auto same = [&](const DeleteAsked& other) {
      return other.name == one.name && other.topic_id == one.topic_id;
    };
    const auto first = std::find_if(asked.begin(), asked.end(), same);
    if (!one.name && one.topic_id.is_zero()) {
      set_error(result, ErrorCode::kInvalidRequest, "Neither topic name nor id were specified.");
    } else if (one.name && !one.topic_id.is_zero()) {
      set_error(result, ErrorCode::kInvalidRequest, "You may not specify both topic name and topic id.");
    } else if (std::count_if(asked.begin(), asked.end(), same) > 1) {
      if (&*first != &one) continue;  // said once
      set_error(result, ErrorCode::kInvalidRequest, one.name ? "Duplicate topic name." : "Duplicate topic id.");
    }
    results.push_back(std::move(result));
  }
  return results;
}

Task<void> delete_one(Broker& broker, DeleteResult& result, MutationQuota& quota) {
  const MetadataMachine& machine = broker.metadata->machine();
  const TopicState* topic = result.name ? machine.topic(*result.name) : machine.topic(result.topic_id);
  if (topic == nullptr || topic->phase != TopicPhase::kLive) {
    const bool by_name = result.name.has_value();
    set_error(result, by_name ? ErrorCode::kUnknownTopicOrPartition : ErrorCode::kUnknownTopicId,
              by_name ? "This server does not host this topic-partition." : "This server does not host this topic ID.");
    co_return;
  }
  result.name = topic->name;
  result.topic_id = topic->id;
  const MetadataResult<TopicState> deleted = co_await broker.metadata->delete_topic(topic->id, &quota);
  if (!deleted) set_error(result, error_code_of(deleted.error().code), deleted.error().message);
}

}  // namespace

Task<DeleteTopicsResponse> handle_delete_topics(Broker& broker, Request request, DeleteTopicsRequest message) {
  DeleteTopicsResponse response;
  const std::vector<DeleteAsked> asked = deletions_asked(message, request.version);
  response.responses = deletion_results(asked);
  if (!broker.settings.delete_topics) {
    const ErrorCode code =
        request.version < kDeletionDisabledSince ? ErrorCode::kInvalidRequest : ErrorCode::kTopicDeletionDisabled;
    for (DeleteResult& result : response.responses) set_error(result, code, "Topic deletion is disabled.");
    co_return response;
  }
  std::vector<DeleteResult*> good;
  for (DeleteResult& result : response.responses) {
    if (result.error_code == ErrorCode::kNone) good.push_back(&result);
  }
  MutationQuota quota(broker, request, kDeleteStrictSince);
  Countdown left(broker.scheduler, good.size());
  for (DeleteResult* result : good) spawn(counted(delete_one(broker, *result, quota), left));
  const Woken woken = co_await left.reached.wait();
  (void)woken;
  response.throttle_time_ms = quota.take_throttle_time_ms();
  co_return response;
}

namespace {

using PartitionsResult = CreatePartitionsResponse::CreatePartitionsTopicResult;

struct PartitionsAsked {
  Broker& broker;
  Validate validate;
  MutationQuota quota;
};

Task<void> create_partitions_of(PartitionsAsked& asked, CreatePartitionsEvent event, PartitionsResult& result) {
  if (event.topic == kOffsetsTopic) {
    result.error_code = ErrorCode::kInvalidPartitions;
    result.error_message = fmt::format("The number of partitions of {} cannot be changed.", kOffsetsTopic);
    co_return;
  }
  const MetadataResult<TopicState> made =
      co_await asked.broker.metadata->create_partitions(std::move(event), asked.validate, &asked.quota);
  if (made) co_return;
  result.error_code = error_code_of(made.error().code);
  result.error_message = made.error().message;
}

CreatePartitionsEvent event_of(CreatePartitionsRequest::CreatePartitionsTopic& topic) {
  CreatePartitionsEvent event;
  event.topic = topic.name;
  event.count = topic.count;
  if (topic.assignments) {
    event.assignments.emplace();
    for (auto& assignment : *topic.assignments) event.assignments->push_back(std::move(assignment.broker_ids));
  }
  return event;
}

}  // namespace

Task<CreatePartitionsResponse> handle_create_partitions(Broker& broker, Request request,
                                                        CreatePartitionsRequest message) {
  CreatePartitionsResponse response;
  const std::map<std::string, int> counts = counted_names(message.topics, [](const auto& topic) { return topic.name; });
  response.results.resize(counts.size());
  std::map<std::string, PartitionsResult*> by_name;
  size_t next = 0;
  for (const auto& topic : message.topics) {
    if (by_name.contains(topic.name)) continue;
    PartitionsResult& result = response.results[next++];
    result.name = topic.name;
    by_name[topic.name] = &result;
    if (counts.find(topic.name)->second == 1) continue;
    result.error_code = ErrorCode::kInvalidRequest;
    result.error_message = "Duplicate topic name.";
  }
  PartitionsAsked asked{.broker = broker,
                        .validate = message.validate_only ? Validate::kOnly : Validate::kAndDo,
                        .quota = MutationQuota(broker, request, kPartitionsStrictSince)};
  const auto good_count =
      std::count_if(counts.begin(), counts.end(), [](const auto& entry) { return entry.second == 1; });
  Countdown left(broker.scheduler, static_cast<size_t>(good_count));
  for (auto& topic : message.topics) {
    PartitionsResult& result = *by_name[topic.name];
    if (result.error_code != ErrorCode::kNone || counts.find(topic.name)->second != 1) continue;
    spawn(counted(create_partitions_of(asked, event_of(topic), result), left));
  }
  const Woken woken = co_await left.reached.wait();
  (void)woken;
  response.throttle_time_ms = asked.quota.take_throttle_time_ms();
  co_return response;
}

}  // namespace leat
