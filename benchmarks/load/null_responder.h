// null_responder.h: the ceiling of the load generator: a server that keeps nothing. It counts whole frames and answers
// each with a canned Produce or Fetch answer, coalesced. What a broker reaches of it is the share of the machine's
// limit.
#pragma once

#include <atomic>
#include <thread>

#include "benchmarks/load/socket.h"

namespace leat::bench {

class NullResponder {
 public:
  // Answers Produce v7 for `topic` with success; Fetch v11 with `fetched` as its records.
  NullResponder(std::string topic, std::vector<uint8_t> fetched);
  ~NullResponder();
  Address address() const noexcept { return {.host = "127.0.0.1", .port = port_}; }

 private:
  void run() noexcept;

  std::string topic_;
  std::vector<uint8_t> fetched_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace leat::bench
