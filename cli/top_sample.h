// top_sample.h: what a cluster looks like at one moment, as `leat top` asks for it (top_sampler.h). Plain data, from
// which top_report.h makes rates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <leat/admin.h>

#include "core/base/clock.h"

namespace leat::cli {

struct PartitionSample {
  int32_t leader = -1;
  std::optional<int64_t> log_end;     // none: no leader that could tell
  std::optional<int64_t> size_bytes;  // of the leader's copy; none: nobody told
};

struct GroupSample {
  std::string state;
  std::map<client::TopicPartition, int64_t> committed = {};  // asked before the log ends, so that no lag is below 0
};

struct Sample {
  Nanos taken_at{0};  // monotonic: rates are made with it
  int64_t wall_ms = 0;
  client::ClusterInfo cluster;
  std::map<client::TopicPartition, PartitionSample> partitions;
  std::map<std::string, GroupSample> groups;
  std::map<int32_t, int64_t> log_bytes;  // by node, of all copies that it keeps; empty: nobody told
  std::optional<int64_t> connections;    // of the broker whose metrics are read
  std::vector<std::string> troubles;     // what could not be had, a sentence each
};

}  // namespace leat::cli
