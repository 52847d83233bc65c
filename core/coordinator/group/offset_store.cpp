// offset_store.cpp: sorted vectors: most groups commit to the same few partitions again and again.
#include "core/coordinator/group/offset_store.h"

#include <algorithm>
#include <utility>

namespace leat {
namespace {

template <class Entries>
auto lower_partition(Entries& entries, int32_t partition) {
  return std::lower_bound(entries.begin(), entries.end(), partition,
                          [](const auto& entry, int32_t wanted) { return entry.partition < wanted; });
}

}  // namespace

void OffsetStore::apply(const OffsetCommitRecord& record) {
  if (record.value) {
    put(record.key, *record.value);
  } else {
    remove(record.key);
  }
}

std::optional<StoredOffset> OffsetStore::find(std::string_view group, std::string_view topic, int32_t partition) const {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return std::nullopt;
  const std::optional<Place> place = locate(found->second, topic, partition);
  if (!place) return std::nullopt;
  const Incarnation& incarnation = found->second[place->incarnation];
  return view(incarnation, incarnation.entries[place->entry]);
}

void OffsetStore::for_each_of(std::string_view group, const std::function<void(const StoredOffset&)>& visit) const {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  for (const Incarnation& incarnation : found->second) {
    for (const Entry& entry : incarnation.entries) visit(view(incarnation, entry));
  }
}

std::vector<OffsetCommitKey> OffsetStore::keys_of_topic(std::string_view topic, const Uuid& id) const {
  std::vector<OffsetCommitKey> keys;
  if (!names_.contains(topic)) return keys;
  for (const auto& [group_id, group] : groups_) {
    for (size_t i = lower_bound(group, topic, Uuid{}); i < group.size() && group[i].name->first == topic; ++i) {
      if (group[i].id.is_zero() || group[i].id == id) append_keys(group_id, group[i], keys);
    }
  }
  return keys;
}

std::vector<OffsetCommitKey> OffsetStore::keys_of_gone(const IsGone& is_gone) const {
  std::vector<OffsetCommitKey> keys;
  std::map<std::pair<std::string_view, Uuid>, bool> known;  // many groups follow few topics
  for (const auto& [group_id, group] : groups_) {
    for (const Incarnation& incarnation : group) {
      const std::string_view topic = incarnation.name->first;
      const auto [place, is_new] = known.try_emplace({topic, incarnation.id}, false);
      if (is_new) place->second = is_gone(topic, incarnation.id);
      if (place->second) append_keys(group_id, incarnation, keys);
    }
  }
  return keys;
}

void OffsetStore::append_keys(const std::string& group_id, const Incarnation& incarnation,
                              std::vector<OffsetCommitKey>& keys) {
  for (const Entry& entry : incarnation.entries) {
    OffsetCommitKey& key = keys.emplace_back();
    key.group = group_id;
    key.topic = incarnation.name->first;
    key.partition = entry.partition;
  }
}

void OffsetStore::append_snapshot(std::vector<GroupRecord>& records) const {
  records.reserve(records.size() + size_);
  for (const auto& [group_id, group] : groups_) {
    for (const Incarnation& incarnation : group) {
      for (const Entry& entry : incarnation.entries) {
        const StoredOffset stored = view(incarnation, entry);
        OffsetCommitRecord record;
        record.key.group = group_id;
        record.key.topic = stored.topic;
        record.key.partition = stored.partition;
        OffsetCommitValue& value = record.value.emplace();
        value.offset = stored.offset;
        value.leader_epoch = stored.leader_epoch;
        value.metadata = stored.metadata;
        value.commit_timestamp = stored.commit_ms;
        value.expire_timestamp = stored.expire_ms;
        value.topic_id = stored.topic_id;
        records.emplace_back(std::move(record));
      }
    }
  }
}

size_t OffsetStore::lower_bound(const GroupOffsets& group, std::string_view topic, const Uuid& id) {
  const auto at = std::lower_bound(group.begin(), group.end(), topic,
                                   [&id](const Incarnation& incarnation, std::string_view wanted) {
                                     const int order = incarnation.name->first.compare(wanted);
                                     return order < 0 || (order == 0 && incarnation.id < id);
                                   });
  return static_cast<size_t>(at - group.begin());
}

std::optional<OffsetStore::Place> OffsetStore::locate(const GroupOffsets& group, std::string_view topic,
                                                      int32_t partition) {
  for (size_t i = lower_bound(group, topic, Uuid{}); i < group.size() && group[i].name->first == topic; ++i) {
    const std::vector<Entry>& entries = group[i].entries;
    const auto at = lower_partition(entries, partition);
    if (at != entries.end() && at->partition == partition) return Place{i, static_cast<size_t>(at - entries.begin())};
  }
  return std::nullopt;
}

StoredOffset OffsetStore::view(const Incarnation& incarnation, const Entry& entry) {
  StoredOffset stored;
  stored.topic = incarnation.name->first;
  stored.topic_id = incarnation.id;
  stored.partition = entry.partition;
  stored.leader_epoch = entry.leader_epoch;
  stored.offset = entry.offset;
  stored.commit_ms = entry.commit_ms;
  if (entry.rare) {
    stored.metadata = entry.rare->metadata;
    stored.expire_ms = entry.rare->expire_ms;
  }
  return stored;
}

void OffsetStore::assign(Entry& entry, const OffsetCommitValue& value) {
  entry.leader_epoch = value.leader_epoch;
  entry.offset = value.offset;
  entry.commit_ms = value.commit_timestamp;
  if (value.metadata.empty() && value.expire_timestamp == -1) {
    entry.rare.reset();
  } else if (entry.rare) {
    entry.rare->metadata = value.metadata;
    entry.rare->expire_ms = value.expire_timestamp;
  } else {
    entry.rare = std::make_unique<Rare>(Rare{value.metadata, value.expire_timestamp});
  }
}

void OffsetStore::put(const OffsetCommitKey& key, const OffsetCommitValue& value) {
  auto group = groups_.find(key.group);
  if (group != groups_.end()) {
    if (const std::optional<Place> held = locate(group->second, key.topic, key.partition)) {
      Incarnation& incarnation = group->second[held->incarnation];
      if (incarnation.id == value.topic_id) return assign(incarnation.entries[held->entry], value);
      remove(key);  // of another incarnation; the group may go with it
      group = groups_.find(key.group);
    }
  }
  if (group == groups_.end()) group = groups_.try_emplace(key.group).first;
  std::vector<Entry>& entries = incarnation_of(group->second, key.topic, value.topic_id).entries;
  const auto at = entries.insert(lower_partition(entries, key.partition), Entry{key.partition, -1, 0, 0, nullptr});
  assign(*at, value);
  ++size_;
}

void OffsetStore::remove(const OffsetCommitKey& key) {
  const auto group = groups_.find(key.group);
  if (group == groups_.end()) return;
  const std::optional<Place> place = locate(group->second, key.topic, key.partition);
  if (!place) return;
  const auto incarnation = group->second.begin() + static_cast<ptrdiff_t>(place->incarnation);
  incarnation->entries.erase(incarnation->entries.begin() + static_cast<ptrdiff_t>(place->entry));
  --size_;
  if (!incarnation->entries.empty()) return;
  if (--incarnation->name->second == 0) names_.erase(names_.find(incarnation->name->first));
  group->second.erase(incarnation);
  if (group->second.empty()) groups_.erase(group);
}

OffsetStore::Incarnation& OffsetStore::incarnation_of(GroupOffsets& group, const std::string& topic, const Uuid& id) {
  const size_t at = lower_bound(group, topic, id);
  if (at < group.size() && group[at].id == id && group[at].name->first == topic) return group[at];
  Names::value_type& name = *names_.try_emplace(topic, size_t{0}).first;
  ++name.second;
  return *group.insert(group.begin() + static_cast<ptrdiff_t>(at), Incarnation{&name, id, {}});
}

}  // namespace leat
