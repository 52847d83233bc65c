// classic_groups_codec.cpp: encode, decode and walk instantiated for classic groups.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/delete_groups.h"
#include "net/protocol/messages/describe_groups.h"
#include "net/protocol/messages/find_coordinator.h"
#include "net/protocol/messages/heartbeat.h"
#include "net/protocol/messages/join_group.h"
#include "net/protocol/messages/leave_group.h"
#include "net/protocol/messages/list_groups.h"
#include "net/protocol/messages/sync_group.h"

namespace leat {

template struct MessageCodec<FindCoordinatorRequest>;
template struct MessageCodec<FindCoordinatorResponse>;
template struct MessageCodec<JoinGroupRequest>;
template struct MessageCodec<JoinGroupResponse>;
template struct MessageCodec<HeartbeatRequest>;
template struct MessageCodec<HeartbeatResponse>;
template struct MessageCodec<LeaveGroupRequest>;
template struct MessageCodec<LeaveGroupResponse>;
template struct MessageCodec<SyncGroupRequest>;
template struct MessageCodec<SyncGroupResponse>;
template struct MessageCodec<DescribeGroupsRequest>;
template struct MessageCodec<DescribeGroupsResponse>;
template struct MessageCodec<ListGroupsRequest>;
template struct MessageCodec<ListGroupsResponse>;
template struct MessageCodec<DeleteGroupsRequest>;
template struct MessageCodec<DeleteGroupsResponse>;

}  // namespace leat
