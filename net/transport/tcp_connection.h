// tcp_connection.h: private to net/transport. One accepted socket: libuv's read callbacks feed the FrameReader, frames
// go to the handler as long as the limits allow, responses come back through the ResponseQueue and leave in flush().
// Reading has one switch, update_reading(), called whenever something changed that it depends on.
// Life: constructed, init()ed, accepted into, added to the server's table, close() once, erased in the close callback.
#pragma once

#include <uv.h>

#include <string>
#include <vector>

#include "net/transport/connection.h"
#include "net/transport/frame_reader.h"
#include "net/transport/response_queue.h"
#include "net/transport/tcp_server.h"

namespace leat {

class TcpConnection final : public Connection {
 public:
  TcpConnection(TcpServer& server, ConnectionId id, const std::string& listener_name);
  ~TcpConnection() override = default;

  int accept(uv_stream_t* listener) noexcept;  // libuv's error code; after it close_refused() or start()
  void start();
  void close_refused(std::unique_ptr<TcpConnection> self) noexcept;  // for one that never entered the table

  ConnectionId id() const noexcept override { return id_; }
  const std::string& peer() const noexcept override { return peer_; }
  const std::string& listener_name() const noexcept override { return listener_name_; }
  void respond(uint64_t ticket, Response response) override;
  void close(std::string_view reason) noexcept override { close_as(ClosedBy::kServer, reason); }
  bool backed_up() noexcept override;
  void mute(Millis time) override;

  const std::string& peer_host() const noexcept { return peer_host_; }
  size_t request_bytes_in_flight() const noexcept { return responses_.request_bytes_in_flight(); }
  void close_as(ClosedBy by, std::string_view reason) noexcept;
  bool closing() const noexcept { return closing_; }
  void on_touched();  // flush, then hand over what the limits now allow
  void flush();
  // Called each sweep; gives the number of sweeps for which nothing has moved.
  uint32_t sweep() noexcept;
  bool touched = false;  // the server's: it stands in touched_ already
  bool waits_for_budget = false;

 private:
  void on_read(ssize_t size) noexcept;
  void deliver_frames();
  bool may_take_request() noexcept;
  bool muted() const noexcept { return mute_timer_ != kNoTimer; }
  void start_mute_timer(Millis left);
  void on_mute_timer();
  bool peer_has_ended() const noexcept;
  void update_reading() noexcept;
  struct Sent {
    int64_t result;        // bytes that the socket took, or a libuv error code
    size_t offered_bytes;  // fewer taken: it is full
  };
  Sent send_front(size_t bytes_max);
  void start_write();
  size_t gather_for_write(std::span<uv_buf_t> bufs);  // 0: closed
  void on_written(int status) noexcept;
  void note_progress() noexcept { sweeps_without_progress_ = 0; }

  TcpServer& server_;
  const ConnectionId id_;
  const std::string& listener_name_;  // the listener's, which lives as long as the server
  std::string peer_host_;
  std::string peer_;
  uv_tcp_t handle_;
  uv_write_t write_;  // one at most is under way: writing_bytes_ > 0
  size_t writing_bytes_ = 0;
  std::vector<uint8_t> file_start_;  // of a part of a file, while libuv waits for the socket with it
  FrameReader reader_;
  ResponseQueue responses_;
  bool reading_ = false;
  bool closing_ = false;
  bool delivering_ = false;
  bool backed_up_ = false;         // output was above the limit, or it was muted; on_drained is owed
  TimerId mute_timer_ = kNoTimer;  // of the end of the mute, or of a look before it
  Nanos muted_until_{0};           // while the timer runs
  uint32_t sweeps_without_progress_ = 0;
  std::unique_ptr<ClosedConnection> closed_;  // what to report, once closing
};

}  // namespace leat
