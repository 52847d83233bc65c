// group_table.cpp: each record to the group that it is about.
#include "core/coordinator/group/group_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace leat {

GroupTable::Group* GroupTable::find(std::string_view id) {
  const auto place = groups_.find(id);
  return place == groups_.end() ? nullptr : &place->second;
}

ClassicGroup* GroupTable::find_classic(std::string_view id) {
  Group* group = find(id);
  return group == nullptr ? nullptr : std::get_if<ClassicGroup>(group);
}

ConsumerGroup* GroupTable::find_consumer(std::string_view id) {
  Group* group = find(id);
  return group == nullptr ? nullptr : std::get_if<ConsumerGroup>(group);
}

bool GroupTable::is_of_no_use(std::string_view id) const {
  const auto place = groups_.find(id);
  if (place == groups_.end()) return false;
  if (const auto* consumer = std::get_if<ConsumerGroup>(&place->second)) return !consumer->is_durable();
  return std::get<ClassicGroup>(place->second).is_blank() && !offsets_.has_offsets(id);
}

ClassicGroup& GroupTable::make_classic(const std::string& id) {
  const auto [place, is_new] = groups_.try_emplace(id, std::in_place_type<ClassicGroup>, id);
  return is_new ? std::get<ClassicGroup>(place->second) : place->second.emplace<ClassicGroup>(id);
}

ConsumerGroup& GroupTable::make_consumer(const std::string& id) {
  const auto [place, is_new] = groups_.try_emplace(id, std::in_place_type<ConsumerGroup>, id);
  return is_new ? std::get<ConsumerGroup>(place->second) : place->second.emplace<ConsumerGroup>(id);
}

void GroupTable::forget(const std::string& id) {
  if (offsets_.has_offsets(id)) {
    make_classic(id);
  } else {
    groups_.erase(id);
  }
}

void GroupTable::apply(const GroupRecord& record) {
  std::visit([this](const auto& one) { apply_one(one); }, record);
}

void GroupTable::apply_one(const OffsetCommitRecord& record) {
  offsets_.apply(record);
  if (record.value && find(record.key.group) == nullptr) make_classic(record.key.group);
}

void GroupTable::apply_one(const ClassicGroupRecord& record) {
  ClassicGroup* group = find_classic(record.key.group);
  if (!record.value) {
    if (group != nullptr) forget(record.key.group);
    return;
  }
  if (group == nullptr) group = &make_classic(record.key.group);
  group->apply(*record.value);
}

void GroupTable::apply_one(const ConsumerGroupRecord& record) {
  ConsumerGroup* group = find_consumer(record.key.group_id);
  if (!record.value) {
    if (group != nullptr) forget(record.key.group_id);
    return;
  }
  if (group == nullptr) group = &make_consumer(record.key.group_id);
  group->apply(record);
}

template <class Record>
void GroupTable::apply_one(const Record& record) {
  ConsumerGroup* group = find_consumer(record.key.group_id);
  if (group == nullptr) {
    if (!record.value) return;
    group = &make_consumer(record.key.group_id);
  }
  group->apply(record);
}

std::vector<GroupRecord> GroupTable::snapshot() const {
  std::vector<GroupRecord> records;
  offsets_.append_snapshot(records);
  for (const auto& [id, group] : groups_) {
    if (const auto* classic = std::get_if<ClassicGroup>(&group)) {
      if (!classic->recorded()) continue;
      ClassicGroupRecord record;
      record.key.group = id;
      record.value = classic->recorded();
      records.emplace_back(std::move(record));
    } else {
      std::vector<GroupRecord> parts = std::get<ConsumerGroup>(group).snapshot();
      std::move(parts.begin(), parts.end(), std::back_inserter(records));
    }
  }
  // Groups stand by id, and the parts of each by key: what is left is to bring equal kinds together.
  std::stable_sort(records.begin(), records.end(),
                   [](const GroupRecord& a, const GroupRecord& b) { return a.index() < b.index(); });
  return records;
}

bool is_empty(const GroupTable::Group& group) {
  return std::visit([](const auto& one) { return one.is_empty(); }, group);
}

}  // namespace leat
