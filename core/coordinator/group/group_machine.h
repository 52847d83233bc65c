// group_machine.h: the groups and committed offsets of one partition of `__consumer_offsets`, as one state machine: fed
// events and a time, it returns records, replies and the next deadline. No clock, no I/O, no randomness of its own.
// Durable state changes only through apply(), which recovery calls with what the log holds.
// Thread: the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/coordinator/group/deadlines.h"
#include "core/coordinator/group/group_event.h"
#include "core/coordinator/group/group_record.h"
#include "core/coordinator/group/group_step.h"
#include "core/coordinator/group/topic_catalog.h"

namespace leat {

// Topics that a catalog does not tell apart when a log has been read; both may be null.
struct TopicsAtLoad {
  // Those that there were before anybody could make one anew under an old name; null: those that there are.
  const TopicNames* names = nullptr;
  // Those that are not served and may come back: what was committed for them is left alone.
  const TopicNames* absent = nullptr;
};

class GroupMachine final : private GroupRecordSink {
 public:
  explicit GroupMachine(Random& random);
  ~GroupMachine() override;
  GroupMachine(const GroupMachine&) = delete;
  GroupMachine& operator=(const GroupMachine&) = delete;

  // Recovery: each record of the log in order, then loaded() once. Members get a full session from now on. What was
  // committed for topics that are gone goes: a crash may have come between the end of a topic and the records of
  // TopicGone. A commit that bears no topic id belongs to whichever topic has the name.
  void replay(const GroupRecord& record);
  GroupOutput loaded(const GroupMoment& moment, const TopicsAtLoad& topics = {});

  // One step. The reply to `ticket` may come with a later step.
  GroupOutput handle(Ticket ticket, GroupEvent event, const GroupMoment& moment);

  // When TimePassed is due, in the terms of GroupMoment::now_ms.
  std::optional<int64_t> next_deadline_ms() const;

  // Live records that rebuild the durable state: what compaction would leave. Sorted by kind and key.
  std::vector<GroupRecord> snapshot() const;
  size_t group_count() const noexcept;

 private:
  struct Parts;
  void apply(const GroupRecord& record) override;

  std::unique_ptr<Parts> parts_;
};

}  // namespace leat
