// client_context.h: what every part of a client stands on. All of it is injected, so that tests run a whole client in
// manual time over a scripted network.
#pragma once

#include <memory>
#include <set>
#include <string>

#include <leat/client.h>

#include "core/base/random.h"
#include "net/loop/scheduler.h"
#include "net/transport/dialer.h"

namespace leat::client::detail {

struct ClientContext {
  Scheduler& scheduler;
  Dialer& dialer;
  Random& random;
  std::shared_ptr<Executor> executor;
  ClientSettings settings;
  // Addresses at which a broker has answered: one that is gone is told from one that never was there.
  std::set<std::string> reached = {};
};

// The same call may succeed later, and whoever made it wants to wait for that.
inline bool is_worth_waiting(const ClientSettings& settings, const Error& error) noexcept {
  const bool no_answer = error.cause() == Cause::kUnreachable || error.cause() == Cause::kTimedOut;
  return error.is_retriable() && !(no_answer && settings.when_unreachable == WhenUnreachable::kFail);
}

}  // namespace leat::client::detail
