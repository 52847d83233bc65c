// request.h: what a handler knows of a request besides its message: where it came from and how to answer. Filled by the
// dispatcher from the connection and the request header.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "net/protocol/api_key.h"
#include "net/transport/connection.h"
#include "server/byte_budget.h"

namespace leat {

// Who asks: the same for request after request of a connection, so they share it.
struct RequestOrigin {
  std::string peer;                // "127.0.0.1:51234"
  std::string listener_name;       // says which advertised address the client is given
  std::string client_id;           // "" also when the client sent null
  std::string user = "ANONYMOUS";  // as quotas name it; nobody logs in yet
};

// The time that the broker works on one request, its waits left out; kept while some quota limits it. Counted are the
// work up to the first wait, and the steps that a handler says it works for longer, on the loop or by workers.
class RequestWork {
 public:
  explicit RequestWork(Nanos now) noexcept : since_(now) {}
  void on_first_wait(Nanos now) noexcept {
    if (!in_step_) stop(now);
  }
  void begin_step(Nanos now) noexcept {
    in_step_ = true;
    if (!since_) since_ = now;
  }
  void end_step(Nanos now) noexcept {
    in_step_ = false;
    stop(now);
  }
  Nanos spent(Nanos now) const noexcept { return since_ ? done_ + (now - *since_) : done_; }

 private:
  void stop(Nanos now) noexcept {
    done_ = spent(now);
    since_.reset();
  }

  Nanos done_{0};
  std::optional<Nanos> since_;
  bool in_step_ = false;
};

struct Request {
  ConnectionId connection = 0;  // may be closed by the time a handler goes on after a wait
  uint64_t ticket = 0;
  std::shared_ptr<const RequestOrigin> origin;  // never null
  ApiKey api = ApiKey::kApiVersions;
  int16_t version = 0;
  int32_t correlation_id = 0;
  int64_t size_bytes = 0;             // as it came, without its size field
  std::shared_ptr<RequestWork> work;  // null: nobody asks
  // Fetch only: what the handler puts here is held until the last byte of the response has left the process (or the
  // connection is closed), so that a budget counts what slow readers have not taken yet. Null for other APIs.
  std::shared_ptr<ByteBudget::Grant> response_grant;
};

}  // namespace leat
