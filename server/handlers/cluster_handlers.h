// cluster_handlers.h: the handlers that say what the broker is and what it speaks. Each is a coroutine that reads top
// to bottom; versions, gaps and errors stand at the top of api_versions.cpp and cluster.cpp. Thread: the loop.
#pragma once

#include "net/loop/task.h"
#include "net/protocol/messages/api_versions.h"
#include "net/protocol/messages/describe_cluster.h"
#include "net/protocol/messages/describe_log_dirs.h"
#include "net/protocol/messages/describe_quorum.h"
#include "net/protocol/messages/elect_leaders.h"
#include "net/protocol/messages/list_partition_reassignments.h"
#include "server/request.h"

namespace leat {

struct Broker;

Task<ApiVersionsResponse> handle_api_versions(Broker& broker, Request request, ApiVersionsRequest message);
Task<DescribeClusterResponse> handle_describe_cluster(Broker& broker, Request request, DescribeClusterRequest message);
Task<DescribeLogDirsResponse> handle_describe_log_dirs(Broker& broker, Request request, DescribeLogDirsRequest message);
Task<DescribeQuorumResponse> handle_describe_quorum(Broker& broker, Request request, DescribeQuorumRequest message);
Task<ElectLeadersResponse> handle_elect_leaders(Broker& broker, Request request, ElectLeadersRequest message);
Task<ListPartitionReassignmentsResponse> handle_list_partition_reassignments(Broker& broker, Request request,
                                                                             ListPartitionReassignmentsRequest message);

}  // namespace leat
