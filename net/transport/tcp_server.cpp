// tcp_server.cpp: see tcp_server.h.
#include "net/transport/tcp_server.h"

#include <fmt/format.h>
#include <netdb.h>
#include <uv.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/address_text.h"
#include "core/base/check.h"
#include "net/transport/tcp_connection.h"
#include "net/transport/tcp_listener.h"

namespace leat {

namespace {

constexpr int64_t kSweepsPerIdleTime = 8;
constexpr Millis kSweepMin{1};
constexpr int kPortTriesMax = 16;
constexpr size_t kQuietRequestBytes = size_t{1} << 20;  // fewer between two sweeps: nothing is going on
constexpr size_t kQuietPoolBytes = size_t{1} << 20;

struct BindAddress {
  sockaddr_storage address{};
  bool optional = false;  // skipped where the machine does not have it
};

BindAddress v4_address(const char* text, uint16_t port) {
  BindAddress bind;
  ENSURE(uv_ip4_addr(text, port, reinterpret_cast<sockaddr_in*>(&bind.address)) == 0);
  return bind;
}

BindAddress v6_address(const char* text, uint16_t port) {
  BindAddress bind;
  ENSURE(uv_ip6_addr(text, port, reinterpret_cast<sockaddr_in6*>(&bind.address)) == 0);
  return bind;
}

void set_port(sockaddr_storage& address, uint16_t port) noexcept {
  if (address.ss_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&address)->sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in*>(&address)->sin_port = htons(port);
  }
}

// Asks the system's resolver; only at start, so it may wait.
Result<std::vector<BindAddress>> resolve(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(address.host.c_str(), nullptr, &hints, &found);
  if (status != 0) return fail(Errc::kNotFound, fmt::format("host '{}': {}", address.host, ::gai_strerror(status)));
  std::vector<BindAddress> resolved;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
    BindAddress bind;
    std::memcpy(&bind.address, each->ai_addr, each->ai_addrlen);
    bind.optional = !resolved.empty();
    set_port(bind.address, address.port);
    resolved.push_back(bind);
  }
  ::freeaddrinfo(found);
  return resolved;
}

Result<std::vector<BindAddress>> addresses_to_bind(const ListenAddress& address) {
  if (address.host == "localhost") {
    std::vector<BindAddress> both{v4_address("127.0.0.1", address.port), v6_address("::1", address.port)};
    both[1].optional = true;
    return both;
  }
  if (address.host.empty()) return std::vector<BindAddress>{v6_address("::", address.port)};
  sockaddr_storage parsed{};
  if (uv_ip4_addr(address.host.c_str(), address.port, reinterpret_cast<sockaddr_in*>(&parsed)) == 0) {
    return std::vector<BindAddress>{v4_address(address.host.c_str(), address.port)};
  }
  if (uv_ip6_addr(address.host.c_str(), address.port, reinterpret_cast<sockaddr_in6*>(&parsed)) == 0) {
    return std::vector<BindAddress>{v6_address(address.host.c_str(), address.port)};
  }
  return resolve(address);
}

}  // namespace

std::string ListenAddress::to_string() const { return address_text(host, port); }

TcpServer::TcpServer(UvLoop& loop, FrameHandler& handler, const TransportLimits& limits)
    : loop_(loop), handler_(handler), limits_(limits), closed_(loop) {
  schedule_sweep();
}

TcpServer::~TcpServer() {
  ENSURE(listeners_.empty() && connections_.empty(), "{} listeners, {} connections", listeners_.size(),
         connections_.size());
  loop_.timers().cancel(sweep_timer_);
  loop_.timers().cancel(next_turn_timer_);
}

Result<uint16_t> TcpServer::listen(std::string listener_name, const ListenAddress& address) {
  const std::string& name = listener_names_.emplace_back(std::move(listener_name));
  // With port 0 the system picks a port for the first address that may be taken on the second: then try another.
  const int tries = address.port == 0 ? kPortTriesMax : 1;
  Result<uint16_t> bound = bind_all(name, address);
  for (int i = 1; i < tries && !bound && bound.error().code == Errc::kAlreadyExists; ++i)
    bound = bind_all(name, address);
  if (!bound) {
    return fail(bound.error().code, fmt::format("cannot listen on {}: {}", address.to_string(), bound.error().context));
  }
  return bound;
}

// All or none of the addresses; what was bound before a failure is closed again.
Result<uint16_t> TcpServer::bind_all(const std::string& name, const ListenAddress& address) {
  TRY(binds, addresses_to_bind(address));
  uint16_t port = address.port;
  size_t bound_count = 0;
  std::vector<TcpListener*> made;
  for (BindAddress& bind : binds) {
    set_port(bind.address, port);
    made.push_back(listeners_.emplace_back(std::make_unique<TcpListener>(*this, name)).get());
    Result<uint16_t> bound = made.back()->bind(reinterpret_cast<const sockaddr&>(bind.address), limits_.backlog);
    if (bound) {
      port = *bound;
      ++bound_count;
      continue;
    }
    made.back()->close();
    if (bind.optional && bound.error().code == Errc::kNotFound) continue;
    if (address.host.empty() && bound.error().code == Errc::kNotFound) {  // a machine without IPv6
      return bind_all(name, ListenAddress{"0.0.0.0", address.port});
    }
    for (TcpListener* listener : made) listener->close();
    return fail(std::move(bound).error());
  }
  if (bound_count == 0) return fail(Errc::kNotFound, "no address");
  return port;
}

void TcpServer::start_accepting() {
  accepting_ = true;
  for (auto& listener : listeners_) listener->start_accepting();
}

void TcpServer::stop_listening() noexcept {
  for (auto& listener : listeners_) listener->close();
}

Event::Wait TcpServer::close() {
  closing_ = true;
  stop_listening();
  while (!sent_away_.empty()) send_away(sent_away_.begin()->first);
  for (auto& [id, connection] : connections_) {
    connection->flush();
    connection->close_as(ClosedBy::kServer, "shutting down");
  }
  maybe_closed();
  return closed_.wait();
}

Connection* TcpServer::find(ConnectionId id) noexcept {
  const auto found = connections_.find(id);
  return found == connections_.end() || found->second->closing() ? nullptr : found->second.get();
}

void TcpServer::on_accepted(std::unique_ptr<TcpConnection> connection) {
  TcpConnection& accepted = *connection;
  const std::string refusal = refusal_of(accepted.peer_host());
  if (!refusal.empty()) {
    ++counters_.refused;
    handler_.on_refused(accepted.peer(), refusal);
    accepted.close_refused(std::move(connection));
    return;
  }
  const Millis held_back = admission_ ? admission_(accepted.peer_host()) : Millis(0);
  if (held_back > Millis(0)) {
    ++counters_.refused;
    handler_.on_refused(accepted.peer(), "too many new connections from its address (connection_creation_rate)");
    if (sent_away_.size() < limits_.sent_away_max) {
      send_away_later(std::move(connection), held_back);
    } else {
      accepted.close_refused(std::move(connection));
    }
    return;
  }
  ++counters_.accepted;
  ++connections_by_host_[accepted.peer_host()];
  connections_.emplace(accepted.id(), std::move(connection));
  accepted.start();
}

void TcpServer::send_away_later(std::unique_ptr<TcpConnection> connection, Millis after) {
  const ConnectionId id = connection->id();
  const TimerId timer = loop_.timers().start(after, [this, id] { send_away(id); });
  sent_away_.emplace(id, SentAway{std::move(connection), timer});
}

void TcpServer::send_away(ConnectionId id) noexcept {
  auto held = sent_away_.extract(id);
  loop_.timers().cancel(held.mapped().timer);
  TcpConnection& connection = *held.mapped().connection;
  connection.close_refused(std::move(held.mapped().connection));
}

std::string TcpServer::refusal_of(const std::string& peer_host) const {
  if (closing_) return "shutting down";
  if (connections_.size() + sent_away_.size() >= limits_.connections_max) {
    return fmt::format("already {} connections (max.connections)", connections_.size());
  }
  const auto of_host = connections_by_host_.find(peer_host);
  const size_t count = of_host == connections_by_host_.end() ? 0 : of_host->second;
  if (count >= limits_.connections_per_ip_max) {
    return fmt::format("already {} connections from {} (max.connections.per.ip)", count, peer_host);
  }
  return {};
}

void TcpServer::on_listener_closed(TcpListener& listener) noexcept {
  std::erase_if(listeners_, [&listener](const auto& each) { return each.get() == &listener; });
  maybe_closed();
}

void TcpServer::on_connection_closed(TcpConnection& connection) noexcept {
  on_answered(connection.request_bytes_in_flight());
  const auto of_host = connections_by_host_.find(connection.peer_host());
  if (of_host != connections_by_host_.end() && --of_host->second == 0) connections_by_host_.erase(of_host);
  connections_.erase(connection.id());
  maybe_closed();
}

void TcpServer::maybe_closed() noexcept {
  if (closing_ && listeners_.empty() && connections_.empty()) closed_.set();
}

void TcpServer::on_answered(size_t bytes) noexcept {
  ENSURE(bytes <= request_bytes_, "{} of {}", bytes, request_bytes_);
  request_bytes_ -= bytes;
  if (waiting_for_budget_.empty() || !has_budget()) return;
  // Each looks again, in order; who finds the budget used up by those before it waits again.
  for (const ConnectionId id : std::exchange(waiting_for_budget_, {})) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) continue;
    found->second->waits_for_budget = false;
    touch(*found->second);
  }
}

void TcpServer::touch(TcpConnection& connection) {
  if (connection.touched) return;
  connection.touched = true;
  touched_.push_back(connection.id());
  if (hook_set_) return;
  hook_set_ = true;
  loop_.before_poll([this] { run_touched(); });
}

void TcpServer::run_touched() {
  hook_set_ = false;
  for (const ConnectionId id : std::exchange(touched_, {})) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) continue;
    found->second->touched = false;
    if (!found->second->closing()) found->second->on_touched();
  }
}

void TcpServer::touch_next_turn(TcpConnection& connection) {
  touched_next_turn_.push_back(connection.id());
  if (next_turn_timer_ != kNoTimer) return;
  next_turn_timer_ = loop_.timers().start(Millis(0), [this] {
    next_turn_timer_ = kNoTimer;
    for (const ConnectionId id : std::exchange(touched_next_turn_, {})) {
      const auto found = connections_.find(id);
      if (found != connections_.end()) touch(*found->second);
    }
  });
}

void TcpServer::schedule_sweep() {
  if (limits_.idle_max <= Millis(0)) return;
  const Millis every = std::max(limits_.idle_max / kSweepsPerIdleTime, kSweepMin);
  sweep_timer_ = loop_.timers().start(every, [this] {
    sweep_idle();
    schedule_sweep();
  });
}

void TcpServer::sweep_idle() {
  // In quiet times the buffers of the last rush go back to the system.
  if (std::exchange(request_bytes_since_sweep_, 0) < kQuietRequestBytes) block_pool_trim(kQuietPoolBytes);
  for (auto& [id, connection] : connections_) {
    if (!connection->closing() && connection->sweep() > kSweepsPerIdleTime) {
      connection->close_as(ClosedBy::kIdle,
                           fmt::format("idle for {} ms (connections.max.idle.ms)", limits_.idle_max.count()));
    }
  }
}

}  // namespace leat
