// client_core.h: what stands behind a Client: the runtime, the cluster, and all who must end before the loop does. The
// order of the end: participants (producers, consumers) are detached and answer everything, links answer every call,
// then the executor lets the loop go, then the loop ends. Thread: any, for what says so.
#pragma once

#include <leat/client.h>

#include <memory>
#include <vector>

#include "client/cluster/cluster.h"
#include "client/loop_executor.h"
#include "client/participant.h"
#include "client/producer/producer_core.h"
#include "client/runtime.h"

namespace leat::client::detail {

class AdminWork;

class ClientCore {
 public:
  // kInvalidArgument names the setting.
  static Result<std::unique_ptr<ClientCore>> create(std::unique_ptr<Runtime> runtime, const ClientSettings& settings);
  ~ClientCore();
  ClientCore(const ClientCore&) = delete;
  ClientCore& operator=(const ClientCore&) = delete;

  // Any thread.
  Pending<> connect();
  Result<std::unique_ptr<Producer>> producer(const ProducerSettings& settings);
  Result<std::unique_ptr<Consumer>> consumer(const ConsumerSettings& settings);
  Admin& admin() noexcept { return *admin_; }
  void spawn(Task<> task);
  void block_on(Task<> task);
  Executor& executor() noexcept { return *executor_; }
  Locking locking() const noexcept { return runtime_->has_own_thread() ? Locking::kMutex : Locking::kNone; }
  template <class T>
  std::shared_ptr<PendingState<T>> new_pending() {
    return std::make_shared<PendingState<T>>(executor_);
  }

  // The loop.
  Cluster& cluster() noexcept { return *cluster_; }
  ClientContext& context() noexcept { return *context_; }
  void add(std::weak_ptr<Participant> participant);

 private:
  ClientCore(std::unique_ptr<Runtime> runtime, const ClientSettings& settings, std::vector<HostPort> bootstrap);

  std::unique_ptr<Runtime> runtime_;
  std::shared_ptr<LoopExecutor> executor_;
  std::unique_ptr<ClientContext> context_;
  std::unique_ptr<Cluster> cluster_;
  std::vector<std::weak_ptr<Participant>> participants_;  // the loop's
  std::shared_ptr<AdminWork> admin_work_;
  std::unique_ptr<Admin> admin_;
};

}  // namespace leat::client::detail
