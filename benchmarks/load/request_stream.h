// request_stream.h: connections that send the same request again and again, each with its window of requests in flight:
// one thread, one poller over all of them; what the window allows leaves in one send, what arrived is counted without a
// copy. Every answer's error code is looked at. Thread: the caller's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/load/histogram.h"
#include "benchmarks/load/load.h"
#include "benchmarks/load/socket.h"
#include "core/base/bytes.h"
#include "core/base/result.h"

namespace leat::bench {

struct StreamPlan {
  std::vector<uint8_t> frame;  // with its size field
  int in_flight = 8;
  uint64_t request_count = 0;
  std::string what;  // a word for error messages: "produce"
  // Of a whole answer without its size field; 0: all is well.
  std::function<int16_t(ByteView answer)> error_of;
  // Brings a frame up to date before it leaves; null: all are alike.
  std::function<void(MutableByteView frame)> renew = nullptr;
};

class RequestStream {
 public:
  RequestStream(Socket socket, StreamPlan plan);  // the socket does not block

  int descriptor() const noexcept { return socket_.descriptor(); }
  bool wants_to_send() const noexcept { return sent_ < quota_ && sent_ - answered_ < window_; }
  bool finished() const noexcept { return answered_ == quota_; }
  uint64_t answered() const noexcept { return answered_; }
  const Histogram& latency() const noexcept { return latency_; }

  void end_early() noexcept;  // no request begins any more; what has begun is finished and answered
  Result<void> send();
  Result<void> receive();

 private:
  void prepare();

  Socket socket_;
  StreamPlan plan_;
  uint64_t window_;
  uint64_t quota_;
  std::vector<uint8_t> repeated_;  // the frame, many times: small frames leave many in one send
  ByteView pending_;               // of repeated_: prepared, not yet sent
  std::vector<uint8_t> received_;
  size_t held_ = 0;  // of received_
  uint64_t sent_ = 0;
  uint64_t answered_ = 0;
  std::deque<uint64_t> sent_at_;
  Histogram latency_;
};

// Drives all streams until each has its answers, or the time is over (0: no such limit). Gives requests, seconds and
// latency.
Result<LoadResult> run_streams(std::vector<RequestStream>& streams, double seconds_max);

}  // namespace leat::bench
