// group_shard.cpp: see group_shard.h.
#include "server/group_shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <string>

#include "core/base/check.h"
#include "server/log.h"

namespace leat {
namespace {

constexpr Ticket kNobody = 0;

// Goes on after the loop has polled.
struct NextTurn {
  explicit NextTurn(Scheduler& of) noexcept : scheduler(of) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiter) const {
    scheduler.post([&to = scheduler, awaiter] { to.resume_soon(awaiter); });
  }
  void await_resume() const noexcept {}
  Scheduler& scheduler;
};

bool only_reads(const GroupEvent& event) noexcept {
  return std::holds_alternative<FetchOffsets>(event) || std::holds_alternative<DescribeGroup>(event) ||
         std::holds_alternative<DescribeConsumerGroup>(event) || std::holds_alternative<ListGroups>(event);
}

bool is_offset_tombstone(const GroupRecord& record) noexcept {
  const auto* offset = std::get_if<OffsetCommitRecord>(&record);
  return offset != nullptr && !offset->value;
}

// What the records of a commit come to in the log, about; their fixed fields are some 60 bytes.
size_t size_of(const CommitOffsets& event) noexcept {
  constexpr size_t kFixedBytes = 64;
  size_t bytes = 0;
  for (const OffsetToCommit& offset : event.offsets) {
    bytes += kFixedBytes + event.group_id.size() + offset.topic.size() + offset.metadata.size();
  }
  return bytes;
}

// One line for a step of the sweep, however many groups it was about.
constexpr size_t kExpiredGroupsNamed = 20;

void log_expired(const TopicPartition& log, std::span<const ExpiredGroup> groups) {
  std::string named;
  for (const ExpiredGroup& group : groups.first(std::min(groups.size(), kExpiredGroupsNamed))) {
    named += fmt::format("{}{} of \"{}\"", named.empty() ? "" : ", ", group.offset_count, printable(group.group_id));
  }
  const size_t more = groups.size() - std::min(groups.size(), kExpiredGroupsNamed);
  if (more > 0) named += fmt::format(" and those of {} more groups", more);
  log_info("{}: committed offsets have expired: {}", log, named);
}

void log_orphans(const TopicPartition& log, std::span<const GroupRecord> records) {
  const auto count = std::count_if(records.begin(), records.end(), is_offset_tombstone);
  if (count > 0) log_info("{}: {} committed offsets are gone, for their topics are", log, count);
}

// Replays the entries of a log in order, holding back what a transaction wrote until its end is known.
class Replay {
 public:
  explicit Replay(GroupMachine& machine) noexcept : machine_(machine) {}

  void take(GroupLogEntry& entry) {
    if (auto* record = std::get_if<GroupRecord>(&entry)) return machine_.replay(*record);
    if (auto* part = std::get_if<TransactionalGroupRecord>(&entry)) {
      open_[part->producer_id].push_back(std::move(part->record));
      return;
    }
    end(std::get<EndedTransaction>(entry));
  }

 private:
  void end(const EndedTransaction& ended) {
    const auto open = open_.find(ended.producer_id);
    if (open == open_.end()) return;
    if (ended.is_committed) {
      for (const GroupRecord& record : open->second) machine_.replay(record);
    }
    open_.erase(open);
  }

  GroupMachine& machine_;
  std::map<int64_t, std::vector<GroupRecord>> open_;  // by producer id
};

}  // namespace

// In the frame of whoever asked.
struct GroupShard::Asker {
  Asker(GroupShard& of, GroupRefusal how, Gate::Hold held)
      : shard(of), refusal(how), hold(std::move(held)), answered(of.parts_.scheduler), ticket(++of.last_ticket_) {
    shard.askers_.emplace(ticket, this);
  }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() { shard.askers_.erase(ticket); }

  void tell(GroupReply with) {
    shard.askers_.erase(ticket);
    reply = std::move(with);
    answered.set();
  }

  GroupShard& shard;
  const GroupRefusal refusal;
  const Gate::Hold hold;
  Event answered;
  std::optional<GroupReply> reply;
  const Ticket ticket;
};

GroupShard::GroupShard(const Parts& parts, std::unique_ptr<GroupLog> log)
    : parts_(parts),
      log_(std::move(log)),
      steps_(parts.scheduler, *this),
      gate_(parts.scheduler),
      full_log_(parts.scheduler.clock()) {}

GroupShard::~GroupShard() { ENSURE(timer_ == kNoTimer, "{}: not stopped", log_->name()); }

void GroupShard::start(std::shared_ptr<const TopicNames> names) {
  names_ = std::move(names);
  begin_load();
}

// --- asking ---------------------------------------------------------------------------------------------------------

GroupErrc GroupShard::why_not(const GroupEvent& event) {
  switch (state_) {
    case State::kLoading:
      return GroupErrc::kCoordinatorLoadInProgress;
    case State::kStopped:
      return GroupErrc::kCoordinatorNotAvailable;
    case State::kFailed:
      if (parts_.scheduler.clock().monotonic() - failed_at_ < kReadAgainAfter) {
        return GroupErrc::kCoordinatorNotAvailable;
      }
      begin_load();
      return GroupErrc::kCoordinatorLoadInProgress;
    case State::kReady:
      break;
  }
  // What can never become durable is not begun, or each attempt would cost everybody the machine. Reads go on.
  if (!only_reads(event) && log_->closed()) return GroupErrc::kNotCoordinator;
  const bool is_full = full_count_ > 1 && parts_.scheduler.clock().monotonic() - full_at_ < kWriteAgainAfter;
  if (!only_reads(event) && is_full) return GroupErrc::kCoordinatorNotAvailable;
  const auto* commit = std::get_if<CommitOffsets>(&event);
  const bool is_too_large = commit != nullptr && size_of(*commit) > log_->step_bytes_max();
  return is_too_large ? GroupErrc::kInvalidCommitOffsetSize : GroupErrc::kNone;
}

Task<GroupReply> GroupShard::ask(GroupEvent event) {
  const GroupRefusal refusal = refusal_of(event);
  const GroupErrc refused_for = why_not(event);
  if (refused_for != GroupErrc::kNone) co_return refusal(refused_for);
  std::optional<Gate::Hold> hold = gate_.try_enter();
  if (!hold) co_return refusal(GroupErrc::kCoordinatorNotAvailable);
  Asker asker(*this, refusal, *std::move(hold));
  step(asker.ticket, std::move(event));
  const Woken woken = co_await asker.answered.wait();
  if (woken != Woken::kSet) co_return refusal(GroupErrc::kCoordinatorNotAvailable);
  co_return *std::move(asker.reply);
}

void GroupShard::tell(GroupEvent event) {
  switch (state_) {
    case State::kReady:
      if (!log_->closed()) step(kNobody, std::move(event));
      return;
    case State::kLoading:
      told_.push_back(std::move(event));
      return;
    case State::kFailed:  // what else there is the machine sees when it is made anew
      if (std::holds_alternative<TopicGone>(event)) told_.push_back(std::move(event));
      return;
    case State::kStopped:
      return;
  }
}

void GroupShard::step(Ticket ticket, GroupEvent event) {
  GroupStepEnd end;
  if (const auto* gone = std::get_if<TopicGone>(&event)) end.gone = *gone;
  const GroupMoment now = moment();
  take(machine_->handle(ticket, std::move(event), now), std::move(end));
}

void GroupShard::take(GroupOutput output, GroupStepEnd end) {
  if (!output.records.empty()) write(std::move(output.records));
  end.replies = std::move(output.replies);
  if (!end.replies.empty() || end.gone) steps_.wait(std::move(end));
  if (!output.expired.empty()) log_expired(log_->name(), output.expired);
  arm_timer();
}

// In one piece, or cut behind tombstones of offsets.
void GroupShard::write(std::vector<GroupRecord> records) {
  size_t begin = 0;
  for (size_t end = kTombstonesTogether; end < records.size(); ++end) {
    if (end - begin < kTombstonesTogether || !is_offset_tombstone(records[end - 1])) continue;
    const auto first = records.begin() + static_cast<ptrdiff_t>(begin);
    const auto last = records.begin() + static_cast<ptrdiff_t>(end);
    steps_.write(std::vector<GroupRecord>(std::make_move_iterator(first), std::make_move_iterator(last)));
    begin = end;
  }
  records.erase(records.begin(), records.begin() + static_cast<ptrdiff_t>(begin));
  steps_.write(std::move(records));
}

void GroupShard::refuse_all(GroupErrc why) {
  while (!askers_.empty()) {
    Asker& asker = *askers_.begin()->second;
    asker.tell(asker.refusal(why));
  }
}

Task<void> GroupShard::stop() {
  state_ = State::kStopped;
  told_.clear();
  parts_.scheduler.timers().cancel(std::exchange(timer_, kNoTimer));
  Task<void> draining = steps_.drained();
  co_await draining;
  refuse_all(GroupErrc::kNotCoordinator);
  (void)co_await gate_.close();
}

// --- durable --------------------------------------------------------------------------------------------------------

// Several batches go one after the other, and nothing of a later append before the last of them.
Task<Result<void>> GroupShard::append(std::vector<std::vector<GroupRecord>> steps) {
  for (auto next = steps.begin(); next != steps.end();) {
    const int64_t wall_ms = parts_.scheduler.clock().wall_ms();
    GroupBatch batch({.timestamp_ms = wall_ms, .codec = parts_.codec});
    Result<void> encoded;
    while (encoded && next != steps.end() && batch.record_count() < kBatchRecordsMax &&
           batch.size_bytes() < kBatchBytesMax) {
      encoded = batch.add(*next++);
    }
    is_cutting_ = next != steps.end();
    Result<void> appended = encoded;
    if (encoded) {
      Task<Result<void>> appending = append_batch(std::move(batch), wall_ms);
      appended = co_await appending;
    }
    if (appended) continue;
    if (next != steps.end()) is_cutting_ = false;
    note_failure(appended.error());
    co_return appended;
  }
  full_count_ = 0;
  co_return Result<void>{};
}

void GroupShard::note_failure(const Error& error) {
  if (error.code == Errc::kNoSpace) {
    lacks_space_ = true;
    full_log_.error(
        "{}: the disk is full: groups cannot commit or change until space is freed; {}; they are read again",
        log_->name(), error.context);
  } else {
    log_error("{}: {}; its groups are read again", log_->name(), error.context);
  }
}

Task<Result<void>> GroupShard::append_batch(GroupBatch batch, int64_t wall_ms) {
  Result<Slice> bytes = batch.finish();
  if (!bytes) co_return fail(bytes.error());
  Task<Result<void>> appending = log_->append(*std::move(bytes), batch.record_count(), wall_ms);
  Result<void> appended = co_await appending;
  co_return appended;
}

// All who wait go at once: their clients come again, and find the log being read.
Task<void> GroupShard::rebuild() {
  const bool is_full = std::exchange(lacks_space_, false);
  full_count_ = is_full ? full_count_ + 1 : 0;
  full_at_ = parts_.scheduler.clock().monotonic();
  refuse_all(is_full ? GroupErrc::kCoordinatorNotAvailable : GroupErrc::kNotCoordinator);
  if (state_ == State::kStopped) co_return;
  state_ = State::kLoading;
  parts_.scheduler.timers().cancel(std::exchange(timer_, kNoTimer));
  if (full_count_ > 1) co_await sleep_for(parts_.scheduler, kFullPause);
  if (state_ == State::kStopped) co_return;
  Task<void> loading = load();
  co_await loading;
}

void GroupShard::on_durable(GroupStepEnd end) {
  for (auto& [ticket, reply] : end.replies) {
    const auto asker = askers_.find(ticket);
    if (asker != askers_.end()) asker->second->tell(std::move(reply));
  }
}

// rebuild() has sent away who waits for a reply.
void GroupShard::on_lost(GroupStepEnd end, const Error&) {
  if (end.gone) tell(*std::move(end.gone));
}

// --- the log --------------------------------------------------------------------------------------------------------

void GroupShard::begin_load() {
  state_ = State::kLoading;
  std::optional<Gate::Hold> hold = gate_.try_enter();
  if (hold) spawn(load_held(*std::move(hold)));
}

Task<void> GroupShard::load_held(Gate::Hold hold) {
  const Gate::Hold held = std::move(hold);
  Task<void> loading = load();
  co_await loading;
}

Task<void> GroupShard::load() {
  const Nanos begun = parts_.scheduler.clock().monotonic();
  Task<Result<void>> replaying = replay();
  const Result<void> replayed = co_await replaying;
  if (state_ == State::kStopped) co_return;
  if (!replayed) {
    state_ = State::kFailed;
    failed_at_ = parts_.scheduler.clock().monotonic();
    std::erase_if(told_, [](const GroupEvent& event) { return !std::holds_alternative<TopicGone>(event); });
    log_error("{} cannot be read, its groups are not served: {}", log_->name(), replayed.error().context);
    co_return;
  }
  state_ = State::kReady;
  const GroupMoment now = moment();
  GroupOutput output = machine_->loaded(now, {.names = names_.get(), .absent = parts_.absent});
  names_.reset();
  log_orphans(log_->name(), output.records);
  take(std::move(output), {});
  for (GroupEvent& event : std::exchange(told_, {})) step(kNobody, std::move(event));
  const auto took = std::chrono::duration_cast<Millis>(parts_.scheduler.clock().monotonic() - begun);
  log_debug("{}: {} groups read in {} ms", log_->name(), machine_->group_count(), took.count());
}

Task<Result<void>> GroupShard::replay() {
  machine_ = std::make_unique<GroupMachine>(parts_.random);
  Replay into(*machine_);
  Result<GroupLog::Range> range = log_->range();
  if (!range) co_return fail(range.error());
  size_t since_turn = 0;
  while (range->begin < range->end) {
    Task<Result<GroupLogPiece>> reading = log_->read(*range);
    Result<GroupLogPiece> piece = co_await reading;
    if (!piece) co_return fail(piece.error());
    if (piece->next <= range->begin) co_return fail(Errc::kCorrupt, "batches that do not go on");
    range->begin = piece->next;
    for (GroupLogEntry& entry : piece->entries) {
      if (state_ == State::kStopped) co_return fail(Errc::kCancelled, "stopping");
      into.take(entry);
      if (++since_turn % kReplaySlice == 0) co_await NextTurn(parts_.scheduler);
    }
  }
  co_return Result<void>{};
}

// --- time -----------------------------------------------------------------------------------------------------------

int64_t GroupShard::now_ms() const noexcept {
  return std::chrono::duration_cast<Millis>(parts_.scheduler.clock().monotonic()).count();
}

GroupMoment GroupShard::moment() const noexcept {
  return {.now_ms = now_ms(),
          .wall_ms = parts_.scheduler.clock().wall_ms(),
          .rules = parts_.rules,
          .catalog = parts_.catalog};
}

// A timer that is too early finds nothing due and is set again: sessions are moved by every heartbeat, and setting a
// timer anew each time would cost more than the heartbeat.
void GroupShard::arm_timer() {
  const std::optional<int64_t> next_ms = machine_->next_deadline_ms();
  if (!next_ms || state_ != State::kReady) return;
  if (timer_ != kNoTimer && timer_at_ms_ <= *next_ms) return;
  parts_.scheduler.timers().cancel(timer_);
  timer_at_ms_ = *next_ms;
  const int64_t wait_ms = std::max<int64_t>(*next_ms - now_ms(), 1);
  timer_ = parts_.scheduler.timers().start(Millis(wait_ms), [this] { on_timer(); });
}

void GroupShard::on_timer() {
  timer_ = kNoTimer;
  if (state_ == State::kReady && !log_->closed()) step(kNobody, TimePassed{});
}

}  // namespace leat
