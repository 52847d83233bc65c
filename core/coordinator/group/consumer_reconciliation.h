// consumer_reconciliation.h: how a member of a consumer group is led from what it owns to what the target gives it, one
// heartbeat at a time: first it gives up, then it gets what is free, then it waits for the rest. A pure function.
//
//   Stable --target moves--> UnrevokedPartitions --member lets go--> UnreleasedPartitions --others let go--> Stable
//      '---------------- nothing to give up ------------------------------^     '---- nothing to wait for ------^
//
// Invariant: a partition is given only when nobody holds it, or the member itself was about to revoke it; so that none
// is ever held by two.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/base/uuid.h"
#include "core/coordinator/group/assignor.h"
#include "core/coordinator/group/consumer_member.h"

namespace leat {

// How many members hold each partition, assigned or still to be revoked. More than one can come only from a foreign log
// or from the assignment that a classic leader made.
class PartitionHolders {
 public:
  void add(const CurrentAssignment& current);
  void remove(const CurrentAssignment& current);
  bool is_held(const Uuid& topic, int32_t partition) const;

 private:
  void count(const PartitionEpochs& partitions, int32_t change);

  std::unordered_map<Uuid, std::unordered_map<int32_t, int32_t>> counts_;  // never 0
};

struct Reconciliation {
  const CurrentAssignment& current;
  int32_t target_epoch;
  const PartitionsByTopic& target;
  const std::set<Uuid>& subscribed;  // topics that are there and that the member wants
  const PartitionHolders& holders;
  const std::vector<TopicPartitions>* owned = nullptr;  // what the member says it owns; nullptr: as before
  bool subscription_changed = false;                    // in this very request
};

// What the member owns next, or what it owns now if it cannot move on. A member in the state kUnknown may have let go
// of everything (`owned` is there and empty); else it is to be fenced, and must not get here.
CurrentAssignment reconcile(const Reconciliation& input);

}  // namespace leat
