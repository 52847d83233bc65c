// assignor.h: which member of a consumer group shall own which partition: a pure function of the members and their
// subscriptions, the topics, and the assignment before. Kafka's two server-side assignors (KIP-848).
// Both give each partition of a subscribed topic to exactly one member that is subscribed to it, and are deterministic.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/uuid.h"

namespace leat {

// Partitions by topic; each list sorted, no empty lists.
using PartitionsByTopic = std::map<Uuid, std::vector<int32_t>>;

struct AssignorMember {
  std::string id;
  std::optional<std::string> instance_id;
  std::vector<Uuid> topics;   // subscribed to and there; sorted, each once
  PartitionsByTopic current;  // its target before; partitions and topics that are gone may stand there
};

struct AssignorInput {
  std::vector<AssignorMember> members;  // by id
  std::map<Uuid, int32_t> topics;       // partition counts of all that anyone is subscribed to
};

using Assignment = std::map<std::string, PartitionsByTopic, std::less<>>;  // by member id; every member has an entry

// range: for each topic its partitions in consecutive ranges over the subscribed members in order (instance id, then
// member id), so that equal partitions of topics with equal members are owned together.
Assignment assign_range(const AssignorInput& input);
// uniform: as even as the subscriptions allow (counts differ by one at most where all are subscribed alike), and of
// those assignments one that moves few partitions.
Assignment assign_uniform(const AssignorInput& input);

using Assignor = Assignment (*)(const AssignorInput&);
// nullptr: no such assignor.
Assignor find_assignor(std::string_view name) noexcept;

}  // namespace leat
