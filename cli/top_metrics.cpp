// top_metrics.cpp: HTTP/1.0, so that the answer ends with the connection and comes in one piece.
#include "cli/top_metrics.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace leat::cli {
namespace {

constexpr Millis kPatience{2'000};
constexpr size_t kAnswerBytesMax = size_t{64} << 20;
constexpr std::string_view kSample = "leat_connections ";
#ifdef MSG_NOSIGNAL
constexpr int kNoSignal = MSG_NOSIGNAL;
#else
constexpr int kNoSignal = 0;  // main ignores SIGPIPE
#endif

bool is_set_up(int descriptor) noexcept {
  return ::fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 && ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

}  // namespace

Result<int64_t> connections_in(std::string_view answer) {
  const size_t line_end = answer.find("\r\n");
  const std::string_view status = answer.substr(0, line_end);
  if (!status.starts_with("HTTP/1.")) return fail(Errc::kProtocol, "what answers there does not speak HTTP");
  const size_t blank = status.find(' ');
  if (blank == std::string_view::npos || !status.substr(blank + 1).starts_with("200")) {
    return fail(Errc::kProtocol, fmt::format("it answered '{}'", status));
  }
  const size_t head_end = answer.find("\r\n\r\n");
  std::string_view left = head_end == std::string_view::npos ? std::string_view() : answer.substr(head_end + 4);
  while (!left.empty()) {
    const size_t end = left.find('\n');
    const std::string_view line = left.substr(0, end);
    if (line.starts_with(kSample)) {
      const std::string number(line.substr(kSample.size()));
      char* rest = nullptr;
      const double value = std::strtod(number.c_str(), &rest);
      const bool is_count = rest != number.c_str() && value >= 0 && value < 1e15;
      if (!is_count) return fail(Errc::kProtocol, fmt::format("'{}' is no count of connections", line));
      return static_cast<int64_t>(value);
    }
    if (end == std::string_view::npos) break;
    left.remove_prefix(end + 1);
  }
  return fail(Errc::kProtocol, "leat_connections is not among its metrics: is it a leatd?");
}

Result<MetricsProbe> MetricsProbe::create(const HostPort& address) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &found);
  if (code != 0) {
    return fail(Errc::kNotFound,
                fmt::format("metrics {}: {}. Check --metrics HOST:PORT", address.to_string(), ::gai_strerror(code)));
  }
  std::vector<Address> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Address& kept = addresses.emplace_back();
    std::memcpy(&kept.storage, one->ai_addr, one->ai_addrlen);
    kept.size = one->ai_addrlen;
    kept.family = one->ai_family;
  }
  ::freeaddrinfo(found);
  return MetricsProbe(address.to_string(), std::move(addresses));
}

MetricsProbe::MetricsProbe(MetricsProbe&& other) noexcept
    : name_(std::move(other.name_)),
      addresses_(std::move(other.addresses_)),
      next_address_(other.next_address_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      step_(other.step_),
      deadline_(other.deadline_),
      answer_(std::move(other.answer_)),
      connections_(other.connections_),
      trouble_(std::move(other.trouble_)) {}

MetricsProbe::~MetricsProbe() {
  if (descriptor_ >= 0) (void)::close(descriptor_);
}

void MetricsProbe::begin(Nanos now) {
  end({});
  connections_.reset();
  deadline_ = now + kPatience;
  next_address_ = 0;
  answer_.clear();
  trouble_ = "no address";
  connect_next();
}

void MetricsProbe::connect_next() {
  while (descriptor_ < 0 && next_address_ < addresses_.size()) {
    const Address& address = addresses_[next_address_++];
    descriptor_ = ::socket(address.family, SOCK_STREAM, 0);
    step_ = Step::kConnecting;
    const bool begun =
        descriptor_ >= 0 && is_set_up(descriptor_) &&
        (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0 ||
         errno == EINPROGRESS);
    if (!begun) end(std::strerror(errno));
  }
}

pollfd MetricsProbe::waited_for() const noexcept {
  const int events = step_ == Step::kConnecting ? POLLOUT : POLLIN;
  return {.fd = descriptor_, .events = static_cast<short>(events), .revents = 0};
}

void MetricsProbe::end(const std::string& trouble) {
  if (descriptor_ >= 0) (void)::close(descriptor_);
  descriptor_ = -1;
  trouble_ = trouble.empty() ? trouble : fmt::format("metrics {}: {}", name_, trouble);
}

// A request of this size fits into any socket's buffer.
void MetricsProbe::on_connected() {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) {
    end(std::strerror(error));
    return connect_next();
  }
  const std::string request = fmt::format("GET /metrics HTTP/1.0\r\nHost: {}\r\n\r\n", name_);
  const ssize_t sent = ::send(descriptor_, request.data(), request.size(), kNoSignal);
  if (sent != static_cast<ssize_t>(request.size())) return end(std::strerror(errno));
  step_ = Step::kReceiving;
}

void MetricsProbe::receive() {
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t size = ::read(descriptor_, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (size < 0) return end(std::strerror(errno));
    if (size == 0) break;
    answer_.append(bytes.data(), static_cast<size_t>(size));
    if (answer_.size() > kAnswerBytesMax) return end("the answer has no end");
  }
  const Result<int64_t> connections = connections_in(answer_);
  if (!connections) return end(connections.error().context);
  connections_ = *connections;
  end({});
}

void MetricsProbe::advance(Nanos now) {
  if (is_idle()) return;
  pollfd waited = waited_for();
  if (::poll(&waited, 1, 0) > 0) {
    if (step_ == Step::kConnecting) {
      on_connected();
    } else {
      receive();
    }
  }
  if (!is_idle() && now >= deadline_) end("no answer in time");
}

}  // namespace leat::cli
