// top_metrics.h: how many connections a leatd has, from its metrics (leatd --metrics HOST:PORT): GET /metrics, of which
// one line is read. Never waits: `leat top` polls its descriptor beside the keyboard. No library does the request:
// those that we have wait for its end. Thread: one.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/host_port.h"
#include "core/base/clock.h"
#include "core/base/result.h"

namespace leat::cli {

class MetricsProbe {
 public:
  // Resolves the host, which may take its time, once. kNotFound: there is no such host.
  static Result<MetricsProbe> create(const HostPort& address);
  MetricsProbe(MetricsProbe&& other) noexcept;
  MetricsProbe& operator=(MetricsProbe&&) = delete;
  ~MetricsProbe();

  // Begins a request, and forgets what the last one has found; `now` is monotonic.
  void begin(Nanos now);
  bool is_idle() const noexcept { return descriptor_ < 0; }
  pollfd waited_for() const noexcept;  // while it is not idle
  Nanos deadline() const noexcept { return deadline_; }
  void advance(Nanos now);  // after a poll

  // Of the last request, when it is idle.
  std::optional<int64_t> connections() const noexcept { return connections_; }
  const std::string& trouble() const noexcept { return trouble_; }  // why there is no number; "" when there is

 private:
  struct Address {
    sockaddr_storage storage;
    socklen_t size;
    int family;
  };
  enum class Step : uint8_t { kConnecting, kReceiving };

  MetricsProbe(std::string name, std::vector<Address> addresses)
      : name_(std::move(name)), addresses_(std::move(addresses)) {}
  void connect_next();  // to the first address that takes it
  void on_connected();
  void receive();
  void end(const std::string& trouble);  // "": all is there

  std::string name_;
  std::vector<Address> addresses_;
  size_t next_address_ = 0;
  int descriptor_ = -1;
  Step step_ = Step::kConnecting;
  Nanos deadline_{0};
  std::string answer_;
  std::optional<int64_t> connections_;
  std::string trouble_;
};

// The value of leat_connections in a whole HTTP answer; kProtocol says what is there instead.
Result<int64_t> connections_in(std::string_view answer);

}  // namespace leat::cli
