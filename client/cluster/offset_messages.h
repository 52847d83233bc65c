// offset_messages.h: OffsetFetch 1-9 and OffsetCommit 2-9 as consumers and the admin send them; later versions want
// topic ids. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <leat/result.h>
#include <leat/topic_partition.h>

#include "net/protocol/messages/offset_commit.h"
#include "net/protocol/messages/offset_fetch.h"

namespace leat::client::detail {

inline constexpr int16_t kOffsetVersionMax = 9;

struct Committer {  // "" and -1: nobody in particular, which a group takes only while it is empty
  std::string member_id;
  int32_t generation_or_epoch = -1;
  std::optional<std::string> instance_id;
};

// Partitions sorted; none: all that have a commit.
OffsetFetchRequest make_offset_fetch(const std::string& group_id,
                                     const std::optional<std::vector<TopicPartition>>& partitions, int16_t version);
ErrorCode error_of_offset_fetch(const OffsetFetchResponse& response);  // the first
// What is committed; partitions without a commit, and topics that are gone, are left out.
Result<Offsets> offsets_in(const OffsetFetchResponse& response, const std::string& group_id);

OffsetCommitRequest make_offset_commit(const std::string& group_id, const Committer& committer, const Offsets& offsets);
ErrorCode error_of_offset_commit(const OffsetCommitResponse& response);  // the first

}  // namespace leat::client::detail
