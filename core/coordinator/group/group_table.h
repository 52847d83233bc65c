// group_table.h: the durable state of one partition of `__consumer_offsets`: the groups, of either kind, and what they
// committed. It changes by apply() alone, live and at recovery; groups that no record has made yet (somebody joins for
// the first time) may be put in and taken out besides.
// Invariant: a group that has offsets is there. When it has no record of its own it is a "simple" one, as Kafka calls
// it: an empty classic group without a protocol type, for consumers that do without membership.
// Records may come in any order that compaction leaves: one for a group of the other kind takes its place, and a
// tombstone of the other kind means nothing.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/coordinator/group/classic_group.h"
#include "core/coordinator/group/consumer_group.h"
#include "core/coordinator/group/group_record.h"
#include "core/coordinator/group/offset_store.h"

namespace leat {

class GroupTable {
 public:
  using Group = std::variant<ClassicGroup, ConsumerGroup>;
  using Groups = std::map<std::string, Group, std::less<>>;

  void apply(const GroupRecord& record);

  Group* find(std::string_view id);
  ClassicGroup* find_classic(std::string_view id);  // nullptr also when it is of the other kind
  ConsumerGroup* find_consumer(std::string_view id);
  // It is there, but nobody is in it and the log holds nothing of it: to be forgotten. A classic group is of use as
  // long as it has offsets; in the place of a consumer group, forget() leaves a simple one for them.
  bool is_of_no_use(std::string_view id) const;
  // Anew, in the place of whatever stands there. `id` must not belong to what is replaced.
  ClassicGroup& make_classic(const std::string& id);
  ConsumerGroup& make_consumer(const std::string& id);
  void forget(const std::string& id);  // but for its offsets

  Groups& groups() noexcept { return groups_; }
  const Groups& groups() const noexcept { return groups_; }
  const OffsetStore& offsets() const noexcept { return offsets_; }

  std::vector<GroupRecord> snapshot() const;  // by kind, then key

 private:
  void apply_one(const OffsetCommitRecord& record);
  void apply_one(const ClassicGroupRecord& record);
  void apply_one(const ConsumerGroupRecord& record);
  template <class Record>
  void apply_one(const Record& record);  // of a part of a consumer group

  Groups groups_;
  OffsetStore offsets_;
};

// True when nobody is in it.
bool is_empty(const GroupTable::Group& group);

}  // namespace leat
