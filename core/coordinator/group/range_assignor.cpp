// range_assignor.cpp: Kafka's server-side `range`. One order of the members for all topics, and each topic dealt in it
// from partition 0 on, whatever was owned before: that is what makes topics alike end up alike, and it costs stickiness
// (a member that joins in the middle of the order shifts all behind it).
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/base/check.h"
#include "core/coordinator/group/assignor.h"

namespace leat {
namespace {

// How a topic is dealt to its subscribers: `least` each, and one more to the first `longer_count` of them.
struct TopicRanges {
  int32_t subscriber_count = 0;
  int32_t least = 0;
  int32_t longer_count = 0;
  int32_t next = 0;

  std::vector<int32_t> take() {
    std::vector<int32_t> range(static_cast<size_t>(longer_count > 0 ? least + 1 : least));
    if (longer_count > 0) --longer_count;
    std::iota(range.begin(), range.end(), next);
    next += static_cast<int32_t>(range.size());
    return range;
  }
};

// Static members first, by instance id: a restart gives them a new member id, and must not move them.
bool is_dealt_before(const AssignorMember* a, const AssignorMember* b) {
  if (a->instance_id.has_value() != b->instance_id.has_value()) return a->instance_id.has_value();
  if (a->instance_id && *a->instance_id != *b->instance_id) return *a->instance_id < *b->instance_id;
  return a->id < b->id;
}

std::unordered_map<Uuid, TopicRanges> ranges_by_topic(const AssignorInput& input) {
  std::unordered_map<Uuid, TopicRanges> by_topic;
  for (const AssignorMember& member : input.members) {
    for (const Uuid& topic : member.topics) ++by_topic[topic].subscriber_count;
  }
  for (auto& [topic, ranges] : by_topic) {
    const auto counted = input.topics.find(topic);
    ENSURE(counted != input.topics.end(), "topic {}", topic.to_string());
    ranges.least = counted->second / ranges.subscriber_count;
    ranges.longer_count = counted->second % ranges.subscriber_count;
  }
  return by_topic;
}

}  // namespace

Assignment assign_range(const AssignorInput& input) {
  std::vector<const AssignorMember*> members;
  members.reserve(input.members.size());
  for (const AssignorMember& member : input.members) members.push_back(&member);
  std::sort(members.begin(), members.end(), is_dealt_before);

  std::unordered_map<Uuid, TopicRanges> by_topic = ranges_by_topic(input);
  Assignment assignment;
  for (const AssignorMember* member : members) {
    PartitionsByTopic& owned = assignment[member->id];
    for (const Uuid& topic : member->topics) {
      std::vector<int32_t> range = by_topic[topic].take();
      if (!range.empty()) owned.emplace(topic, std::move(range));
    }
  }
  return assignment;
}

}  // namespace leat
