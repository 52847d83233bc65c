// fetch_watch.h: the set of partitions that one fetch, or one fetch session, is interested in. Each entry hangs on its
// partition's waiter list as long as the set lives; a partition that changed puts its entry on the ready list, once. A
// fetch looks at the ready entries only, so that its cost follows what changed, not what is subscribed. Invariant: an
// entry that is not ready has nothing to say: no bytes above its fetch offset, no error, no change since it was last
// looked at. Order: the ready list is first in, first looked at; who was served goes to its end. Thread: the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "core/base/strong.h"
#include "core/base/uuid.h"
#include "net/loop/event.h"
#include "server/waiters.h"

namespace leat {

enum class IsolationLevel : uint8_t { kReadUncommitted = 0, kReadCommitted = 1 };

struct FetchKey {
  Uuid topic_id;      // zero below Fetch 13
  std::string topic;  // empty from Fetch 13
  int32_t partition = 0;
  friend bool operator==(const FetchKey&, const FetchKey&) = default;
};

struct FetchPosition {  // what the client says of a partition
  Offset fetch_offset{0};
  int32_t bytes_max = 0;
  int32_t current_leader_epoch = kNoLeaderEpoch;
  int32_t last_fetched_epoch = kNoLeaderEpoch;
};

class FetchWatch;

class FetchEntry final : public PartitionWatch {
 public:
  FetchEntry(FetchWatch& owner, FetchKey entry_key) noexcept : key(std::move(entry_key)), owner_(owner) {}

  const FetchKey key;
  FetchPosition position;
  std::string topic_name;  // as it was when first found; empty: not found yet
  // What the session's client was last told, to tell it of changes only.
  Offset told_high_watermark = kNoOffset;
  Offset told_log_start = kNoOffset;
  bool told = false;

  void on_partition_event(const PartitionEvent& event) noexcept override;

 private:
  friend class FetchWatch;
  FetchWatch& owner_;
  bool ready_ = false;
  FetchEntry* previous_ = nullptr;  // on the ready list
  FetchEntry* next_ = nullptr;
};

class FetchWatch {
 public:
  explicit FetchWatch(IsolationLevel isolation) noexcept : isolation_(isolation) {}
  FetchWatch(const FetchWatch&) = delete;
  FetchWatch& operator=(const FetchWatch&) = delete;

  // Adds the partition, or moves it to a new position: ready either way.
  FetchEntry& put(FetchKey key, const FetchPosition& position);
  void remove(const FetchKey& key) noexcept;
  size_t size() const noexcept { return entries_.size(); }

  FetchEntry* first_ready() noexcept { return first_; }
  FetchEntry* next_ready(FetchEntry& entry) noexcept { return entry.next_; }
  void set_ready(FetchEntry& entry) noexcept;    // at the end, when it is not on the list
  void set_quiet(FetchEntry& entry) noexcept;    // nothing to say until the next event
  void move_to_end(FetchEntry& entry) noexcept;  // it was served: others first, next time

  IsolationLevel isolation() const noexcept { return isolation_; }
  void set_isolation(IsolationLevel isolation) noexcept;

  // Parking. Before a look: begin_look(); after it: park(). Events between the two end the wait at once.
  void begin_look() noexcept;
  // Until `bytes_wanted` more bytes became visible, something urgent happened, interrupt(), or the time is over.
  Event::Wait park(Event& event, int64_t bytes_wanted, Millis wait_max) noexcept;
  void end_park() noexcept { parked_ = nullptr; }
  bool parked() const noexcept { return parked_ != nullptr; }
  void interrupt() noexcept;  // shutdown, or a later fetch of the same session
  bool interrupted() const noexcept { return interrupted_; }
  void clear_interrupt() noexcept { interrupted_ = false; }

 private:
  friend class FetchEntry;
  struct KeyHash {
    size_t operator()(const FetchKey& key) const noexcept {
      return std::hash<Uuid>{}(key.topic_id) ^
             (std::hash<std::string>{}(key.topic) + static_cast<size_t>(key.partition) * 0x9e3779b9);
    }
  };
  void on_event(FetchEntry& entry, const PartitionEvent& event) noexcept;

  std::unordered_map<FetchKey, std::unique_ptr<FetchEntry>, KeyHash> entries_;
  FetchEntry* first_ = nullptr;
  FetchEntry* last_ = nullptr;
  IsolationLevel isolation_;
  int64_t visible_bytes_ = 0;  // since begin_look
  bool urgent_ = false;        // since begin_look: an event that may be an error
  bool interrupted_ = false;
  int64_t bytes_wanted_ = 0;
  Event* parked_ = nullptr;
};

}  // namespace leat
