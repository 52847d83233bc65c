// outbound_socket.h: private to net/transport. One connection that goes out: looks its host up, tries the addresses one
// after the other, then reads frames and writes pieces. It frees itself: let_go() ends it, and when libuv holds nothing
// of it any more, it is gone; that may be after the UvLoop, whose owner's loop runs the close callback, so nothing but
// its own fields is touched there. Thread: the loop.
#pragma once

#include <uv.h>

#include <string>
#include <vector>

#include "net/loop/uv_loop.h"
#include "net/transport/dialer.h"
#include "net/transport/frame_reader.h"
#include "net/transport/response_queue.h"

namespace leat {

class OutboundSocket {
 public:
  OutboundSocket(UvLoop& loop, size_t frame_bytes_max, OutboundHandler& handler);
  OutboundSocket(const OutboundSocket&) = delete;
  OutboundSocket& operator=(const OutboundSocket&) = delete;

  void start(const DialAddress& address, Millis timeout);
  void send(std::vector<Slice> pieces);
  void let_go() noexcept;  // the handler hears nothing any more; to be called once

 private:
  ~OutboundSocket() = default;
  void on_resolved(int status, addrinfo* found) noexcept;
  void try_next_address();
  void on_connect(int status) noexcept;
  void start_reading();
  void on_read(ssize_t size) noexcept;
  void deliver_frames();
  void schedule_flush();
  void flush();
  void start_write();
  void on_written(int status) noexcept;
  void fail(std::string reason);  // tells the handler, once
  void drop() noexcept;
  void close_handle() noexcept;
  void release() noexcept;  // one thing less that libuv or the loop holds of it

  UvLoop& loop_;
  OutboundHandler* handler_;  // null: dropped, or it was told the end
  std::string name_;          // host:port, for people
  uint16_t port_ = 0;
  std::vector<sockaddr_storage> addresses_;
  size_t next_address_ = 0;
  std::string last_refusal_ = "no address";
  uv_getaddrinfo_t lookup_{};
  uv_connect_t connect_;
  uv_tcp_t handle_;
  uv_write_t write_;
  FrameReader reader_;
  ResponseQueue output_;  // each request answers a ticket of its own at once: only its queue of bytes is wanted
  size_t writing_bytes_ = 0;
  size_t held_ = 1;  // by its user, and by lookups, handles and hooks that will still call
  TimerId timer_ = kNoTimer;
  bool looking_up_ = false;
  bool handle_open_ = false;
  bool connected_ = false;
  bool flush_scheduled_ = false;
};

}  // namespace leat
