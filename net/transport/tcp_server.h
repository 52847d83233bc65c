// tcp_server.h: listeners and the table of connections that came through them. Owns every socket; a connection is
// erased in its close callback, once. Limits that one peer cannot lift for another: request size, requests and request
// bytes in flight for each connection and in all, output that a peer does not take, connections in all and for each
// address, idle time. At a limit reading from that socket stops, and goes on by itself below it. A connection that is
// idle holds no buffer. Idle connections are found by a coarse sweep, not by a timer each. TLS and SASL come between
// TcpConnection's read callback and FrameReader, and between ResponseQueue and its write. Thread: the loop.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "net/loop/gate.h"
#include "net/loop/uv_loop.h"
#include "net/transport/connection.h"

namespace leat {

class TcpConnection;
class TcpListener;

struct ListenAddress {
  std::string host;   // a name or an address without brackets; empty: every address of the machine
  uint16_t port = 0;  // 0: any free one

  std::string to_string() const;  // with brackets round an IPv6 address
};

struct TransportLimits {
  size_t request_bytes_max = size_t{100} << 20;            // socket.request.max.bytes
  size_t requests_in_flight_max = 1000;                    // of one connection
  size_t request_bytes_in_flight_max = size_t{128} << 20;  // of one connection; one request always fits
  size_t request_bytes_total_max = size_t{512} << 20;      // queued.max.request.bytes: in flight on all connections
  size_t output_bytes_max = size_t{1} << 20;               // above it nothing more is read from that connection
  size_t connections_max = 1'000'000'000;                  // max.connections
  size_t connections_per_ip_max = 1'000'000'000;           // max.connections.per.ip
  Millis idle_max{600'000};                                // connections.max.idle.ms; 0 or less: never
  int backlog = 511;                                       // socket.listen.backlog.size
  Millis muted_look_every{30'000};  // so soon it is noticed that the peer of a muted connection has gone
  size_t sent_away_max = 1000;      // held open before they are closed (set_admission)
};

// Since the start; plain numbers of the loop's, always counted.
struct TransportCounters {
  uint64_t accepted = 0;
  uint64_t refused = 0;  // at a limit, or out of descriptors
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
  std::array<uint64_t, kClosedByCount> closed{};  // by ClosedBy
};

class TcpServer {
 public:
  TcpServer(UvLoop& loop, FrameHandler& handler, const TransportLimits& limits);
  ~TcpServer();  // after close()
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  // Binds and listens. "localhost" binds 127.0.0.1 and, where the machine has it, ::1 on the same port; an empty host
  // or a wildcard binds all addresses. Port 0 picks one. Returns the port. Whoever connects before start_accepting()
  // waits in the kernel's queue: the port can be taken first, and served when the broker is ready.
  Result<uint16_t> listen(std::string listener_name, const ListenAddress& address);
  void start_accepting();
  void stop_listening() noexcept;  // who is connected stays

  // Asked for each new connection that no limit refuses, with the address of its peer. Not zero: it is not let in, and
  // closed after that time, so that a peer who comes again and again comes no faster than that. Those who wait so
  // count as connections at max.connections; when there are too many of them, more are closed at once.
  using Admission = std::function<Millis(const std::string& peer_host)>;
  void set_admission(Admission admission) { admission_ = std::move(admission); }

  // Closes everything: what is queued for output is offered to the sockets once more. Wakes when all handles are gone.
  Event::Wait close();

  Connection* find(ConnectionId id) noexcept;
  size_t connection_count() const noexcept { return connections_.size(); }
  size_t request_bytes_in_flight() const noexcept { return request_bytes_; }
  const TransportCounters& counters() const noexcept { return counters_; }

 private:
  friend TcpConnection;
  friend TcpListener;

  // For TcpListener.
  Result<uint16_t> bind_all(const std::string& name, const ListenAddress& address);
  void on_accepted(std::unique_ptr<TcpConnection> connection);
  void on_listener_closed(TcpListener& listener) noexcept;
  std::string refusal_of(const std::string& peer_host) const;  // empty: welcome
  void send_away_later(std::unique_ptr<TcpConnection> connection, Millis after);
  void send_away(ConnectionId id) noexcept;

  // For TcpConnection.
  void touch(TcpConnection& connection);  // looks at its output and its reading once before the loop polls
  void touch_next_turn(TcpConnection& connection);
  void on_request(size_t bytes) noexcept {
    request_bytes_ += bytes;
    request_bytes_since_sweep_ += bytes;
  }
  void on_answered(size_t bytes) noexcept;
  bool has_budget() const noexcept { return request_bytes_ < limits_.request_bytes_total_max; }
  void wait_for_budget(ConnectionId id) { waiting_for_budget_.push_back(id); }
  void on_connection_closed(TcpConnection& connection) noexcept;

  void run_touched();
  void sweep_idle();
  void schedule_sweep();
  void maybe_closed() noexcept;

  UvLoop& loop_;
  FrameHandler& handler_;
  const TransportLimits limits_;
  TransportCounters counters_;
  std::list<std::string> listener_names_;  // connections refer to them
  std::vector<std::unique_ptr<TcpListener>> listeners_;
  bool accepting_ = false;
  std::unordered_map<ConnectionId, std::unique_ptr<TcpConnection>> connections_;
  std::unordered_map<std::string, size_t> connections_by_host_;
  struct SentAway {  // not let in, and told so when the timer fires
    std::unique_ptr<TcpConnection> connection;
    TimerId timer;
  };
  std::unordered_map<ConnectionId, SentAway> sent_away_;
  Admission admission_;
  ConnectionId last_id_ = 0;
  size_t request_bytes_ = 0;
  size_t request_bytes_since_sweep_ = 0;
  std::vector<ConnectionId> touched_;
  bool hook_set_ = false;
  std::vector<ConnectionId> touched_next_turn_;
  std::vector<ConnectionId> waiting_for_budget_;  // in order of asking
  TimerId sweep_timer_ = kNoTimer;
  TimerId next_turn_timer_ = kNoTimer;
  bool closing_ = false;
  Event closed_;
};

}  // namespace leat
