// socket.h: a blocking-or-not TCP socket of the load generator. Plain POSIX, so that what is measured is the broker and
// not a client library. Thread: one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace leat::bench {

struct Address {
  std::string host = "127.0.0.1";
  uint16_t port = 9092;
};
Result<Address> parse_address(std::string_view text);  // HOST:PORT

class Socket {
 public:
  static Result<Socket> connect(const Address& address);
  explicit Socket(int descriptor) noexcept : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  int descriptor() const noexcept { return descriptor_; }
  Result<void> set_nonblocking();
  Result<void> send_all(ByteView bytes);           // blocking
  Result<void> receive_all(MutableByteView into);  // blocking
  // Non-blocking: how many bytes went; 0 when the socket is full or empty. A closed peer is an error.
  Result<size_t> send_some(ByteView bytes);
  Result<size_t> receive_some(MutableByteView into);

 private:
  int descriptor_;
};

}  // namespace leat::bench
