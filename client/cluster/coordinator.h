// coordinator.h: the broker that coordinates a group: looked up when it is first needed, and again after it said that
// it is not, or could not be reached. Groups' long waits (joins) have a connection of their own, so that commits do not
// stand behind them. Who owns a Coordinator outlives every coroutine that uses it. Thread: the loop.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "client/cluster/ask.h"
#include "client/cluster/backoff.h"
#include "client/cluster/cluster.h"
#include "net/loop/event.h"

namespace leat::client::detail {

// Another try may succeed, elsewhere or later.
bool may_coordinate_later(ErrorCode code) noexcept;

class Coordinator {
 public:
  // `stopped` is set when the cluster must not be touched any more.
  Coordinator(Cluster& cluster, std::string group_id, Event& stopped)
      : cluster_(cluster), context_(cluster.context()), group_id_(std::move(group_id)), stopped_(stopped) {}
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  // One attempt. The link is valid until the caller next waits.
  leat::Task<Result<BrokerLink*>> reach(LinkPurpose purpose);
  void forget() noexcept { node_id_ = -1; }
  // Forgets the coordinator where the error says that there is a better one.
  void note(const Error& error) noexcept;

  const std::string& group_id() const noexcept { return group_id_; }
  ClientContext& context() noexcept { return context_; }
  Event& stopped() noexcept { return stopped_; }
  Nanos now() const noexcept { return context_.scheduler.clock().monotonic(); }
  Millis pause(int failures) const;

 private:
  Cluster& cluster_;
  ClientContext& context_;
  const std::string group_id_;
  Event& stopped_;
  int32_t node_id_ = -1;  // -1: not known
};

inline Error closed_error() { return {Cause::kClosed, "the client was closed"}; }

// Asks the coordinator until it answers with something else than that it is not there (`error_of` takes that out of an
// answer), or the client's request_timeout_ms is over. What every broker answers at once: not for joins.
template <class Response, class Request>
leat::Task<Result<Response>> ask_coordinator(Coordinator& coordinator, std::function<Request(int16_t)> make,
                                             std::function<ErrorCode(const Response&)> error_of, int16_t version_max) {
  AskOptions options;
  options.timeout = Millis(coordinator.context().settings.request_timeout_ms);
  options.version_max = version_max;
  const Nanos deadline = coordinator.now() + options.timeout;
  for (int failures = 1;; ++failures) {
    Result<BrokerLink*> link = co_await coordinator.reach(LinkPurpose::kGeneral);
    Result<Response> answer = Error(Cause::kClosed, "");
    if (link) {
      std::function<Request(int16_t)> again = make;
      answer = co_await ask_by_version<Response, Request>(coordinator.context(), **link, std::move(again), options);
      const ErrorCode code = answer ? error_of(*answer) : ErrorCode::kNone;
      if (answer && !may_coordinate_later(code)) co_return answer;
      if (answer) answer = Error::from_broker(code, "group '" + coordinator.group_id() + "'");
    } else {
      answer = std::move(link).error();
    }
    if (coordinator.stopped().is_set()) co_return closed_error();
    coordinator.note(answer.error());
    const Millis pause = coordinator.pause(failures);
    const bool waits = is_worth_waiting(coordinator.context().settings, answer.error());
    if (!waits || coordinator.now() + pause >= deadline) co_return answer;
    const Woken woken = co_await coordinator.stopped().wait_for(pause);
    if (woken != Woken::kTimedOut) co_return closed_error();
  }
}

}  // namespace leat::client::detail
