// bench_target.h: what a bench drives: a topic, and the address of each partition's leader.
#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "client/topic_offsets.h"

namespace leat::cli {

// Versions in which names stand for topics and answers have fixed places; every broker since 2.3 speaks them.
inline constexpr int16_t kBenchProduceVersion = 7;
inline constexpr int16_t kBenchFetchVersion = 11;

struct BenchTarget {
  SimpleClient* client;
  Topic topic;
  std::vector<HostPort> leaders;  // by partition
};

// Makes the topic when the broker does so by itself. kUnsupported when it does not speak the versions.
Result<BenchTarget> find_bench_target(Session& session, const std::string& topic);

}  // namespace leat::cli
