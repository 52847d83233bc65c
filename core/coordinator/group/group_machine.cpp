// group_machine.cpp: steps: events to the groups, deadlines that are due, and the sweep over committed offsets.
#include "core/coordinator/group/group_machine.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/coordinator/group/group_offsets.h"
#include "core/coordinator/group/group_requests.h"
#include "core/coordinator/group/group_table.h"

namespace leat {
namespace {

// The sweep looks at this many groups and offsets in one step, some milliseconds of the loop's time, and goes on in the
// next.
constexpr size_t kSweptPerStepMax = 20'000;
constexpr int64_t kSweepPauseMs = 1;

// Ids were handed out that are not used yet, for the first generation of a group: they have a deadline of their own.
bool awaits_members(const GroupTable::Group& group) {
  const auto* classic = std::get_if<ClassicGroup>(&group);
  return classic != nullptr && !classic->recorded() && !classic->is_blank();
}

// No group has this id: theirs are UTF-8.
DeadlineKey sweep_key() { return {"\xff", DeadlineKind::kOffsetExpiry, ""}; }

}  // namespace

struct GroupMachine::Parts {
  explicit Parts(Random& source) noexcept : random(source) {}

  void fire_due(GroupStep& step);
  void fire(GroupStep& step, const DeadlineKey& key);
  void sweep(GroupStep& step);
  size_t sweep_group(GroupStep& step, const std::string& group_id);
  void load(GroupStep& step, const std::string& group_id);
  void remove_orphans(GroupStep& step, const TopicsAtLoad& topics);

  Random& random;
  Deadlines deadlines;
  GroupTable table;
  std::optional<std::string> swept_to;  // the last group that the sweep under way has seen
};

GroupMachine::GroupMachine(Random& random) : parts_(std::make_unique<Parts>(random)) {}
GroupMachine::~GroupMachine() = default;

void GroupMachine::apply(const GroupRecord& record) { parts_->table.apply(record); }
void GroupMachine::replay(const GroupRecord& record) { parts_->table.apply(record); }

GroupOutput GroupMachine::loaded(const GroupMoment& moment, const TopicsAtLoad& topics) {
  GroupStep step(moment, parts_->random, parts_->deadlines, *this);
  parts_->remove_orphans(step, topics);
  std::vector<std::string> group_ids;
  group_ids.reserve(parts_->table.groups().size());
  for (const auto& [group_id, group] : parts_->table.groups()) group_ids.push_back(group_id);
  for (const std::string& group_id : group_ids) parts_->load(step, group_id);
  parts_->deadlines.set(sweep_key(), moment.now_ms + moment.rules.offsets_check_interval_ms);
  return step.take_output();
}

GroupOutput GroupMachine::handle(Ticket ticket, GroupEvent event, const GroupMoment& moment) {
  GroupStep step(moment, parts_->random, parts_->deadlines, *this);
  if (std::holds_alternative<TimePassed>(event)) parts_->fire_due(step);
  std::visit(GroupRequests(parts_->table, step, ticket), event);
  return step.take_output();
}

std::optional<int64_t> GroupMachine::next_deadline_ms() const { return parts_->deadlines.next_ms(); }
std::vector<GroupRecord> GroupMachine::snapshot() const { return parts_->table.snapshot(); }
size_t GroupMachine::group_count() const noexcept { return parts_->table.groups().size(); }

// --- load -----------------------------------------------------------------------------------------------------------

void GroupMachine::Parts::remove_orphans(GroupStep& step, const TopicsAtLoad& topics) {
  const auto is_gone = [&step, names = topics.names, absent = topics.absent](std::string_view topic, const Uuid& id) {
    if (absent != nullptr && absent->contains(topic)) return false;
    if (!id.is_zero()) return !step.catalog().find(id).has_value();
    return names != nullptr ? !names->contains(topic) : !step.catalog().find(topic).has_value();
  };
  delete_offsets(step, table.offsets().keys_of_gone(is_gone));
}

// Compaction may have left tombstones of members alone: then there is nothing of the group but the object.
void GroupMachine::Parts::load(GroupStep& step, const std::string& group_id) {
  if (table.is_of_no_use(group_id)) return table.forget(group_id);
  if (ConsumerGroup* consumer = table.find_consumer(group_id)) {
    consumer->loaded(step);
  } else if (ClassicGroup* classic = table.find_classic(group_id)) {
    classic->loaded(step);
  }
}

// --- time -----------------------------------------------------------------------------------------------------------

void GroupMachine::Parts::fire_due(GroupStep& step) {
  while (const std::optional<DeadlineKey> key = deadlines.take_due(step.now_ms())) fire(step, *key);
}

void GroupMachine::Parts::fire(GroupStep& step, const DeadlineKey& key) {
  if (key.kind == DeadlineKind::kOffsetExpiry) return sweep(step);
  GroupTable::Group* group = table.find(key.group_id);
  if (group == nullptr) return;
  std::visit([&](auto& one) { one.on_deadline(step, key); }, *group);
  settle_group(table, step, key.group_id);
}

void GroupMachine::Parts::sweep(GroupStep& step) {
  auto at = swept_to ? table.groups().upper_bound(*swept_to) : table.groups().begin();
  for (size_t seen = 0; at != table.groups().end() && seen < kSweptPerStepMax;) {
    swept_to = at->first;
    seen += 1 + sweep_group(step, *swept_to);
    at = table.groups().upper_bound(*swept_to);  // the group may be gone
  }
  const bool is_done = at == table.groups().end();
  if (is_done) swept_to.reset();
  deadlines.set(sweep_key(), step.now_ms() + (is_done ? step.rules().offsets_check_interval_ms : kSweepPauseMs));
}

// Removes what has expired, and the group itself once it has neither members nor offsets. Returns how many offsets it
// has looked at.
size_t GroupMachine::Parts::sweep_group(GroupStep& step, const std::string& group_id) {
  const GroupTable::Group& group = *table.find(group_id);
  const OffsetRetention retention = std::visit([](const auto& one) { return retention_of(one); }, group);
  const ExpiredOffsets offsets = expire_offsets(step, table.offsets(), group_id, retention, subscriptions_of(group));
  if (offsets.expired_count > 0) step.report_expired(group_id, offsets.expired_count);
  if (is_empty(group) && offsets.kept_count == 0 && !awaits_members(group)) end_group(table, step, group_id);
  return offsets.expired_count + offsets.kept_count;
}

}  // namespace leat
