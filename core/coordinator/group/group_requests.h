// group_requests.h: one event about groups or offsets, told to the group that it is for: found by its id, made, or
// replaced by one of the other protocol, and forgotten again when nothing came of it.
// What Kafka checks before it looks for the group is checked here: group ids, session timeouts.
#pragma once

#include <string>

#include "core/coordinator/group/group_event.h"
#include "core/coordinator/group/group_step.h"
#include "core/coordinator/group/group_table.h"

namespace leat {

// For one event: std::visit(GroupRequests(table, step, ticket), event). Strings of the event may be used up.
class GroupRequests {
 public:
  GroupRequests(GroupTable& table, GroupStep& step, Ticket ticket) noexcept
      : table_(table), step_(step), ticket_(ticket) {}

  void operator()(JoinGroup& event);
  void operator()(SyncGroup& event);
  void operator()(GroupHeartbeat& event);
  void operator()(LeaveGroup& event);
  void operator()(ConsumerHeartbeat& event);

  void operator()(CommitOffsets& event);
  void operator()(FetchOffsets& event);
  void operator()(DeleteOffsets& event);

  void operator()(DeleteGroup& event);
  void operator()(DescribeGroup& event);
  void operator()(DescribeConsumerGroup& event);
  void operator()(ListGroups& event);

  void operator()(TopicGone& event);
  void operator()(TopicsChanged& event);
  void operator()(TimePassed&) { step_.reply(ticket_, BroadcastReply{}); }  // the machine has seen to it

 private:
  void refuse_join(const JoinGroup& event, GroupErrc error);
  void join_classic(const JoinGroup& event);
  void refuse_heartbeat(GroupFault fault);
  void join_consumer(const ConsumerHeartbeat& event);
  GroupErrc check_commit(const CommitOffsets& event);
  GroupErrc check_fetch(const FetchOffsets& event);
  GroupErrc check_delete_offsets(const std::string& group_id);
  GroupErrc check_delete_group(const std::string& group_id);

  GroupTable& table_;
  GroupStep& step_;
  const Ticket ticket_;
};

// After whatever may have changed the members of a group: forgets it if nothing came of it, and converts it if its last
// member of the consumer protocol is gone.
void settle_group(GroupTable& table, GroupStep& step, const std::string& group_id);
// Ends an empty group; what it committed is not touched.
void end_group(GroupTable& table, GroupStep& step, const std::string& group_id);

}  // namespace leat
