// fetch_session.h: fetch sessions (KIP-227): a client names its partitions once and later sends only what changed; the
// answer holds only what changed. A bounded cache, kept as Kafka 4.4.0 keeps its own: a full cache gives a place to a
// new session when another was unused for two minutes, or is older than that and smaller; else the newcomer is served
// without a session. Beyond Kafka the partitions of all sessions together are bounded. Thread: the loop.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "core/base/clock.h"
#include "core/base/random.h"
#include "server/fetch_watch.h"

namespace leat {

inline constexpr int32_t kNoFetchSession = 0;
inline constexpr int32_t kInitialFetchEpoch = 0;  // a full fetch that asks for a session
inline constexpr int32_t kFinalFetchEpoch = -1;   // a full fetch that wants none, or ends the one it names

enum class TopicIdUse : uint8_t { kNames, kIds };  // below Fetch 13, from it

class FetchSession {
 public:
  FetchSession(IsolationLevel isolation, TopicIdUse id_use) noexcept : watch(isolation), topic_id_use(id_use) {}

  FetchWatch watch;
  const TopicIdUse topic_id_use;
  int32_t id = kNoFetchSession;
  int32_t next_epoch = 1;
  bool busy = false;            // a fetch is using it
  std::shared_ptr<Event> idle;  // made by a later fetch that waits for that one to end

 private:
  friend class FetchSessions;
  Nanos created_{0};
  Nanos used_{0};
  size_t counted_size_ = 0;
  std::list<FetchSession*>::iterator age_;
};

class FetchSessions {
 public:
  static constexpr Nanos kEvictAfter = std::chrono::minutes(2);
  struct Limits {
    size_t sessions_max = 1000;         // max.incremental.fetch.session.cache.slots
    size_t partitions_max = 1'000'000;  // of all sessions together
  };

  FetchSessions(const Clock& clock, Random& random, Limits limits) noexcept
      : clock_(clock), random_(random), limits_(limits) {}

  std::shared_ptr<FetchSession> find(int32_t id) noexcept;
  // Gives the session an id, unless there is no place for it.
  void insert(const std::shared_ptr<FetchSession>& session);
  void remove(int32_t id) noexcept;
  // After each use: its age begins anew, its size is counted.
  void touch(FetchSession& session) noexcept;

  void set_limits(Limits limits) noexcept { limits_ = limits; }
  size_t count() const noexcept { return by_id_.size(); }
  size_t partition_count() const noexcept { return partition_count_; }
  uint64_t evicted() const noexcept { return evicted_; }

  // Fetches under way by connection (which has one at most), so that a closed connection or a shutdown ends their wait.
  void enter(uint64_t connection, FetchWatch& watch) { under_way_[connection] = &watch; }
  void leave(uint64_t connection) noexcept { under_way_.erase(connection); }
  void on_connection_closed(uint64_t connection) noexcept;
  void shut_down() noexcept;  // fetches no longer wait
  bool shutting_down() const noexcept { return shutting_down_; }
  size_t under_way_count() const noexcept { return under_way_.size(); }
  size_t parked_count() const noexcept;  // of them; walks them

  static int32_t epoch_after(int32_t epoch) noexcept { return epoch == INT32_MAX ? 1 : epoch + 1; }

 private:
  bool make_place(size_t session_size) noexcept;

  const Clock& clock_;
  Random& random_;
  Limits limits_;
  std::unordered_map<int32_t, std::shared_ptr<FetchSession>> by_id_;
  std::list<FetchSession*> by_age_;  // least recently used first
  size_t partition_count_ = 0;
  uint64_t evicted_ = 0;
  std::unordered_map<uint64_t, FetchWatch*> under_way_;
  bool shutting_down_ = false;
};

}  // namespace leat
