// tcp_listener.h: private to net/transport. One bound socket; accepts into TcpConnections. Freed in its close callback.
#pragma once

#include <uv.h>

#include <string>

#include "net/transport/tcp_server.h"

namespace leat {

class TcpListener {
 public:
  TcpListener(TcpServer& server, const std::string& name);

  Result<uint16_t> bind(const sockaddr& address, int backlog);  // close() it also after a failure
  void start_accepting();
  void close() noexcept;
  bool closing() const noexcept { return uv_is_closing(reinterpret_cast<const uv_handle_t*>(&handle_)) != 0; }

 private:
  void on_connection(int status) noexcept;

  TcpServer& server_;
  const std::string& name_;  // the server's
  uv_tcp_t handle_;
  bool connection_waits_ = false;  // one came before start_accepting(); libuv holds it and looks for no other
};

}  // namespace leat
