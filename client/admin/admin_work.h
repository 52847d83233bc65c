// admin_work.h: what stands behind an Admin: each call is a coroutine that asks whom it must, again while errors may
// pass and the client's request_timeout_ms lasts. Coroutines hold it, so that it lives until the last of them ended,
// also past the client's end. Thread: run() any, the rest the loop.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <leat/admin.h>

#include "client/cluster/ask.h"
#include "client/cluster/backoff.h"
#include "client/cluster/cluster.h"
#include "client/cluster/coordinator.h"
#include "client/cluster/offset_lookup.h"
#include "client/cluster/open_calls.h"
#include "client/loop_executor.h"
#include "client/participant.h"

namespace leat::client::detail {

inline constexpr int32_t kAnyNode = -1;
inline constexpr int32_t kControllerNode = -2;

// How long it is of no use to ask again what a quota has refused.
template <class Response>
Millis quota_wait(const Response& answer, ErrorCode code) noexcept {
  if constexpr (requires { answer.throttle_time_ms; }) {
    if (code == ErrorCode::kThrottlingQuotaExceeded) return Millis(answer.throttle_time_ms);
  }
  return Millis(0);
}

class AdminWork final : public std::enable_shared_from_this<AdminWork>, public Participant {
 public:
  using Self = std::shared_ptr<AdminWork>;

  explicit AdminWork(Cluster& cluster)
      : cluster_(cluster), context_(cluster.context()), executor_(context_.executor), stopped_(context_.scheduler) {}

  template <class T>
  Pending<T> run(std::function<leat::Task<Result<T>>(Self)> work) {
    auto answer = std::make_shared<PendingState<T>>(executor_);
    auto begin = [self = shared_from_this(), answer, work = std::move(work)] {
      if (self->stopped_.is_set()) return answer->complete(closed_error());
      self->calls_.add(answer);
      spawn(carry_out<T>(self, work, answer));
    };
    if (executor_->is_loop_thread()) {
      begin();
    } else {
      executor_->call_soon(std::move(begin));
    }
    return Pending<T>(std::move(answer));
  }
  void detach(const Error& error) override {
    if (stopped_.is_set()) return;
    stopped_.set();
    calls_.fail_all(error);
  }

  // Asks a node by id, kAnyNode, or kControllerNode, until `error_of` finds no error that may pass.
  template <class Response, class Request>
  static leat::Task<Result<Response>> ask_node(Self self, int32_t node, std::function<Request(int16_t)> make,
                                               std::function<ErrorCode(const Response&)> error_of);
  // All topics where there are no names. Brokers and the controller are noted.
  static leat::Task<Result<MetadataResponse>> metadata(Self self, std::optional<std::vector<std::string>> names,
                                                       AutoCreate auto_create);
  void note(const MetadataResponse& answer);

  Cluster& cluster() noexcept { return cluster_; }
  ClientContext& context() noexcept { return context_; }
  Event& stopped() noexcept { return stopped_; }
  int32_t timeout_ms() const noexcept { return static_cast<int32_t>(context_.settings.request_timeout_ms); }

 private:
  template <class T>
  static leat::Task<void> carry_out(Self self, std::function<leat::Task<Result<T>>(Self)> work,
                                    std::shared_ptr<PendingState<T>> answer) {
    Result<T> result = co_await work(self);  // `self` stays in this frame for the work's sake
    answer->complete(std::move(result));
  }
  static bool may_pass(const AdminWork& self, const Error& error) noexcept {
    return is_worth_waiting(self.context_.settings, error);
  }
  // The link, valid until the next wait.
  static leat::Task<Result<BrokerLink*>> reach(Self self, int32_t node);

  Cluster& cluster_;  // not to be touched once stopped_ is set
  ClientContext& context_;
  const std::shared_ptr<Executor> executor_;
  Event stopped_;
  OpenCalls calls_;
  int32_t controller_ = -1;  // -1: not known
};

template <class Response, class Request>
leat::Task<Result<Response>> AdminWork::ask_node(Self self, int32_t node, std::function<Request(int16_t)> make,
                                                 std::function<ErrorCode(const Response&)> error_of) {
  const BackoffSettings backoff{.base = Millis(self->context_.settings.retry_backoff_ms),
                                .max = Millis(self->context_.settings.retry_backoff_max_ms)};
  AskOptions options;
  options.timeout = Millis(self->context_.settings.request_timeout_ms);
  const Nanos deadline = self->context_.scheduler.clock().monotonic() + options.timeout;
  for (int failures = 1;; ++failures) {
    Result<BrokerLink*> link = co_await reach(self, node);
    Result<Response> answer = closed_error();
    bool passes = false;
    if (link) {
      std::function<Request(int16_t)> again = make;
      answer = co_await ask_by_version<Response, Request>(self->context_, **link, std::move(again), options);
      const ErrorCode code = answer ? error_of(*answer) : ErrorCode::kNone;
      // A topic that is not there is no hiccup to whoever looks after a cluster.
      passes =
          answer ? is_retriable(code) && code != ErrorCode::kUnknownTopicOrPartition : may_pass(*self, answer.error());
    } else {
      answer = std::move(link).error();
      passes = may_pass(*self, answer.error());
    }
    if (self->stopped_.is_set()) co_return closed_error();
    if (!passes) co_return answer;
    self->controller_ = -1;
    Millis pause = backoff_delay(backoff, failures, self->context_.random);
    if (answer) pause = std::max(pause, quota_wait(*answer, error_of(*answer)));
    if (self->context_.scheduler.clock().monotonic() + pause >= deadline) co_return answer;
    const Woken woken = co_await self->stopped_.wait_for(pause);
    if (woken != Woken::kTimedOut) co_return closed_error();
  }
}

// A refusal of a change to topics: where the quota for that is used up, it says how long.
Error refused_change(ErrorCode code, const std::string& what, const std::optional<std::string>& words,
                     int32_t throttle_time_ms);

// The calls, each in the file of its family.
using AdminSelf = AdminWork::Self;
leat::Task<Result<>> connect(AdminSelf self);
leat::Task<Result<ClusterInfo>> describe_cluster(AdminSelf self);
leat::Task<Result<std::vector<ApiVersionRange>>> api_versions(AdminSelf self, int32_t node_id);
leat::Task<Result<std::vector<LogDirInfo>>> describe_log_dirs(AdminSelf self);

leat::Task<Result<std::vector<TopicInfo>>> list_topics(AdminSelf self);
leat::Task<Result<std::vector<TopicInfo>>> describe_topics(AdminSelf self, std::vector<std::string> names,
                                                           AutoCreate auto_create);
leat::Task<Result<TopicInfo>> create_topic(AdminSelf self, NewTopic topic);
leat::Task<Result<>> delete_topic(AdminSelf self, std::string name);
leat::Task<Result<>> create_partitions(AdminSelf self, std::string topic, int32_t partition_count, Validate validate);

leat::Task<Result<std::vector<ConfigEntry>>> describe_configs(AdminSelf self, ConfigResource resource,
                                                              std::vector<std::string> names);
leat::Task<Result<>> alter_configs(AdminSelf self, ConfigResource resource, std::vector<ConfigChange> changes,
                                   Validate validate);

leat::Task<Result<std::vector<QuotaEntry>>> describe_quotas(AdminSelf self, QuotaEntity parts, QuotaMatch match);
leat::Task<Result<>> alter_quotas(AdminSelf self, QuotaEntity entity, std::vector<QuotaChange> changes);

using LowOffsets = std::map<TopicPartition, int64_t>;
using ProducersByPartition = std::map<TopicPartition, std::vector<ProducerInfo>>;
leat::Task<Result<LowOffsets>> delete_records(AdminSelf self, LowOffsets before);
leat::Task<Result<ProducersByPartition>> describe_producers(AdminSelf self, std::vector<TopicPartition> of);

leat::Task<Result<std::vector<GroupSummary>>> list_groups(AdminSelf self, GroupFilter filter);
leat::Task<Result<GroupInfo>> describe_group(AdminSelf self, std::string group_id);
leat::Task<Result<>> delete_group(AdminSelf self, std::string group_id);
leat::Task<Result<Offsets>> list_group_offsets(AdminSelf self, std::string group_id, std::vector<TopicPartition> only);
leat::Task<Result<PartitionErrors>> alter_group_offsets(AdminSelf self, std::string group_id, Offsets offsets);
leat::Task<Result<PartitionErrors>> delete_group_offsets(AdminSelf self, std::string group_id,
                                                         std::vector<TopicPartition> partitions);

}  // namespace leat::client::detail
