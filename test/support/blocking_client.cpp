// blocking_client.cpp: see blocking_client.h.
#include "test/support/blocking_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace leat {

namespace {
constexpr int kReceiveTimeoutSeconds = 30;
#ifdef MSG_NOSIGNAL
constexpr int kSendFlags = MSG_NOSIGNAL;
#else
constexpr int kSendFlags = 0;
#endif
}  // namespace

BlockingClient::BlockingClient(uint16_t port, const std::string& host, int receive_buffer_bytes) {
  const bool v6 = host.find(':') != std::string::npos;
  const int made = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
  if (made < 0) return;
  if (receive_buffer_bytes > 0) {
    ::setsockopt(made, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  }
  const timeval timeout{.tv_sec = kReceiveTimeoutSeconds, .tv_usec = 0};
  ::setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  const int on = 1;
  ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  int status = -1;
  if (v6) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    ::inet_pton(AF_INET6, host.c_str(), &address.sin6_addr);
    status = ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } else {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    status = ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  if (status == 0) {
    descriptor_ = made;
  } else {
    ::close(made);
  }
}

BlockingClient::BlockingClient(BlockingClient&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

BlockingClient::~BlockingClient() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool BlockingClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), kSendFlags);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool BlockingClient::send_frame(std::string_view payload) { return send(frame_of(payload)); }

std::optional<std::string> BlockingClient::receive_frame() {
  unsigned char size[4];
  if (!receive_exactly(reinterpret_cast<char*>(size), sizeof size)) return std::nullopt;
  std::string payload(uint32_t{size[0]} << 24 | uint32_t{size[1]} << 16 | uint32_t{size[2]} << 8 | size[3], '\0');
  if (!receive_exactly(payload.data(), payload.size())) return std::nullopt;
  return payload;
}

std::string BlockingClient::receive_all() {
  std::string received;
  char bytes[4096];
  while (true) {
    const ssize_t size = ::recv(descriptor_, bytes, sizeof bytes, 0);
    if (size <= 0) return received;
    received.append(bytes, static_cast<size_t>(size));
  }
}

bool BlockingClient::wait_for_end() {
  char byte = 0;
  const ssize_t received = ::recv(descriptor_, &byte, 1, 0);
  return received == 0 || (received < 0 && errno == ECONNRESET);
}

void BlockingClient::shut_sending() noexcept { ::shutdown(descriptor_, SHUT_WR); }

bool BlockingClient::receive_exactly(char* into, size_t size) {
  while (size > 0) {
    const ssize_t received = ::recv(descriptor_, into, size, 0);
    if (received <= 0) return false;
    into += received;
    size -= static_cast<size_t>(received);
  }
  return true;
}

std::string frame_of(std::string_view payload) {
  const auto size = static_cast<uint32_t>(payload.size());
  std::string frame{static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
                    static_cast<char>(size)};
  frame += payload;
  return frame;
}

}  // namespace leat
