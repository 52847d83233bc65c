// tcp_dialer.cpp: hands out sockets that free themselves, each behind a handle that its user owns.
#include "net/transport/tcp_dialer.h"

#include "net/transport/outbound_socket.h"

namespace leat {

namespace {

class TcpOutbound final : public OutboundConnection {
 public:
  explicit TcpOutbound(OutboundSocket& socket) noexcept : socket_(socket) {}
  ~TcpOutbound() override { socket_.let_go(); }
  void send(std::vector<Slice> pieces) override { socket_.send(std::move(pieces)); }

 private:
  OutboundSocket& socket_;
};

}  // namespace

std::unique_ptr<OutboundConnection> TcpDialer::dial(const DialAddress& address, Millis timeout,
                                                    OutboundHandler& handler) {
  auto* const socket = new OutboundSocket(loop_, frame_bytes_max_, handler);
  auto connection = std::make_unique<TcpOutbound>(*socket);
  socket->start(address, timeout);
  return connection;
}

}  // namespace leat
