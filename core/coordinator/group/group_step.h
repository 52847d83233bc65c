// group_step.h: what one step of the group machine is given, and what it gives. write() is the only way to change
// durable state: the record is applied at once, by the function that recovery replays, and goes to the log with the
// step's others. Replies leave when all records written up to then are durable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/coordinator/group/deadlines.h"
#include "core/coordinator/group/group_event.h"
#include "core/coordinator/group/group_record.h"
#include "core/coordinator/group/group_rules.h"
#include "core/coordinator/group/topic_catalog.h"

namespace leat {

// What holds during one step.
struct GroupMoment {
  int64_t now_ms = 0;   // monotonic: deadlines; a clock that is set does not expire anybody
  int64_t wall_ms = 0;  // what records are stamped with, and what offsets' retention goes by
  const GroupRules& rules;
  const TopicCatalog& catalog;
};

struct ExpiredGroup {
  std::string group_id;
  size_t offset_count = 0;
};

struct GroupOutput {
  std::vector<GroupRecord> records;  // in order; one batch; applied already
  std::vector<std::pair<Ticket, GroupReply>> replies;
  std::vector<ExpiredGroup> expired;  // whose committed offsets the sweep has removed: news for the operator
};

class GroupRecordSink {
 public:
  virtual ~GroupRecordSink() = default;
  virtual void apply(const GroupRecord& record) = 0;
};

class GroupStep {
 public:
  GroupStep(const GroupMoment& moment, Random& random, Deadlines& deadlines, GroupRecordSink& sink) noexcept
      : moment_(moment), random_(random), deadlines_(deadlines), sink_(sink) {}

  int64_t now_ms() const noexcept { return moment_.now_ms; }
  int64_t wall_ms() const noexcept { return moment_.wall_ms; }
  const GroupRules& rules() const noexcept { return moment_.rules; }
  const TopicCatalog& catalog() const noexcept { return moment_.catalog; }
  Random& random() noexcept { return random_; }
  Deadlines& deadlines() noexcept { return deadlines_; }

  // References into a group's durable state may be invalid afterwards.
  void write(GroupRecord record) {
    sink_.apply(record);
    output_.records.push_back(std::move(record));
  }
  void reply(Ticket ticket, GroupReply reply) { output_.replies.emplace_back(ticket, std::move(reply)); }

  void report_expired(std::string group_id, size_t offset_count) {
    output_.expired.push_back({.group_id = std::move(group_id), .offset_count = offset_count});
  }

  GroupOutput take_output() noexcept { return std::move(output_); }

 private:
  const GroupMoment& moment_;
  Random& random_;
  Deadlines& deadlines_;
  GroupRecordSink& sink_;
  GroupOutput output_;
};

}  // namespace leat
