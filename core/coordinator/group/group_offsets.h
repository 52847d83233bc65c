// group_offsets.h: what is asked of committed offsets, once the group has let the request pass: commit, fetch, delete,
// expire. Which offsets a topic's name stands for is decided here: those of the topic that has the name now, and those
// that were committed without an id; never those of a topic that had the name before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/coordinator/group/classic_group.h"
#include "core/coordinator/group/consumer_group.h"
#include "core/coordinator/group/group_event.h"
#include "core/coordinator/group/group_step.h"
#include "core/coordinator/group/group_table.h"
#include "core/coordinator/group/offset_store.h"

namespace leat {

using IsSubscribed = std::function<bool(std::string_view topic)>;
IsSubscribed subscriptions_of(const GroupTable::Group& group);  // valid as long as the group

// In step with the event's offsets, whose strings are used up. Those of topics that are not there (any more) are
// refused.
std::vector<GroupErrc> commit_offsets(GroupStep& step, CommitOffsets& event);

// A row for each partition that was asked for, or for each that is committed. There are no more rows than the request
// names, or the group has.
std::vector<CommittedOffset> fetch_offsets(const OffsetStore& store, const TopicCatalog& catalog,
                                           const FetchOffsets& event);
std::vector<CommittedOffset> no_offsets(const FetchOffsets& event);  // of a group that is not there

std::vector<GroupErrc> delete_offsets(GroupStep& step, const OffsetStore& store, const DeleteOffsets& event,
                                      const IsSubscribed& is_subscribed);
void delete_offsets(GroupStep& step, std::vector<OffsetCommitKey> keys);
void delete_all_offsets(GroupStep& step, const OffsetStore& store, const std::string& group_id);
void delete_offsets_of_topic(GroupStep& step, const OffsetStore& store, const TopicGone& event);

// From when offsets.retention.minutes counts for the offsets of a group (KIP-211). An expiry that an old client asked
// for stands in the place of both, but while nothing expires it does not either.
struct OffsetRetention {
  bool may_expire = false;
  int64_t empty_since_ms = -1;  // wall time; -1: from each commit
  bool commit_counts = true;    // one that came later than that begins anew
};
OffsetRetention retention_of(const ClassicGroup& group);
OffsetRetention retention_of(const ConsumerGroup& group);

struct ExpiredOffsets {
  size_t expired_count = 0;
  size_t kept_count = 0;
};
ExpiredOffsets expire_offsets(GroupStep& step, const OffsetStore& store, const std::string& group_id,
                              const OffsetRetention& retention, const IsSubscribed& is_subscribed);

}  // namespace leat
