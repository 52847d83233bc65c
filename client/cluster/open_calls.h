// open_calls.h: the calls of a participant that are not answered yet, so that its end answers them all: the coroutine
// that works at a call may answer later, which then counts for nothing. Thread: the loop.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <leat/pending.h>

namespace leat::client::detail {

class OpenCalls {
 public:
  template <class T>
  void add(const std::shared_ptr<PendingState<T>>& call) {
    if (calls_.size() >= prune_at_) prune();
    std::weak_ptr<PendingState<T>> weak = call;
    calls_.push_back({.state = weak, .fail = [weak](const Error& error) {
                        if (const auto state = weak.lock()) state->complete(error);
                      }});
  }
  void fail_all(const Error& error) {
    for (const Call& call : std::exchange(calls_, {})) call.fail(error);
  }

 private:
  struct Call {
    std::weak_ptr<void> state;
    std::function<void(const Error&)> fail;
  };
  // At double the size each time, so that it costs nothing on average.
  void prune() {
    std::erase_if(calls_, [](const Call& call) { return call.state.expired(); });
    prune_at_ = std::max(kPruneAtMin, 2 * calls_.size());
  }

  static constexpr size_t kPruneAtMin = 32;
  std::vector<Call> calls_;
  size_t prune_at_ = kPruneAtMin;
};

}  // namespace leat::client::detail
