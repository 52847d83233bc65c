// waiters.h: who waits for a partition to change. A watch (a parked fetch's partition, or one of a fetch session's)
// hangs on the partition's WaiterList for as long as it likes; an event costs one virtual call a watch and nothing
// else. To lose no event: register first, look at the log after. A watch never resumes anybody inside notify(): it
// marks what changed and hands its coroutine to the ready queue. Thread: the loop.
#pragma once

#include <cstdint>

namespace leat {

class WaiterList;

enum class PartitionChange : uint8_t {
  kHighWatermark,  // bytes became visible to read_uncommitted
  kLastStable,     // bytes became visible to read_committed
  kLogStart,       // records were deleted: offsets below are out of range now
  kGone,           // the partition is being deleted: the list forgets all its watches after this event
};

struct PartitionEvent {
  PartitionChange change;
  int64_t visible_bytes = 0;  // how many became visible, for kHighWatermark and kLastStable; an estimate is fine
};

class PartitionWatch {
 public:
  virtual void on_partition_event(const PartitionEvent& event) noexcept = 0;
  virtual ~PartitionWatch() { stop_watching(); }
  bool watching() const noexcept { return list_ != nullptr; }
  void stop_watching() noexcept;

 protected:
  PartitionWatch() noexcept = default;
  PartitionWatch(const PartitionWatch&) = delete;
  PartitionWatch& operator=(const PartitionWatch&) = delete;

 private:
  friend class WaiterList;
  WaiterList* list_ = nullptr;
  PartitionWatch* previous_ = nullptr;
  PartitionWatch* next_ = nullptr;
};

class WaiterList {
 public:
  WaiterList() noexcept = default;
  ~WaiterList();
  WaiterList(const WaiterList&) = delete;
  WaiterList& operator=(const WaiterList&) = delete;

  void add(PartitionWatch& watch) noexcept;
  void notify(const PartitionEvent& event) noexcept;  // a watch may remove itself in its call, but no other
  bool empty() const noexcept { return first_ == nullptr; }

 private:
  friend class PartitionWatch;
  void remove(PartitionWatch& watch) noexcept;

  PartitionWatch* first_ = nullptr;
};

}  // namespace leat
