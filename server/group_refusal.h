// group_refusal.h: which reply belongs to which event of the group machine, and a reply that says no more than why not.
#pragma once

#include <variant>

#include "core/coordinator/group/group_event.h"

namespace leat {

namespace group_refusal_internal {
template <class Event>
struct ReplyTo {
  using Type = BroadcastReply;  // TopicGone, TopicsChanged, TimePassed
};
template <>
struct ReplyTo<JoinGroup> {
  using Type = JoinGroupReply;
};
template <>
struct ReplyTo<SyncGroup> {
  using Type = SyncGroupReply;
};
template <>
struct ReplyTo<GroupHeartbeat> {
  using Type = GroupHeartbeatReply;
};
template <>
struct ReplyTo<LeaveGroup> {
  using Type = LeaveGroupReply;
};
template <>
struct ReplyTo<ConsumerHeartbeat> {
  using Type = ConsumerHeartbeatReply;
};
template <>
struct ReplyTo<CommitOffsets> {
  using Type = CommitOffsetsReply;
};
template <>
struct ReplyTo<FetchOffsets> {
  using Type = FetchOffsetsReply;
};
template <>
struct ReplyTo<DeleteOffsets> {
  using Type = DeleteOffsetsReply;
};
template <>
struct ReplyTo<DeleteGroup> {
  using Type = DeleteGroupReply;
};
template <>
struct ReplyTo<DescribeGroup> {
  using Type = DescribeGroupReply;
};
template <>
struct ReplyTo<DescribeConsumerGroup> {
  using Type = DescribeConsumerGroupReply;
};
template <>
struct ReplyTo<ListGroups> {
  using Type = ListGroupsReply;
};
}  // namespace group_refusal_internal

template <class Event>
using ReplyTo = typename group_refusal_internal::ReplyTo<Event>::Type;

using GroupRefusal = GroupReply (*)(GroupErrc why);

template <class Event>
GroupReply refused(GroupErrc why) {
  ReplyTo<Event> reply;
  if constexpr (requires { reply.fault; }) {
    reply.fault.code = why;
  } else if constexpr (requires { reply.error; }) {
    reply.error = why;
  }
  return reply;
}

// For an event that is on its way already when it is refused.
inline GroupRefusal refusal_of(const GroupEvent& event) noexcept {
  return std::visit([]<class Event>(const Event&) -> GroupRefusal { return &refused<Event>; }, event);
}

}  // namespace leat
