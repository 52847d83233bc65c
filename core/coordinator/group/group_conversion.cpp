// group_conversion.cpp: the same members, said in the records of the other protocol.
#include "core/coordinator/group/group_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"

namespace leat {
namespace {

GroupFault cannot_upgrade(const std::string& group_id, std::string_view why) {
  return {.code = GroupErrc::kGroupIdNotFound,
          .message = fmt::format("Cannot upgrade classic group {} to consumer group because {}.", group_id, why)};
}

std::string_view upgrade_obstacle(const ClassicGroup& group, const GroupRules& rules) {
  const bool is_allowed =
      rules.migration_policy == MigrationPolicy::kUpgrade || rules.migration_policy == MigrationPolicy::kBidirectional;
  if (!is_allowed) return "online upgrade is disabled";
  if (group.protocol_type() != kConsumerProtocolType) return "the group does not use the consumer embedded protocol";
  if (std::cmp_greater(group.members().size(), rules.consumer_max_size)) {
    return "the group size exceeds the consumer group maximum size";
  }
  return {};
}

// What it said in the current protocol; before the group has one, all that it speaks name the same topics.
ByteView subscription_of(const ClassicMember& member, const std::optional<std::string>& protocol) {
  const Bytes* current = protocol ? member.metadata_for(*protocol) : nullptr;
  if (current != nullptr) return *current;
  return member.terms.protocols.empty() ? ByteView() : ByteView(member.terms.protocols.front().metadata);
}

using Taken = std::set<std::pair<Uuid, int32_t>>;

// Only what is there, and each partition once: an assignor of the clients' may have given it to several, which a
// consumer group does not allow.
PartitionsByTopic owned_partitions(const ConsumerProtocolAssignment& assignment, const TopicCatalog& catalog,
                                   Taken& taken) {
  PartitionsByTopic owned;
  for (const ConsumerProtocolAssignment::TopicPartition& assigned : assignment.assigned_partitions) {
    const std::optional<CatalogTopic> topic = catalog.find(assigned.topic);
    if (!topic) continue;
    for (const int32_t partition : assigned.partitions) {
      const bool is_there = partition >= 0 && partition < topic->partition_count;
      if (is_there && taken.emplace(topic->id, partition).second) owned[topic->id].push_back(partition);
    }
  }
  for (auto& [topic, partitions] : owned) std::sort(partitions.begin(), partitions.end());
  return owned;
}

MemberMetadata consumer_metadata(const ClassicMember& member, ConsumerProtocolSubscription subscription) {
  MemberMetadata metadata = blank_member_metadata();
  metadata.instance_id = member.instance_id;
  metadata.rack_id = std::move(subscription.rack_id);
  metadata.client_id = member.client.id;
  metadata.client_host = member.client.host;
  metadata.subscribed_topic_names = sorted_names(std::move(subscription.topics));
  metadata.rebalance_timeout_ms = member.terms.rebalance_timeout_ms;
  auto& classic = metadata.classic_member_metadata.emplace(MemberMetadata::ClassicMemberMetadata{});
  classic.session_timeout_ms = member.terms.session_timeout_ms;
  for (const NamedProtocol& protocol : member.terms.protocols) {
    classic.supported_protocols.push_back({protocol.name, protocol.metadata});
  }
  return metadata;
}

CurrentAssignment stable_at(int32_t epoch, const PartitionsByTopic& owned) {
  CurrentAssignment current;
  current.member_epoch = epoch;
  current.previous_member_epoch = epoch;
  for (const auto& [topic, partitions] : owned) {
    for (const int32_t partition : partitions) current.assigned[topic].emplace(partition, epoch);
  }
  return current;
}

template <class Record>
Record group_record(const std::string& group_id) {
  Record record;
  record.key.group_id = group_id;
  return record;
}
template <class Record>
Record member_record(const std::string& group_id, const std::string& member_id) {
  Record record = group_record<Record>(group_id);
  record.key.member_id = member_id;
  return record;
}

// The records of a consumer group whose target is what its members own already: who joins then makes a new one.
class UpgradeRecords {
 public:
  UpgradeRecords(const std::string& group_id, int32_t epoch) : group_id_(group_id), epoch_(epoch) {}

  void add(const ClassicMember& member, ConsumerProtocolSubscription subscription, const PartitionsByTopic& owned) {
    auto metadata = member_record<ConsumerMemberRecord>(group_id_, member.id);
    metadata.value = consumer_metadata(member, std::move(subscription));
    members_.emplace_back(std::move(metadata));
    auto target = member_record<TargetMemberRecord>(group_id_, member.id);
    target.value = to_record_value(owned);
    targets_.emplace_back(std::move(target));
    auto current = member_record<CurrentMemberRecord>(group_id_, member.id);
    current.value = to_record_value(stable_at(epoch_, owned));
    currents_.emplace_back(std::move(current));
  }

  // In Kafka's order.
  std::vector<GroupRecord> take() && {
    std::vector<GroupRecord> records;
    records.reserve(3 * members_.size() + 3);
    records.emplace_back(ClassicGroupRecord{.key = {.group = group_id_}, .value = {}});
    move_to(records, members_);
    auto group = group_record<ConsumerGroupRecord>(group_id_);
    group.value.emplace().epoch = epoch_;
    records.emplace_back(std::move(group));
    move_to(records, targets_);
    auto target_epoch = group_record<TargetEpochRecord>(group_id_);
    target_epoch.value.emplace().assignment_epoch = epoch_;
    records.emplace_back(std::move(target_epoch));
    move_to(records, currents_);
    return records;
  }

 private:
  static void move_to(std::vector<GroupRecord>& to, std::vector<GroupRecord>& from) {
    for (GroupRecord& record : from) to.push_back(std::move(record));
  }

  const std::string& group_id_;
  const int32_t epoch_;
  std::vector<GroupRecord> members_;
  std::vector<GroupRecord> targets_;
  std::vector<GroupRecord> currents_;
};

// What the group-to-be would answer, found out beside the real one: a request that is refused changes nothing.
class JoinTrial final : private GroupRecordSink {
 public:
  JoinTrial(const std::string& group_id, const std::vector<GroupRecord>& records) : group_(group_id) {
    for (const GroupRecord& record : records) apply(record);
  }

  GroupFault join(GroupStep& step, const ConsumerHeartbeat& event) {
    const GroupMoment moment{
        .now_ms = step.now_ms(), .wall_ms = step.wall_ms(), .rules = step.rules(), .catalog = step.catalog()};
    Deadlines deadlines;
    GroupStep trial(moment, step.random(), deadlines, *this);
    group_.heartbeat(trial, Ticket{0}, event);
    const GroupOutput output = trial.take_output();
    ENSURE(output.replies.size() == 1, "{} replies to one heartbeat", output.replies.size());
    return std::get<ConsumerHeartbeatReply>(output.replies.front().second).fault;
  }

 private:
  void apply(const GroupRecord& record) override {
    const auto apply_one = [this](const auto& one) {
      if constexpr (requires { group_.apply(one); }) group_.apply(one);
    };
    std::visit(apply_one, record);
  }

  ConsumerGroup group_;
};

std::vector<NamedProtocol> protocols_of(const ConsumerMember& member) {
  std::vector<NamedProtocol> protocols;
  for (const auto& protocol : member.metadata.classic_member_metadata->supported_protocols) {
    protocols.push_back({protocol.name, protocol.metadata});
  }
  return protocols;
}

ClassicMember classic_member(const ConsumerMember& member) {
  ClassicMember classic;
  classic.id = member.id;
  classic.instance_id = member.metadata.instance_id;
  classic.client = {member.metadata.client_id, member.metadata.client_host};
  classic.terms.protocols = protocols_of(member);
  classic.terms.session_timeout_ms = member.metadata.classic_member_metadata->session_timeout_ms;
  classic.terms.rebalance_timeout_ms = member.metadata.rebalance_timeout_ms;
  return classic;
}

// In the version that the member itself speaks.
Bytes encoded_assignment(const PartitionsByTopic& held, const TopicCatalog& catalog, ByteView subscription) {
  ConsumerProtocolAssignment assignment;
  for (const auto& [topic_id, partitions] : held) {
    if (const std::optional<CatalogTopic> topic = catalog.find(topic_id)) {
      assignment.assigned_partitions.push_back({topic->name, partitions});
    }
  }
  std::sort(assignment.assigned_partitions.begin(), assignment.assigned_partitions.end(),
            [](const auto& a, const auto& b) { return a.topic < b.topic; });
  const int16_t spoken = subscription.size() >= sizeof(int16_t) ? Reader(subscription).i16() : int16_t{0};
  Result<Bytes> bytes =
      encode_value(assignment, std::clamp(spoken, int16_t{0}, ConsumerProtocolAssignment::kVersions.max));
  return bytes ? std::move(*bytes) : Bytes{};
}

}  // namespace

tl::expected<std::vector<GroupRecord>, GroupFault> upgrade_records(const std::string& group_id,
                                                                   const ClassicGroup& group, const GroupRules& rules,
                                                                   const TopicCatalog& catalog) {
  const auto refuse = [&](std::string_view why) { return tl::unexpected(cannot_upgrade(group_id, why)); };
  if (const std::string_view obstacle = upgrade_obstacle(group, rules); !obstacle.empty()) return refuse(obstacle);
  UpgradeRecords records(group_id, group.generation());
  Taken taken;
  for (const auto& [member_id, member] : group.members()) {
    auto subscription = decode_embedded<ConsumerProtocolSubscription>(subscription_of(member, group.protocol()));
    // It has none before its first sync.
    auto assignment = member.assignment.empty() ? std::optional<ConsumerProtocolAssignment>(std::in_place)
                                                : decode_embedded<ConsumerProtocolAssignment>(member.assignment);
    if (!subscription || !assignment) return refuse("the embedded consumer protocol is malformed");
    if (assignment->user_data && !assignment->user_data->empty()) {
      return refuse(
          "an unsupported custom assignor is in use. Please refer to the documentation or switch to a default "
          "assignor before re-attempting the upgrade");
    }
    records.add(member, std::move(*subscription), owned_partitions(*assignment, catalog, taken));
  }
  return std::move(records).take();
}

GroupFault make_way_for_consumer(GroupTable& table, GroupStep& step, const ConsumerHeartbeat& join) {
  const std::string& group_id = join.group_id;
  ClassicGroup* classic = table.find_classic(group_id);
  ENSURE(classic != nullptr, "group {}", group_id);
  std::vector<GroupRecord> records;
  if (!classic->is_empty()) {
    auto made = upgrade_records(group_id, *classic, step.rules(), step.catalog());
    if (!made) return std::move(made).error();
    records = *std::move(made);
  } else if (classic->recorded()) {
    records.emplace_back(ClassicGroupRecord{.key = {.group = group_id}, .value = {}});
  }
  const GroupFault refusal = JoinTrial(group_id, records).join(step, join);
  if (refusal.code != GroupErrc::kNone) return refusal;
  classic->fail_all(step, GroupErrc::kRebalanceInProgress);
  step.deadlines().cancel_all_of(group_id);
  for (GroupRecord& record : records) step.write(std::move(record));
  ConsumerGroup* group = table.find_consumer(group_id);
  if (group == nullptr) group = &table.make_consumer(group_id);
  group->loaded(step);
  return {};
}

// Assigned is what they hold, not their target: should the group be upgraded again before they have joined, then nobody
// else may get it. No leader, for none of them was told that it leads: so loading knows that they are still to join.
std::vector<GroupRecord> downgrade_records(const ConsumerGroup& group, const TopicCatalog& catalog, int64_t wall_ms) {
  ClassicMembers members;
  for (const auto& [member_id, member] : group.members()) members.add(classic_member(member));
  const std::string protocol = members.elect_protocol();
  ClassicGroupRecord record;
  record.key.group = group.id();
  GroupMetadataValue& value = record.value.emplace();
  value.protocol_type = kConsumerProtocolType;
  value.generation = group.highest_member_epoch();
  value.protocol = protocol;
  value.leader.reset();
  value.current_state_timestamp = wall_ms;
  for (const auto& [member_id, member] : members.by_id()) {
    GroupMetadataValue::MemberMetadata& out = value.members.emplace_back(member.to_record(protocol));
    out.assignment = encoded_assignment(held_partitions(group.member(member_id)->current), catalog, out.subscription);
  }
  std::vector<GroupRecord> records = group.tombstones();
  records.emplace_back(std::move(record));
  return records;
}

void downgrade(GroupTable& table, GroupStep& step, const std::string& group_id) {
  const ConsumerGroup* consumer = table.find_consumer(group_id);
  ENSURE(consumer != nullptr && consumer->may_downgrade(), "group {}", group_id);
  std::vector<std::pair<std::string, std::vector<NamedProtocol>>> protocols;
  for (const auto& [member_id, member] : consumer->members()) protocols.emplace_back(member_id, protocols_of(member));
  std::vector<GroupRecord> records = downgrade_records(*consumer, step.catalog(), step.wall_ms());
  step.deadlines().cancel_all_of(group_id);
  for (GroupRecord& record : records) step.write(std::move(record));
  ClassicGroup* classic = table.find_classic(group_id);
  ENSURE(classic != nullptr, "group {}", group_id);
  for (auto& [member_id, spoken] : protocols) classic->set_member_protocols(member_id, std::move(spoken));
  classic->loaded(step);
}

}  // namespace leat
