// cohort_shares.h: the arithmetic half of the uniform assignor: how many partitions of each topic each cohort shall
// own. A cohort is the members that have one and the same subscription. They can own the same, so that here only their
// number counts; which of them owns which partition comes after (uniform_assignor.cpp). Large groups have few cohorts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat {

struct CohortShare {
  size_t topic = 0;    // index into the partition counts
  int64_t held = 0;    // partitions that the cohort's members own as it stands
  int64_t wanted = 0;  // that they shall own
};

struct Cohort {
  std::vector<size_t> members;      // never empty
  std::vector<CohortShare> shares;  // one for each topic subscribed to, by topic
};

// A bound on the search, some tenths of a second. What it costs goes with the number of cohorts and of partitions that
// are in the wrong hands: 1,000 members with as many subscriptions and 10,000 partitions stay well below.
inline constexpr uint64_t kShareStepsMax = 50'000'000;

// Sets `wanted` everywhere, given `held`. For each topic that has subscribers the wanted shares add up to its partition
// count. Once each cohort's partitions are spread evenly over its members, no partition can go from a member to one
// that owns at least two fewer, nor can a chain of partitions, each pushing out the next: no assignment is more even.
// Only a group that needs more than kShareStepsMax is left as even as it got until then. What is held stays where the
// choice is free.
void decide_shares(std::vector<Cohort>& cohorts, const std::vector<int32_t>& partition_counts);

}  // namespace leat
