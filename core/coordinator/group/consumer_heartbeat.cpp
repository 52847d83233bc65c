// consumer_heartbeat.cpp: ConsumerGroupHeartbeat: who gets in, what a member says, where it is led, and how it leaves.
// Every check comes before the first write: what is refused has changed nothing.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/coordinator/group/consumer_group.h"
#include "core/coordinator/group/subscription_regex.h"

namespace leat {
namespace {

GroupFault fault(GroupErrc code, std::string message) { return {.code = code, .message = std::move(message)}; }
GroupFault invalid(std::string message) { return fault(GroupErrc::kInvalidRequest, std::move(message)); }

// As Java's trim().isEmpty().
bool is_blank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) <= ' '; });
}
bool is_blank(const std::optional<std::string>& text) { return text.has_value() && is_blank(std::string_view(*text)); }

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

GroupFault fault_of_join(const ConsumerHeartbeat& event) {
  if (event.rebalance_timeout_ms == -1) return invalid("RebalanceTimeoutMs must be provided in first request.");
  if (!event.owned_partitions || !event.owned_partitions->empty()) {
    return invalid("TopicPartitions must be empty when (re-)joining.");
  }
  // An empty subscription is one: the member is in the group, and gets nothing.
  if (!event.subscribed_topic_names && !event.subscribed_topic_regex) {
    return invalid("Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.");
  }
  return {};
}

// A heartbeat says everything when it says all that a join must: then its sender may have lost what it knew.
bool says_everything(const ConsumerHeartbeat& event) {
  return event.rebalance_timeout_ms != -1 && (event.subscribed_topic_names || event.subscribed_topic_regex) &&
         event.owned_partitions;
}

// The usual heartbeat, which has to cost little.
bool says_nothing_new(const MemberMetadata& known, const ConsumerHeartbeat& event) {
  return !event.rack_id && event.rebalance_timeout_ms == -1 && !event.subscribed_topic_names &&
         !event.subscribed_topic_regex && !event.server_assignor && !known.classic_member_metadata &&
         known.client_id == event.client.id && known.client_host == event.client.host &&
         (!event.instance_id || known.instance_id == event.instance_id);
}

MemberMetadata told(MemberMetadata metadata, const ConsumerHeartbeat& event) {
  if (event.instance_id) metadata.instance_id = event.instance_id;
  if (event.rack_id) metadata.rack_id = event.rack_id;
  if (event.rebalance_timeout_ms != -1) metadata.rebalance_timeout_ms = event.rebalance_timeout_ms;
  if (event.server_assignor) metadata.server_assignor = event.server_assignor;
  if (event.subscribed_topic_names) metadata.subscribed_topic_names = sorted_names(*event.subscribed_topic_names);
  if (event.subscribed_topic_regex) metadata.subscribed_topic_regex = event.subscribed_topic_regex;
  metadata.client_id = event.client.id;
  metadata.client_host = event.client.host;
  metadata.classic_member_metadata.reset();
  return metadata;
}

bool are_assigned(const std::vector<TopicPartitions>& owned, const PartitionEpochs& assigned) {
  return std::all_of(owned.begin(), owned.end(), [&assigned](const TopicPartitions& topic) {
    const auto found = assigned.find(topic.topic_id);
    if (found == assigned.end()) return false;
    return std::all_of(topic.partitions.begin(), topic.partitions.end(),
                       [&](int32_t partition) { return found->second.contains(partition); });
  });
}

GroupFault epoch_fault(const ConsumerHeartbeat& event, const ConsumerMember& member) {
  // A member that lost its place begins anew with epoch 0.
  if (event.member_epoch == kJoinEpoch || event.member_epoch == member.epoch()) return {};
  const bool is_greater = event.member_epoch > member.epoch();
  const bool may_have_missed_an_answer = !is_greater && event.member_epoch == member.current.previous_member_epoch;
  if (may_have_missed_an_answer && event.owned_partitions &&
      are_assigned(*event.owned_partitions, member.current.assigned)) {
    return {};
  }
  return fault(GroupErrc::kFencedMemberEpoch,
               fmt::format("The consumer group member has a {} member epoch ({}) than the one known by the group "
                           "coordinator ({}). The member must abandon all its partitions and rejoin.",
                           is_greater ? "greater" : "smaller", event.member_epoch, member.epoch()));
}

GroupFault unknown_instance(const std::string& instance_id) {
  return fault(GroupErrc::kUnknownMemberId, fmt::format("Instance id {} is unknown.", instance_id));
}

GroupFault fenced_instance(const std::string& member_id, const std::string& instance_id, const ConsumerMember& holder) {
  return fault(
      GroupErrc::kFencedInstanceId,
      fmt::format("Static member {} with instance id {} was fenced by member {}.", member_id, instance_id, holder.id));
}

ConsumerHeartbeatReply refused(GroupFault fault) {
  ConsumerHeartbeatReply reply;
  reply.fault = std::move(fault);
  return reply;
}

}  // namespace

GroupFault ConsumerGroup::fault_of(const ConsumerHeartbeat& event, const GroupRules& rules) {
  const bool needs_member_id =
      !event.member_id_is_ours_to_make || event.member_epoch > 0 || event.member_epoch == kLeaveEpoch;
  if (needs_member_id && is_blank(std::string_view(event.member_id))) return invalid("MemberId can't be empty.");
  if (is_blank(std::string_view(event.group_id))) return invalid("GroupId can't be empty.");
  if (is_blank(event.instance_id)) return invalid("InstanceId can't be empty.");
  if (is_blank(event.rack_id)) return invalid("RackId can't be empty.");
  if (event.member_epoch == kJoinEpoch) {
    if (GroupFault wrong = fault_of_join(event); wrong.code != GroupErrc::kNone) return wrong;
  }
  if (event.member_epoch == kStaticLeaveEpoch && !event.instance_id) return invalid("InstanceId can't be null.");
  if (event.member_epoch < kStaticLeaveEpoch) return invalid("MemberEpoch is invalid.");
  if (!event.server_assignor || contains(rules.consumer_assignors, *event.server_assignor)) return {};
  return fault(GroupErrc::kUnsupportedAssignor,
               fmt::format("ServerAssignor {} is not supported. Supported assignors: {}.", *event.server_assignor,
                           fmt::join(rules.consumer_assignors, ", ")));
}

void ConsumerGroup::heartbeat(GroupStep& step, Ticket ticket, const ConsumerHeartbeat& event) {
  if (GroupFault wrong = fault_of(event, step.rules()); wrong.code != GroupErrc::kNone) {
    step.reply(ticket, refused(std::move(wrong)));
    return;
  }
  const bool is_leaving = event.member_epoch == kLeaveEpoch || event.member_epoch == kStaticLeaveEpoch;
  step.reply(ticket, is_leaving ? leave(step, event) : beat(step, event));
}

ConsumerHeartbeatReply ConsumerGroup::beat(GroupStep& step, const ConsumerHeartbeat& event) {
  Admission admission = admit(step, event);
  if (admission.fault.code != GroupErrc::kNone) return refused(std::move(admission.fault));
  const std::string& member_id = admission.member_id;

  if (!admission.replaced_id.empty()) replace_member(step, admission.replaced_id, member_id);
  bool subscription_changed = false;
  bool assignor_changed = false;
  const ConsumerMember* known = member(member_id);
  const bool was_classic = known != nullptr && known->is_classic();
  if (known == nullptr || !says_nothing_new(known->metadata, event)) {
    const std::string assignor_before = preferred_assignor(step.rules());
    subscription_changed =
        update_member(step, member_id, told(known == nullptr ? blank_member_metadata() : known->metadata, event));
    assignor_changed = preferred_assignor(step.rules()) != assignor_before;
  }
  bring_up_to_date(step, subscription_changed || assignor_changed);
  const Owned owned = event.owned_partitions ? &*event.owned_partitions : nullptr;
  const bool is_news = reconcile_member(step, member_id, subscription_changed, owned);

  const ConsumerMember& now = existing(member_id);
  expect_heartbeat(step, now);
  if (was_classic) expect_revocation(step, now);  // and no join or sync any more
  ConsumerHeartbeatReply reply;
  reply.member_id = member_id;
  reply.member_epoch = now.epoch();
  reply.heartbeat_interval_ms = step.rules().heartbeat_interval_ms(id_);
  if (event.member_epoch == kJoinEpoch || is_news || says_everything(event)) {
    reply.assignment = to_topic_partitions(now.current.assigned);
  }
  return reply;
}

// --- who gets in ----------------------------------------------------------------------------------------------------

ConsumerGroup::Admission ConsumerGroup::admit(GroupStep& step, const ConsumerHeartbeat& event) const {
  Admission admission;
  const ConsumerMember* known = member(event.member_id);
  // A static member that comes back under a new id needs no new place.
  const bool has_place = known != nullptr || (event.instance_id && static_member(*event.instance_id) != nullptr);
  if (!has_place && is_full(step.rules())) {
    admission.fault = fault(GroupErrc::kGroupMaxSizeReached,
                            fmt::format("The consumer group has reached its maximum capacity of {} members.",
                                        step.rules().consumer_max_size));
    return admission;
  }
  admission.member_id = event.member_id.empty() ? Uuid::make(step.random()).to_string() : event.member_id;
  admission.fault = event.instance_id ? admit_static(event, admission) : admit_dynamic(event, known);
  if (admission.fault.code == GroupErrc::kNone) admission.fault = regex_fault(event);
  return admission;
}

GroupFault ConsumerGroup::admit_dynamic(const ConsumerHeartbeat& event, const ConsumerMember* known) const {
  if (known != nullptr) return place_fault(event, *known);
  if (event.member_epoch == kJoinEpoch) return {};
  return fault(GroupErrc::kUnknownMemberId,
               fmt::format("Member {} is not a member of group {}.", event.member_id, id_));
}

GroupFault ConsumerGroup::admit_static(const ConsumerHeartbeat& event, Admission& admission) const {
  const std::string& instance_id = *event.instance_id;
  const ConsumerMember* holder = static_member(instance_id);
  if (event.member_epoch != kJoinEpoch) {
    if (holder == nullptr) return unknown_instance(instance_id);
    if (holder->id != event.member_id) return fenced_instance(event.member_id, instance_id, *holder);
    return place_fault(event, *holder);
  }
  if (holder == nullptr) return {};
  if (holder->id == admission.member_id) return place_fault(event, *holder);
  if (!holder->is_classic() && holder->epoch() != kStaticLeaveEpoch) {
    return fault(GroupErrc::kUnreleasedInstanceId,
                 fmt::format("Static member {} with instance id {} cannot join the group because the instance id is "
                             "owned by {} member.",
                             admission.member_id, instance_id, holder->id));
  }
  admission.replaced_id = holder->id;
  return {};
}

// Of a member that is there already.
GroupFault ConsumerGroup::place_fault(const ConsumerHeartbeat& event, const ConsumerMember& member) const {
  if (GroupFault wrong = epoch_fault(event, member); wrong.code != GroupErrc::kNone) return wrong;
  const bool owns_nothing = event.owned_partitions && event.owned_partitions->empty();
  if (member.current.state != MemberState::kUnknown || owns_nothing) return {};
  return fault(GroupErrc::kFencedMemberEpoch,
               "The consumer group member is in a unknown state. The member must abandon all its partitions and "
               "rejoin.");
}

// A pattern that stands in the log already was found good before.
GroupFault ConsumerGroup::regex_fault(const ConsumerHeartbeat& event) const {
  if (!event.subscribed_topic_regex || event.subscribed_topic_regex->empty()) return {};
  if (subscribers_by_regex_.contains(*event.subscribed_topic_regex)) return {};
  const Result<SubscriptionRegex> regex = SubscriptionRegex::compile(*event.subscribed_topic_regex);
  if (regex) return {};
  return fault(GroupErrc::kInvalidRegularExpression, regex.error().context);
}

// The new one begins where the old one stood, so that nobody else has to move. Its process is another: it can be led
// from there also when the old one was in a state that we do not know.
void ConsumerGroup::replace_member(GroupStep& step, const std::string& old_id, const std::string& new_id) {
  const ConsumerMember old = existing(old_id);
  const PartitionsByTopic target = target_of(old_id);
  CurrentAssignment current = old.current;
  current.member_epoch = kJoinEpoch;
  current.previous_member_epoch = kJoinEpoch;
  if (current.state == MemberState::kUnknown) current.state = MemberState::kStable;
  end_member(step, old_id);
  step.write(ConsumerMemberRecord{.key = {.group_id = id_, .member_id = new_id}, .value = old.metadata});
  step.write(TargetMemberRecord{.key = {.group_id = id_, .member_id = new_id}, .value = to_record_value(target)});
  step.write(CurrentMemberRecord{.key = {.group_id = id_, .member_id = new_id}, .value = to_record_value(current)});
}

// --- what a member says, and where it is led ------------------------------------------------------------------------

// Says whether it subscribes to something else now.
bool ConsumerGroup::update_member(GroupStep& step, const std::string& member_id, MemberMetadata next) {
  const ConsumerMember* before = member(member_id);
  if (before != nullptr && before->metadata == next) return false;
  static const std::vector<std::string> none;
  const std::vector<std::string>& names = before == nullptr ? none : before->metadata.subscribed_topic_names;
  const std::string_view regex = before == nullptr ? std::string_view() : before->regex();
  const bool regex_changed = regex != ConsumerMember::regex_of(next);
  const bool has_changed = regex_changed || names != next.subscribed_topic_names;
  step.write(ConsumerMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = std::move(next)});
  if (regex_changed) drop_unused_regexes(step);
  return has_changed;
}

// Says whether its assignment is another one now.
bool ConsumerGroup::reconcile_member(GroupStep& step, const std::string& member_id, bool subscription_changed,
                                     Owned owned) {
  const ConsumerMember& member = existing(member_id);
  if (!subscription_changed && member.is_reconciled_to(target_epoch())) return false;
  const std::set<Uuid> subscribed = subscribed_topics(member, step.catalog());
  CurrentAssignment next = reconcile({.current = member.current,
                                      .target_epoch = target_epoch(),
                                      .target = target_of(member_id),
                                      .subscribed = subscribed,
                                      .holders = holders_,
                                      .owned = owned,
                                      .subscription_changed = subscription_changed});
  // A member that waits at an epoch moves nowhere: that it has now been there before, too, is worth no record.
  if (next.member_epoch == member.epoch()) next.previous_member_epoch = member.current.previous_member_epoch;
  if (next == member.current) return false;

  const bool is_news = next.assigned != member.current.assigned;
  step.write(CurrentMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = to_record_value(next)});
  const ConsumerMember& now = existing(member_id);
  if (!now.is_classic()) expect_revocation(step, now);  // the others are given their time by joins and syncs
  return is_news;
}

// --- who leaves -----------------------------------------------------------------------------------------------------

ConsumerHeartbeatReply ConsumerGroup::leave(GroupStep& step, const ConsumerHeartbeat& event) {
  const ConsumerMember* leaving = event.instance_id ? static_member(*event.instance_id) : member(event.member_id);
  if (leaving == nullptr) {
    if (event.instance_id) return refused(unknown_instance(*event.instance_id));
    return refused(fault(GroupErrc::kUnknownMemberId,
                         fmt::format("Member {} is not a member of group {}.", event.member_id, id_)));
  }
  if (leaving->id != event.member_id) {
    return refused(fenced_instance(event.member_id, *event.instance_id, *leaving));
  }
  if (event.member_epoch == kStaticLeaveEpoch) {
    leave_for_a_while(step, *leaving);
  } else {
    remove_members(step, {event.member_id});
  }
  ConsumerHeartbeatReply reply;
  reply.member_id = event.member_id;
  reply.member_epoch = event.member_epoch;
  return reply;
}

// It keeps what it was assigned until its session ends; nothing is left to be revoked, for its process is gone. Its
// successor holds the partitions from epoch 0 on, so that it may commit at once.
void ConsumerGroup::leave_for_a_while(GroupStep& step, const ConsumerMember& member) {
  CurrentAssignment away = member.current;
  away.member_epoch = kStaticLeaveEpoch;
  away.pending_revocation.clear();
  for (auto& [topic, epochs] : away.assigned) {
    for (auto& [partition, epoch] : epochs) epoch = 0;
  }
  step.deadlines().cancel(key_of(DeadlineKind::kRebalance, member.id));
  step.write(CurrentMemberRecord{.key = {.group_id = id_, .member_id = member.id}, .value = to_record_value(away)});
}

}  // namespace leat
