// offset_store.h: the committed offsets of all groups of one partition of `__consumer_offsets`, as its records say.
// Made for a million of them: 32 bytes each and what a vector keeps spare; a topic's name stands once in all, its id
// once for each group.
// Each offset belongs to one incarnation of its topic, the id it was committed with; zero when the commit named none
// (old clients and brokers): then it belongs to whichever there is. A commit for one incarnation takes the place of
// that for another: there is one key for both.
// Invariants: a partition stands under one incarnation only; there are no empty topics and groups.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/uuid.h"
#include "core/coordinator/group/group_record.h"

namespace leat {

// A look at one; valid until the next apply().
struct StoredOffset {
  std::string_view topic;
  Uuid topic_id;
  int32_t partition = 0;
  int32_t leader_epoch = -1;
  int64_t offset = 0;
  int64_t commit_ms = 0;   // wall time
  int64_t expire_ms = -1;  // asked for by an old client; -1: by the broker's settings
  std::string_view metadata;
};

class OffsetStore {
 public:
  OffsetStore() = default;
  OffsetStore(const OffsetStore&) = delete;
  OffsetStore& operator=(const OffsetStore&) = delete;

  void apply(const OffsetCommitRecord& record);

  std::optional<StoredOffset> find(std::string_view group, std::string_view topic, int32_t partition) const;
  bool has_offsets(std::string_view group) const { return groups_.contains(group); }
  // By topic, incarnation and partition.
  void for_each_of(std::string_view group, const std::function<void(const StoredOffset&)>& visit) const;
  // The keys, in all groups, that belong to a topic that is gone: of this id or of none.
  std::vector<OffsetCommitKey> keys_of_topic(std::string_view topic, const Uuid& id) const;
  // The keys, in all groups, of incarnations that `is_gone` says are there no more; it is asked once for each.
  using IsGone = std::function<bool(std::string_view topic, const Uuid& id)>;
  std::vector<OffsetCommitKey> keys_of_gone(const IsGone& is_gone) const;

  size_t size() const noexcept { return size_; }
  void append_snapshot(std::vector<GroupRecord>& records) const;

 private:
  struct Rare {
    std::string metadata;
    int64_t expire_ms;
  };
  struct Entry {
    int32_t partition;
    int32_t leader_epoch;
    int64_t offset;
    int64_t commit_ms;
    std::unique_ptr<Rare> rare;  // only where it is not as usual: no metadata, no expiry of its own
  };
  static_assert(sizeof(Entry) == 32);

  using Names = std::map<std::string, size_t, std::less<>>;  // topics, and how many `Incarnation`s refer to each
  struct Incarnation {
    Names::value_type* name;  // lives as long as it is referred to
    Uuid id;
    std::vector<Entry> entries;  // by partition
  };
  using GroupOffsets = std::vector<Incarnation>;  // by topic, then id
  struct Place {
    size_t incarnation;
    size_t entry;
  };

  static size_t lower_bound(const GroupOffsets& group, std::string_view topic, const Uuid& id);
  static std::optional<Place> locate(const GroupOffsets& group, std::string_view topic, int32_t partition);
  static StoredOffset view(const Incarnation& incarnation, const Entry& entry);
  static void append_keys(const std::string& group_id, const Incarnation& incarnation,
                          std::vector<OffsetCommitKey>& keys);
  static void assign(Entry& entry, const OffsetCommitValue& value);
  void put(const OffsetCommitKey& key, const OffsetCommitValue& value);
  void remove(const OffsetCommitKey& key);
  Incarnation& incarnation_of(GroupOffsets& group, const std::string& topic, const Uuid& id);

  Names names_;
  std::map<std::string, GroupOffsets, std::less<>> groups_;
  size_t size_ = 0;
};

}  // namespace leat
