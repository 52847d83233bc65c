// tcp_socket.h: one TCP connection with deadlines, for clients that wait (the asynchronous client has libuv). The
// descriptor is non-blocking; waits are poll(). No SIGPIPE. Thread: one at a time.
#pragma once

#include <cstdint>
#include <span>

#include "client/host_port.h"
#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/result.h"

namespace leat {

class TcpSocket {
 public:
  // Tries each address that the host resolves to. kIo or kTimedOut; kNotFound: there is no such host. The text says
  // why, not where.
  static Result<TcpSocket> connect(const HostPort& address, Millis timeout);

  TcpSocket(TcpSocket&& other) noexcept;
  TcpSocket& operator=(TcpSocket&& other) noexcept;
  ~TcpSocket();

  // All of it, or an error.
  Result<void> send(std::span<const Slice> pieces, Millis timeout);
  Result<void> receive(MutableByteView into, Millis timeout);
  // What goes at once; 0 when the socket is full or empty. A closed peer is an error.
  Result<size_t> send_some(ByteView bytes);
  Result<size_t> receive_some(MutableByteView into);

  int descriptor() const noexcept { return descriptor_; }

 private:
  explicit TcpSocket(int descriptor) noexcept : descriptor_(descriptor) {}
  static Result<TcpSocket> open(const void* address_info, Nanos deadline);

  int descriptor_ = -1;
};

}  // namespace leat
