// admin_http.cpp: see admin_http.h. cpp-httplib parses and answers; what it leaves open (a header line without end, a
// client that sends a byte a second or nothing at all, a queue without bound, a short backlog) is closed here. Included
// by no other file: it is slow to compile.
#include "server/admin_http.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <list>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "core/base/address_text.h"
#include "server/metrics_page.h"

namespace leat {

namespace {

constexpr size_t kConnectionsMax = 32;  // at once; a thread for each, so that nobody waits for who is silent or slow
constexpr int kListenBacklog = 128;     // the library's is 5
constexpr Millis kStopCheckEvery{100};
constexpr Millis kLinger{200};

// Connections that have not sent a byte yet. Where all places are taken, the one that has been silent for longest gives
// its own to who comes: whoever only holds connections open keeps nobody out. Thread: any.
class SilentConnections {
 public:
  using Place = std::list<socket_t>::iterator;

  Place add(socket_t socket) {
    const std::lock_guard held(mutex_);
    return sockets_.insert(sockets_.end(), socket);
  }
  void remove(Place place) {  // before the socket is closed
    const std::lock_guard held(mutex_);
    sockets_.erase(place);
  }
  // Its thread sees the end of the stream. False: there is none to dismiss.
  bool dismiss_longest() {
    const std::lock_guard held(mutex_);
    for (const socket_t socket : sockets_) {
      pollfd looked{socket, POLLIN, 0};
      if (::poll(&looked, 1, 0) != 0) continue;  // has just sent something, or was dismissed
      ::shutdown(socket, SHUT_RD);
      return true;
    }
    return false;
  }

 private:
  std::mutex mutex_;
  std::list<socket_t> sockets_;  // by age
};

struct StreamLimits {
  const Clock& clock;
  const AdminHttpOptions& options;
  const std::atomic<bool>& stopping;
  SilentConnections& silent;
};

// One request and its answer on a socket: ends, as if the peer had closed, when a bound is passed.
class BoundedStream final : public httplib::Stream {
 public:
  BoundedStream(socket_t socket, const StreamLimits& limits)
      : socket_(socket),
        limits_(limits),
        read_until_(limits.clock.monotonic() + limits.options.request_within_max),
        write_until_(read_until_ + limits.options.response_within_max),
        silent_place_(limits.silent.add(socket)) {}
  BoundedStream(const BoundedStream&) = delete;
  BoundedStream& operator=(const BoundedStream&) = delete;

  // Some of these are the library's in one version and not in another: none says override.
  // NOLINTBEGIN(modernize-use-override,clang-diagnostic-inconsistent-missing-override)
  ~BoundedStream() { end_silence(); }
  bool is_readable() const { return begin_ < end_ || wait(POLLIN, read_until_); }
  bool wait_readable() const { return is_readable(); }
  bool is_writable() const { return wait(POLLOUT, write_until_); }
  bool wait_writable() const { return is_writable(); }
  ssize_t read(char* into, size_t size) {
    if (begin_ == end_ && !fill()) return -1;
    const size_t count = std::min(size, end_ - begin_);
    std::copy_n(buffer_.data() + begin_, count, into);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) {
    while (wait(POLLOUT, write_until_)) {
      const ssize_t sent = ::send(socket_, from, size, MSG_DONTWAIT | kNoSignal);
      if (sent >= 0 || (errno != EAGAIN && errno != EINTR)) return sent;
    }
    return -1;
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const {}
  socket_t socket() const { return socket_; }
  // Takes in what was sent and not read (a body), so that the close does not reset the connection under the answer.
  void linger() {
    ::shutdown(socket_, SHUT_WR);
    read_until_ = std::min(read_until_, limits_.clock.monotonic() + kLinger);
    while (fill()) begin_ = end_;
  }
  time_t duration() const { return 0; }
  // NOLINTEND(modernize-use-override,clang-diagnostic-inconsistent-missing-override)

 private:
#ifdef MSG_NOSIGNAL
  static constexpr int kNoSignal = MSG_NOSIGNAL;
#else
  static constexpr int kNoSignal = 0;
#endif

  bool wait(short what, Nanos until) const {
    while (!limits_.stopping) {
      const Nanos left = until - limits_.clock.monotonic();
      if (left <= Nanos(0)) return false;
      const Millis slice = std::min(std::chrono::ceil<Millis>(left), kStopCheckEvery);
      pollfd waited{socket_, what, 0};
      const int ready = ::poll(&waited, 1, static_cast<int>(slice.count()));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
    }
    return false;
  }

  void end_silence() {
    if (silent_place_) limits_.silent.remove(*silent_place_);
    silent_place_.reset();
  }

  bool fill() {
    while (taken_ < limits_.options.request_bytes_max && wait(POLLIN, read_until_)) {
      const ssize_t size = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (size <= 0) return false;
      end_silence();
      begin_ = 0;
      end_ = static_cast<size_t>(size);
      taken_ += end_;
      return true;
    }
    return false;
  }

  const socket_t socket_;
  const StreamLimits limits_;
  Nanos read_until_;
  const Nanos write_until_;
  size_t taken_ = 0;                                      // bytes of the request so far
  std::optional<SilentConnections::Place> silent_place_;  // until the first byte
  std::array<char, 4096> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

// In the accepting thread while it has a connection for which there is no place.
thread_local bool no_place = false;

class BoundedPool final : public httplib::ThreadPool {
 public:
  BoundedPool(AdminQuestions& questions, SilentConnections& silent)
      : httplib::ThreadPool(kConnectionsMax), questions_(questions), silent_(silent) {}

  // void in older versions of the library, bool in later ones.
  using Enqueued = decltype(std::declval<httplib::ThreadPool&>().enqueue(std::function<void()>()));
  Enqueued enqueue(std::function<void()> serve) override {
    if (connections_ >= kConnectionsMax && !silent_.dismiss_longest()) {
      no_place = true;
      serve();  // which only closes the socket
      no_place = false;
      return static_cast<Enqueued>(true);
    }
    ++connections_;
    return httplib::ThreadPool::enqueue([this, serve = std::move(serve)] {
      serve();
      --connections_;
    });
  }
  void on_idle() override { questions_.probe_loop(); }

 private:
  AdminQuestions& questions_;
  SilentConnections& silent_;
  std::atomic<size_t> connections_{0};  // with those that were dismissed and are about to end
};

class BoundedServer final : public httplib::Server {
 public:
  explicit BoundedServer(const StreamLimits& limits) : limits_(limits) {}

  // After the bind. Without it a rush of connections has probes wait until their system tries again, a second later.
  void widen_backlog() noexcept { (void)::listen(svr_sock_, kListenBacklog); }

 private:
  // One request a connection: the bounds of BoundedStream are those of a request.
  bool process_and_close_socket(socket_t socket) override {
    bool answered = false;
    if (!no_place) {
      BoundedStream stream(socket, limits_);
      answered = process_one(*this, stream);
      stream.linger();
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return answered;
  }

  // The library's later versions ask for both addresses as well.
  template <class Server>
  static bool process_one(Server& server, BoundedStream& stream) {
    bool closed = false;
    const std::function<void(httplib::Request&)> no_set_up;
    if constexpr (requires { server.process_request(stream, true, closed, no_set_up); }) {
      return server.process_request(stream, true, closed, no_set_up);
    } else {
      return server.process_request(stream, std::string(), 0, std::string(), 0, true, closed, no_set_up);
    }
  }

  const StreamLimits limits_;
};

// One after the other: each has the loop copy all figures.
void answer_metrics(AdminQuestions& questions, httplib::Response& response) {
  static std::mutex one_scrape;
  const std::lock_guard held(one_scrape);
  const std::shared_ptr<const MetricsSnapshot> snapshot = questions.metrics();
  if (snapshot == nullptr) {
    response.status = 503;
    response.set_content("the loop did not answer in time\n", "text/plain");
    return;
  }
  response.status = 200;
  response.set_content(metrics_page(*snapshot, process_figures()), kMetricsContentType);
}

void answer_health(AdminQuestions& questions, httplib::Response& response) {
  const bool alive = questions.readiness().has_value();
  response.status = alive ? 200 : 503;
  response.set_content(alive ? "ok\n" : "the loop did not answer in time\n", "text/plain");
}

void answer_ready(AdminQuestions& questions, httplib::Response& response) {
  const std::optional<Readiness> readiness = questions.readiness();
  const bool ready = readiness && readiness->ready;
  response.status = ready ? 200 : 503;
  const std::string why = readiness ? readiness->reason : "the loop did not answer in time";
  response.set_content(ready ? "ready\n" : why + "\n", "text/plain");
}

// Before the library looks at routes or reads a body.
void answer(AdminQuestions& questions, const httplib::Request& request, httplib::Response& response) {
  void (*answer_path)(AdminQuestions&, httplib::Response&) = nullptr;
  if (request.path == "/metrics") answer_path = answer_metrics;
  if (request.path == "/healthz") answer_path = answer_health;
  if (request.path == "/readyz") answer_path = answer_ready;
  if (answer_path == nullptr) {
    response.status = 404;
    response.set_content("there are /metrics, /healthz and /readyz\n", "text/plain");
  } else if (request.method != "GET" && request.method != "HEAD") {
    response.status = 405;
    response.set_header("Allow", "GET, HEAD");
    response.set_content("GET it\n", "text/plain");
  } else {
    answer_path(questions, response);
  }
}

// The library says no more than that it could not bind. The system, asked once more, says why not.
std::string bind_refusal(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  const int status = ::getaddrinfo(host.empty() ? nullptr : host.c_str(), service.c_str(), &hints, &found);
  if (status != 0) return ::gai_strerror(status);
  const socket_t socket = ::socket(found->ai_family, found->ai_socktype, found->ai_protocol);
  int refused = socket < 0 ? errno : EADDRINUSE;
  if (socket >= 0) {
    const int on = 1;
    (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(socket, found->ai_addr, found->ai_addrlen) != 0) refused = errno;
    ::close(socket);
  }
  ::freeaddrinfo(found);
  if (refused == EADDRINUSE) return "the port is in use by another process";
  return std::generic_category().message(refused);
}

class Listener final : public AdminHttp {
 public:
  Listener(AdminQuestions& questions, AdminHttpOptions options)
      : options_(std::move(options)), server_(StreamLimits{clock_, options_, stopping_, silent_}) {
    // The library's default lets two processes share a port.
    server_.set_socket_options([](socket_t socket) {
      const int on = 1;
      (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      (void)::fcntl(socket, F_SETFD, FD_CLOEXEC);
    });
    server_.set_idle_interval(options_.probe_every);
    server_.set_payload_max_length(0);
    server_.new_task_queue = [this, &questions] { return new BoundedPool(questions, silent_); };
    server_.set_pre_routing_handler([&questions](const httplib::Request& request, httplib::Response& response) {
      answer(questions, request, response);
      return httplib::Server::HandlerResponse::Handled;
    });
  }
  ~Listener() override {
    stopping_ = true;
    while (thread_.joinable() && !server_.is_running() && !ended_)
      std::this_thread::yield();  // stop() needs it running
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> start() {
    if (options_.host == "localhost") {
      port_ = bind("127.0.0.1");
    } else if (options_.host.empty()) {
      port_ = bind("::");
      if (port_ <= 0) port_ = bind("0.0.0.0");  // a machine without IPv6
    } else {
      port_ = bind(options_.host);
    }
    if (port_ <= 0) {
      const std::string host = options_.host == "localhost" ? "127.0.0.1" : options_.host;
      return fail(Errc::kIo,
                  fmt::format("leat.metrics.listener: cannot listen on {}: {}",
                              address_text(options_.host, options_.port), bind_refusal(host, options_.port)));
    }
    server_.widen_backlog();
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    return {};
  }
  uint16_t port() const noexcept override { return static_cast<uint16_t>(port_); }

 private:
  int bind(const std::string& host) {
    if (options_.port == 0) return server_.bind_to_any_port(host);
    return server_.bind_to_port(host, options_.port) ? options_.port : -1;
  }

  const SystemClock clock_;
  const AdminHttpOptions options_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> ended_{false};
  SilentConnections silent_;
  BoundedServer server_;
  int port_ = -1;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<AdminHttp>> start_admin_http(AdminQuestions& questions, const AdminHttpOptions& options) {
  auto listener = std::make_unique<Listener>(questions, options);
  TRY(listener->start());
  return std::unique_ptr<AdminHttp>(std::move(listener));
}

}  // namespace leat
