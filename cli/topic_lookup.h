// topic_lookup.h: topics by their names, and offsets of their partitions, with what to do when they are not there.
#pragma once

#include <leat/admin.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/session.h"

namespace leat::cli {

using OffsetsFound = std::map<int32_t, client::OffsetAndTimestamp>;  // by partition

// UNKNOWN_TOPIC_OR_PARTITION says what to do.
Result<client::TopicInfo> find_topic(Session& session, const std::string& name);
// The broker makes it, when it does so by itself; waits a moment until it is there.
Result<client::TopicInfo> find_or_make_topic(Session& session, const std::string& name);
// Every broker that leads a partition is reached, so that nothing is begun that would only wait for one.
Result<void> reach_leaders(Session& session, const client::TopicInfo& topic);

// The chosen partitions, or all of them. UNKNOWN_TOPIC_OR_PARTITION names one that the topic does not have.
Result<std::vector<int32_t>> chosen_partitions(Session& session, const client::TopicInfo& topic,
                                               const std::vector<int64_t>& chosen);
// As Admin::list_offsets, of partitions that there are.
Result<OffsetsFound> list_offsets(Session& session, const std::string& topic, const std::vector<int32_t>& partitions,
                                  int64_t time,
                                  client::IsolationLevel isolation = client::IsolationLevel::kReadUncommitted);

// For an offset that a partition does not have: says which there are.
Error offset_outside(Session& session, const client::TopicPartition& partition, int64_t offset, int64_t log_start,
                     int64_t log_end);

}  // namespace leat::cli
