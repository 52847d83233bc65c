// group_membership.h: what being a member of a group comes down to, whichever protocol it speaks: keep up with the
// coordinator, own the partitions that it gives, leave. For one topic. Thread: the client's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/group_offsets.h"

namespace leat {

struct MembershipOptions {
  std::string group_id;
  std::string topic;
  std::optional<std::string> instance_id;  // a static member: its partitions wait for it over a restart
  Millis session_timeout{45'000};          // classic protocol; in the other one the broker decides
  Millis rebalance_timeout{60'000};
};

struct MembershipNews {
  // What this member owns from now on, sorted; nothing: as before.
  std::optional<std::vector<int32_t>> assigned = {};
  // The group went on without this member: what it owned is others' by now, and no longer its own to commit.
  bool lost = false;
};

class GroupMembership {
 public:
  virtual ~GroupMembership() = default;

  // Joins, or sends the heartbeat that is due; to be called at least once a second. On news of an assignment the caller
  // commits and gives up what is not in it, and then confirms. A member that was lost joins again by itself.
  // kUnsupported: the broker does not speak this protocol.
  virtual Result<MembershipNews> keep_up() = 0;
  virtual Result<void> confirm(const std::vector<int32_t>& owned) = 0;
  virtual Result<void> leave() = 0;
  virtual Committer committer() const = 0;
};

}  // namespace leat
