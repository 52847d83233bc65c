// request.h: what a handler knows of a request besides its message: where it came from and how to answer. Filled by the
// dispatcher from the connection and the request header.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/protocol/api_key.h"
#include "net/transport/connection.h"
#include "server/byte_budget.h"

namespace leat {

// Who asks: the same for request after request of a connection, so they share it.
struct RequestOrigin {
  std::string peer;           // "127.0.0.1:51234"
  std::string listener_name;  // says which advertised address the client is given
  std::string client_id;      // "" also when the client sent null
};

struct Request {
  ConnectionId connection = 0;  // may be closed by the time a handler goes on after a wait
  uint64_t ticket = 0;
  std::shared_ptr<const RequestOrigin> origin;  // never null
  ApiKey api = ApiKey::kApiVersions;
  int16_t version = 0;
  int32_t correlation_id = 0;
  // Fetch only: what the handler puts here is held until the last byte of the response has left the process (or the
  // connection is closed), so that a budget counts what slow readers have not taken yet. Null for other APIs.
  std::shared_ptr<ByteBudget::Grant> response_grant;
};

}  // namespace leat
