// tcp_socket.cpp: POSIX sockets and poll.
#include "client/tcp_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace leat {
namespace {

#ifdef MSG_NOSIGNAL
constexpr int kSendFlags = MSG_NOSIGNAL;
#else
constexpr int kSendFlags = 0;  // macOS: SO_NOSIGPIPE on the socket
#endif

Nanos now() noexcept { return SystemClock().monotonic(); }

Result<void> wait_for(int descriptor, int16_t events, Nanos deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<Millis>(deadline - now());
    if (left <= Millis(0)) return fail(Errc::kTimedOut, "no answer in time");
    pollfd waiting{.fd = descriptor, .events = events, .revents = 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left.count(), 60'000)));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return fail(error_from_errno(errno, "poll"));
  }
}

void set_options(int descriptor) noexcept {
  const int on = 1;
  (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef SO_NOSIGPIPE
  (void)::setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  (void)::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  (void)::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

struct FreeAddresses {
  void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};

}  // namespace

TcpSocket::TcpSocket(TcpSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
TcpSocket& TcpSocket::operator=(TcpSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
TcpSocket::~TcpSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<TcpSocket> TcpSocket::open(const void* address_info, Nanos deadline) {
  const auto& info = *static_cast<const addrinfo*>(address_info);
  TcpSocket socket(::socket(info.ai_family, info.ai_socktype, info.ai_protocol));
  if (socket.descriptor_ < 0) return fail(error_from_errno(errno, "socket"));
  set_options(socket.descriptor_);
  if (::connect(socket.descriptor_, info.ai_addr, info.ai_addrlen) == 0) return socket;
  if (errno != EINPROGRESS) return fail(error_from_errno(errno, "connect"));
  TRY(wait_for(socket.descriptor_, POLLOUT, deadline));
  int error = 0;
  socklen_t size = sizeof error;
  (void)::getsockopt(socket.descriptor_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return fail(error_from_errno(error, "connect"));
  return socket;
}

Result<TcpSocket> TcpSocket::connect(const HostPort& address, Millis timeout) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (status != 0) {
    return fail(Errc::kNotFound, fmt::format("the host '{}' is not known: {}", address.host, ::gai_strerror(status)));
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  const Nanos deadline = now() + timeout;
  Error last(Errc::kIo, "the host has no address");
  for (const addrinfo* info = list.get(); info != nullptr; info = info->ai_next) {
    Result<TcpSocket> socket = open(info, deadline);
    if (socket) return socket;
    last = std::move(socket).error();
    if (last.code == Errc::kTimedOut) break;
  }
  return fail(std::move(last));
}

Result<size_t> TcpSocket::send_some(ByteView bytes) {
  for (;;) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), kSendFlags);
    if (sent >= 0) return static_cast<size_t>(sent);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return size_t{0};
    if (errno != EINTR) return fail(error_from_errno(errno, "send"));
  }
}

Result<size_t> TcpSocket::receive_some(MutableByteView into) {
  for (;;) {
    const ssize_t received = ::recv(descriptor_, into.data(), into.size(), 0);
    if (received > 0) return static_cast<size_t>(received);
    if (received == 0) return fail(Errc::kIo, "the broker closed the connection");
    if (errno == EAGAIN || errno == EWOULDBLOCK) return size_t{0};
    if (errno != EINTR) return fail(error_from_errno(errno, "receive"));
  }
}

Result<void> TcpSocket::send(std::span<const Slice> pieces, Millis timeout) {
  const Nanos deadline = now() + timeout;
  for (const Slice& piece : pieces) {
    for (ByteView left = piece.view(); !left.empty();) {
      TRY(sent, send_some(left));
      left = left.subspan(sent);
      if (sent == 0) TRY(wait_for(descriptor_, POLLOUT, deadline));
    }
  }
  return {};
}

Result<void> TcpSocket::receive(MutableByteView into, Millis timeout) {
  const Nanos deadline = now() + timeout;
  while (!into.empty()) {
    TRY(received, receive_some(into));
    into = into.subspan(received);
    if (received == 0) TRY(wait_for(descriptor_, POLLIN, deadline));
  }
  return {};
}

}  // namespace leat
