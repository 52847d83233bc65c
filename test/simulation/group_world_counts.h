// group_world_counts.h: how often each thing happened that the group simulation claims to try. A run in which one of
// them never happened has shown less than it says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace leat {

enum class GroupHappening : uint8_t {
  kBrokerCrash,
  kRecordsLost,
  kCompaction,
  kWallClockStep,
  kReplyLost,
  kSessionExpiry,
  kEpochFenced,
  kInstanceFenced,
  kInstanceUnreleased,
  kInstanceReplaced,
  kInstanceReturned,
  kAssignmentSkipped,
  kMemberIdUnused,
  kMemberRemoved,
  kUpgrade,
  kDowngrade,
  kRevocation,
  kSlowRevocation,
  kSlowRejoin,
  kResubscription,
  kPatternSubscription,
  kTopicGrown,
  kTopicDeleted,
  kTopicMadeAgain,
  kCommitAcknowledged,
  kCommitRefused,
  kSimpleCommit,
  kStaleRequestRefused,
  kOffsetsDeleted,
  kOffsetExpired,
  kGroupDeleted,
  kGroupSettled,
};
inline constexpr size_t kGroupHappenings = static_cast<size_t>(GroupHappening::kGroupSettled) + 1;

inline constexpr std::array<std::string_view, kGroupHappenings> kGroupHappeningNames{
    "a broker crash",
    "a crash that lost records",
    "a replay of a compacted log",
    "a step of the wall clock",
    "a lost request or reply",
    "an expired session",
    "a fenced member epoch",
    "a fenced instance id",
    "an instance id not yet released",
    "a static member replaced",
    "a static member back from a leave for a while",
    "an assignment that a static leader skipped",
    "a member id handed out and not used",
    "a static member removed by an administrator",
    "an upgrade",
    "a downgrade",
    "a revocation",
    "a revocation slower than the rebalance timeout",
    "a rejoin slower than the rebalance timeout",
    "a changed subscription",
    "a subscription by pattern",
    "a topic that grew",
    "a deleted topic",
    "a topic made again",
    "an acknowledged commit",
    "a refused commit of a member",
    "a commit without a group",
    "a refused request with a stale epoch",
    "deleted offsets",
    "an expired offset",
    "a deleted group",
    "a settled group",
};

class GroupCounts {
 public:
  void add(GroupHappening happening) noexcept { ++of_[static_cast<size_t>(happening)]; }
  uint64_t of(GroupHappening happening) const noexcept { return of_[static_cast<size_t>(happening)]; }
  void add(const GroupCounts& other) noexcept {
    for (size_t i = 0; i < kGroupHappenings; ++i) of_[i] += other.of_[i];
  }

 private:
  std::array<uint64_t, kGroupHappenings> of_{};
};

}  // namespace leat
