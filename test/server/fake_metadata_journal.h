// fake_metadata_journal.h: a metadata journal in memory that fails, waits and forgets when the test says so.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/record/record.h"
#include "net/loop/event.h"
#include "server/metadata_journal.h"

namespace leat {

// Batches in memory; an append ends when the test lets it.
class FakeMetadataJournal final : public MetadataJournal {
 public:
  explicit FakeMetadataJournal(Scheduler& scheduler) : scheduler_(scheduler) {}

  Task<Result<Offset>> append(Slice batch, int32_t record_count, int64_t) override {
    ++appends;
    if (held) {
      auto event = std::make_shared<Event>(scheduler_);
      waiting.push_back(event);
      const Woken woken = co_await event->wait();
      (void)woken;
    }
    if (failures_left > 0) {
      --failures_left;
      co_return fail(Errc::kNoSpace, "no space left on the device");
    }
    const Offset first(next_offset);
    next_offset += record_count;
    batches.emplace_back(first, std::move(batch));
    co_return first;
  }

  Task<Result<MetadataMachine>> replay() override {
    ++replays;
    co_return replayed();
  }
  int64_t record_count() const override { return static_cast<int64_t>(stored_record_count()); }
  void forget_before(Offset offset) override {
    if (forgets_nothing) return;
    std::erase_if(batches, [&](const auto& batch) { return batch.first < offset; });
  }

  bool is_short_of_room() const override { return is_short; }

  Result<MetadataMachine> replayed() const {
    if (is_unreadable) return fail(Errc::kIo, "cannot be read");
    MetadataMachine machine;
    for (const auto& [offset, batch] : batches) TRY(apply_metadata_batches(batch.view(), machine));
    return machine;
  }
  size_t stored_record_count() const {
    size_t count = 0;
    for (const auto& [offset, batch] : batches) count += static_cast<size_t>(BatchView(batch.view()).record_count());
    return count;
  }
  void release() {
    held = false;
    for (const std::shared_ptr<Event>& event : std::exchange(waiting, {})) event->set();
  }

  std::vector<std::pair<Offset, Slice>> batches;
  int64_t next_offset = 0;
  int appends = 0;
  int replays = 0;
  int failures_left = 0;
  bool held = false;
  bool is_unreadable = false;
  bool forgets_nothing = false;  // as when a crash loses the log start
  bool is_short = false;         // of room
  std::vector<std::shared_ptr<Event>> waiting;

 private:
  Scheduler& scheduler_;
};

}  // namespace leat
