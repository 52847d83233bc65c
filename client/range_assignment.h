// range_assignment.h: Kafka's assignor "range" as the leader of a classic group computes it: for each topic its
// partitions in consecutive ranges over the members that are subscribed to it, the first ones getting one more. Members
// stand in order of instance id, then of member id, static ones first, so that every client comes to the same ranges.
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace leat {

struct RangeMember {
  std::string member_id;
  std::optional<std::string> instance_id;
  std::vector<std::string> topics;
};

// By member id, then topic. Every member has an entry; topics without a known partition count are left out.
using RangeAssignment = std::map<std::string, std::map<std::string, std::vector<int32_t>>>;

RangeAssignment assign_by_range(std::vector<RangeMember> members, const std::map<std::string, int32_t>& topics);

}  // namespace leat
