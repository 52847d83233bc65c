// group_coordinator.h: asks the broker that coordinates a group, and asks again while there is none yet, it has moved,
// or it still reads its state. Thread: the client's.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "client/simple_client.h"

namespace leat {

inline constexpr int kCoordinatorTries = 300;  // with the pause: half a minute
inline constexpr Millis kCoordinatorPause{100};

// The connection to the group's coordinator; waits while one is being chosen.
Result<BrokerConnection*> find_coordinator(SimpleClient& client, const std::string& group_id);

// The coordinator's word for "ask again soon": loading, moved, or an open transaction holds the offset.
bool may_answer_later(ErrorCode code) noexcept;

// Calls `ask` while its answer is such a word, for half a minute at most, and gives the last answer; an error of `ask`
// itself ends it at once. `error_of(answer)` is the code that says whether to ask again; what other codes mean is the
// caller's business.
template <class Ask, class ErrorOf>
std::invoke_result_t<Ask&> ask_patiently(Ask ask, ErrorOf error_of) {
  for (int tries_left = kCoordinatorTries;; --tries_left) {
    TRY(answer, ask());
    if (tries_left == 0 || !may_answer_later(error_of(answer))) return std::move(answer);
    pause_for(kCoordinatorPause);
  }
}

struct CoordinatorCall {
  int16_t version_max = INT16_MAX;
  Millis extra{0};  // time that the coordinator may take on purpose (a join that waits for others)
};

// One request and its answer, patiently; the coordinator is looked for again each time.
template <class Response, class Request, class ErrorOf>
Result<Response> ask_coordinator(SimpleClient& client, const std::string& group_id, const Request& request,
                                 ErrorOf error_of, const CoordinatorCall& how = {}) {
  const auto ask = [&]() -> Result<Response> {
    TRY(coordinator, find_coordinator(client, group_id));
    BrokerConnection& broker = *coordinator;
    return broker.call<Response>(request, how.version_max, how.extra);
  };
  return ask_patiently(ask, error_of);
}

}  // namespace leat
