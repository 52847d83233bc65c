// null_responder.h: the ceiling of the load generator: a server without a broker's work. It counts whole frames and
// answers each with a canned Produce, Fetch or OffsetCommit answer, coalesced; it may also put what arrives into a
// file, or sync that file before it answers. What a broker reaches of it is the share of the machine's limit. Bodies go
// through one small buffer that stays in the processor's cache: nothing that speaks this protocol can do less. Thread:
// one of its own.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/load/socket.h"

namespace leat::bench {

enum class Keep : uint8_t {
  kNothing,
  kFile,     // every byte is written to a scratch file: "loopback + pwrite"
  kDurable,  // and the file is synced before the answers leave, one sync for all that arrived together
};

class NullResponder {
 public:
  struct Plan {
    std::string topic;                  // of the answers; only its length matters to the load
    std::vector<uint8_t> fetched = {};  // the records of each Fetch answer
    Keep keep = Keep::kNothing;
  };
  explicit NullResponder(Plan plan);
  ~NullResponder();
  NullResponder(const NullResponder&) = delete;
  NullResponder& operator=(const NullResponder&) = delete;
  Address address() const noexcept { return {.host = "127.0.0.1", .port = port_}; }

 private:
  void run() noexcept;

  Plan plan_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace leat::bench
