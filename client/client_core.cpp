// client_core.cpp: see client_core.h.
#include "client/client_core.h"

#include <future>

#include "client/admin/admin_core.h"
#include "client/consumer/consumer_core.h"
#include "core/base/check.h"

namespace leat::client::detail {
namespace {

DetachedTask run_to_end(Task<> task) { co_await std::move(task); }

DetachedTask run_and_tell(Task<> task, std::promise<void>* ended) {
  co_await std::move(task);
  ended->set_value();
}

Result<std::vector<HostPort>> check(const ClientSettings& settings) {
  leat::Result<std::vector<HostPort>> bootstrap = parse_host_ports(settings.bootstrap_servers);
  if (!bootstrap) return Error(Cause::kInvalidArgument, "bootstrap_servers: " + bootstrap.error().context);
  const bool positive = settings.connect_timeout_ms > 0 && settings.request_timeout_ms > 0 &&
                        settings.metadata_max_age_ms > 0 && settings.reconnect_backoff_ms >= 0 &&
                        settings.retry_backoff_ms >= 0;
  if (!positive) return Error(Cause::kInvalidArgument, "timeouts must be above 0, and pauses not below");
  return *std::move(bootstrap);
}

}  // namespace

Result<std::unique_ptr<ClientCore>> ClientCore::create(std::unique_ptr<Runtime> runtime,
                                                       const ClientSettings& settings) {
  Result<std::vector<HostPort>> bootstrap = check(settings);
  if (!bootstrap) return std::move(bootstrap).error();
  return std::unique_ptr<ClientCore>(new ClientCore(std::move(runtime), settings, *std::move(bootstrap)));
}

ClientCore::ClientCore(std::unique_ptr<Runtime> runtime, const ClientSettings& settings,
                       std::vector<HostPort> bootstrap)
    : runtime_(std::move(runtime)),
      executor_(std::make_shared<LoopExecutor>(runtime_->scheduler(),
                                               [on = runtime_.get()] { return on->is_loop_thread(); })),
      context_(new ClientContext{.scheduler = runtime_->scheduler(),
                                 .dialer = runtime_->dialer(),
                                 .random = runtime_->random(),
                                 .executor = executor_,
                                 .settings = settings}) {
  run_in_loop(*executor_, [this, &bootstrap] {
    cluster_ = std::make_unique<Cluster>(*context_, std::move(bootstrap));
    admin_work_ = std::make_shared<AdminWork>(*cluster_);
    add(admin_work_);
    admin_ = std::make_unique<Admin>(std::make_unique<AdminCore>(admin_work_));
  });
}

ClientCore::~ClientCore() {
  ENSURE(!runtime_->has_own_thread() || !runtime_->is_loop_thread(),
         "a client with a thread of its own was destroyed in that thread, which cannot wait for its own end");
  run_in_loop(*executor_, [this] {
    const Error closed(Cause::kClosed, "the client was destroyed");
    for (const std::weak_ptr<Participant>& participant : std::exchange(participants_, {})) {
      if (const std::shared_ptr<Participant> alive = participant.lock()) alive->detach(closed);
    }
    cluster_->close(closed);
    cluster_.reset();
  });
  executor_->detach();
  runtime_.reset();
}

void ClientCore::add(std::weak_ptr<Participant> participant) {
  std::erase_if(participants_, [](const std::weak_ptr<Participant>& other) { return other.expired(); });
  participants_.push_back(std::move(participant));
}

Pending<> ClientCore::connect() {
  return admin_work_->run<void>([](AdminSelf self) { return detail::connect(std::move(self)); });
}

Result<std::unique_ptr<Producer>> ClientCore::producer(const ProducerSettings& settings) {
  std::optional<Result<std::shared_ptr<ProducerCore>>> core;
  run_in_loop(*executor_, [&] {
    core.emplace(ProducerCore::create(*cluster_, settings, locking()));
    if (*core) add(**core);
  });
  if (!*core) return std::move(*core).error();
  return std::make_unique<Producer>(**std::move(core));
}

Result<std::unique_ptr<Consumer>> ClientCore::consumer(const ConsumerSettings& settings) {
  std::optional<Result<std::shared_ptr<ConsumerCore>>> core;
  run_in_loop(*executor_, [&] {
    core.emplace(ConsumerCore::create(*cluster_, settings));
    if (*core) add(**core);
  });
  if (!*core) return std::move(*core).error();
  return std::make_unique<Consumer>(**std::move(core));
}

void ClientCore::spawn(Task<> task) {
  executor_->call_soon([kept = std::make_shared<Task<>>(std::move(task))] { run_to_end(std::move(*kept)); });
}

void ClientCore::block_on(Task<> task) {
  ENSURE(!executor_->is_loop_thread(), "Client::run() in the thread of the client's loop waits for ever");
  std::promise<void> ended;
  executor_->call_soon(
      [kept = std::make_shared<Task<>>(std::move(task)), &ended] { run_and_tell(std::move(*kept), &ended); });
  ended.get_future().wait();
}

}  // namespace leat::client::detail
