// outbound_socket.cpp: see outbound_socket.h.
#include "net/transport/outbound_socket.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/base/address_text.h"
#include "core/base/check.h"

namespace leat {

namespace {

constexpr size_t kPiecesPerWriteMax = 256;
constexpr size_t kWriteBytesMax = size_t{4} << 20;  // of one call; the rest waits until the socket takes it
constexpr unsigned kKeepaliveSeconds = 60;

uv_stream_t* stream_of(uv_tcp_t& handle) noexcept { return reinterpret_cast<uv_stream_t*>(&handle); }

struct Gathered {
  std::array<uv_buf_t, kPiecesPerWriteMax> bufs;
  unsigned count = 0;
  size_t size_bytes = 0;
};

void gather(const ResponseQueue& queue, Gathered& gathered) {
  std::array<ByteView, kPiecesPerWriteMax> pieces;
  gathered.count = static_cast<unsigned>(queue.gather(pieces, kWriteBytesMax).count);
  gathered.size_bytes = 0;
  for (size_t i = 0; i < gathered.count; ++i) {
    // libuv's buffers are not const; writing only reads them.
    gathered.bufs[i] = uv_buf_init(reinterpret_cast<char*>(const_cast<uint8_t*>(pieces[i].data())),
                                   static_cast<unsigned>(pieces[i].size()));
    gathered.size_bytes += pieces[i].size();
  }
}

}  // namespace

OutboundSocket::OutboundSocket(UvLoop& loop, size_t frame_bytes_max, OutboundHandler& handler)
    : loop_(loop), handler_(&handler), reader_(frame_bytes_max) {}

void OutboundSocket::start(const DialAddress& address, Millis timeout) {
  name_ = address_text(address.host, address.port);
  port_ = address.port;
  timer_ = loop_.timers().start(timeout, [this] {
    timer_ = kNoTimer;
    fail("no answer in time");
  });
  lookup_.data = this;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  ++held_;
  const int started = uv_getaddrinfo(
      loop_.raw(), &lookup_,
      [](uv_getaddrinfo_t* lookup, int status, addrinfo* found) noexcept {
        static_cast<OutboundSocket*>(lookup->data)->on_resolved(status, found);
      },
      address.host.c_str(), nullptr, &hints);
  looking_up_ = started == 0;
  if (started == 0) return;
  loop_.call_soon([this, started] { on_resolved(started, nullptr); });
}

void OutboundSocket::on_resolved(int status, addrinfo* found) noexcept {
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    sockaddr_storage address{};
    std::memcpy(&address, info->ai_addr, info->ai_addrlen);
    // libuv takes no service name without a port of the same in every family; so the port is set here.
    if (info->ai_family == AF_INET) reinterpret_cast<sockaddr_in*>(&address)->sin_port = htons(port_);
    if (info->ai_family == AF_INET6) reinterpret_cast<sockaddr_in6*>(&address)->sin6_port = htons(port_);
    if (info->ai_family == AF_INET || info->ai_family == AF_INET6) addresses_.push_back(address);
  }
  if (found != nullptr) uv_freeaddrinfo(found);
  looking_up_ = false;
  if (handler_ != nullptr) {
    if (status != 0) {
      fail(fmt::format("the host is not known: {}", uv_strerror(status)));
    } else {
      try_next_address();
    }
  }
  release();
}

void OutboundSocket::try_next_address() {
  if (next_address_ == addresses_.size()) return fail(last_refusal_);
  const sockaddr_storage& address = addresses_[next_address_++];
  ENSURE(uv_tcp_init(loop_.raw(), &handle_) == 0);
  handle_.data = this;
  handle_open_ = true;
  ++held_;
  connect_.data = this;
  const int started = uv_tcp_connect(&connect_, &handle_, reinterpret_cast<const sockaddr*>(&address),
                                     [](uv_connect_t* connect, int status) noexcept {
                                       static_cast<OutboundSocket*>(connect->data)->on_connect(status);
                                     });
  if (started == 0) return;
  last_refusal_ = uv_strerror(started);
  close_handle();  // its callback tries the next one
}

void OutboundSocket::on_connect(int status) noexcept {
  if (handler_ == nullptr) return;  // the close has cancelled it
  if (status != 0) {
    last_refusal_ = uv_strerror(status);
    close_handle();
    return;
  }
  loop_.timers().cancel(std::exchange(timer_, kNoTimer));
  connected_ = true;
  uv_tcp_nodelay(&handle_, 1);
  uv_tcp_keepalive(&handle_, 1, kKeepaliveSeconds);
  start_reading();
  if (handler_ != nullptr) handler_->on_connected();
}

void OutboundSocket::start_reading() {
  const int started = uv_read_start(
      stream_of(handle_),
      [](uv_handle_t* handle, size_t, uv_buf_t* buf) noexcept {
        const MutableByteView space = static_cast<OutboundSocket*>(handle->data)->reader_.space();
        *buf = uv_buf_init(reinterpret_cast<char*>(space.data()), static_cast<unsigned>(space.size()));
      },
      [](uv_stream_t* on, ssize_t size, const uv_buf_t*) noexcept {
        static_cast<OutboundSocket*>(on->data)->on_read(size);
      });
  if (started != 0) fail(fmt::format("{}: {}", name_, uv_strerror(started)));
}

void OutboundSocket::on_read(ssize_t size) noexcept {
  if (handler_ == nullptr) return;
  if (size < 0) {
    fail(size == UV_EOF ? fmt::format("{} closed the connection", name_)
                        : fmt::format("{}: {}", name_, uv_strerror(static_cast<int>(size))));
    return;
  }
  if (size == 0) return;
  reader_.on_bytes(static_cast<size_t>(size));
  deliver_frames();
}

// The handler may let us go with any frame; our memory stays until the handle is closed.
void OutboundSocket::deliver_frames() {
  while (handler_ != nullptr) {
    std::optional<Slice> payload = reader_.take_frame();
    if (!payload) break;
    handler_->on_frame(std::move(*payload));
  }
  if (handler_ != nullptr && reader_.refusal()) {
    return fail(fmt::format("{} sent an answer of an impossible size, it may be no Kafka broker", name_));
  }
  reader_.release_when_empty();
}

void OutboundSocket::send(std::vector<Slice> pieces) {
  if (handler_ == nullptr) return;
  std::vector<Piece> output(std::make_move_iterator(pieces.begin()), std::make_move_iterator(pieces.end()));
  ENSURE(output_.answer(output_.open(0), Response{std::move(output), nullptr}));
  schedule_flush();
}

void OutboundSocket::schedule_flush() {
  if (flush_scheduled_ || !connected_ || writing_bytes_ > 0) return;
  flush_scheduled_ = true;
  ++held_;
  loop_.before_poll([this] {
    flush_scheduled_ = false;
    flush();
    release();
  });
}

void OutboundSocket::flush() {
  while (handler_ != nullptr && writing_bytes_ == 0 && output_.output_bytes() > 0) {
    Gathered gathered;
    gather(output_, gathered);
    const int written = uv_try_write(stream_of(handle_), gathered.bufs.data(), gathered.count);
    if (written < 0 && written != UV_EAGAIN) return fail(fmt::format("{}: {}", name_, uv_strerror(written)));
    const size_t taken = written > 0 ? static_cast<size_t>(written) : 0;
    if (taken > 0) output_.taken(taken);
    if (taken < gathered.size_bytes) return start_write();
  }
}

void OutboundSocket::start_write() {
  Gathered gathered;
  gather(output_, gathered);
  write_.data = this;
  const int started = uv_write(
      &write_, stream_of(handle_), gathered.bufs.data(), gathered.count,
      [](uv_write_t* write, int status) noexcept { static_cast<OutboundSocket*>(write->data)->on_written(status); });
  if (started != 0) return fail(fmt::format("{}: {}", name_, uv_strerror(started)));
  writing_bytes_ = gathered.size_bytes;
}

void OutboundSocket::on_written(int status) noexcept {
  const size_t size = std::exchange(writing_bytes_, 0);
  if (handler_ == nullptr) return;
  if (status != 0) return fail(fmt::format("{}: {}", name_, uv_strerror(status)));
  output_.taken(size);
  flush();
}

void OutboundSocket::fail(std::string reason) {
  OutboundHandler* const handler = handler_;
  if (handler == nullptr) return;
  drop();
  handler->on_closed(std::move(reason));  // may let us go: nothing of ours is touched after it
}

void OutboundSocket::let_go() noexcept {
  drop();
  release();
}

void OutboundSocket::drop() noexcept {
  if (handler_ == nullptr) return;
  handler_ = nullptr;
  loop_.timers().cancel(std::exchange(timer_, kNoTimer));
  reader_.drop();
  if (handle_open_) close_handle();
  if (looking_up_) uv_cancel(reinterpret_cast<uv_req_t*>(&lookup_));  // one that runs calls back all the same
}

void OutboundSocket::close_handle() noexcept {
  handle_open_ = false;
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_), [](uv_handle_t* handle) noexcept {
    auto* const self = static_cast<OutboundSocket*>(handle->data);
    if (self->handler_ != nullptr) self->try_next_address();
    self->release();
  });
}

void OutboundSocket::release() noexcept {
  ENSURE(held_ > 0);
  if (--held_ == 0) delete this;
}

}  // namespace leat
