// group_world_ledger.cpp: records folded.
#include "test/simulation/group_world_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "test/simulation/group_world_expect.h"

namespace leat {

namespace {

using CurrentValue = ConsumerGroupCurrentMemberAssignmentValue;

void hold(LedgerMember& member, const std::vector<CurrentValue::TopicPartitions>& topics) {
  for (const CurrentValue::TopicPartitions& topic : topics) {
    const bool has_epochs = topic.assignment_epochs && topic.assignment_epochs->size() == topic.partitions.size();
    for (size_t i = 0; i < topic.partitions.size(); ++i) {
      const int32_t epoch = has_epochs ? (*topic.assignment_epochs)[i] : member.epoch;
      const bool is_new = member.held.try_emplace({topic.topic_id, topic.partitions[i]}, epoch).second;
      expect(is_new, [&] { return fmt::format("partition {} is held twice by one member", topic.partitions[i]); });
    }
  }
}

struct KeyText {
  std::string operator()(const OffsetCommitRecord& r) const {
    return fmt::format("0/{}/{}/{}", r.key.group, r.key.topic, r.key.partition);
  }
  std::string operator()(const ClassicGroupRecord& r) const { return "2/" + r.key.group; }
  std::string operator()(const ConsumerGroupRecord& r) const { return "3/" + r.key.group_id; }
  std::string operator()(const ConsumerMemberRecord& r) const {
    return fmt::format("5/{}/{}", r.key.group_id, r.key.member_id);
  }
  std::string operator()(const TargetEpochRecord& r) const { return "6/" + r.key.group_id; }
  std::string operator()(const TargetMemberRecord& r) const {
    return fmt::format("7/{}/{}", r.key.group_id, r.key.member_id);
  }
  std::string operator()(const CurrentMemberRecord& r) const {
    return fmt::format("8/{}/{}", r.key.group_id, r.key.member_id);
  }
  std::string operator()(const RegexRecord& r) const {
    return fmt::format("16/{}/{}", r.key.group_id, r.key.regular_expression);
  }
};

}  // namespace

bool LedgerGroup::has_member(std::string_view member_id) const {
  if (is_consumer()) return members.contains(member_id);
  return classic && std::any_of(classic->members.begin(), classic->members.end(),
                                [&](const auto& member) { return member.member_id == member_id; });
}

void GroupLedger::apply(const GroupRecord& record) {
  std::visit([this](const auto& r) { take(r); }, record);
}

void GroupLedger::take(const OffsetCommitRecord& record) {
  const LedgerOffsetKey key{record.key.group, record.key.topic, record.key.partition};
  if (!record.value) {
    offsets_.erase(key);
    return;
  }
  offsets_[key] = LedgerOffset{.offset = record.value->offset,
                               .leader_epoch = record.value->leader_epoch,
                               .metadata = record.value->metadata,
                               .committed_wall_ms = record.value->commit_timestamp,
                               .topic_id = record.value->topic_id};
}

void GroupLedger::take(const ClassicGroupRecord& record) {
  groups_[record.key.group].classic = record.value;
  drop_if_empty(record.key.group);
}

void GroupLedger::take(const ConsumerGroupRecord& record) {
  LedgerGroup& group = groups_[record.key.group_id];
  group.consumer_epoch = record.value ? std::optional(record.value->epoch) : std::nullopt;
  drop_if_empty(record.key.group_id);
}

void GroupLedger::take(const ConsumerMemberRecord& record) {
  LedgerMember& member = groups_[record.key.group_id].members[record.key.member_id];
  member.is_known = record.value.has_value();
  member.is_classic = record.value && record.value->classic_member_metadata.has_value();
  drop_member_if_empty(record.key.group_id, record.key.member_id);
}

void GroupLedger::take(const CurrentMemberRecord& record) {
  LedgerMember& member = groups_[record.key.group_id].members[record.key.member_id];
  member.has_current = record.value.has_value();
  member.epoch = record.value ? record.value->member_epoch : 0;
  member.held.clear();
  if (record.value) {
    hold(member, record.value->assigned_partitions);
    hold(member, record.value->partitions_pending_revocation);
  }
  drop_member_if_empty(record.key.group_id, record.key.member_id);
}

void GroupLedger::drop_member_if_empty(const std::string& group_id, const std::string& member_id) {
  const auto group = groups_.find(group_id);
  const auto member = group->second.members.find(member_id);
  if (!member->second.is_known && !member->second.has_current) group->second.members.erase(member);
  drop_if_empty(group_id);
}

void GroupLedger::drop_if_empty(const std::string& group_id) {
  const auto group = groups_.find(group_id);
  if (!group->second.is_classic() && !group->second.is_consumer() && group->second.members.empty())
    groups_.erase(group);
}

const LedgerGroup* GroupLedger::find(std::string_view group_id) const {
  const auto found = groups_.find(group_id);
  return found == groups_.end() ? nullptr : &found->second;
}

bool GroupLedger::is_consumer(std::string_view group_id) const {
  const LedgerGroup* group = find(group_id);
  return group != nullptr && group->is_consumer();
}

const LedgerOffset* GroupLedger::offset(const LedgerOffsetKey& key) const {
  const auto found = offsets_.find(key);
  return found == offsets_.end() ? nullptr : &found->second;
}

void GroupLedger::check(const std::string& group_id) const {
  const LedgerGroup* group = find(group_id);
  if (group == nullptr) return;
  expect(!(group->is_classic() && group->is_consumer()), [&] { return group_id + " is of both kinds"; });
  expect(group->is_consumer() || group->members.empty(),
         [&] { return group_id + " is no consumer group but has records of such members"; });
  SimPartitions held;
  for (const auto& entry : group->members) {
    const LedgerMember& member = entry.second;
    expect(member.is_known, [&] { return fmt::format("{} has an assignment but no metadata", entry.first); });
    expect(member.epoch <= group->epoch(), [&] {
      return fmt::format("{} is at epoch {}, its group {} at {}", entry.first, member.epoch, group_id, group->epoch());
    });
    for (const auto& held_since : member.held) {
      const SimPartition& partition = held_since.first;
      expect(held.insert(partition).second, [&] {
        return fmt::format("partition {} of topic {} is held by {} and by another member of {}", partition.second,
                           partition.first.to_string(), entry.first, group_id);
      });
    }
  }
}

std::vector<GroupRecord> compact(const std::vector<GroupRecord>& records, Tombstones tombstones) {
  std::map<std::string, size_t> last;
  for (size_t i = 0; i < records.size(); ++i) last[std::visit(KeyText{}, records[i])] = i;
  std::vector<size_t> kept;
  for (const auto& [key, place] : last) kept.push_back(place);
  std::sort(kept.begin(), kept.end());
  std::vector<GroupRecord> result;
  for (const size_t place : kept) {
    const bool is_tombstone = std::visit([](const auto& r) { return !r.value.has_value(); }, records[place]);
    if (!is_tombstone || tombstones == Tombstones::kKept) result.push_back(records[place]);
  }
  return result;
}

}  // namespace leat
