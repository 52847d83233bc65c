// connection.h: one client's TCP connection: frames in, responses out in request order. Contract for the server:
// a frame is `size:i32 payload`; payload is a Slice of the block it was read into, handed over without copying. A size
// claim costs nothing until its bytes arrive. Responses leave in the order of their requests, many small ones in one
// writev, once before the loop polls. Reading stops (back pressure) at the limits of bytes queued or requests in
// flight. Thread: the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/piece.h"
#include "core/base/result.h"

namespace leat {

using ConnectionId = uint64_t;  // never reused

// One response: pieces that leave back to back, without a copy. The first holds the size field.
struct Response {
  std::vector<Piece> pieces;
  std::shared_ptr<void> held;  // let go when the last piece has been sent, or dropped with the connection
};

class Connection {
 public:
  virtual ~Connection() = default;
  virtual ConnectionId id() const noexcept = 0;
  virtual const std::string& peer() const noexcept = 0;           // "127.0.0.1:51234"
  virtual const std::string& listener_name() const noexcept = 0;  // which listener it came through
  // Answers the request with that ticket. Sent when all earlier tickets are answered. An empty Response (acks=0) sends
  // nothing but frees the place in the queue.
  virtual void respond(uint64_t ticket, Response response) = 0;
  virtual void close(std::string_view reason) noexcept = 0;  // at once; queued output is dropped
  // True while it is muted, or when responses that the peer has not taken pile up above the limit: then no work should
  // begin that makes more of them, until on_drained, which follows for sure unless the connection closes.
  virtual bool backed_up() noexcept = 0;
  // Nothing is read from it for so long, and no frame handed over; responses leave. The longest of several holds. It
  // does not count as idle, and a close does not wait for it. A peer that goes meanwhile is noticed after a while, and
  // one that holds requests that wait for the end of the mute goes when others have no room for theirs.
  virtual void mute(Millis time) = 0;
};

enum class ClosedBy : uint8_t {
  kPeer,    // end of stream, or reset
  kServer,  // Connection::close or shutdown
  kIdle,    // connections.max.idle.ms
  kLimit,   // a frame larger than socket.request.max.bytes, or a negative size; room that others need
};
inline constexpr size_t kClosedByCount = 4;

struct ClosedConnection {
  ConnectionId id;
  ClosedBy by;
  std::string peer;
  std::string reason;
};

class FrameHandler {  // the server's side
 public:
  virtual ~FrameHandler() = default;
  // Tickets count up from 0 on each connection. The handler looks the connection up again after each wait.
  virtual void on_frame(Connection& connection, uint64_t ticket, Slice payload) = 0;
  virtual void on_drained(ConnectionId connection) = 0;        // output that had piled up has left, a mute is over
  virtual void on_closed(const ClosedConnection& closed) = 0;  // once; the connection cannot be found any more
  virtual void on_refused(std::string_view peer, std::string_view reason) = 0;  // never became a connection
};

}  // namespace leat
