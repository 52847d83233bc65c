// group_world_ledger.h: what the records of the simulated offsets log say, read independently of the group machine: the
// oracle's view of durable state. And the log's compaction: the last record of each key.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/coordinator/group/group_record.h"
#include "test/simulation/group_world_topics.h"

namespace leat {

struct LedgerOffset {
  int64_t offset = -1;
  int32_t leader_epoch = -1;
  std::string metadata;
  int64_t committed_wall_ms = 0;
  Uuid topic_id;  // zero: by name alone

  friend bool operator==(const LedgerOffset&, const LedgerOffset&) = default;
};

struct LedgerOffsetKey {
  std::string group_id;
  std::string topic;
  int32_t partition = 0;

  friend auto operator<=>(const LedgerOffsetKey&, const LedgerOffsetKey&) = default;
};

struct LedgerMember {
  bool is_known = false;  // its metadata stands in the log
  bool has_current = false;
  bool is_classic = false;
  int32_t epoch = 0;
  std::map<SimPartition, int32_t> held;  // assigned or still to be revoked; the member's epoch when it got it

  friend bool operator==(const LedgerMember&, const LedgerMember&) = default;
};

struct LedgerGroup {
  std::optional<GroupMetadataValue> classic;
  std::optional<int32_t> consumer_epoch;
  std::map<std::string, LedgerMember, std::less<>> members;  // of a consumer group

  bool is_consumer() const noexcept { return consumer_epoch.has_value(); }
  bool is_classic() const noexcept { return classic.has_value(); }
  bool has_member(std::string_view member_id) const;
  // The group's epoch or generation; -1 when there is none.
  int32_t epoch() const noexcept { return consumer_epoch ? *consumer_epoch : classic ? classic->generation : -1; }

  friend bool operator==(const LedgerGroup&, const LedgerGroup&) = default;
};

class GroupLedger {
 public:
  void apply(const GroupRecord& record);

  const LedgerGroup* find(std::string_view group_id) const;
  bool is_consumer(std::string_view group_id) const;
  const LedgerOffset* offset(const LedgerOffsetKey& key) const;
  const std::map<LedgerOffsetKey, LedgerOffset>& offsets() const noexcept { return offsets_; }

  // What holds of every group after every step: it is of one kind, no partition is held by two members, and no member
  // is ahead of its group.
  void check(const std::string& group_id) const;

  friend bool operator==(const GroupLedger&, const GroupLedger&) = default;

 private:
  void take(const OffsetCommitRecord& record);
  void take(const ClassicGroupRecord& record);
  void take(const ConsumerGroupRecord& record);
  void take(const ConsumerMemberRecord& record);
  void take(const CurrentMemberRecord& record);
  template <class Other>
  void take(const Other&) {}  // targets and resolved patterns: the machine's own business
  void drop_if_empty(const std::string& group_id);
  void drop_member_if_empty(const std::string& group_id, const std::string& member_id);

  std::map<std::string, LedgerGroup, std::less<>> groups_;
  std::map<LedgerOffsetKey, LedgerOffset> offsets_;
};

enum class Tombstones : uint8_t { kKept, kDropped };
std::vector<GroupRecord> compact(const std::vector<GroupRecord>& records, Tombstones tombstones);

}  // namespace leat
