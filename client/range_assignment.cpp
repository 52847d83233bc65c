// range_assignment.cpp: topic after topic; nothing is carried over from one to the next.
#include "client/range_assignment.h"

#include <algorithm>
#include <tuple>

namespace leat {
namespace {

bool stands_before(const RangeMember& a, const RangeMember& b) {
  const bool a_dynamic = !a.instance_id.has_value();
  const bool b_dynamic = !b.instance_id.has_value();
  return std::tie(a_dynamic, a.instance_id, a.member_id) < std::tie(b_dynamic, b.instance_id, b.member_id);
}

bool subscribes(const RangeMember& member, const std::string& topic) {
  return std::find(member.topics.begin(), member.topics.end(), topic) != member.topics.end();
}

}  // namespace

RangeAssignment assign_by_range(std::vector<RangeMember> members, const std::map<std::string, int32_t>& topics) {
  std::sort(members.begin(), members.end(), stands_before);
  RangeAssignment assigned;
  for (const RangeMember& member : members) assigned.try_emplace(member.member_id);
  for (const auto& [topic, partition_count] : topics) {
    std::vector<const RangeMember*> takers;
    for (const RangeMember& member : members) {
      if (subscribes(member, topic)) takers.push_back(&member);
    }
    if (takers.empty()) continue;
    const auto taker_count = static_cast<int32_t>(takers.size());
    int32_t next = 0;
    for (int32_t i = 0; i < taker_count; ++i) {
      const int32_t share = partition_count / taker_count + (i < partition_count % taker_count ? 1 : 0);
      for (const int32_t end = next + share; next < end; ++next) {
        assigned[takers[static_cast<size_t>(i)]->member_id][topic].push_back(next);
      }
    }
  }
  return assigned;
}

}  // namespace leat
