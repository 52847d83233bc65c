// offset_lookup.h: offsets by timestamp, asked of each partition's leader, again where leaders moved, until all are
// found or the client's request_timeout_ms is over. Thread: the loop.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <leat/consumer.h>

#include "client/cluster/ask.h"
#include "client/cluster/cluster.h"
#include "net/loop/event.h"

namespace leat::client::detail {

using OffsetTimes = std::map<TopicPartition, int64_t>;
using FoundOffsets = std::map<TopicPartition, OffsetAndTimestamp>;

enum class MissingTopic : uint8_t {
  kWait,  // it may be about to be made
  kMake,  // the same, and the broker may make it
  kFail,  // at once, and nobody makes it
};

// Leaders as any broker tells them now; brokers are noted. UNKNOWN_TOPIC_OR_PARTITION names what is missing; partitions
// that have no leader at present are left out.
leat::Task<Result<std::map<TopicPartition, int32_t>>> ask_leaders(Cluster& cluster, Event& stopped,
                                                                  std::set<TopicPartition> partitions);

leat::Task<Result<FoundOffsets>> look_up_offsets(Cluster& cluster, Event& stopped, OffsetTimes times,
                                                 IsolationLevel isolation, MissingTopic missing);

}  // namespace leat::client::detail
