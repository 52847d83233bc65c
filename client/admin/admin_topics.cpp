// admin_topics.cpp: topics, their settings, and what lies in their partitions.
#include <fmt/format.h>

#include <algorithm>

#include "client/admin/admin_work.h"
#include "client/cluster/name_limits.h"
#include "core/base/parse_int.h"
#include "net/protocol/messages/create_partitions.h"
#include "net/protocol/messages/create_topics.h"
#include "net/protocol/messages/delete_records.h"
#include "net/protocol/messages/delete_topics.h"
#include "net/protocol/messages/describe_configs.h"
#include "net/protocol/messages/describe_producers.h"
#include "net/protocol/messages/incremental_alter_configs.h"

namespace leat::client::detail {
namespace {

constexpr int16_t kDeleteVersionWithIds = 6;

TopicInfo to_info(const MetadataResponse::MetadataResponseTopic& topic) {
  TopicInfo info;
  info.name = topic.name.value_or("");
  if (!topic.topic_id.is_zero()) info.topic_id = topic.topic_id.to_string();
  info.internal = topic.is_internal ? Internal::kYes : Internal::kNo;
  for (const auto& partition : topic.partitions) {
    info.partitions.push_back({.partition = partition.partition_index,
                               .leader = partition.leader_id,
                               .leader_epoch = partition.leader_epoch,
                               .replicas = partition.replica_nodes,
                               .in_sync_replicas = partition.isr_nodes,
                               .offline_replicas = partition.offline_replicas});
  }
  std::sort(info.partitions.begin(), info.partitions.end(),
            [](const PartitionInfo& a, const PartitionInfo& b) { return a.partition < b.partition; });
  return info;
}

// A broker is asked about itself, about anything else anybody may be.
int32_t whom_to_ask(const ConfigResource& resource) {
  const bool is_broker = resource.type == ResourceType::kBroker || resource.type == ResourceType::kBrokerLogger;
  return is_broker ? parse_int<int32_t>(resource.name).value_or(kAnyNode) : kAnyNode;
}

std::string described(const ConfigResource& resource) {
  switch (resource.type) {
    case ResourceType::kTopic:
      return fmt::format("topic '{}'", resource.name);
    case ResourceType::kBroker:
    case ResourceType::kBrokerLogger:
      return fmt::format("broker '{}'", resource.name);
    case ResourceType::kClientMetrics:
      return fmt::format("client metrics '{}'", resource.name);
    case ResourceType::kGroup:
      return fmt::format("group '{}'", resource.name);
  }
  return resource.name;
}

std::optional<Error> refuse_name_of(const ConfigResource& resource) {
  if (resource.type == ResourceType::kTopic) return refuse_topic_name(resource.name);
  if (resource.type == ResourceType::kGroup) return refuse_group_name(resource.name);
  return std::nullopt;
}

std::map<int32_t, std::vector<TopicPartition>> by_leader(const std::map<TopicPartition, int32_t>& leaders) {
  std::map<int32_t, std::vector<TopicPartition>> sorted;
  for (const auto& [name, leader] : leaders) sorted[leader].push_back(name);
  return sorted;
}

Error no_leader(const TopicPartition& name) {
  return Error::from_broker(ErrorCode::kLeaderNotAvailable, fmt::format("{}-{}", name.topic, name.partition));
}

template <class Producers>
std::vector<ProducerInfo> to_infos(const Producers& producers) {
  std::vector<ProducerInfo> infos;
  for (const auto& producer : producers) {
    infos.push_back({.producer_id = producer.producer_id,
                     .producer_epoch = producer.producer_epoch,
                     .last_sequence = producer.last_sequence,
                     .last_timestamp_ms = producer.last_timestamp,
                     .current_transaction_start_offset = producer.current_txn_start_offset});
  }
  return infos;
}

bool may_pass(const ClientContext& context, const Error& error) noexcept {
  return is_worth_waiting(context.settings, error) && error.kafka_code() != ErrorCode::kUnknownTopicOrPartition;
}

using Names = std::vector<TopicPartition>;

// Asks the leaders of all that is in `left`, in rounds: what one refuses for now, or does not answer, is asked for
// again, of whoever leads then, until nothing is left or the client's request_timeout_ms is over. `collect` erases from
// `left` what is done, and gives the last refusal.
template <class Response, class Request>
leat::Task<Result<>> ask_leaders_of_all(AdminSelf self, std::set<TopicPartition>* left,
                                        std::function<Request(const Names&)> make,
                                        std::function<std::optional<Error>(const Response&)> collect) {
  ClientContext& context = self->context();
  const BackoffSettings backoff{.base = Millis(context.settings.retry_backoff_ms),
                                .max = Millis(context.settings.retry_backoff_max_ms)};
  AskOptions options;
  options.timeout = Millis(context.settings.request_timeout_ms);
  const Nanos deadline = context.scheduler.clock().monotonic() + options.timeout;
  for (int failures = 1; !left->empty(); ++failures) {
    std::optional<Error> last;
    std::set<TopicPartition> names = *left;
    const Result<std::map<TopicPartition, int32_t>> leaders =
        co_await ask_leaders(self->cluster(), self->stopped(), std::move(names));
    if (self->stopped().is_set()) co_return closed_error();
    if (!leaders) last = leaders.error();
    std::map<int32_t, Names> sorted;
    if (leaders) sorted = by_leader(*leaders);
    for (const auto& [leader, asked] : sorted) {
      BrokerLink* const link = self->cluster().link(leader, LinkPurpose::kGeneral);
      if (link == nullptr) continue;
      Request request = make(asked);
      const Result<Response> answer = co_await ask<Response>(context, *link, std::move(request), options);
      if (self->stopped().is_set()) co_return closed_error();
      std::optional<Error> refused = answer ? collect(*answer) : std::optional<Error>(answer.error());
      if (refused) last = std::move(refused);
      if (last && !may_pass(context, *last)) co_return *std::move(last);
    }
    if (left->empty()) break;
    if (!last) last = no_leader(*left->begin());
    const Millis pause = backoff_delay(backoff, failures, context.random);
    const bool is_late = context.scheduler.clock().monotonic() + pause >= deadline;
    if (is_late || !may_pass(context, *last)) co_return *std::move(last);
    const Woken woken = co_await self->stopped().wait_for(pause);
    if (woken != Woken::kTimedOut) co_return closed_error();
  }
  co_return Result<>();
}

}  // namespace

leat::Task<Result<std::vector<TopicInfo>>> list_topics(AdminSelf self) {
  const Result<MetadataResponse> answer = co_await AdminWork::metadata(self, std::nullopt, AutoCreate::kNo);
  if (!answer) co_return answer.error();
  std::vector<TopicInfo> topics;
  for (const auto& topic : answer->topics) topics.push_back(to_info(topic));
  std::sort(topics.begin(), topics.end(), [](const TopicInfo& a, const TopicInfo& b) { return a.name < b.name; });
  co_return topics;
}

leat::Task<Result<std::vector<TopicInfo>>> describe_topics(AdminSelf self, std::vector<std::string> names,
                                                           AutoCreate auto_create) {
  for (const std::string& name : names) {
    if (std::optional<Error> refused = refuse_topic_name(name)) co_return *std::move(refused);
  }
  std::optional<std::vector<std::string>> asked = names;
  const Result<MetadataResponse> answer = co_await AdminWork::metadata(self, std::move(asked), auto_create);
  if (!answer) co_return answer.error();
  std::vector<TopicInfo> topics;
  for (const std::string& name : names) {
    const auto found = std::find_if(answer->topics.begin(), answer->topics.end(),
                                    [&name](const auto& topic) { return topic.name == name; });
    const ErrorCode code = found == answer->topics.end() ? ErrorCode::kUnknownTopicOrPartition : found->error_code;
    if (code != ErrorCode::kNone) co_return Error::from_broker(code, fmt::format("topic '{}'", name));
    topics.push_back(to_info(*found));
  }
  co_return topics;
}

leat::Task<Result<TopicInfo>> create_topic(AdminSelf self, NewTopic topic) {
  if (std::optional<Error> refused = refuse_topic_name(topic.name)) co_return *std::move(refused);
  std::function<CreateTopicsRequest(int16_t)> make = [&](int16_t) {
    CreateTopicsRequest request;
    request.timeout_ms = self->timeout_ms();
    auto& asked = request.topics.emplace_back();
    asked.name = topic.name;
    asked.num_partitions = topic.partition_count;
    asked.replication_factor = topic.replication_factor;
    for (const auto& [key, value] : topic.configs) asked.configs.push_back({.name = key, .value = value});
    return request;
  };
  std::function<ErrorCode(const CreateTopicsResponse&)> error_of = [](const CreateTopicsResponse& response) {
    return response.topics.empty() ? ErrorCode::kUnknownServerError : response.topics.front().error_code;
  };
  const Result<CreateTopicsResponse> answer = co_await AdminWork::ask_node<CreateTopicsResponse, CreateTopicsRequest>(
      self, kControllerNode, std::move(make), std::move(error_of));
  if (!answer) co_return answer.error();
  const std::string what = fmt::format("topic '{}' was not created", topic.name);
  if (answer->topics.empty()) co_return Error(Cause::kProtocol, what + ": the broker's answer lacks it");
  const auto& created = answer->topics.front();
  if (created.error_code != ErrorCode::kNone) {
    co_return refused_change(created.error_code, what, created.error_message, answer->throttle_time_ms);
  }
  TopicInfo info;
  info.name = topic.name;
  if (!created.topic_id.is_zero()) info.topic_id = created.topic_id.to_string();
  const int32_t count = created.num_partitions >= 0 ? created.num_partitions : topic.partition_count;
  for (int32_t i = 0; i < count; ++i) {
    PartitionInfo& partition = info.partitions.emplace_back();
    partition.partition = i;  // who leads it is not known yet
  }
  co_return info;
}

leat::Task<Result<>> delete_topic(AdminSelf self, std::string name) {
  if (std::optional<Error> refused = refuse_topic_name(name)) co_return *std::move(refused);
  std::function<DeleteTopicsRequest(int16_t)> make = [&](int16_t version) {
    DeleteTopicsRequest request;
    request.timeout_ms = self->timeout_ms();
    if (version >= kDeleteVersionWithIds) {
      request.topics.emplace_back().name = name;
    } else {
      request.topic_names.push_back(name);
    }
    return request;
  };
  std::function<ErrorCode(const DeleteTopicsResponse&)> error_of = [](const DeleteTopicsResponse& response) {
    return response.responses.empty() ? ErrorCode::kUnknownServerError : response.responses.front().error_code;
  };
  const Result<DeleteTopicsResponse> answer = co_await AdminWork::ask_node<DeleteTopicsResponse, DeleteTopicsRequest>(
      self, kControllerNode, std::move(make), std::move(error_of));
  if (!answer) co_return answer.error();
  const std::string what = fmt::format("topic '{}' was not deleted", name);
  if (answer->responses.empty()) co_return Error(Cause::kProtocol, what + ": the broker's answer lacks it");
  const auto& deleted = answer->responses.front();
  if (deleted.error_code == ErrorCode::kNone) co_return Result<>();
  co_return refused_change(deleted.error_code, what, deleted.error_message, answer->throttle_time_ms);
}

leat::Task<Result<>> create_partitions(AdminSelf self, std::string topic, int32_t partition_count, Validate validate) {
  if (std::optional<Error> refused = refuse_topic_name(topic)) co_return *std::move(refused);
  std::function<CreatePartitionsRequest(int16_t)> make = [&](int16_t) {
    CreatePartitionsRequest request;
    request.timeout_ms = self->timeout_ms();
    auto& asked = request.topics.emplace_back();
    asked.name = topic;
    asked.count = partition_count;
    asked.assignments.reset();
    request.validate_only = validate == Validate::kOnly;
    return request;
  };
  std::function<ErrorCode(const CreatePartitionsResponse&)> error_of = [](const CreatePartitionsResponse& response) {
    return response.results.empty() ? ErrorCode::kUnknownServerError : response.results.front().error_code;
  };
  const Result<CreatePartitionsResponse> answer =
      co_await AdminWork::ask_node<CreatePartitionsResponse, CreatePartitionsRequest>(
          self, kControllerNode, std::move(make), std::move(error_of));
  if (!answer) co_return answer.error();
  const std::string what = fmt::format("topic '{}' keeps its partitions", topic);
  if (answer->results.empty()) co_return Error(Cause::kProtocol, what + ": the broker's answer lacks it");
  const auto& changed = answer->results.front();
  if (changed.error_code == ErrorCode::kNone) co_return Result<>();
  co_return refused_change(changed.error_code, what, changed.error_message, answer->throttle_time_ms);
}

leat::Task<Result<std::vector<ConfigEntry>>> describe_configs(AdminSelf self, ConfigResource resource,
                                                              std::vector<std::string> names) {
  if (std::optional<Error> refused = refuse_name_of(resource)) co_return *std::move(refused);
  std::function<DescribeConfigsRequest(int16_t)> make = [&](int16_t) {
    DescribeConfigsRequest request;
    auto& asked = request.resources.emplace_back();
    asked.resource_type = static_cast<int8_t>(resource.type);
    asked.resource_name = resource.name;
    asked.configuration_keys.reset();
    if (!names.empty()) asked.configuration_keys = names;
    return request;
  };
  std::function<ErrorCode(const DescribeConfigsResponse&)> error_of = [](const DescribeConfigsResponse& response) {
    return response.results.empty() ? ErrorCode::kNone : response.results.front().error_code;
  };
  const Result<DescribeConfigsResponse> answer =
      co_await AdminWork::ask_node<DescribeConfigsResponse, DescribeConfigsRequest>(
          self, whom_to_ask(resource), std::move(make), std::move(error_of));
  if (!answer) co_return answer.error();
  std::vector<ConfigEntry> entries;
  for (const auto& result : answer->results) {
    if (result.error_code != ErrorCode::kNone) {
      co_return Error::from_broker(result.error_code, described(resource), result.error_message);
    }
    for (const auto& config : result.configs) {
      entries.push_back(
          {.name = config.name,
           .value = config.value,
           .source = static_cast<ConfigSource>(std::max<int8_t>(config.config_source, 0)),
           .access = config.read_only ? ConfigEntry::Access::kReadOnly : ConfigEntry::Access::kWritable,
           .secrecy = config.is_sensitive ? ConfigEntry::Secrecy::kSensitive : ConfigEntry::Secrecy::kOpen});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const ConfigEntry& a, const ConfigEntry& b) { return a.name < b.name; });
  co_return entries;
}

leat::Task<Result<>> alter_configs(AdminSelf self, ConfigResource resource, std::vector<ConfigChange> changes,
                                   Validate validate) {
  if (std::optional<Error> refused = refuse_name_of(resource)) co_return *std::move(refused);
  std::function<IncrementalAlterConfigsRequest(int16_t)> make = [&](int16_t) {
    constexpr int8_t kSet = 0;
    constexpr int8_t kDelete = 1;
    IncrementalAlterConfigsRequest request;
    request.validate_only = validate == Validate::kOnly;
    auto& asked = request.resources.emplace_back();
    asked.resource_type = static_cast<int8_t>(resource.type);
    asked.resource_name = resource.name;
    for (const ConfigChange& change : changes) {
      asked.configs.push_back(
          {.name = change.name, .config_operation = change.value ? kSet : kDelete, .value = change.value});
    }
    return request;
  };
  std::function<ErrorCode(const IncrementalAlterConfigsResponse&)> error_of =
      [](const IncrementalAlterConfigsResponse& response) {
        return response.responses.empty() ? ErrorCode::kNone : response.responses.front().error_code;
      };
  const int32_t node = whom_to_ask(resource);
  const Result<IncrementalAlterConfigsResponse> answer =
      co_await AdminWork::ask_node<IncrementalAlterConfigsResponse, IncrementalAlterConfigsRequest>(
          self, node == kAnyNode ? kControllerNode : node, std::move(make), std::move(error_of));
  if (!answer) co_return answer.error();
  for (const auto& result : answer->responses) {
    if (result.error_code == ErrorCode::kNone) continue;
    co_return Error::from_broker(result.error_code, fmt::format("{} keeps its settings", described(resource)),
                                 result.error_message);
  }
  co_return Result<>();
}

leat::Task<Result<LowOffsets>> delete_records(AdminSelf self, LowOffsets before) {
  std::set<TopicPartition> left;
  for (const auto& [name, offset] : before) left.insert(name);
  LowOffsets starts;
  std::function<DeleteRecordsRequest(const Names&)> make = [&](const Names& asked) {
    DeleteRecordsRequest request;
    request.timeout_ms = self->timeout_ms();
    for (const TopicPartition& name : asked) {
      if (request.topics.empty() || request.topics.back().name != name.topic) {
        request.topics.emplace_back().name = name.topic;
      }
      request.topics.back().partitions.push_back({.partition_index = name.partition, .offset = before.at(name)});
    }
    return request;
  };
  std::function<std::optional<Error>(const DeleteRecordsResponse&)> collect = [&](const DeleteRecordsResponse& answer) {
    std::optional<Error> refused;
    for (const auto& topic : answer.topics) {
      for (const auto& partition : topic.partitions) {
        const TopicPartition name{.topic = topic.name, .partition = partition.partition_index};
        if (partition.error_code == ErrorCode::kNone) {
          starts[name] = partition.low_watermark;
          left.erase(name);
        } else {
          refused = Error::from_broker(partition.error_code,
                                       fmt::format("{}-{}: its records are not deleted", name.topic, name.partition));
        }
      }
    }
    return refused;
  };
  const Result<> done = co_await ask_leaders_of_all<DeleteRecordsResponse, DeleteRecordsRequest>(
      self, &left, std::move(make), std::move(collect));
  if (!done) co_return done.error();
  co_return starts;
}

leat::Task<Result<ProducersByPartition>> describe_producers(AdminSelf self, std::vector<TopicPartition> of) {
  std::set<TopicPartition> left(of.begin(), of.end());
  ProducersByPartition producers;
  std::function<DescribeProducersRequest(const Names&)> make = [](const Names& asked) {
    DescribeProducersRequest request;
    for (const TopicPartition& name : asked) {
      if (request.topics.empty() || request.topics.back().name != name.topic) {
        request.topics.emplace_back().name = name.topic;
      }
      request.topics.back().partition_indexes.push_back(name.partition);
    }
    return request;
  };
  std::function<std::optional<Error>(const DescribeProducersResponse&)> collect =
      [&](const DescribeProducersResponse& answer) {
        std::optional<Error> refused;
        for (const auto& topic : answer.topics) {
          for (const auto& partition : topic.partitions) {
            const TopicPartition name{.topic = topic.name, .partition = partition.partition_index};
            if (partition.error_code == ErrorCode::kNone) {
              producers[name] = to_infos(partition.active_producers);
              left.erase(name);
            } else {
              refused = Error::from_broker(partition.error_code,
                                           fmt::format("producers of {}-{}", name.topic, name.partition),
                                           partition.error_message);
            }
          }
        }
        return refused;
      };
  const Result<> done = co_await ask_leaders_of_all<DescribeProducersResponse, DescribeProducersRequest>(
      self, &left, std::move(make), std::move(collect));
  if (!done) co_return done.error();
  co_return producers;
}

}  // namespace leat::client::detail
