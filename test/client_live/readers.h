// readers.h: who reads a load's topic while it is being written and the broker has trouble: a Follower, which assigns
// all partitions to itself and must see every offset once and in order; and GroupReaders, members of one group that
// come and go, which together must see every offset at least once. Neither may be given an error by poll(): all that
// happens here passes. Each reader has a client and a thread of its own; what goes wrong there is thrown by finish().
#pragma once

#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "test/client_live/load_plan.h"

namespace leat::client_live {

// When the readers are to end: when told that they are not needed, or when they have read up to the ends.
class ReadersEnd {
 public:
  void set_ends(const Ends& ends);
  void stop();
  bool is_stopped() const;
  std::optional<Ends> ends() const;

 private:
  mutable std::mutex mutex_;
  std::optional<Ends> ends_;
  bool stopped_ = false;
};

class Follower {
 public:
  Follower(const LoadPlan& plan, const Ledger& ledger);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void finish(const Ends& ends, const ReadBack& whole);  // it has seen what `whole` has

 private:
  void run();

  const LoadPlan& plan_;
  ReadersEnd end_;
  ReadBack read_;             // the thread's until it is joined
  std::exception_ptr fault_;  // the same
  std::thread thread_;
};

class GroupReaders {
 public:
  GroupReaders(const LoadPlan& plan, const Ledger& ledger);
  ~GroupReaders();
  GroupReaders(const GroupReaders&) = delete;
  GroupReaders& operator=(const GroupReaders&) = delete;

  void finish(const Ends& ends);

 private:
  void run(int64_t member);
  void stay(client::Consumer& consumer, uint64_t poll_count, uint64_t seed);
  void note(const client::Records& records);
  bool is_done() const;

  const LoadPlan& plan_;
  const Ledger& ledger_;
  ReadersEnd end_;
  mutable std::mutex mutex_;
  std::map<int32_t, std::vector<std::optional<uint64_t>>> seen_;  // by partition, by offset: which record was there
  std::exception_ptr fault_;                                      // the first
  std::vector<std::thread> threads_;
};

}  // namespace leat::client_live
