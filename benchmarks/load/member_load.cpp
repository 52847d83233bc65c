// member_load.cpp: many members of one group at once, a thread each, and what they come to together.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/load/group_load.h"
#include "benchmarks/load/group_member.h"

namespace leat::bench {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(120);

// What the members' threads say of themselves. Its lock is for all but the load.
class Crowd {
 public:
  explicit Crowd(const MemberLoad& load) : load_(load), owned_(static_cast<size_t>(load.members), 0) {}

  const MemberLoad& load() const noexcept { return load_; }
  bool is_over() const noexcept { return is_over_; }
  void end() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    over_.notify_all();
  }
  // Between two heartbeats, or until it is over.
  void rest() {
    std::unique_lock lock(mutex_);
    over_.wait_for(lock, load_.heartbeat_every, [this] { return is_over_.load(); });
  }

  void note_owned(size_t member, size_t partitions) {
    const std::lock_guard lock(mutex_);
    owned_[member] = partitions;
    changed_.notify_all();
  }
  void note_record(Steady::duration since_start) {
    const std::lock_guard lock(mutex_);
    latency_.add(static_cast<uint64_t>(since_start / std::chrono::nanoseconds(1)));
    changed_.notify_all();
  }
  void note_failure(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
    changed_.notify_all();
  }

  Result<void> wait_for_records() {
    return wait([this] { return latency_.count() == owned_.size(); });
  }
  // Of the first so many members.
  Result<void> wait_until_settled(size_t members) {
    return wait([this, members] { return is_settled(members); });
  }
  const Histogram& latency() const noexcept { return latency_; }  // when no thread runs any more

 private:
  Result<void> wait(const std::function<bool()>& is_reached) {
    std::unique_lock lock(mutex_);
    const bool in_time = changed_.wait_for(lock, kPatience, [&] { return failure_.has_value() || is_reached(); });
    if (failure_) return fail(*failure_);
    if (in_time) return {};
    return fail(Errc::kTimedOut, fmt::format("group {} of {} members is not settled after {} s", load_.group,
                                             load_.members, kPatience.count()));
  }

  bool is_settled(size_t members) const {
    const auto partition_count = static_cast<size_t>(load_.partition_count);
    const size_t least = partition_count / members;
    const size_t most = (partition_count + members - 1) / members;
    const auto end = owned_.begin() + static_cast<std::ptrdiff_t>(members);
    const bool is_even =
        std::all_of(owned_.begin(), end, [least, most](size_t count) { return count >= least && count <= most; });
    return is_even && std::accumulate(owned_.begin(), end, size_t{0}) == partition_count;
  }

  const MemberLoad& load_;
  std::mutex mutex_;
  std::condition_variable changed_;  // for who waits for all of them
  std::condition_variable over_;     // for the members
  std::vector<size_t> owned_;        // by member
  Histogram latency_;                // to the first record, of those that have it
  std::optional<Error> failure_;
  std::atomic<bool> is_over_{false};
};

enum class WithRecord : uint8_t { kNo, kYes };

Result<void> live(Crowd& crowd, size_t number, WithRecord with_record) {
  const auto begin = Steady::now();
  TRY(member, GroupMember::connect(crowd.load()));
  bool waits_for_record = with_record == WithRecord::kYes;
  while (!crowd.is_over()) {
    TRY(member->round());
    crowd.note_owned(number, member->owned().size());
    if (waits_for_record && !member->owned().empty()) {
      TRY(found, member->fetch_first_record());
      if (!found) return fail(Errc::kIo, fmt::format("no record in topic {}", crowd.load().topic));
      crowd.note_record(Steady::now() - begin);
      waits_for_record = false;
    }
    crowd.rest();
  }
  return member->leave();
}

// The threads of a crowd; they end when it is over.
class Threads {
 public:
  explicit Threads(Crowd& crowd) noexcept : crowd_(crowd) {}
  ~Threads() { join(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void start(size_t number, WithRecord with_record) {
    threads_.emplace_back([&crowd = crowd_, number, with_record] {
      if (const Result<void> lived = live(crowd, number, with_record); !lived) crowd.note_failure(lived.error());
    });
  }
  void join() {
    crowd_.end();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  Crowd& crowd_;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<LoadResult> run_first_records(const MemberLoad& load) {
  Crowd crowd(load);
  Threads threads(crowd);
  const auto begin = Steady::now();
  for (size_t i = 0; i < static_cast<size_t>(load.members); ++i) threads.start(i, WithRecord::kYes);
  const Result<void> reached = crowd.wait_for_records();
  LoadResult result;
  result.seconds = std::chrono::duration<double>(Steady::now() - begin).count();
  threads.join();
  if (!reached) return fail(reached.error());
  result.requests = static_cast<uint64_t>(load.members);
  result.latency = crowd.latency();
  return result;
}

Result<LoadResult> run_rebalance(const MemberLoad& load) {
  const auto members = static_cast<size_t>(load.members);
  Crowd crowd(load);
  Threads threads(crowd);
  for (size_t i = 0; i + 1 < members; ++i) threads.start(i, WithRecord::kNo);
  Result<void> reached = crowd.wait_until_settled(members - 1);
  const auto begin = Steady::now();
  if (reached) {
    threads.start(members - 1, WithRecord::kNo);
    reached = crowd.wait_until_settled(members);
  }
  const Steady::duration took = Steady::now() - begin;
  threads.join();
  if (!reached) return fail(reached.error());
  LoadResult result;
  result.requests = 1;
  result.seconds = std::chrono::duration<double>(took).count();
  result.latency.add(static_cast<uint64_t>(took / std::chrono::nanoseconds(1)));
  return result;
}

}  // namespace leat::bench
