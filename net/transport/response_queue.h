// response_queue.h: brings responses into the order of their requests and holds the bytes that wait for the socket.
// Tickets count up from 0; a response given early waits until all before it are given. Without libuv, so that it can be
// tested alone. Invariant: output_bytes_ is the sum of the pieces in output_ less what of the first has left. Thread:
// the loop.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/ring_queue.h"
#include "net/transport/connection.h"
#include "net/transport/file_sender.h"

namespace leat {

class ResponseQueue {
 public:
  struct Gathered {
    size_t count = 0;           // of the views that were filled in
    bool file_follows = false;  // right behind them
  };

  uint64_t open(size_t request_bytes);  // the ticket of a request that has come in
  // False when that ticket is not open (answered already): the caller's mistake, nothing happens.
  bool answer(uint64_t ticket, Response response);

  size_t requests_in_flight() const noexcept { return slots_.size(); }
  size_t request_bytes_in_flight() const noexcept { return request_bytes_; }
  size_t output_bytes() const noexcept { return output_bytes_; }

  // What leaves next is either a part of a file or bytes in memory. The first, when it is at the front: at most
  // `bytes_max` of it, valid until taken().
  std::optional<FilePart> front_file_part(size_t bytes_max) const noexcept;
  // Else the views of the bytes in memory, at most `bytes_max` and up to the next part of a file; valid until taken().
  Gathered gather(std::span<ByteView> into, size_t bytes_max) const noexcept;
  void taken(size_t size) noexcept;  // the socket took so many bytes

 private:
  struct Slot {
    size_t request_bytes = 0;
    std::optional<Response> response;
  };
  void release_answered();

  RingQueue<Slot> slots_;      // requests whose response has not reached output_, in order
  uint64_t first_ticket_ = 0;  // of slots_.front()
  size_t request_bytes_ = 0;
  struct Output {
    Piece piece;
    std::shared_ptr<void> held;  // with the last piece of its response
  };
  RingQueue<Output> output_;
  size_t front_taken_ = 0;  // bytes of output_.front() that have left
  size_t output_bytes_ = 0;
};

}  // namespace leat
