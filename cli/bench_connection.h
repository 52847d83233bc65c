// bench_connection.h: a connection that keeps many copies of one prepared request in flight. Nothing is encoded or
// copied for a request, and answers come as slices of what was received, so that the load generator is not what is
// measured. Thread: one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "client/simple_client.h"
#include "client/tcp_socket.h"
#include "core/base/bytes.h"

namespace leat::cli {

// The same frame several times in a row: any number of requests leaves as a few large writes.
class FrameTrain {
 public:
  FrameTrain() = default;
  explicit FrameTrain(const std::vector<Slice>& frame);
  // Bytes to send when `position` of the endless row have been sent.
  ByteView from(uint64_t position) const noexcept {
    return ByteView(bytes_).subspan(static_cast<size_t>(position % frame_bytes_));
  }
  size_t frame_bytes() const noexcept { return frame_bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  size_t frame_bytes_ = 1;
};

class BenchConnection {
 public:
  static Result<BenchConnection> open(const HostPort& address, Millis timeout);

  void set_request(FrameTrain train);  // nothing may be waiting to be sent
  void queue(int64_t request_count) noexcept {
    to_send_ += static_cast<uint64_t>(request_count) * train_.frame_bytes();
  }
  Result<void> send_some();
  bool wants_to_send() const noexcept { return sent_ < to_send_; }

  // Reads what is there and calls on_answer(Slice payload) -> Result<void> for each whole answer.
  template <class OnAnswer>
  Result<void> receive_some(const OnAnswer& on_answer) {
    TRY(read());
    for (;;) {
      TRY(answer, next_answer());
      if (!answer) return {};
      TRY(on_answer(*answer));
    }
  }
  int descriptor() const noexcept { return socket_.descriptor(); }

 private:
  explicit BenchConnection(TcpSocket socket) : socket_(std::move(socket)) {}
  Result<void> read();
  Result<std::optional<Slice>> next_answer();
  void make_room(size_t size);

  TcpSocket socket_;
  FrameTrain train_;
  uint64_t to_send_ = 0;  // bytes, since the request was set
  uint64_t sent_ = 0;
  BlockRef inbox_;
  size_t begin_ = 0;  // of what was not given out
  size_t end_ = 0;
};

// Waits until one of the connections can be read, or written where it wants to, or the time is over.
void wait_for_any(std::span<BenchConnection* const> connections, Nanos timeout);

// A frame of a request in exactly this version, which is laid out so that answers can be read without decoding.
template <class Request>
Result<FrameTrain> prepare_frame(const Request& request, int16_t version) {
  TRY(frame, encode_request(request, version, 1, "leat-bench"));
  return FrameTrain(frame);
}

}  // namespace leat::cli
