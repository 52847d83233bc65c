// group_queries.cpp: GroupRequests for offsets, for tools (list, describe, delete), and for what happens to topics.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/coordinator/consumer_protocol.h"
#include "core/coordinator/group/group_offsets.h"
#include "core/coordinator/group/group_requests.h"

namespace leat {
namespace {

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_wanted(const std::vector<std::string>& wanted, std::string_view word) {
  if (wanted.empty()) return true;
  return std::any_of(wanted.begin(), wanted.end(),
                     [word](const std::string& one) { return equal_but_for_case(trim(one), word); });
}

ListedGroup listed(const std::string& group_id, const GroupTable::Group& group) {
  ListedGroup out;
  out.group_id = group_id;
  if (const auto* classic = std::get_if<ClassicGroup>(&group)) {
    out.type = "classic";
    out.protocol_type = classic->protocol_type();
    out.state = classic->state_name();
  } else {
    out.type = "consumer";
    out.protocol_type = kConsumerProtocolType;
    out.state = std::get<ConsumerGroup>(group).state_name();
  }
  return out;
}

GroupFault not_found(const std::string& group_id) {
  return {.code = GroupErrc::kGroupIdNotFound, .message = fmt::format("Group {} not found.", group_id)};
}

}  // namespace

// --- offsets --------------------------------------------------------------------------------------------------------

void GroupRequests::operator()(CommitOffsets& event) {
  CommitOffsetsReply reply;
  reply.error = check_commit(event);
  if (reply.error == GroupErrc::kNone) reply.partitions = commit_offsets(step_, event);
  step_.reply(ticket_, std::move(reply));
}

// Who commits without a generation for a group that is not there makes a simple one by it: a tool, or a consumer that
// assigns itself its partitions.
GroupErrc GroupRequests::check_commit(const CommitOffsets& event) {
  if (ClassicGroup* classic = table_.find_classic(event.group_id)) return classic->check_commit(step_, event);
  if (ConsumerGroup* consumer = table_.find_consumer(event.group_id)) return consumer->check_commit(step_, event);
  if (event.generation_or_epoch < 0) return GroupErrc::kNone;
  return event.by_member_epoch_known ? GroupErrc::kGroupIdNotFound : GroupErrc::kIllegalGeneration;
}

void GroupRequests::operator()(FetchOffsets& event) {
  FetchOffsetsReply reply;
  reply.error = check_fetch(event);
  if (reply.error == GroupErrc::kNone) {
    reply.offsets = table_.find(event.group_id) == nullptr ? no_offsets(event)
                                                           : fetch_offsets(table_.offsets(), step_.catalog(), event);
  }
  step_.reply(ticket_, std::move(reply));
}

GroupErrc GroupRequests::check_fetch(const FetchOffsets& event) {
  const ConsumerGroup* consumer = table_.find_consumer(event.group_id);
  return consumer == nullptr ? GroupErrc::kNone : consumer->check_fetch(event);
}

void GroupRequests::operator()(DeleteOffsets& event) {
  DeleteOffsetsReply reply;
  reply.error = check_delete_offsets(event.group_id);
  if (reply.error == GroupErrc::kNone) {
    reply.partitions = delete_offsets(step_, table_.offsets(), event, subscriptions_of(*table_.find(event.group_id)));
  }
  step_.reply(ticket_, std::move(reply));
}

// What a live group is subscribed to is known of consumers only.
GroupErrc GroupRequests::check_delete_offsets(const std::string& group_id) {
  if (group_id.empty()) return GroupErrc::kInvalidGroupId;
  if (table_.find(group_id) == nullptr) return GroupErrc::kGroupIdNotFound;
  const ClassicGroup* classic = table_.find_classic(group_id);
  const bool is_other = classic != nullptr && !classic->is_empty() && classic->protocol_type() != kConsumerProtocolType;
  return is_other ? GroupErrc::kNonEmptyGroup : GroupErrc::kNone;
}

// --- groups ---------------------------------------------------------------------------------------------------------

void GroupRequests::operator()(DeleteGroup& event) {
  DeleteGroupReply reply;
  reply.error = check_delete_group(event.group_id);
  if (reply.error == GroupErrc::kNone) {
    delete_all_offsets(step_, table_.offsets(), event.group_id);
    end_group(table_, step_, event.group_id);
  }
  step_.reply(ticket_, reply);
}

GroupErrc GroupRequests::check_delete_group(const std::string& group_id) {
  const GroupTable::Group* group = table_.find(group_id);
  if (group == nullptr) return GroupErrc::kGroupIdNotFound;
  return is_empty(*group) ? GroupErrc::kNone : GroupErrc::kNonEmptyGroup;
}

void GroupRequests::operator()(DescribeGroup& event) {
  if (const ClassicGroup* classic = table_.find_classic(event.group_id)) {
    return step_.reply(ticket_, classic->describe());
  }
  DescribeGroupReply reply;
  reply.state = "Dead";
  if (event.missing_is_an_error) {
    reply.fault = not_found(event.group_id);
    if (table_.find(event.group_id) != nullptr) {
      reply.fault.message = fmt::format("Group {} is not a classic group.", event.group_id);
    }
  }
  step_.reply(ticket_, std::move(reply));
}

void GroupRequests::operator()(DescribeConsumerGroup& event) {
  if (const ConsumerGroup* consumer = table_.find_consumer(event.group_id)) {
    return step_.reply(ticket_, consumer->describe(step_.catalog(), step_.rules()));
  }
  DescribeConsumerGroupReply reply;
  if (event.group_id.empty()) {
    reply.fault.code = GroupErrc::kInvalidGroupId;
  } else {
    reply.fault = not_found(event.group_id);
  }
  if (table_.find(event.group_id) != nullptr) {
    reply.fault.message = fmt::format("Group {} is not a consumer group.", event.group_id);
  }
  step_.reply(ticket_, std::move(reply));
}

void GroupRequests::operator()(ListGroups& event) {
  ListGroupsReply reply;
  for (const auto& [group_id, group] : table_.groups()) {
    ListedGroup one = listed(group_id, group);
    if (is_wanted(event.states, one.state) && is_wanted(event.types, one.type)) reply.groups.push_back(std::move(one));
  }
  step_.reply(ticket_, std::move(reply));
}

// --- topics ---------------------------------------------------------------------------------------------------------

void GroupRequests::operator()(TopicGone& event) {
  delete_offsets_of_topic(step_, table_.offsets(), event);
  step_.reply(ticket_, BroadcastReply{});
}

void GroupRequests::operator()(TopicsChanged&) {
  for (auto& [group_id, group] : table_.groups()) {
    if (auto* consumer = std::get_if<ConsumerGroup>(&group)) consumer->catalog_changed();
  }
  step_.reply(ticket_, BroadcastReply{});
}

}  // namespace leat
