// upkeep.cpp: see upkeep.h.
#include "server/upkeep.h"

#include "net/loop/run_on.h"
#include "server/log.h"

namespace leat {

Upkeep::Upkeep(const Parts& parts, UpkeepOptions options)
    : parts_(parts), options_(options), stop_(parts.scheduler), gate_(parts.scheduler) {}

void Upkeep::start() {
  parts_.table.lane_starter().set_on_appended([this](int64_t size_bytes) { on_appended(size_bytes); });
  spawn(walk_forever(*gate_.try_enter(), Partition::Upkeep::kFlush, options_.flush_every));
  spawn(walk_forever(*gate_.try_enter(), Partition::Upkeep::kCheckpoint, options_.checkpoint_every));
  spawn(walk_forever(*gate_.try_enter(), Partition::Upkeep::kRetention, options_.retention_every));
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

// By name and index, looked up anew after each wait: topics come and go meanwhile.
Task<void> Upkeep::walk(Partition::Upkeep kind) {
  if (Partition* extra = parts_.folders.extra()) co_await visit(extra, kind);
  std::string topic;
  size_t since_pause = 0;
  auto next = parts_.table.topics().begin();
  while (next != parts_.table.topics().end() && !stop_.is_set()) {
    topic = next->first;
    for (int32_t index = 0;; ++index) {
      if (++since_pause % kSlice == 0) co_await sleep_for(parts_.scheduler, Millis(1));
      PartitionTable::Topic* found = parts_.table.find_topic(topic);
      if (found == nullptr || static_cast<size_t>(index) >= found->partitions.size() || stop_.is_set()) break;
      Partition* partition = found->partitions[static_cast<size_t>(index)].get();
      if (partition != nullptr) co_await visit(partition, kind);
    }
    next = parts_.table.topics().upper_bound(topic);
  }
}

Task<void> Upkeep::visit(Partition* partition, Partition::Upkeep kind) {
  Event finished(parts_.scheduler);
  Partition::UpkeepReport report;
  const int64_t now_ms = parts_.scheduler.clock().wall_ms();
  const auto on_finished = [&finished, &report](Partition::UpkeepReport given) {
    report = std::move(given);
    finished.set();
  };
  const TopicPartition name = partition->name();
  const Partition::Started started = partition->start_upkeep(kind, now_ms, on_finished);
  if (started != Partition::Started::kStarted) co_return;
  (void)co_await finished.wait();  // the partition is not looked at again: it may be gone
  for (const std::string& note : report.notes) log_info("{}: {}", name, note);
  if (report.error) log_error("{}: {}", name, report.error->context);
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
    log_error("{}: {} bytes free, below the reserve: appends of clients are refused until space is freed",
              parts_.directory.path(), free_bytes);
  } else {
    log_info("{}: {} bytes free: appends of clients are taken again", parts_.directory.path(), free_bytes);
  }
}

}  // namespace leat
