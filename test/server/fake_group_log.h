// fake_group_log.h: a partition of __consumer_offsets in memory that fails, waits and closes when the test says so. The
// batches outlive the shard that writes them, as a disk would.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "net/loop/event.h"
#include "server/group_log.h"

namespace leat {

struct GroupDisk {
  std::vector<Slice> batches;
  int64_t next_offset = 0;
  int appends = 0;
  int reads = 0;
  int failures_left = 0;  // of appends
  Errc failure = Errc::kNoSpace;
  bool is_held = false;  // appends end when released
  bool is_unreadable = false;
  bool is_read_held = false;  // reads, too
  std::optional<Error> closed;
  bool is_ahead = false;  // appends are written at once, and only their syncs are held
  size_t step_bytes_max = size_t{1} << 20;
  size_t batches_per_read = 2;
  std::vector<std::shared_ptr<Event>> waiting;

  void release() {
    is_held = false;
    is_read_held = false;
    for (const std::shared_ptr<Event>& event : std::exchange(waiting, {})) event->set();
  }
};

class FakeGroupLog final : public GroupLog {
 public:
  FakeGroupLog(Scheduler& scheduler, GroupDisk& disk) noexcept : scheduler_(scheduler), disk_(disk) {}

  TopicPartition name() const override { return {"__consumer_offsets", 0}; }
  std::optional<Error> closed() const override { return disk_.closed; }
  size_t step_bytes_max() const override { return disk_.step_bytes_max; }
  bool is_written() const override { return disk_.is_ahead; }

  Task<Result<void>> append(Slice batch, int32_t record_count, int64_t) override {
    ++disk_.appends;
    if (disk_.is_held) {
      Task<void> held = hold();
      co_await held;
    }
    if (disk_.failures_left > 0) {
      --disk_.failures_left;
      co_return fail(disk_.failure, "no space left on the device, or worse");
    }
    set_base_offset(batch.unpublished(), Offset(disk_.next_offset));
    disk_.next_offset += record_count;
    disk_.batches.push_back(std::move(batch));
    co_return Result<void>{};
  }

  Result<Range> range() const override { return Range{.begin = Offset(0), .end = Offset(disk_.next_offset)}; }

  Task<Result<GroupLogPiece>> read(Range range) override {
    ++disk_.reads;
    if (disk_.is_read_held) {
      Task<void> held = hold();
      co_await held;
    }
    if (disk_.is_unreadable) co_return fail(Errc::kIo, "cannot be read");
    std::vector<Slice> pieces;
    for (const Slice& batch : disk_.batches) {
      if (BatchView(batch.view()).last_offset() < range.begin) continue;
      if (pieces.size() == disk_.batches_per_read) break;
      pieces.push_back(batch);
    }
    Result<GroupLogPiece> piece = decode_group_batches(pieces);
    co_return piece;
  }

 private:
  Task<void> hold() {
    auto event = std::make_shared<Event>(scheduler_);
    disk_.waiting.push_back(event);
    const Woken woken = co_await event->wait();
    (void)woken;
  }

  Scheduler& scheduler_;
  GroupDisk& disk_;
};

}  // namespace leat
