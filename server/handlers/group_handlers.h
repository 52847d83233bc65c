// group_handlers.h: the handlers of groups. Each is a coroutine that reads top to bottom: the message becomes an event
// of core/coordinator/group, GroupCoordinator answers it, the reply becomes a message. Versions, gaps and errors: at
// the top of each .cpp. All of them wait until what the answer says is durable; JoinGroup and SyncGroup as long as a
// rebalance, with what follows on their connection waiting behind them, as Kafka has it: clients send nothing there
// meanwhile. A connection that closes meanwhile changes nothing: the member has joined, and goes when its session ends.
// Thread: the loop.
#pragma once

#include "net/loop/task.h"
#include "net/protocol/messages/consumer_group_describe.h"
#include "net/protocol/messages/consumer_group_heartbeat.h"
#include "net/protocol/messages/delete_groups.h"
#include "net/protocol/messages/describe_groups.h"
#include "net/protocol/messages/find_coordinator.h"
#include "net/protocol/messages/heartbeat.h"
#include "net/protocol/messages/join_group.h"
#include "net/protocol/messages/leave_group.h"
#include "net/protocol/messages/list_groups.h"
#include "net/protocol/messages/offset_commit.h"
#include "net/protocol/messages/offset_delete.h"
#include "net/protocol/messages/offset_fetch.h"
#include "net/protocol/messages/sync_group.h"
#include "server/request.h"

namespace leat {

struct Broker;

Task<FindCoordinatorResponse> handle_find_coordinator(Broker& broker, Request request, FindCoordinatorRequest message);

Task<JoinGroupResponse> handle_join_group(Broker& broker, Request request, JoinGroupRequest message);
Task<SyncGroupResponse> handle_sync_group(Broker& broker, Request request, SyncGroupRequest message);
Task<HeartbeatResponse> handle_heartbeat(Broker& broker, Request request, HeartbeatRequest message);
Task<LeaveGroupResponse> handle_leave_group(Broker& broker, Request request, LeaveGroupRequest message);

Task<ConsumerGroupHeartbeatResponse> handle_consumer_group_heartbeat(Broker& broker, Request request,
                                                                     ConsumerGroupHeartbeatRequest message);
Task<ConsumerGroupDescribeResponse> handle_consumer_group_describe(Broker& broker, Request request,
                                                                   ConsumerGroupDescribeRequest message);

Task<OffsetCommitResponse> handle_offset_commit(Broker& broker, Request request, OffsetCommitRequest message);
Task<OffsetFetchResponse> handle_offset_fetch(Broker& broker, Request request, OffsetFetchRequest message);
Task<OffsetDeleteResponse> handle_offset_delete(Broker& broker, Request request, OffsetDeleteRequest message);

Task<ListGroupsResponse> handle_list_groups(Broker& broker, Request request, ListGroupsRequest message);
Task<DescribeGroupsResponse> handle_describe_groups(Broker& broker, Request request, DescribeGroupsRequest message);
Task<DeleteGroupsResponse> handle_delete_groups(Broker& broker, Request request, DeleteGroupsRequest message);

}  // namespace leat
