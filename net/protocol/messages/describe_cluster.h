// describe_cluster.h: DescribeCluster, API key 60, versions 0 to 2, flexible: cluster id, brokers, controller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DescribeClusterRequest {
  static constexpr std::string_view kName = "DescribeClusterRequest";
  static constexpr Versions kVersions{.key = 60, .min = 0, .max = 2, .flexible_since = 0};

  bool include_cluster_authorized_operations = false;
  int8_t endpoint_type = 1;
  bool include_fenced_brokers = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("includeClusterAuthorizedOperations", m.include_cluster_authorized_operations);
    v.field("endpointType", m.endpoint_type, {.since = 1}, 1);
    v.field("includeFencedBrokers", m.include_fenced_brokers, {.since = 2});
  }
  friend bool operator==(const DescribeClusterRequest&, const DescribeClusterRequest&) = default;
};

struct DescribeClusterResponse {
  static constexpr std::string_view kName = "DescribeClusterResponse";
  static constexpr Versions kVersions{.key = 60, .min = 0, .max = 2, .flexible_since = 0};

  struct DescribeClusterBroker {
    int32_t broker_id = 0;
    std::string host;
    int32_t port = 0;
    std::optional<std::string> rack;
    bool is_fenced = false;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("brokerId", m.broker_id);
      v.field("host", m.host);
      v.field("port", m.port);
      v.field("rack", m.rack);
      v.field("isFenced", m.is_fenced, {.since = 2});
    }
    friend bool operator==(const DescribeClusterBroker&, const DescribeClusterBroker&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  int8_t endpoint_type = 1;
  std::string cluster_id;
  int32_t controller_id = -1;
  std::vector<DescribeClusterBroker> brokers;
  int32_t cluster_authorized_operations = INT32_MIN;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("endpointType", m.endpoint_type, {.since = 1}, 1);
    v.field("clusterId", m.cluster_id);
    v.field("controllerId", m.controller_id, {}, -1);
    v.field("brokers", m.brokers);
    v.field("clusterAuthorizedOperations", m.cluster_authorized_operations, {}, INT32_MIN);
  }
  friend bool operator==(const DescribeClusterResponse&, const DescribeClusterResponse&) = default;
};

}  // namespace leat
