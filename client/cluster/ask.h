// ask.h: a request to a broker that a coroutine waits for. The answer of the link comes exactly once, also at the
// client's end, so the coroutine always goes on.
//   Result<FetchResponse> answer = co_await ask<FetchResponse>(context, *link, std::move(request), {.timeout = ...});
// After the wait the link may be gone from the cluster's table: look it up again. Thread: the loop.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "client/cluster/broker_link.h"
#include "net/loop/event.h"
#include "net/loop/task.h"

namespace leat::client::detail {

struct AskOptions {
  Millis timeout{30'000};
  int16_t version_max = INT16_MAX;
};

// For requests that look different from version to version: `make` is called once, with the one that was chosen.
template <class Response, class Request>
leat::Task<Result<Response>> ask_by_version(ClientContext& context, BrokerLink& link,
                                            std::function<Request(int16_t)> make, AskOptions options) {
  std::optional<Result<LinkAnswer>> answer;
  Event arrived(context.scheduler);
  LinkRequest call;
  call.key = static_cast<ApiKey>(Request::kVersions.key);
  call.version_max = options.version_max;
  call.timeout = options.timeout;
  // All live in this frame, which stays until the answer: it comes once, always.
  call.encode = [&make, &context](int16_t version, int32_t correlation_id) {
    return encode_request(make(version), version, correlation_id, context.settings.client_id);
  };
  call.on_answer = [&answer, &arrived](Result<LinkAnswer> told) {
    answer.emplace(std::move(told));
    arrived.set();
  };
  link.call(std::move(call));
  (void)co_await arrived.wait();
  if (!*answer) co_return std::move(*answer).error();
  LinkAnswer& arrival = **answer;
  leat::Result<Response> response =
      decode_response<Response>(std::move(arrival.payload), arrival.version, arrival.correlation_id);
  if (!response) co_return Error(Cause::kProtocol, std::move(response.error().context));
  co_return *std::move(response);
}

template <class Response, class Request>
leat::Task<Result<Response>> ask(ClientContext& context, BrokerLink& link, Request request, AskOptions options) {
  std::function<Request(int16_t)> make = [&request](int16_t) { return std::move(request); };
  Result<Response> answer = co_await ask_by_version<Response, Request>(context, link, std::move(make), options);
  co_return answer;
}

}  // namespace leat::client::detail
