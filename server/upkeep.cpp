// upkeep.cpp: see upkeep.h.
#include "server/upkeep.h"

#include <algorithm>

#include "core/base/topic_partition.h"
#include "net/loop/run_on.h"
#include "server/log.h"

namespace leat {

// Compaction rests for as long as a piece took: it takes half a core at most.
const Upkeep::Pieces Upkeep::kClientCompaction{.kind = Partition::Upkeep::kCompaction,
                                               .flushes_first = false,
                                               .rest_factor = 1,
                                               .rest_min = Millis(1),
                                               .rest_max = Millis(200),
                                               .rests_at_end = false};
// A segment that has just ended is compacted when its index is in its file: here that does not wait its turn.
const Upkeep::Pieces Upkeep::kInternalCompaction{.kind = Partition::Upkeep::kCompaction,
                                                 .flushes_first = true,
                                                 .rest_factor = 1,
                                                 .rest_min = Millis(1),
                                                 .rest_max = Millis(200),
                                                 .rests_at_end = false};
// The check of what is read rests ten times as long: it takes a tenth of a core, and of the disk. But not longer than
// the greatest rest, so that it comes to an end where the disk is slow.
const Upkeep::Pieces Upkeep::kAudit{.kind = Partition::Upkeep::kAudit,
                                    .flushes_first = false,
                                    .rest_factor = 10,
                                    .rest_min = Millis(10),
                                    .rest_max = Millis(2000),
                                    .rests_at_end = true};

void log_below_reserve(const LogDirectory& directory, int64_t free_bytes) {
  log_error("{}: {} bytes free, below leat.disk.reserve.bytes={}: appends of clients are refused until space is freed",
            directory.path(), free_bytes, directory.reserve_bytes());
}

Upkeep::Upkeep(const Parts& parts, UpkeepOptions options)
    : parts_(parts),
      options_(options),
      unnoted_log_(parts.scheduler.clock(), 1, Millis(60'000)),
      stop_(parts.scheduler),
      gate_(parts.scheduler) {}

void Upkeep::start() {
  parts_.table.lane_starter().set_on_appended([this](int64_t size_bytes) { on_appended(size_bytes); });
  spawn(walk_forever(*gate_.try_enter(), Partition::Upkeep::kFlush, options_.flush_every));
  spawn(walk_forever(*gate_.try_enter(), Partition::Upkeep::kCheckpoint, options_.checkpoint_every));
  spawn(walk_forever(*gate_.try_enter(), Partition::Upkeep::kRetention, options_.retention_every));
  spawn(compact_forever(*gate_.try_enter(), LogKind::kClient, options_.compaction_every));
  spawn(compact_forever(*gate_.try_enter(), LogKind::kInternal, options_.internal_compaction_every));
  spawn(audit_forever(*gate_.try_enter()));
  spawn(watch_disk(*gate_.try_enter()));
}

Event::Wait Upkeep::stop() {
  parts_.table.lane_starter().set_on_appended({});
  stop_.set();
  return gate_.close();
}

Task<void> Upkeep::walk_forever(Gate::Hold hold, Partition::Upkeep kind, Millis every) {
  const Gate::Hold held = std::move(hold);
  while (true) {
    const Woken woken = co_await stop_.wait_for(every);
    if (woken != Woken::kTimedOut) co_return;
    co_await walk(kind);
    if (kind == Partition::Upkeep::kFlush) continue;
    const Result<void> saved = co_await parts_.folders.save_checkpoints();
    if (!saved) log_error("cannot write checkpoints: {}", saved.error().context);
  }
}

std::optional<Partition*> Upkeep::next_partition(Place& at) const {
  const auto& topics = parts_.table.topics();
  for (auto topic = topics.lower_bound(at.topic); topic != topics.end(); ++topic) {
    if (topic->first != at.topic) at = {topic->first, -1};
    const auto index = static_cast<size_t>(++at.index);
    if (index < topic->second->partitions.size()) return topic->second->partitions[index].get();
  }
  return std::nullopt;
}

Task<void> Upkeep::walk(Partition::Upkeep kind) {
  if (Partition* extra = parts_.folders.extra()) (void)co_await visit(extra, kind);
  Place at;
  for (size_t passed = 1; !stop_.is_set(); ++passed) {
    if (passed % kSlice == 0) co_await sleep_for(parts_.scheduler, Millis(1));
    const std::optional<Partition*> partition = next_partition(at);
    if (!partition || stop_.is_set()) co_return;
    if (*partition != nullptr) (void)co_await visit(*partition, kind);
  }
}

Task<void> Upkeep::compact_forever(Gate::Hold hold, LogKind kind, Millis every) {
  const Gate::Hold held = std::move(hold);
  while (true) {
    const Woken woken = co_await stop_.wait_for(every);
    if (woken != Woken::kTimedOut) co_return;
    Task<void> pass = kind == LogKind::kInternal ? compact_internal() : compact_clients();
    co_await pass;
  }
}

Task<void> Upkeep::compact_clients() {
  Place at;
  for (size_t passed = 1; !stop_.is_set(); ++passed) {
    if (passed % kSlice == 0) co_await sleep_for(parts_.scheduler, Millis(1));
    const std::optional<Partition*> partition = next_partition(at);
    if (!partition || stop_.is_set()) co_return;
    const bool is_due = *partition != nullptr && !is_internal_topic(at.topic) && (*partition)->log().may_compact();
    if (!is_due) continue;
    TopicPartition name{at.topic, at.index};
    co_await compact(std::move(name), kClientCompaction);
  }
}

// They are few, and looked at often: not by way of all topics.
Task<void> Upkeep::compact_internal() {
  for (const std::string_view topic : kInternalTopics) {
    Place at{std::string(topic), -1};
    while (!stop_.is_set()) {
      const std::optional<Partition*> partition = next_partition(at);
      if (!partition || at.topic != topic) break;
      if (*partition == nullptr || !(*partition)->log().may_compact()) continue;
      TopicPartition name{at.topic, at.index};
      co_await compact(std::move(name), kInternalCompaction);
    }
  }
}

Task<void> Upkeep::compact(TopicPartition name, Pieces pieces) {
  if (!parts_.folders.compaction_is_noted(name)) {
    const Result<void> saved = co_await parts_.folders.save_checkpoints();
    if (!saved) {
      unnoted_log_.warn("{} is not compacted: cannot write checkpoints: {}", name, saved.error().context);
      co_return;
    }
  }
  co_await piece_by_piece(std::move(name), pieces);
}

Task<void> Upkeep::piece_by_piece(TopicPartition name, Pieces pieces) {
  GoesOn goes_on = GoesOn::kYes;
  while (goes_on == GoesOn::kYes && !stop_.is_set()) {
    Partition* partition = parts_.table.find(name.topic, name.partition);
    if (partition == nullptr) co_return;
    if (pieces.flushes_first) {
      (void)co_await visit(partition, Partition::Upkeep::kFlush);
      partition = parts_.table.find(name.topic, name.partition);
      if (partition == nullptr) co_return;
    }
    const Nanos began = parts_.scheduler.clock().monotonic();
    goes_on = co_await visit(partition, pieces.kind);
    if (goes_on == GoesOn::kNo && !pieces.rests_at_end) co_return;
    const auto took = std::chrono::ceil<Millis>(parts_.scheduler.clock().monotonic() - began);
    (void)co_await stop_.wait_for(std::clamp(took * pieces.rest_factor, pieces.rest_min, pieces.rest_max));
  }
}

// What is read is checked soon afterwards, one segment after the other, and one of each partition in turn: a reader of
// years of one of them does not keep the others from being checked.
Task<void> Upkeep::audit_forever(Gate::Hold hold) {
  const Gate::Hold held = std::move(hold);
  GoesOn goes_on = GoesOn::kNo;
  while (true) {
    if (goes_on == GoesOn::kNo) {
      const Woken woken = co_await stop_.wait_for(options_.audit_every);
      if (woken != Woken::kTimedOut) co_return;
    }
    goes_on = GoesOn::kNo;
    Place at;
    for (size_t passed = 1; !stop_.is_set(); ++passed) {
      if (passed % kSlice == 0) co_await sleep_for(parts_.scheduler, Millis(1));
      const std::optional<Partition*> partition = next_partition(at);
      if (!partition || stop_.is_set()) break;
      if (*partition == nullptr || !(*partition)->log().may_audit()) continue;
      TopicPartition name{at.topic, at.index};
      co_await piece_by_piece(std::move(name), kAudit);
      Partition* audited = parts_.table.find(at.topic, at.index);
      if (audited != nullptr && audited->log().may_audit()) goes_on = GoesOn::kYes;
    }
  }
}

Task<Upkeep::GoesOn> Upkeep::visit(Partition* partition, Partition::Upkeep kind) {
  Event finished(parts_.scheduler);
  Partition::UpkeepReport report;
  const int64_t now_ms = parts_.scheduler.clock().wall_ms();
  const auto on_finished = [&finished, &report](Partition::UpkeepReport given) {
    report = std::move(given);
    finished.set();
  };
  const TopicPartition name = partition->name();
  const Partition::Started started = partition->start_upkeep(kind, now_ms, on_finished);
  if (started != Partition::Started::kStarted) co_return GoesOn::kNo;
  (void)co_await finished.wait();  // the partition is not looked at again: it may be gone
  // The broker's own logs are compacted every few seconds when many commit.
  const bool is_routine = kind == Partition::Upkeep::kCompaction && is_internal_topic(name.topic);
  for (const std::string& note : report.notes) {
    if (is_routine) {
      log_debug("{}: {}", name, note);
    } else {
      log_info("{}: {}", name, note);
    }
  }
  for (const std::string& line : report.damaged) log_error("{}: damaged: {}", name, line);
  if (report.error) log_error("{}: {}", name, report.error->context);
  co_return report.goes_on ? GoesOn::kYes : GoesOn::kNo;
}

Task<void> Upkeep::watch_disk(Gate::Hold hold) {
  const Gate::Hold held = std::move(hold);
  while (true) {
    auto work = [this] { return parts_.directory.free_bytes(); };
    const Result<int64_t> free_bytes = co_await run_on(parts_.scheduler, WorkQueue::kRead, std::move(work));
    if (free_bytes) on_space(*free_bytes);
    const Woken woken = co_await stop_.wait_for(options_.disk_check_every);
    if (woken != Woken::kTimedOut) co_return;
  }
}

// A fast producer fills a disk within a second: what was appended since the last look counts, so that the reserve
// stays for the logs that may use it. Counted too high (files were removed meanwhile), the next look puts it right.
void Upkeep::on_appended(int64_t size_bytes) {
  if (free_bytes_ == INT64_MAX) return;
  free_bytes_ -= size_bytes;
  if (!parts_.directory.health().below_reserve) on_space(free_bytes_);
}

void Upkeep::on_space(int64_t free_bytes) {
  free_bytes_ = free_bytes;
  const bool was_below = parts_.directory.health().below_reserve;
  parts_.directory.on_free_bytes(free_bytes);
  const bool is_below = parts_.directory.health().below_reserve;
  if (is_below == was_below) return;
  if (is_below) {
    log_below_reserve(parts_.directory, free_bytes);
  } else {
    log_info("{}: {} bytes free: appends of clients are taken again", parts_.directory.path(), free_bytes);
  }
}

}  // namespace leat
