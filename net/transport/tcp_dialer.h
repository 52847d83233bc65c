// tcp_dialer.h: the Dialer over TCP. Thread: the loop.
#pragma once

#include <memory>

#include "net/loop/uv_loop.h"
#include "net/transport/dialer.h"

namespace leat {

class TcpDialer final : public Dialer {
 public:
  // A larger frame closes its connection.
  TcpDialer(UvLoop& loop, size_t frame_bytes_max) noexcept : loop_(loop), frame_bytes_max_(frame_bytes_max) {}
  std::unique_ptr<OutboundConnection> dial(const DialAddress& address, Millis timeout,
                                           OutboundHandler& handler) override;

 private:
  UvLoop& loop_;
  size_t frame_bytes_max_;
};

}  // namespace leat
