// tcp_listener.cpp: see tcp_listener.h.
#include "net/transport/tcp_listener.h"

#include <fmt/format.h>

#include <array>

#include "core/base/check.h"
#include "net/transport/tcp_connection.h"

namespace leat {

TcpListener::TcpListener(TcpServer& server, const std::string& name) : server_(server), name_(name) {
  ENSURE(uv_tcp_init(server.loop_.raw(), &handle_) == 0);
  handle_.data = this;
}

Result<uint16_t> TcpListener::bind(const sockaddr& address, int backlog) {
  // A socket for one IPv6 address leaves IPv4 alone; the wildcard serves both.
  const bool v6 = address.sa_family == AF_INET6;
  const bool any = v6 && IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr);
  int status = uv_tcp_bind(&handle_, &address, v6 && !any ? UV_TCP_IPV6ONLY : 0);
  if (status == 0) {
    status = uv_listen(reinterpret_cast<uv_stream_t*>(&handle_), backlog, [](uv_stream_t* stream, int result) noexcept {
      static_cast<TcpListener*>(stream->data)->on_connection(result);
    });
  }
  sockaddr_storage bound{};
  int size = sizeof bound;
  if (status == 0) status = uv_tcp_getsockname(&handle_, reinterpret_cast<sockaddr*>(&bound), &size);
  if (status == UV_EADDRINUSE) return fail(Errc::kAlreadyExists, "the port is in use by another process");
  if (status == UV_EADDRNOTAVAIL || status == UV_EAFNOSUPPORT) return fail(Errc::kNotFound, uv_strerror(status));
  if (status != 0) return fail(Errc::kIo, uv_strerror(status));
  return bound.ss_family == AF_INET6 ? ntohs(reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port)
                                     : ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
}

void TcpListener::start_accepting() {
  if (!connection_waits_ || closing()) return;
  connection_waits_ = false;
  on_connection(0);
}

void TcpListener::close() noexcept {
  if (closing()) return;
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_), [](uv_handle_t* handle) noexcept {
    auto* self = static_cast<TcpListener*>(handle->data);
    self->server_.on_listener_closed(*self);  // frees it
  });
}

void TcpListener::on_connection(int status) noexcept {
  if (status != 0) {  // out of descriptors: libuv has dropped the peer and goes on listening
    ++server_.counters_.refused;
    server_.handler_.on_refused("unknown", uv_strerror(status));
    return;
  }
  if (!server_.accepting_) {
    connection_waits_ = true;
    return;
  }
  auto connection = std::make_unique<TcpConnection>(server_, ++server_.last_id_, name_);
  const int accepted = connection->accept(reinterpret_cast<uv_stream_t*>(&handle_));
  if (accepted != 0) {
    TcpConnection& failed = *connection;
    failed.close_refused(std::move(connection));
    return;
  }
  server_.on_accepted(std::move(connection));
}

}  // namespace leat
