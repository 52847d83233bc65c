// startup.cpp: see startup.h.
#include "server/startup.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include "core/base/hangup.h"
#include "net/loop/signal_watcher.h"
#include "server/directory_advice.h"

#ifdef __APPLE__
#include <climits>
#endif

namespace leat {

namespace {

constexpr Millis kAdminAnswerWithin{1000};   // a loop that is stuck for longer is not healthy
constexpr Millis kAdminMetricsWithin{8000};  // thousands of partitions take their time; Prometheus waits for 10 s

WorkerPoolOptions worker_options(const Settings& settings) {
  // One thread for long CPU work, the rest shared by page-cache writes on one side and reads on the other. Syncs only
  // wait: they have threads of their own.
  const auto files = static_cast<size_t>(std::max(settings.worker_threads - 1, 2));
  WorkerPoolOptions options;
  options.cpu_running_max = 1;
  options.write_running_max = (files + 1) / 2;
  options.read_running_max = files - options.write_running_max;
  options.sync_running_max = static_cast<size_t>(settings.sync_threads);
  return options;
}

TransportLimits transport_limits(const Settings& settings) {
  TransportLimits limits;
  limits.request_bytes_max = static_cast<size_t>(settings.request_bytes_max);
  limits.requests_in_flight_max = static_cast<size_t>(settings.connection_requests_max);
  limits.request_bytes_total_max = static_cast<size_t>(settings.queued_request_bytes_max);
  limits.connections_max = static_cast<size_t>(settings.connections_max);
  limits.connections_per_ip_max = static_cast<size_t>(settings.connections_per_ip_max);
  limits.idle_max = Millis(settings.connections_idle_ms_max);
  limits.backlog = settings.listen_backlog;
  return limits;
}

// An address that a user on this machine can connect to.
std::string shown_address(const Listener& listener, uint16_t port) {
  if (listener.host == "localhost") return ListenAddress{"127.0.0.1", port}.to_string();
  if (is_wildcard_host(listener.host)) return ListenAddress{listener.advertised_host, port}.to_string();
  return ListenAddress{listener.host, port}.to_string();
}

}  // namespace

Leatd::Leatd(const Settings& settings, Options::Adopt adopt, const Clock& clock, Nanos started_at)
    : settings_(settings),
      adopt_(adopt),
      clock_(clock),
      started_at_(started_at),
      loop_(clock, worker_options(settings)),
      stop_requested_(loop_),
      dispatcher_(loop_, handlers_, [this](ConnectionId id) { return server_.find(id); }),
      server_(loop_, dispatcher_, transport_limits(settings)) {}

Leatd::~Leatd() = default;

Result<void> Leatd::run() {
  // Freed in their close callbacks, which the loop's destructor runs.
  const SignalWatcher on_terminate(loop_, SIGTERM, [this] { request_stop(); });
  const SignalWatcher on_interrupt(loop_, SIGINT, [this] { request_stop(); });
  std::optional<SignalWatcher> on_hangup;
  if (!hangup_is_ignored()) on_hangup.emplace(loop_, SIGHUP, [this] { request_stop(); });
  loop_.call_soon([this] { spawn(live()); });
  loop_.run();
  if (failure_) return fail(std::move(*failure_));
  return {};
}

void Leatd::request_stop() { stop_requested_.set(); }

Task<void> Leatd::live() {
  log_settings();
  Result<void> started = bind_listeners();
  if (started) started = start_admin();
  if (started) {
    Task<Result<void>> starting = start_broker();
    started = co_await starting;
  }
  if (started) {
    announce();
    (void)co_await stop_requested_.wait();
    Task<void> stopping = stop_broker();
    co_await stopping;
  } else {
    failure_ = std::move(started).error();
  }
  (void)co_await server_.close();
  if (desk_ != nullptr) {
    (void)co_await desk_->close();
    admin_http_.reset();                   // its threads end here: whatever they ask now is answered at once
    co_await sleep_for(loop_, Millis(0));  // what they posted last has run before the desk goes
  }
  loop_.stop();
}

void Leatd::log_settings() const {
  for (const std::string& warning : settings_.warnings) log_warn("{}", warning);
  if (!settings_.inert.empty()) {
    log_info("settings of Kafka that mean nothing to a single node, ignored: {}", fmt::join(settings_.inert, ", "));
  }
}

Result<void> Leatd::bind_listeners() {
  for (const Listener& listener : settings_.listeners) {
    TRY(port, server_.listen(listener.name, ListenAddress{listener.host, listener.port}));
    bound_.push_back({&listener, port});
  }
  return {};
}

Result<void> Leatd::start_admin() {
  if (!settings_.metrics_listener) return {};
  desk_ = std::make_unique<AdminDesk>(
      AdminDesk::Parts{.scheduler = loop_,
                       .server = &server_,
                       .started_at = started_at_,
                       .version = LEAT_VERSION,
                       .partitions_max = static_cast<size_t>(settings_.metrics_partitions_max),
                       .answer_within_max = kAdminAnswerWithin,
                       .metrics_within_max = kAdminMetricsWithin});
  AdminHttpOptions options;
  options.host = settings_.metrics_listener->host;
  options.port = settings_.metrics_listener->port;
  Result<std::unique_ptr<AdminHttp>> started = load_admin_http(*desk_, options);
  if (!started) return fail(std::move(started).error());
  admin_http_ = std::move(*started);
  return {};
}

Task<Result<void>> Leatd::start_broker() {
  const Adopt adopt = adopt_ == Options::Adopt::kYes ? Adopt::kYes : Adopt::kNo;
  RunningBroker::Parts parts{loop_, files_, random_, settings_, adopt};
  Task<Result<std::unique_ptr<RunningBroker>>> starting = RunningBroker::start(parts);
  Result<std::unique_ptr<RunningBroker>> started = co_await starting;
  if (!started) co_return fail(with_directory_advice(std::move(started).error(), settings_.data_dir));
  broker_ = std::move(*started);
  const std::vector<std::string> foreign = foreign_files(files_, settings_.data_dir);
  for (const std::string& line : lines_about(foreign, "is none of ours: left alone")) log_warn("{}", line);
  for (const BoundListener& bound : bound_) {
    const uint16_t advertised_port =
        bound.listener->advertised_port != 0 ? bound.listener->advertised_port : bound.port;
    broker_->broker().advertised[bound.listener->name] = {bound.listener->advertised_host, advertised_port};
  }
  handlers_.attach(broker_->broker());
  dispatcher_.set_metrics(&broker_->broker().request_metrics);
  dispatcher_.set_quotas(&broker_->broker().quotas);
  server_.set_admission([this](const std::string& peer_host) { return admission_delay(peer_host); });
  if (desk_ != nullptr) {
    desk_->attach(broker_->broker());
    desk_->set_state(AdminDesk::State::kReady);
  }
  server_.start_accepting();
  co_return Result<void>{};
}

// connection_creation_rate.
Millis Leatd::admission_delay(const std::string& peer_host) {
  ClientQuotas& quotas = broker_->broker().quotas;
  if (!quotas.limits(QuotaKey::kConnectionCreationRate)) return Millis(0);
  return quotas.record_connection(peer_host, std::chrono::duration_cast<Millis>(clock_.monotonic()));
}

void Leatd::announce() {
  std::vector<std::string> addresses;
  for (const BoundListener& bound : bound_) addresses.push_back(shown_address(*bound.listener, bound.port));
  const auto took = std::chrono::duration_cast<Millis>(clock_.monotonic() - started_at_);
  std::string metrics;
  if (admin_http_ != nullptr) {
    const std::string& host = settings_.metrics_listener->host;
    const std::string shown = host.empty() || host == "localhost" ? "127.0.0.1" : host;
    metrics = ", metrics on " + ListenAddress{shown, admin_http_->port()}.to_string();
  }
  std::printf("leatd ready on %s, data in %s%s, %lld ms\n", fmt::format("{}", fmt::join(addresses, " and ")).c_str(),
              settings_.data_dir.c_str(), metrics.c_str(), static_cast<long long>(took.count()));
  std::fflush(stdout);
}

Task<void> Leatd::stop_broker() {
  log_info("stopping");
  if (desk_ != nullptr) {
    desk_->set_state(AdminDesk::State::kStopping);
    desk_->detach();  // the figures of what is being closed are nobody's business
  }
  server_.stop_listening();
  auto requests_ended = dispatcher_.close();
  Task<Result<void>> shutting_down = broker_->shut_down();
  Result<void> ended = co_await shutting_down;
  if (!ended) failure_ = std::move(ended).error();
  (void)co_await requests_ended;
}

void prepare_process() noexcept {
  std::signal(SIGPIPE, SIG_IGN);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
  files.rlim_cur = files.rlim_max;
#ifdef __APPLE__
  files.rlim_cur =
      std::min<rlim_t>(files.rlim_cur, OPEN_MAX);  // more is refused there, even where the limit says infinity
#endif
  // A refusal leaves the limit as it was: then fewer connections and segments can be open, which their errors say.
  (void)::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace leat
