// dialer.h: connections that go out: frames `size:i32 payload` both ways. What the client sees of the network:
// TcpDialer (tcp_dialer.h) is the real one, the client's tests script another. TLS comes between the socket and the
// frames, behind this interface. Thread: the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/clock.h"

namespace leat {

// Never called from inside dial() or a call on the connection, nor after the connection was destroyed.
class OutboundHandler {
 public:
  virtual ~OutboundHandler() = default;
  virtual void on_connected() = 0;
  virtual void on_frame(Slice payload) = 0;  // a part of the block it was received into; may destroy the connection
  // Once and last, also when it never came to be connected; says why. May destroy the connection.
  virtual void on_closed(std::string reason) = 0;
};

class OutboundConnection {
 public:
  virtual ~OutboundConnection() = default;  // closes it; what has not left is dropped
  // The pieces leave back to back, without a copy, with all others of this turn.
  virtual void send(std::vector<Slice> pieces) = 0;
};

struct DialAddress {
  std::string host;  // a name or an address without brackets
  uint16_t port = 0;
};

class Dialer {
 public:
  virtual ~Dialer() = default;
  // `handler` outlives the connection. All addresses of the host are tried within `timeout`.
  virtual std::unique_ptr<OutboundConnection> dial(const DialAddress& address, Millis timeout,
                                                   OutboundHandler& handler) = 0;
};

}  // namespace leat
