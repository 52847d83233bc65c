// consumer_classic.cpp: classic members of a consumer group, there while a group moves from one protocol to the other.
// To them the group looks like a classic one: the coordinator is its leader, their generation is their member epoch,
// and a heartbeat that says REBALANCE_IN_PROGRESS asks for a join whenever there is something to give up or to get. A
// join counts as a heartbeat that owns what its subscription says, and the sync after it fetches the assignment. A
// member that is asked for one of the two has its own rebalance timeout for it.
#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "core/coordinator/group/classic_group.h"
#include "core/coordinator/group/consumer_group.h"

namespace leat {
namespace {

std::vector<TopicPartitions> owned_by(const ConsumerProtocolSubscription& subscription, const TopicCatalog& catalog) {
  std::vector<TopicPartitions> owned;
  for (const auto& partitions : subscription.owned_partitions) {
    if (const std::optional<CatalogTopic> topic = catalog.find(partitions.topic))
      owned.push_back({.topic_id = topic->id, .partitions = partitions.partitions});
  }
  return owned;
}

MemberMetadata told(MemberMetadata metadata, const JoinGroup& event, const ConsumerProtocolSubscription& subscription) {
  if (event.instance_id) metadata.instance_id = event.instance_id;
  if (subscription.rack_id) metadata.rack_id = subscription.rack_id;
  if (event.rebalance_timeout_ms != -1) metadata.rebalance_timeout_ms = event.rebalance_timeout_ms;
  metadata.subscribed_topic_names = sorted_names(subscription.topics);
  metadata.subscribed_topic_regex = "";  // classic clients match patterns themselves
  metadata.client_id = event.client.id;
  metadata.client_host = event.client.host;
  MemberMetadata::ClassicMemberMetadata classic;
  classic.session_timeout_ms = event.session_timeout_ms;
  for (const NamedProtocol& protocol : event.protocols)
    classic.supported_protocols.push_back({.name = protocol.name, .metadata = protocol.metadata});
  metadata.classic_member_metadata = std::move(classic);
  return metadata;
}

// The first of the protocols that a classic member listed. None are listed only in a foreign log.
MemberMetadata::ClassicProtocol protocol_of(const ConsumerMember& member) {
  const auto& supported = member.metadata.classic_member_metadata->supported_protocols;
  return supported.empty() ? MemberMetadata::ClassicProtocol{} : supported.front();
}

JoinGroupReply failed_join(GroupErrc error, std::string member_id) {
  JoinGroupReply reply;
  reply.error = error;
  reply.member_id = std::move(member_id);
  return reply;
}

}  // namespace

// --- join -----------------------------------------------------------------------------------------------------------

void ConsumerGroup::classic_join(GroupStep& step, Ticket ticket, const JoinGroup& event) {
  std::optional<ConsumerProtocolSubscription> subscription;
  Admission admission = admit_classic(step, event, subscription);
  if (admission.fault.code != GroupErrc::kNone) {
    step.reply(ticket, failed_join(admission.fault.code, std::move(admission.member_id)));
    return;
  }
  const std::string& member_id = admission.member_id;
  if (!admission.replaced_id.empty()) replace_member(step, admission.replaced_id, member_id);
  const ConsumerMember* known = member(member_id);
  MemberMetadata next = told(known == nullptr ? blank_member_metadata() : known->metadata, event, *subscription);
  const bool subscription_changed = update_member(step, member_id, std::move(next));
  bring_up_to_date(step, subscription_changed);
  const std::vector<TopicPartitions> owned = owned_by(*subscription, step.catalog());
  reconcile_member(step, member_id, subscription_changed, &owned);

  const ConsumerMember& now = existing(member_id);
  expect_heartbeat(step, now);
  step.deadlines().set(key_of(DeadlineKind::kRebalance, member_id), step.now_ms() + event.rebalance_timeout_ms);
  JoinGroupReply reply;
  reply.generation = now.epoch();
  reply.protocol_type = kConsumerProtocolType;
  reply.protocol = protocol_of(now).name;
  reply.member_id = member_id;
  step.reply(ticket, std::move(reply));
}

ConsumerGroup::Admission ConsumerGroup::admit_classic(GroupStep& step, const JoinGroup& event,
                                                      std::optional<ConsumerProtocolSubscription>& subscription) const {
  Admission admission;
  admission.member_id = event.member_id;
  const auto refused = [&admission](GroupErrc error) {
    admission.fault.code = error;
    return admission;
  };
  if (!session_timeout_is_allowed(step.rules(), event.session_timeout_ms)) {
    return refused(GroupErrc::kInvalidSessionTimeout);
  }
  // Where no group may change its protocol, nobody may bring the other one in.
  if (step.rules().migration_policy == MigrationPolicy::kDisabled) {
    return refused(GroupErrc::kInconsistentGroupProtocol);
  }
  const ConsumerMember* holder = event.instance_id ? static_member(*event.instance_id) : nullptr;
  const bool has_place = member(event.member_id) != nullptr || holder != nullptr;
  if (!has_place && is_full(step.rules())) return refused(GroupErrc::kGroupMaxSizeReached);
  if (!supports_protocols_of(event)) return refused(GroupErrc::kInconsistentGroupProtocol);
  // All protocols of a member carry the same subscription, as Kafka has it: the first one is looked at.
  subscription = decode_embedded<ConsumerProtocolSubscription>(event.protocols.front().metadata);
  if (!subscription) return refused(GroupErrc::kInconsistentGroupProtocol);

  if (event.member_id.empty()) {
    admission.member_id = Uuid::make(step.random()).to_string();
    if (!event.instance_id && event.member_id_round) return refused(GroupErrc::kMemberIdRequired);
    if (holder != nullptr) admission.replaced_id = holder->id;
  } else if (event.instance_id) {
    if (holder == nullptr) return refused(GroupErrc::kUnknownMemberId);
    if (holder->id != event.member_id) return refused(GroupErrc::kFencedInstanceId);
  }
  // A member that cannot be led from where it stands: it comes back as another one.
  const ConsumerMember* known = member(admission.member_id);
  if (known != nullptr && known->current.state == MemberState::kUnknown) return refused(GroupErrc::kUnknownMemberId);
  return admission;
}

bool ConsumerGroup::supports_protocols_of(const JoinGroup& event) const {
  if (event.protocol_type != kConsumerProtocolType) return false;
  return std::any_of(event.protocols.begin(), event.protocols.end(), [this](const NamedProtocol& protocol) {
    const auto speakers = speakers_by_protocol_.find(protocol.name);
    return classic_count_ == (speakers == speakers_by_protocol_.end() ? 0 : speakers->second);
  });
}

// --- sync and heartbeat ---------------------------------------------------------------------------------------------

GroupErrc ConsumerGroup::check_classic(const ClassicAsker& asker) const {
  const ConsumerMember* found = asker.instance_id ? static_member(*asker.instance_id) : member(asker.member_id);
  if (found == nullptr) return GroupErrc::kUnknownMemberId;
  if (found->id != asker.member_id) return GroupErrc::kFencedInstanceId;
  if (!found->is_classic()) return GroupErrc::kUnknownMemberId;
  return found->epoch() == asker.generation ? GroupErrc::kNone : GroupErrc::kIllegalGeneration;
}

void ConsumerGroup::expect_join(GroupStep& step, const ConsumerMember& member) const {
  DeadlineKey join = key_of(DeadlineKind::kRebalance, member.id);
  if (step.deadlines().is_set(join)) return;  // each heartbeat asks again; the first one counts
  step.deadlines().set(std::move(join), step.now_ms() + member.metadata.rebalance_timeout_ms);
}

void ConsumerGroup::classic_sync(GroupStep& step, Ticket ticket, const SyncGroup& event) {
  SyncGroupReply reply;
  reply.error = check_classic({event.member_id, event.instance_id, event.generation});
  if (reply.error != GroupErrc::kNone) {
    step.reply(ticket, std::move(reply));
    return;
  }
  const ConsumerMember& member = existing(event.member_id);
  const bool is_consistent = (!event.protocol_type || *event.protocol_type == kConsumerProtocolType) &&
                             (!event.protocol || *event.protocol == protocol_of(member).name);
  const DeadlineKey sync = key_of(DeadlineKind::kRebalance, member.id);
  if (!is_consistent) {
    reply.error = GroupErrc::kInconsistentGroupProtocol;
  } else if (epoch() > member.epoch() && member.current.state != MemberState::kUnrevokedPartitions) {
    // While it has to revoke it is allowed to: the next epoch comes after that.
    reply.error = GroupErrc::kRebalanceInProgress;
    step.deadlines().cancel(sync);
    expect_join(step, member);
  } else {
    step.deadlines().cancel(sync);
    expect_heartbeat(step, member);
    reply.protocol_type = event.protocol_type;
    reply.protocol = event.protocol;
    reply.assignment = classic_assignment(member, step.catalog());
  }
  step.reply(ticket, std::move(reply));
}

Bytes ConsumerGroup::classic_assignment(const ConsumerMember& member, const TopicCatalog& catalog) const {
  ConsumerProtocolAssignment assignment;
  for (const auto& [topic_id, epochs] : member.current.assigned) {
    const std::optional<CatalogTopic> topic = catalog.find(topic_id);
    if (!topic) continue;
    auto& out = assignment.assigned_partitions.emplace_back();
    out.topic = topic->name;
    for (const auto& [partition, epoch] : epochs) out.partitions.push_back(partition);
  }
  const Bytes subscription = protocol_of(member).metadata;
  const int16_t version = std::max(Reader(ByteView(subscription)).i16(), ConsumerProtocolAssignment::kVersions.min);
  Result<Bytes> encoded = encode_value(assignment, std::min(version, ConsumerProtocolAssignment::kVersions.max));
  ENSURE(encoded.has_value(), "group {}, member {}", id_, member.id);
  return std::move(*encoded);
}

// It gains by a join when the target has moved, when it is to give up, and when all that it waits for is free.
bool ConsumerGroup::must_rejoin(const ConsumerMember& member) const {
  if (member.epoch() < epoch() || member.current.state == MemberState::kUnrevokedPartitions) return true;
  if (member.current.state != MemberState::kUnreleasedPartitions) return false;
  for (const auto& [topic, partitions] : target_of(member.id)) {
    for (const int32_t partition : partitions) {
      if (!held_since(member.current, topic, partition) && holders_.is_held(topic, partition)) return false;
    }
  }
  return true;
}

void ConsumerGroup::classic_heartbeat(GroupStep& step, Ticket ticket, const GroupHeartbeat& event) {
  GroupHeartbeatReply reply;
  reply.error = check_classic({event.member_id, event.instance_id, event.generation});
  if (reply.error == GroupErrc::kNone) {
    bring_up_to_date(step, false);  // topics may have changed, and nobody else may ask
    const ConsumerMember& member = existing(event.member_id);
    expect_heartbeat(step, member);
    if (must_rejoin(member)) {
      reply.error = GroupErrc::kRebalanceInProgress;
      expect_join(step, member);
    }
  }
  step.reply(ticket, reply);
}

// --- leave ----------------------------------------------------------------------------------------------------------

GroupErrc ConsumerGroup::find_leaving(const LeavingMember& leaving, std::string& member_id) const {
  const ConsumerMember* found = leaving.instance_id ? static_member(*leaving.instance_id) : member(leaving.member_id);
  if (found == nullptr) return GroupErrc::kUnknownMemberId;
  // Tools name the instance alone.
  const bool is_named = !leaving.instance_id || !leaving.member_id.empty();
  if (is_named && found->id != leaving.member_id) return GroupErrc::kFencedInstanceId;
  member_id = found->id;
  return GroupErrc::kNone;
}

// Members of either protocol: a tool may remove any.
void ConsumerGroup::classic_leave(GroupStep& step, Ticket ticket, const LeaveGroup& event) {
  LeaveGroupReply reply;
  std::set<std::string> leaving;
  for (const LeavingMember& member : event.members) {
    std::string member_id;
    const GroupErrc error = find_leaving(member, member_id);
    if (error == GroupErrc::kNone) leaving.insert(std::move(member_id));
    reply.members.push_back(error);
  }
  remove_members(step, leaving);
  step.reply(ticket, std::move(reply));
}

}  // namespace leat
