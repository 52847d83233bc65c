// group_offsets.h: the offsets that a group has committed, read and written. Thread: the client's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/simple_client.h"

namespace leat {

using CommittedPositions = std::map<TopicPartition, int64_t>;

struct TopicSelection {
  std::string topic;
  std::vector<int32_t> partitions;
};

// What is committed for the selected partitions, or all that is when nothing is selected; partitions without a commit
// are left out. Waits for open transactions that hold an offset.
Result<CommittedPositions> fetch_committed(SimpleClient& client, const std::string& group_id,
                                           const std::vector<TopicSelection>& only = {});

// Who commits. Nobody in particular by default, which a group takes only while it is empty.
struct Committer {
  std::string member_id;
  int32_t generation_or_epoch = -1;
  std::optional<std::string> instance_id;
};

struct RefusedOffset {
  TopicPartition partition;
  ErrorCode error;
};

// The refused ones; empty: all were taken.
Result<std::vector<RefusedOffset>> commit_offsets(SimpleClient& client, const std::string& group_id,
                                                  const Committer& committer,
                                                  const std::map<TopicPartition, int64_t>& offsets);

}  // namespace leat
