// admin_work.cpp: whom to ask, and calls about the cluster and its brokers.
#include "client/admin/admin_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "net/protocol/api_table.h"
#include "net/protocol/messages/describe_log_dirs.h"

namespace leat::client::detail {

leat::Task<Result<MetadataResponse>> AdminWork::metadata(Self self, std::optional<std::vector<std::string>> names,
                                                         AutoCreate auto_create) {
  std::function<MetadataRequest(int16_t)> make = [&names, auto_create](int16_t version) {
    MetadataRequest request;
    // Brokers older than version 4 make what their settings say.
    request.allow_auto_topic_creation = version < 4 || auto_create == AutoCreate::kYes;
    if (!names && version > 0) request.topics.reset();
    for (const std::string& name : names.value_or(std::vector<std::string>{})) {
      request.topics->push_back({.topic_id = {}, .name = name});
    }
    return request;
  };
  std::function<ErrorCode(const MetadataResponse&)> error_of = [](const MetadataResponse& response) {
    if (response.error_code != ErrorCode::kNone) return response.error_code;
    for (const auto& topic : response.topics) {
      if (topic.error_code != ErrorCode::kNone) return topic.error_code;
    }
    return ErrorCode::kNone;
  };
  Result<MetadataResponse> answer =
      co_await ask_node<MetadataResponse, MetadataRequest>(self, kAnyNode, std::move(make), std::move(error_of));
  if (answer && !self->stopped_.is_set()) self->note(*answer);
  co_return answer;
}

void AdminWork::note(const MetadataResponse& answer) {
  for (const auto& broker : answer.brokers) {
    HostPort address{.host = broker.host, .port = static_cast<uint16_t>(broker.port)};
    cluster_.note_broker(broker.node_id, std::move(address));
  }
  controller_ = answer.controller_id;
}

leat::Task<Result<BrokerLink*>> AdminWork::reach(Self self, int32_t node) {
  if (self->stopped_.is_set()) co_return closed_error();
  if (node == kAnyNode) co_return &self->cluster_.any_link();
  const auto link_of = [&self, node]() -> BrokerLink* {
    const int32_t id = node == kControllerNode ? self->controller_ : node;
    return id < 0 ? nullptr : self->cluster_.link(id, LinkPurpose::kGeneral);
  };
  if (BrokerLink* const known = link_of()) co_return known;
  std::optional<std::vector<std::string>> none(std::in_place);
  const Result<MetadataResponse> found = co_await metadata(self, std::move(none), AutoCreate::kNo);
  if (!found) co_return found.error();
  if (self->stopped_.is_set()) co_return closed_error();
  if (BrokerLink* const known = link_of()) co_return known;
  if (node == kControllerNode) co_return &self->cluster_.any_link();  // brokers of a KRaft cluster pass it on
  co_return Error(Cause::kInvalidArgument, fmt::format("the cluster has no broker {}", node));
}

Error refused_change(ErrorCode code, const std::string& what, const std::optional<std::string>& words,
                     int32_t throttle_time_ms) {
  if (code != ErrorCode::kThrottlingQuotaExceeded || throttle_time_ms <= 0) {
    return Error::from_broker(code, what, words);
  }
  constexpr double kMillisPerSecond = 1'000;
  return Error::from_broker(code, what,
                            fmt::format("the quota controller_mutation_rate of this client is used up for {:.1f} s "
                                        "more, which is longer than this call may wait",
                                        throttle_time_ms / kMillisPerSecond));
}

leat::Task<Result<>> connect(AdminSelf self) {
  std::optional<Error> first;
  for (size_t i = 0; i < self->cluster().bootstrap_count(); ++i) {
    AskOptions options;
    options.timeout = Millis(self->context().settings.request_timeout_ms);
    MetadataRequest request;  // of no topic: the brokers are news, too
    request.allow_auto_topic_creation = false;
    const Result<MetadataResponse> answer =
        co_await ask<MetadataResponse>(self->context(), self->cluster().bootstrap_link(i), std::move(request), options);
    if (self->stopped().is_set()) co_return closed_error();
    if (answer) {
      self->note(*answer);
      co_return Result<>();
    }
    if (!first) first = answer.error();
  }
  co_return *std::move(first);
}

leat::Task<Result<ClusterInfo>> describe_cluster(AdminSelf self) {
  std::optional<std::vector<std::string>> none(std::in_place);
  const Result<MetadataResponse> answer = co_await AdminWork::metadata(self, std::move(none), AutoCreate::kNo);
  if (!answer) co_return answer.error();
  ClusterInfo cluster;
  cluster.cluster_id = answer->cluster_id.value_or("");
  cluster.controller_id = answer->controller_id;
  for (const auto& broker : answer->brokers) {
    cluster.brokers.push_back(
        {.node_id = broker.node_id, .host = broker.host, .port = broker.port, .rack = broker.rack});
  }
  std::sort(cluster.brokers.begin(), cluster.brokers.end(),
            [](const BrokerInfo& a, const BrokerInfo& b) { return a.node_id < b.node_id; });
  co_return cluster;
}

leat::Task<Result<std::vector<ApiVersionRange>>> api_versions(AdminSelf self, int32_t node_id) {
  std::function<ApiVersionsRequest(int16_t)> make = [](int16_t) {
    ApiVersionsRequest request;
    request.client_software_name = "leat";
    request.client_software_version = std::string(kVersionText);
    return request;
  };
  std::function<ErrorCode(const ApiVersionsResponse&)> error_of = [](const ApiVersionsResponse& response) {
    return response.error_code;
  };
  const int32_t node = node_id < 0 ? kAnyNode : node_id;
  const Result<ApiVersionsResponse> answer = co_await AdminWork::ask_node<ApiVersionsResponse, ApiVersionsRequest>(
      self, node, std::move(make), std::move(error_of));
  if (!answer) co_return answer.error();
  if (answer->error_code != ErrorCode::kNone) co_return Error::from_broker(answer->error_code, "ApiVersions");
  std::vector<ApiVersionRange> ranges;
  for (const auto& range : answer->api_keys) {
    const ApiSpec* const api = find_api(range.api_key);
    ranges.push_back({.api_key = range.api_key,
                      .name = api != nullptr ? std::string(api->name) : std::string(),
                      .min = range.min_version,
                      .max = range.max_version});
  }
  co_return ranges;
}

leat::Task<Result<std::vector<LogDirInfo>>> describe_log_dirs(AdminSelf self) {
  const Result<ClusterInfo> cluster = co_await describe_cluster(self);
  if (!cluster) co_return cluster.error();
  std::vector<LogDirInfo> dirs;
  for (const BrokerInfo& broker : cluster->brokers) {
    std::function<DescribeLogDirsRequest(int16_t)> make = [](int16_t) {
      DescribeLogDirsRequest request;
      request.topics.reset();
      return request;
    };
    std::function<ErrorCode(const DescribeLogDirsResponse&)> error_of = [](const DescribeLogDirsResponse& response) {
      return response.error_code;
    };
    const Result<DescribeLogDirsResponse> answer =
        co_await AdminWork::ask_node<DescribeLogDirsResponse, DescribeLogDirsRequest>(
            self, broker.node_id, std::move(make), std::move(error_of));
    if (!answer) co_return answer.error();
    if (answer->error_code != ErrorCode::kNone) {
      co_return Error::from_broker(answer->error_code, fmt::format("log directories of broker {}", broker.node_id));
    }
    for (const auto& dir : answer->results) {
      if (dir.error_code != ErrorCode::kNone) {
        co_return Error::from_broker(dir.error_code,
                                     fmt::format("log directory {} of broker {}", dir.log_dir, broker.node_id));
      }
      LogDirInfo& told = dirs.emplace_back();
      told.node_id = broker.node_id;
      told.path = dir.log_dir;
      told.total_bytes = dir.total_bytes;
      told.usable_bytes = dir.usable_bytes;
      for (const auto& topic : dir.topics) {
        for (const auto& partition : topic.partitions) {
          told.partitions.push_back({.partition = {.topic = topic.name, .partition = partition.partition_index},
                                     .size_bytes = partition.partition_size,
                                     .offset_lag = partition.offset_lag});
        }
      }
    }
  }
  co_return dirs;
}

}  // namespace leat::client::detail
