// consumer_records.cpp: apply, the one place where durable state of a consumer group changes, live and at recovery; and
// the records that rebuild or end that state.
// Recovery may read a compacted log, or one of Kafka's: nothing here relies on an order of records.
#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/coordinator/group/consumer_group.h"

namespace leat {
namespace {

using Counts = std::map<std::string, size_t, std::less<>>;

void increase(Counts& counts, const std::string& key) { ++counts[key]; }

void decrease(Counts& counts, std::string_view key) {
  const auto place = counts.find(key);
  ENSURE(place != counts.end(), "nobody counts for {}", key);
  if (--place->second == 0) counts.erase(place);
}

std::set<std::string> protocol_names(const MemberMetadata& metadata) {
  std::set<std::string> names;
  for (const auto& protocol : metadata.classic_member_metadata->supported_protocols) names.insert(protocol.name);
  return names;
}

}  // namespace

void ConsumerGroup::apply(const ConsumerGroupRecord& record) { group_ = record.value; }
void ConsumerGroup::apply(const TargetEpochRecord& record) { target_ = record.value; }

void ConsumerGroup::apply(const ConsumerMemberRecord& record) {
  const std::string& member_id = record.key.member_id;
  if (!record.value) {
    const auto place = members_.find(member_id);
    if (place == members_.end()) return;
    discount_metadata(place->second);
    holders_.remove(place->second.current);
    members_.erase(place);
    return;
  }
  ConsumerMember& member = find_or_make(member_id);
  discount_metadata(member);
  member.metadata = *record.value;
  member.metadata.subscribed_topic_names = sorted_names(std::move(member.metadata.subscribed_topic_names));
  count_metadata(member);
}

void ConsumerGroup::apply(const CurrentMemberRecord& record) {
  const std::string& member_id = record.key.member_id;
  if (!record.value && !members_.contains(member_id)) return;
  ConsumerMember& member = find_or_make(member_id);
  holders_.remove(member.current);
  member.current = record.value ? from_record_value(*record.value) : CurrentAssignment{};
  holders_.add(member.current);
}

void ConsumerGroup::apply(const TargetMemberRecord& record) {
  if (record.value) {
    targets_.insert_or_assign(record.key.member_id, from_record_value(*record.value));
  } else {
    targets_.erase(record.key.member_id);
  }
}

void ConsumerGroup::apply(const RegexRecord& record) {
  if (!record.value) {
    regexes_.erase(record.key.regular_expression);
    return;
  }
  ConsumerGroupRegularExpressionValue& resolved = regexes_[record.key.regular_expression];
  resolved = *record.value;
  resolved.topics = sorted_names(std::move(resolved.topics));
}

ConsumerMember& ConsumerGroup::find_or_make(const std::string& member_id) {
  const auto [place, is_new] = members_.try_emplace(member_id);
  if (is_new) {
    place->second.id = member_id;
    place->second.metadata = blank_member_metadata();
  }
  return place->second;
}

void ConsumerGroup::count_metadata(const ConsumerMember& member) {
  const MemberMetadata& metadata = member.metadata;
  for (const std::string& name : metadata.subscribed_topic_names) increase(subscribers_by_name_, name);
  if (!member.regex().empty()) increase(subscribers_by_regex_, *metadata.subscribed_topic_regex);
  if (metadata.server_assignor) increase(votes_by_assignor_, *metadata.server_assignor);
  if (metadata.instance_id) id_by_instance_.insert_or_assign(*metadata.instance_id, member.id);
  if (!member.is_classic()) return;
  ++classic_count_;
  for (const std::string& name : protocol_names(metadata)) increase(speakers_by_protocol_, name);
}

void ConsumerGroup::discount_metadata(const ConsumerMember& member) {
  const MemberMetadata& metadata = member.metadata;
  for (const std::string& name : metadata.subscribed_topic_names) decrease(subscribers_by_name_, name);
  if (!member.regex().empty()) decrease(subscribers_by_regex_, member.regex());
  if (metadata.server_assignor) decrease(votes_by_assignor_, *metadata.server_assignor);
  if (metadata.instance_id) {
    const auto holder = id_by_instance_.find(*metadata.instance_id);
    if (holder != id_by_instance_.end() && holder->second == member.id) id_by_instance_.erase(holder);
  }
  if (!member.is_classic()) return;
  --classic_count_;
  for (const std::string& name : protocol_names(metadata)) decrease(speakers_by_protocol_, name);
}

std::vector<GroupRecord> ConsumerGroup::snapshot() const {
  std::vector<GroupRecord> records;
  if (group_) records.emplace_back(ConsumerGroupRecord{.key = {.group_id = id_}, .value = group_});
  for (const auto& [member_id, member] : members_) {
    records.emplace_back(
        ConsumerMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = member.metadata});
  }
  if (target_) records.emplace_back(TargetEpochRecord{.key = {.group_id = id_}, .value = target_});
  for (const auto& [member_id, target] : targets_) {
    records.emplace_back(
        TargetMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = to_record_value(target)});
  }
  for (const auto& [member_id, member] : members_) {
    records.emplace_back(CurrentMemberRecord{.key = {.group_id = id_, .member_id = member_id},
                                             .value = to_record_value(member.current)});
  }
  for (const auto& [regex, resolved] : regexes_)
    records.emplace_back(RegexRecord{.key = {.group_id = id_, .regular_expression = regex}, .value = resolved});
  return records;
}

std::vector<GroupRecord> ConsumerGroup::tombstones() const {
  std::vector<GroupRecord> records;
  for (const auto& [member_id, member] : members_)
    records.emplace_back(CurrentMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = {}});
  for (const auto& [member_id, target] : targets_)
    records.emplace_back(TargetMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = {}});
  records.emplace_back(TargetEpochRecord{.key = {.group_id = id_}, .value = {}});
  for (const auto& [member_id, member] : members_)
    records.emplace_back(ConsumerMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = {}});
  for (const auto& [regex, resolved] : regexes_)
    records.emplace_back(RegexRecord{.key = {.group_id = id_, .regular_expression = regex}, .value = {}});
  records.emplace_back(ConsumerGroupRecord{.key = {.group_id = id_}, .value = {}});
  return records;
}

}  // namespace leat
