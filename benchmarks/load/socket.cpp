// socket.cpp: see socket.h.
#include "benchmarks/load/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/parse_int.h"

namespace leat::bench {

Result<Address> parse_address(std::string_view text) {
  const size_t colon = text.rfind(':');
  Address address;
  if (colon == std::string_view::npos) return fail(Errc::kInvalidArgument, fmt::format("'{}' is not HOST:PORT", text));
  address.host = text.substr(0, colon);
  const std::optional<uint16_t> port = parse_int<uint16_t>(text.substr(colon + 1));
  if (!port) return fail(Errc::kInvalidArgument, fmt::format("'{}' is not HOST:PORT", text));
  address.port = *port;
  if (address.host == "localhost") address.host = "127.0.0.1";
  return address;
}

Result<Socket> Socket::connect(const Address& address) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(address.port);
  if (inet_pton(AF_INET, address.host.c_str(), &where.sin_addr) != 1) {
    return fail(Errc::kInvalidArgument, fmt::format("'{}' is not an IPv4 address", address.host));
  }
  Socket socket(::socket(AF_INET, SOCK_STREAM, 0));
  if (socket.descriptor_ < 0) return fail(error_from_errno(errno, "socket"));
  if (::connect(socket.descriptor_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
    return fail(error_from_errno(errno, fmt::format("connect to {}:{}", address.host, address.port)));
  }
  const int on = 1;
  (void)setsockopt(socket.descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> Socket::set_nonblocking() {
  const int flags = fcntl(descriptor_, F_GETFL);
  if (flags < 0 || fcntl(descriptor_, F_SETFL, flags | O_NONBLOCK) != 0) return fail(error_from_errno(errno, "fcntl"));
  return {};
}

Result<size_t> Socket::send_some(ByteView bytes) {
  const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<size_t>(sent);
  if (errno == EAGAIN || errno == EINTR) return size_t{0};
  return fail(error_from_errno(errno, "send"));
}

Result<size_t> Socket::receive_some(MutableByteView into) {
  const ssize_t received = ::recv(descriptor_, into.data(), into.size(), 0);
  if (received > 0) return static_cast<size_t>(received);
  if (received == 0) return fail(Errc::kIo, "the broker closed the connection");
  if (errno == EAGAIN || errno == EINTR) return size_t{0};
  return fail(error_from_errno(errno, "receive"));
}

Result<void> Socket::send_all(ByteView bytes) {
  while (!bytes.empty()) {
    TRY(sent, send_some(bytes));
    bytes = bytes.subspan(sent);
  }
  return {};
}

Result<void> Socket::receive_all(MutableByteView into) {
  while (!into.empty()) {
    TRY(received, receive_some(into));
    into = into.subspan(received);
  }
  return {};
}

}  // namespace leat::bench
