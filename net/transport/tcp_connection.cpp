// tcp_connection.cpp: see tcp_connection.h.
#include "net/transport/tcp_connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"

namespace leat {

namespace {

constexpr size_t kPiecesPerWriteMax = kFilePartsPiecesMax;
// So that one fast reader of a hot log cannot hold the turn; a response of 1 MiB of batches leaves in one.
constexpr size_t kWriteBytesPerTurnMax = (size_t{1} << 20) + (size_t{64} << 10);
constexpr size_t kFileStartBytes = 4096;  // copied, to have libuv wait until the socket takes more
constexpr unsigned kKeepaliveSeconds = 60;
// What poll() says of a peer that has ended its stream, also when bytes of it have not been read yet.
#ifdef POLLRDHUP
constexpr short kPeerEnded = POLLRDHUP;
#else
constexpr short kPeerEnded = POLLHUP;
#endif

uv_buf_t to_buf(ByteView bytes) noexcept {
  // libuv's buffers are not const; writing only reads them.
  return uv_buf_init(reinterpret_cast<char*>(const_cast<uint8_t*>(bytes.data())), static_cast<unsigned>(bytes.size()));
}

// Fills host and "host:port" of the other side.
void describe_peer(const uv_tcp_t& handle, std::string& host, std::string& peer) {
  sockaddr_storage address{};
  int size = sizeof address;
  std::array<char, INET6_ADDRSTRLEN + 1> text{};
  host = "unknown";
  peer = host;
  if (uv_tcp_getpeername(&handle, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
  if (address.ss_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address);
    uv_ip4_name(v4, text.data(), text.size());
    host = text.data();
    peer = ListenAddress{host, ntohs(v4->sin_port)}.to_string();
  } else if (address.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address);
    uv_ip6_name(v6, text.data(), text.size());
    host = text.data();
    if (host.starts_with("::ffff:")) host.erase(0, 7);  // IPv4 through a socket of both kinds
    peer = ListenAddress{host, ntohs(v6->sin6_port)}.to_string();
  }
}

}  // namespace

TcpConnection::TcpConnection(TcpServer& server, ConnectionId id, const std::string& listener_name)
    : server_(server), id_(id), listener_name_(listener_name), reader_(server.limits_.request_bytes_max) {
  ENSURE(uv_tcp_init(server.loop_.raw(), &handle_) == 0);
  handle_.data = this;
}

int TcpConnection::accept(uv_stream_t* listener) noexcept {
  const int accepted = uv_accept(listener, reinterpret_cast<uv_stream_t*>(&handle_));
  if (accepted != 0) return accepted;
  // Neither option is worth a refusal: a peer that is gone already fails here, and its first read says so.
  uv_tcp_nodelay(&handle_, 1);
  uv_tcp_keepalive(&handle_, 1, kKeepaliveSeconds);
  describe_peer(handle_, peer_host_, peer_);
  return 0;
}

void TcpConnection::start() { update_reading(); }

void TcpConnection::close_refused(std::unique_ptr<TcpConnection> self) noexcept {
  uv_close(reinterpret_cast<uv_handle_t*>(&self.release()->handle_),
           [](uv_handle_t* handle) noexcept { delete static_cast<TcpConnection*>(handle->data); });
}

void TcpConnection::close_as(ClosedBy by, std::string_view reason) noexcept {
  if (closing_) return;
  closing_ = true;
  ++server_.counters_.closed[static_cast<size_t>(by)];
  reading_ = false;
  server_.loop_.timers().cancel(std::exchange(mute_timer_, kNoTimer));
  closed_ = std::make_unique<ClosedConnection>(ClosedConnection{id_, by, peer_, std::string(reason)});
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_), [](uv_handle_t* handle) noexcept {
    auto* self = static_cast<TcpConnection*>(handle->data);
    const ClosedConnection closed = std::move(*self->closed_);
    TcpServer& server = self->server_;
    server.on_connection_closed(*self);  // frees it
    server.handler_.on_closed(closed);
  });
}

void TcpConnection::respond(uint64_t ticket, Response response) {
  if (closing_) return;
  const size_t before = responses_.request_bytes_in_flight();
  ENSURE(responses_.answer(ticket, std::move(response)), "ticket {} of {} answered twice", ticket, peer_);
  server_.on_answered(before - responses_.request_bytes_in_flight());
  server_.touch(*this);
}

void TcpConnection::on_touched() {
  flush();
  if (closing_) return;
  if (backed_up_ && !muted() && responses_.output_bytes() <= server_.limits_.output_bytes_max / 2) {
    backed_up_ = false;
    server_.handler_.on_drained(id_);
  }
  deliver_frames();
  update_reading();
}

// Writes what fits into the socket now; the rest goes to libuv, which waits until the socket takes it.
void TcpConnection::flush() {
  if (closing_ || writing_bytes_ > 0 || responses_.output_bytes() == 0) return;
  size_t left_this_turn = kWriteBytesPerTurnMax;
  while (responses_.output_bytes() > 0) {
    if (left_this_turn == 0) {
      server_.touch_next_turn(*this);
      return;
    }
    const Sent sent = send_front(left_this_turn);
    if (sent.result < 0 && sent.result != UV_EAGAIN) {
      close_as(ClosedBy::kPeer, uv_strerror(static_cast<int>(sent.result)));
      return;
    }
    const size_t taken = sent.result > 0 ? static_cast<size_t>(sent.result) : 0;
    if (taken > 0) {
      responses_.taken(taken);
      server_.counters_.sent_bytes += taken;
      note_progress();
      left_this_turn -= taken;
    }
    if (taken < sent.offered_bytes) {
      start_write();
      return;
    }
  }
}

TcpConnection::Sent TcpConnection::send_front(size_t bytes_max) {
  uv_os_fd_t socket = -1;
  if (const int known = uv_fileno(reinterpret_cast<uv_handle_t*>(&handle_), &socket); known != 0) return {known, 0};
  if (const std::optional<FilePart> part = responses_.front_file_part(bytes_max)) {
    return {send_file_part(socket, *part), part->size_bytes};
  }
  std::array<ByteView, kPiecesPerWriteMax> pieces;
  std::array<uv_buf_t, kPiecesPerWriteMax> bufs;
  const auto [count, file_follows] = responses_.gather(pieces, bytes_max);
  size_t offered_bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    bufs[i] = to_buf(pieces[i]);
    offered_bytes += pieces[i].size();
  }
  if (file_follows) return {send_before_file(socket, std::span(pieces).first(count)), offered_bytes};
  auto* stream = reinterpret_cast<uv_stream_t*>(&handle_);
  return {uv_try_write(stream, bufs.data(), static_cast<unsigned>(count)), offered_bytes};
}

// What libuv takes over until the socket has room. Of a file only as much as it takes to be told so.
size_t TcpConnection::gather_for_write(std::span<uv_buf_t> bufs) {
  if (const std::optional<FilePart> part = responses_.front_file_part(kFileStartBytes)) {
    file_start_.resize(part->size_bytes);
    const int64_t size = read_file_part(*part, file_start_);
    if (size < 0) {
      close_as(ClosedBy::kServer, uv_strerror(static_cast<int>(size)));
      return 0;
    }
    bufs[0] = to_buf(ByteView(file_start_).first(static_cast<size_t>(size)));
    return 1;
  }
  std::array<ByteView, kPiecesPerWriteMax> pieces;
  const size_t count = responses_.gather(pieces, kWriteBytesPerTurnMax).count;
  for (size_t i = 0; i < count; ++i) bufs[i] = to_buf(pieces[i]);
  return count;
}

void TcpConnection::start_write() {
  std::array<uv_buf_t, kPiecesPerWriteMax> bufs;
  const size_t count = gather_for_write(bufs);
  if (count == 0) return;
  for (size_t i = 0; i < count; ++i) writing_bytes_ += bufs[i].len;
  write_.data = this;
  const int started = uv_write(
      &write_, reinterpret_cast<uv_stream_t*>(&handle_), bufs.data(), static_cast<unsigned>(count),
      [](uv_write_t* write, int status) noexcept { static_cast<TcpConnection*>(write->data)->on_written(status); });
  if (started != 0) {
    writing_bytes_ = 0;
    close_as(ClosedBy::kPeer, uv_strerror(started));
  }
}

void TcpConnection::on_written(int status) noexcept {
  const size_t size = std::exchange(writing_bytes_, 0);
  if (closing_) return;  // cancelled by the close
  if (status != 0) {
    close_as(ClosedBy::kPeer, uv_strerror(status));
    return;
  }
  responses_.taken(size);
  server_.counters_.sent_bytes += size;
  note_progress();
  server_.touch(*this);
}

void TcpConnection::on_read(ssize_t size) noexcept {
  if (size < 0) {
    // When thousands leave at once, their close callbacks come after all of their reads: hold no buffer until then.
    reader_.drop();
    // What was answered in this turn has a last chance: the peer may have shut down only its sending half.
    flush();
    const bool ended = size == UV_EOF;
    close_as(ClosedBy::kPeer, ended ? "end of stream" : uv_strerror(static_cast<int>(size)));
    return;
  }
  if (size > 0) {
    note_progress();
    server_.counters_.received_bytes += static_cast<uint64_t>(size);
    reader_.on_bytes(static_cast<size_t>(size));
    deliver_frames();
  }
  if (closing_) return;
  reader_.release_when_empty();
  update_reading();
}

// Hands frames to the handler until there is none or a limit is reached. The handler may answer, or close, in here.
void TcpConnection::deliver_frames() {
  if (delivering_) return;
  delivering_ = true;
  while (!closing_ && may_take_request()) {
    std::optional<Slice> payload = reader_.take_frame();
    if (!payload) break;
    server_.on_request(payload->size());
    const uint64_t ticket = responses_.open(payload->size());
    server_.handler_.on_frame(*this, ticket, std::move(*payload));
  }
  delivering_ = false;
  if (!closing_ && reader_.refusal()) {
    close_as(ClosedBy::kLimit, *reader_.refusal());
    return;
  }
  if (!closing_) reader_.release_when_empty();
}

// As long as there is output, on_touched() will come: it is called for, or a write is under way that calls for it. It
// comes at the end of a mute, too.
bool TcpConnection::backed_up() noexcept {
  if (!muted() && responses_.output_bytes() <= server_.limits_.output_bytes_max) return false;
  backed_up_ = true;
  return true;
}

void TcpConnection::mute(Millis time) {
  const Nanos until = server_.loop_.clock().monotonic() + time;
  if (closing_ || time <= Millis(0) || (muted() && until <= muted_until_)) return;
  server_.loop_.timers().cancel(mute_timer_);
  muted_until_ = until;
  start_mute_timer(time);
  update_reading();
}

void TcpConnection::start_mute_timer(Millis left) {
  const Millis wait = std::min(left, server_.limits_.muted_look_every);
  mute_timer_ = server_.loop_.timers().start(wait, [this] { on_mute_timer(); });
}

// A mute may last for weeks, and where nothing is read nobody hears that the peer has gone: so one looks, now and then.
void TcpConnection::on_mute_timer() {
  const Nanos left = muted_until_ - server_.loop_.clock().monotonic();
  if (left > Nanos(0)) {
    if (peer_has_ended()) {
      close_as(ClosedBy::kPeer, "end of stream while it was held back for its quota");
    } else if (responses_.request_bytes_in_flight() > 0 && !server_.has_budget()) {
      close_as(ClosedBy::kLimit, "held back for its quota with requests that others have no room for");
    } else {
      start_mute_timer(std::chrono::ceil<Millis>(left));
    }
    return;
  }
  mute_timer_ = kNoTimer;
  note_progress();
  backed_up_ = true;
  server_.touch(*this);
}

bool TcpConnection::peer_has_ended() const noexcept {
  uv_os_fd_t socket = -1;
  if (uv_fileno(reinterpret_cast<const uv_handle_t*>(&handle_), &socket) != 0) return true;
  pollfd state{.fd = socket, .events = kPeerEnded, .revents = 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (kPeerEnded | POLLHUP | POLLERR)) != 0;
}

bool TcpConnection::may_take_request() noexcept {
  const TransportLimits& limits = server_.limits_;
  if (backed_up()) return false;
  if (responses_.requests_in_flight() >= limits.requests_in_flight_max) return false;
  if (responses_.request_bytes_in_flight() >= limits.request_bytes_in_flight_max) return false;
  // With nothing in flight of its own a connection waits for others to end; otherwise its own end wakes it as well.
  if (!server_.has_budget()) {
    if (!waits_for_budget) server_.wait_for_budget(id_);
    waits_for_budget = true;
    return false;
  }
  return true;
}

void TcpConnection::update_reading() noexcept {
  const bool wanted = !closing_ && may_take_request();
  if (wanted == reading_) return;
  reading_ = wanted;
  auto* stream = reinterpret_cast<uv_stream_t*>(&handle_);
  if (!wanted) {
    if (!closing_) uv_read_stop(stream);
    return;
  }
  const int started = uv_read_start(
      stream,
      [](uv_handle_t* handle, size_t, uv_buf_t* buf) noexcept {
        const MutableByteView space = static_cast<TcpConnection*>(handle->data)->reader_.space();
        *buf = uv_buf_init(reinterpret_cast<char*>(space.data()), static_cast<unsigned>(space.size()));
      },
      [](uv_stream_t* on, ssize_t size, const uv_buf_t*) noexcept {
        static_cast<TcpConnection*>(on->data)->on_read(size);
      });
  if (started != 0) close_as(ClosedBy::kPeer, uv_strerror(started));
}

// A request that the server is working on is no idleness, nor is a time in which we do not listen; output that the peer
// does not take, is.
uint32_t TcpConnection::sweep() noexcept {
  const bool server_works = (muted() || responses_.requests_in_flight() > 0) && responses_.output_bytes() == 0;
  sweeps_without_progress_ = server_works ? 0 : sweeps_without_progress_ + 1;
  return sweeps_without_progress_;
}

}  // namespace leat
