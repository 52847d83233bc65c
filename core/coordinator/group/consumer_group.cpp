// consumer_group.cpp: how members go, what is due when, and what others ask of a consumer group.
#include "core/coordinator/group/consumer_group.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace leat {
namespace {

constexpr int64_t kNeverMade = 0;  // the time of a target that is nobody's

}  // namespace

// --- members --------------------------------------------------------------------------------------------------------

const ConsumerMember* ConsumerGroup::member(std::string_view member_id) const {
  const auto place = members_.find(member_id);
  return place == members_.end() ? nullptr : &place->second;
}

const ConsumerMember& ConsumerGroup::existing(std::string_view member_id) const {
  const ConsumerMember* found = member(member_id);
  ENSURE(found != nullptr, "group {}, member {}", id_, member_id);
  return *found;
}

const ConsumerMember* ConsumerGroup::static_member(std::string_view instance_id) const {
  const auto place = id_by_instance_.find(instance_id);
  return place == id_by_instance_.end() ? nullptr : member(place->second);
}

const PartitionsByTopic& ConsumerGroup::target_of(std::string_view member_id) const {
  static const PartitionsByTopic none;
  const auto place = targets_.find(member_id);
  return place == targets_.end() ? none : place->second;
}

bool ConsumerGroup::is_full(const GroupRules& rules) const noexcept {
  return std::cmp_greater_equal(members_.size(), rules.consumer_max_size);
}

// Their partitions are free at once; the next heartbeat of anybody makes a target without them. When nobody is left
// there is none to make: the target of an Empty group is up to date, as in Kafka, whose tools show both epochs.
void ConsumerGroup::remove_members(GroupStep& step, const std::set<std::string>& member_ids) {
  if (member_ids.empty()) return;
  for (const std::string& member_id : member_ids) end_member(step, member_id);
  drop_unused_regexes(step);
  bump_epoch(step, metadata_hash(step.catalog()));
  if (!members_.empty()) return;
  empty_since_wall_ms_ = step.wall_ms();
  reach_group_epoch(step, kNeverMade);
}

void ConsumerGroup::end_member(GroupStep& step, const std::string& member_id) {
  step.write(CurrentMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = {}});
  step.write(TargetMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = {}});
  step.write(ConsumerMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = {}});
  step.deadlines().cancel(key_of(DeadlineKind::kSession, member_id));
  step.deadlines().cancel(key_of(DeadlineKind::kRebalance, member_id));
}

// --- deadlines ------------------------------------------------------------------------------------------------------

void ConsumerGroup::expect_heartbeat(GroupStep& step, const ConsumerMember& member) const {
  const int32_t timeout_ms = member.is_classic() ? member.metadata.classic_member_metadata->session_timeout_ms
                                                 : step.rules().session_timeout_ms(id_);
  step.deadlines().set(key_of(DeadlineKind::kSession, member.id), step.now_ms() + timeout_ms);
}

// The time from here on that the member has to give up what it is to, if there is anything.
void ConsumerGroup::expect_revocation(GroupStep& step, const ConsumerMember& member) const {
  DeadlineKey revocation = key_of(DeadlineKind::kRebalance, member.id);
  if (member.current.state == MemberState::kUnrevokedPartitions) {
    step.deadlines().set(std::move(revocation), step.now_ms() + member.metadata.rebalance_timeout_ms);
  } else {
    step.deadlines().cancel(revocation);
  }
}

void ConsumerGroup::loaded(GroupStep& step) {
  for (const auto& [member_id, member] : members_) {
    expect_heartbeat(step, member);
    if (!member.is_classic() && member.epoch() != kStaticLeaveEpoch) expect_revocation(step, member);
  }
  if (!subscribers_by_regex_.empty()) {
    step.deadlines().set(key_of(DeadlineKind::kRegexRefresh), step.now_ms() + step.rules().regex_refresh_interval_ms);
  }
}

void ConsumerGroup::on_deadline(GroupStep& step, const DeadlineKey& key) {
  switch (key.kind) {
    case DeadlineKind::kSession:
    case DeadlineKind::kRebalance:
      if (member(key.member_id) != nullptr) remove_members(step, {key.member_id});
      return;
    case DeadlineKind::kRegexRefresh:
      if (subscribers_by_regex_.empty()) return;
      must_look_at_catalog_ = true;
      step.deadlines().set(key, step.now_ms() + step.rules().regex_refresh_interval_ms);
      return;
    case DeadlineKind::kPendingMember:
    case DeadlineKind::kInitialDelay:
    case DeadlineKind::kOffsetExpiry:
      return;  // not ours
  }
}

// --- questions ------------------------------------------------------------------------------------------------------

std::string_view ConsumerGroup::state_name() const noexcept {
  if (members_.empty()) return "Empty";
  if (epoch() > target_epoch()) return "Assigning";
  const bool is_stable = std::all_of(members_.begin(), members_.end(), [this](const auto& entry) {
    return entry.second.is_reconciled_to(target_epoch());
  });
  return is_stable ? "Stable" : "Reconciling";
}

bool ConsumerGroup::is_durable() const noexcept {
  return group_ || target_ || !members_.empty() || !targets_.empty() || !regexes_.empty();
}

bool ConsumerGroup::wants_downgrade(const GroupRules& rules) const noexcept {
  const bool is_allowed = rules.migration_policy == MigrationPolicy::kDowngrade ||
                          rules.migration_policy == MigrationPolicy::kBidirectional;
  return is_allowed && may_downgrade() && std::cmp_less_equal(members_.size(), rules.max_size);
}

int32_t ConsumerGroup::highest_member_epoch() const noexcept {
  int32_t highest = 0;
  for (const auto& [member_id, member] : members_) highest = std::max(highest, member.epoch());
  return highest;
}

bool ConsumerGroup::is_subscribed_to(std::string_view topic) const {
  if (subscribers_by_name_.contains(topic)) return true;
  return std::any_of(regexes_.begin(), regexes_.end(), [topic](const auto& entry) {
    return std::binary_search(entry.second.topics.begin(), entry.second.topics.end(), topic);
  });
}

GroupErrc ConsumerGroup::check_epoch(const ConsumerMember& member, int32_t epoch) const {
  if (epoch == member.epoch()) return GroupErrc::kNone;
  return member.is_classic() ? GroupErrc::kIllegalGeneration : GroupErrc::kStaleMemberEpoch;
}

// A member may commit with an older epoch what it has held without a break since then: the commit may have been on its
// way when the epoch moved (KIP-1251).
GroupErrc ConsumerGroup::check_commit(GroupStep& step, const CommitOffsets& event) const {
  if (event.generation_or_epoch < 0 && is_empty()) return GroupErrc::kNone;  // a tool, or a consumer without a group
  const ConsumerMember* committer = member(event.member_id);
  if (committer == nullptr) return GroupErrc::kUnknownMemberId;
  if (!committer->is_classic() && !event.by_member_epoch_known) return GroupErrc::kUnsupportedVersion;
  const GroupErrc refusal = check_epoch(*committer, event.generation_or_epoch);
  if (refusal == GroupErrc::kNone || event.generation_or_epoch > committer->epoch()) return refusal;
  for (const OffsetToCommit& offset : event.offsets) {
    Uuid topic_id = offset.topic_id;
    if (topic_id.is_zero()) {
      const std::optional<CatalogTopic> topic = step.catalog().find(offset.topic);
      if (topic) topic_id = topic->id;
    }
    const std::optional<int32_t> since = held_since(committer->current, topic_id, offset.partition);
    if (!since || event.generation_or_epoch < *since) return refusal;
  }
  return GroupErrc::kNone;
}

GroupErrc ConsumerGroup::check_fetch(const FetchOffsets& event) const {
  if (!event.member_id && event.member_epoch < 0) return GroupErrc::kNone;
  const ConsumerMember* reader = member(event.member_id.value_or(""));
  return reader == nullptr ? GroupErrc::kUnknownMemberId : check_epoch(*reader, event.member_epoch);
}

}  // namespace leat
