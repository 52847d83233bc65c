// classic_group.cpp: what a classic group keeps and says of itself: records, description, subscriptions, commits.
#include "core/coordinator/group/classic_group.h"

#include <utility>

#include "core/base/check.h"
#include "core/codec/message_reader.h"
#include "core/coordinator/consumer_protocol.h"

namespace leat {
namespace {

bool may_follow(ClassicState before, ClassicState next) noexcept {
  switch (next) {
    case ClassicState::kEmptyGroup:
      return before == ClassicState::kPreparingRebalance;
    case ClassicState::kPreparingRebalance:
      return before != ClassicState::kPreparingRebalance;
    case ClassicState::kCompletingRebalance:
      return before == ClassicState::kPreparingRebalance;
    case ClassicState::kStable:
      return before == ClassicState::kCompletingRebalance;
  }
  return false;
}

}  // namespace

std::string_view to_string(ClassicState state) noexcept {
  switch (state) {
    case ClassicState::kEmptyGroup:
      return "Empty";
    case ClassicState::kPreparingRebalance:
      return "PreparingRebalance";
    case ClassicState::kCompletingRebalance:
      return "CompletingRebalance";
    case ClassicState::kStable:
      return "Stable";
  }
  return "";
}

void ClassicGroup::set_state(ClassicState next, int64_t wall_ms) {
  ENSURE(may_follow(state_, next), "group {}: from {} to {}", group_id_, to_string(state_), to_string(next));
  state_ = next;
  state_since_wall_ms_ = wall_ms;
}

// --- records --------------------------------------------------------------------------------------------------------

void ClassicGroup::apply(const GroupMetadataValue& value) {
  recorded_ = value;
  protocol_type_ = value.protocol_type;
  generation_ = value.generation;
  protocol_ = value.protocol;
  members_.adopt(value);
  leader_ = value.leader;
  if (leader_ && members_.find(*leader_) == nullptr) leader_.reset();
  if (!leader_ && !members_.empty()) leader_ = members().begin()->first;
  state_ = members_.empty() ? ClassicState::kEmptyGroup : ClassicState::kStable;
  state_since_wall_ms_ = value.current_state_timestamp;
  is_initial_ = false;
  read_subscriptions();
}

GroupMetadataValue ClassicGroup::to_record_value(int64_t wall_ms) const {
  if (recorded_) return *recorded_;
  GroupMetadataValue value;
  value.protocol.reset();
  value.leader.reset();
  value.current_state_timestamp = wall_ms;
  return value;
}

// The group as it stands between records, to be written once it is complete.
GroupMetadataValue ClassicGroup::live_value() const {
  GroupMetadataValue value;
  value.protocol_type = protocol_type_;
  value.generation = generation_;
  value.protocol = protocol_;
  value.leader = leader_;
  value.current_state_timestamp = state_since_wall_ms_;
  value.members.reserve(members_.size());
  for (const auto& [id, member] : members()) {
    value.members.push_back(member.to_record(protocol_.value_or("")));
  }
  return value;
}

void ClassicGroup::write(GroupStep& step, GroupMetadataValue value) {
  step.write(ClassicGroupRecord{.key = {.group = group_id_}, .value = std::move(value)});
}

void ClassicGroup::set_member_protocols(std::string_view member_id, std::vector<NamedProtocol> protocols) {
  members_.set_protocols(member_id, std::move(protocols));
}

// --- questions ------------------------------------------------------------------------------------------------------

// Read in version 0 whatever version the members wrote: each begins with it, also those that do not exist yet.
void ClassicGroup::read_subscriptions() {
  subscribed_topics_.reset();
  if (protocol_type_ != kConsumerProtocolType) return;
  if (!members_.empty() && !protocol_) return;
  std::set<std::string, std::less<>> topics;
  for (const auto& [id, member] : members()) {
    const Bytes* metadata = member.metadata_for(*protocol_);
    if (metadata == nullptr) return;
    MessageReader in{ByteView(*metadata)};
    ConsumerProtocolSubscription subscription;
    (void)in.i16();
    if (in.failed() || !decode(in, 0, subscription)) return;
    for (std::string& topic : subscription.topics) topics.insert(std::move(topic));
  }
  subscribed_topics_ = std::move(topics);
}

bool ClassicGroup::is_subscribed_to(std::string_view topic) const {
  if (subscribed_topics_) return subscribed_topics_->contains(topic);
  return protocol_type_ == kConsumerProtocolType;
}

DescribeGroupReply ClassicGroup::describe() const {
  const bool is_stable = state_ == ClassicState::kStable;
  DescribeGroupReply reply;
  reply.state = state_name();
  reply.protocol_type = protocol_type_;
  if (is_stable) reply.protocol = protocol_.value_or("");
  reply.members.reserve(members_.size());
  for (const auto& [id, member] : members()) {
    DescribedClassicMember& described = reply.members.emplace_back();
    described.member_id = id;
    described.instance_id = member.instance_id;
    described.client = member.client;
    described.assignment = member.assignment;
    const Bytes* metadata = is_stable ? member.metadata_for(reply.protocol) : nullptr;
    if (metadata != nullptr) described.metadata = *metadata;
  }
  return reply;
}

// --- commits --------------------------------------------------------------------------------------------------------

GroupErrc ClassicGroup::check_commit(GroupStep& step, const CommitOffsets& request) {
  const bool names_generation = request.generation_or_epoch >= 0;
  // Simple consumers and tools commit for a group that nobody is in.
  if (!names_generation && is_empty()) return GroupErrc::kNone;
  if (!names_generation && request.member_id.empty() && !request.instance_id) return GroupErrc::kUnknownMemberId;
  const GroupErrc fence = check_member({request.member_id, request.instance_id});
  if (fence != GroupErrc::kNone) return fence;
  if (request.generation_or_epoch != generation_) return GroupErrc::kIllegalGeneration;
  // It knows the new generation, but not yet what it owns in it.
  if (state_ == ClassicState::kCompletingRebalance) return GroupErrc::kRebalanceInProgress;
  arm_session(step, members_.at(request.member_id));
  return GroupErrc::kNone;
}

}  // namespace leat
