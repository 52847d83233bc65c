// offset_lookup.cpp: ListOffsets 1-11, one request to each leader in a round.
#include "client/cluster/offset_lookup.h"

#include <fmt/format.h>

#include <optional>

#include "client/cluster/backoff.h"
#include "client/cluster/coordinator.h"
#include "net/protocol/messages/list_offsets.h"

namespace leat::client::detail {
namespace {

Error no_such_partition(const TopicPartition& partition) {
  return Error::from_broker(ErrorCode::kUnknownTopicOrPartition,
                            fmt::format("{}-{}", partition.topic, partition.partition));
}

Error no_leader(const TopicPartition& partition) {
  return Error::from_broker(ErrorCode::kLeaderNotAvailable, fmt::format("{}-{}", partition.topic, partition.partition));
}

ListOffsetsRequest make_request(const std::vector<TopicPartition>& asked, const OffsetTimes& times,
                                IsolationLevel isolation) {
  ListOffsetsRequest request;
  request.replica_id = -1;
  request.isolation_level = static_cast<int8_t>(isolation);
  for (const TopicPartition& name : asked) {
    if (request.topics.empty() || request.topics.back().name != name.topic) {
      request.topics.emplace_back().name = name.topic;
    }
    request.topics.back().partitions.push_back(
        {.partition_index = name.partition, .current_leader_epoch = -1, .timestamp = times.at(name)});
  }
  return request;
}

// Errors that pass stay for the next round.
std::optional<Error> collect(const ListOffsetsResponse& response, OffsetTimes& times, FoundOffsets& found) {
  for (const auto& topic : response.topics) {
    for (const auto& partition : topic.partitions) {
      const TopicPartition name{.topic = topic.name, .partition = partition.partition_index};
      if (partition.error_code == ErrorCode::kNone) {
        found[name] = {
            .offset = partition.offset, .timestamp_ms = partition.timestamp, .leader_epoch = partition.leader_epoch};
        times.erase(name);
      } else if (!is_retriable(partition.error_code)) {
        return Error::from_broker(partition.error_code, fmt::format("{}-{}", name.topic, name.partition));
      }
    }
  }
  return std::nullopt;
}

std::map<TopicPartition, int32_t> known_leaders(Cluster& cluster, const OffsetTimes& times, AutoCreate auto_create) {
  std::map<TopicPartition, int32_t> leaders;
  for (const auto& [name, time] : times) {
    cluster.want_topic(name.topic, auto_create);
    const KnownTopic* const topic = cluster.metadata().find(name.topic);
    const auto index = static_cast<size_t>(name.partition);
    if (topic != nullptr && index < topic->partitions.size() && topic->partitions[index].leader >= 0) {
      leaders[name] = topic->partitions[index].leader;
    }
  }
  return leaders;
}

}  // namespace

leat::Task<Result<std::map<TopicPartition, int32_t>>> ask_leaders(Cluster& cluster, Event& stopped,
                                                                  std::set<TopicPartition> partitions) {
  std::map<TopicPartition, int32_t> leaders;
  ClientContext& context = cluster.context();
  MetadataRequest request;
  request.allow_auto_topic_creation = false;
  for (const TopicPartition& name : partitions) {
    if (request.topics->empty() || request.topics->back().name != name.topic) {
      request.topics->push_back({.topic_id = {}, .name = name.topic});
    }
  }
  AskOptions options;
  options.timeout = Millis(context.settings.request_timeout_ms);
  const Result<MetadataResponse> answer =
      co_await ask<MetadataResponse>(context, cluster.any_link(), std::move(request), options);
  if (stopped.is_set()) co_return closed_error();
  if (!answer) co_return answer.error();
  for (const auto& broker : answer->brokers) {
    HostPort address{.host = broker.host, .port = static_cast<uint16_t>(broker.port)};
    cluster.note_broker(broker.node_id, std::move(address));
  }
  std::set<TopicPartition> there;
  for (const auto& topic : answer->topics) {
    // A partition that is missing is named below.
    if (topic.error_code != ErrorCode::kNone && topic.error_code != ErrorCode::kUnknownTopicOrPartition) {
      co_return Error::from_broker(topic.error_code, fmt::format("topic '{}'", topic.name.value_or("")));
    }
    for (const auto& partition : topic.partitions) {
      const TopicPartition name{.topic = topic.name.value_or(""), .partition = partition.partition_index};
      if (!partitions.contains(name)) continue;  // the answer is about whole topics
      there.insert(name);
      if (partition.leader_id >= 0) leaders[name] = partition.leader_id;
    }
  }
  for (const TopicPartition& name : partitions) {
    if (!there.contains(name)) co_return no_such_partition(name);
  }
  co_return leaders;
}

leat::Task<Result<FoundOffsets>> look_up_offsets(Cluster& cluster, Event& stopped, OffsetTimes times,
                                                 IsolationLevel isolation, MissingTopic missing) {
  FoundOffsets found;
  ClientContext& context = cluster.context();
  AskOptions options;
  options.timeout = Millis(context.settings.request_timeout_ms);
  const Nanos deadline = context.scheduler.clock().monotonic() + options.timeout;
  Error last(Cause::kTimedOut, "no leader was found in time");
  for (int failures = 1; !times.empty(); ++failures) {
    std::map<TopicPartition, int32_t> leaders;
    if (missing != MissingTopic::kFail) {
      leaders = known_leaders(cluster, times, missing == MissingTopic::kMake ? AutoCreate::kYes : AutoCreate::kNo);
    } else {
      std::set<TopicPartition> names;
      for (const auto& [name, time] : times) names.insert(name);
      Result<std::map<TopicPartition, int32_t>> asked = co_await ask_leaders(cluster, stopped, std::move(names));
      if (!asked && !is_worth_waiting(context.settings, asked.error())) co_return asked.error();
      if (!asked && asked.error().kafka_code() == ErrorCode::kUnknownTopicOrPartition) co_return asked.error();
      if (asked) leaders = *std::move(asked);
    }
    if (stopped.is_set()) co_return closed_error();
    for (const auto& [name, time] : times) {
      if (!leaders.contains(name)) last = no_leader(name);
    }
    std::map<int32_t, std::vector<TopicPartition>> by_leader;
    for (const auto& [name, leader] : leaders) by_leader[leader].push_back(name);
    for (const auto& [leader, names] : by_leader) {
      BrokerLink* const link = cluster.link(leader, LinkPurpose::kGeneral);
      if (link == nullptr) continue;
      ListOffsetsRequest request = make_request(names, times, isolation);
      const Result<ListOffsetsResponse> answer =
          co_await ask<ListOffsetsResponse>(context, *link, std::move(request), options);
      if (stopped.is_set()) co_return closed_error();
      if (!answer) {
        if (!is_worth_waiting(context.settings, answer.error())) co_return answer.error();
        last = answer.error();
        continue;
      }
      if (std::optional<Error> error = collect(*answer, times, found)) co_return *std::move(error);
    }
    if (times.empty()) break;
    const BackoffSettings backoff{.base = Millis(context.settings.retry_backoff_ms),
                                  .max = Millis(context.settings.retry_backoff_max_ms)};
    const Millis pause = backoff_delay(backoff, failures, context.random);
    if (context.scheduler.clock().monotonic() + pause >= deadline) co_return last;
    cluster.refresh_soon();
    const Woken woken = co_await stopped.wait_for(pause);
    if (woken != Woken::kTimedOut) co_return closed_error();
  }
  co_return found;
}

}  // namespace leat::client::detail
