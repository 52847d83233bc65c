// producer_core.cpp: the producer's calls, and those who wait. What happens on the loop is in producer_work.cpp.
#include "client/producer/producer_core.h"

#include <fmt/format.h>

#include <algorithm>

#include "client/loop_executor.h"
#include "core/base/check.h"

namespace leat::client::detail {
namespace {

constexpr int32_t kIdempotentInFlightMax = 5;  // brokers remember so many batches of a producer

Error invalid(std::string message) { return {Cause::kInvalidArgument, std::move(message)}; }

Result<> check_settings(const ProducerSettings& settings) {
  if (settings.linger_ms < 0) return invalid("linger_ms must not be negative");
  if (settings.batch_records_max < 1) return invalid("batch_records_max must be at least 1");
  if (settings.requests_in_flight_max < 1) return invalid("requests_in_flight_max must be at least 1");
  if (settings.request_bytes_max > INT32_MAX / 2) return invalid("request_bytes_max must be below 1 GiB");
  if (settings.batch_bytes_max > settings.request_bytes_max) {
    return invalid(fmt::format("batch_bytes_max = {} does not fit in request_bytes_max = {}", settings.batch_bytes_max,
                               settings.request_bytes_max));
  }
  if (settings.delivery_timeout_ms < settings.linger_ms + settings.request_timeout_ms) {
    return invalid(fmt::format("delivery_timeout_ms = {} must not be less than linger_ms + request_timeout_ms = {}",
                               settings.delivery_timeout_ms, settings.linger_ms + settings.request_timeout_ms));
  }
  if (settings.request_timeout_ms < 1 || settings.request_timeout_ms > INT32_MAX) {
    return invalid("request_timeout_ms must be between 1 and 2147483647");
  }
  if (settings.retry_backoff_ms < 0 || settings.retries < 0) return invalid("retries and pauses are not negative");
  return {};
}

Result<bool> choose_idempotence(const ProducerSettings& settings) {
  const bool possible =
      settings.acks == Acks::kAll && settings.requests_in_flight_max <= kIdempotentInFlightMax && settings.retries > 0;
  if (settings.idempotence == Idempotence::kRequired && !possible) {
    return invalid(fmt::format("idempotence needs acks = kAll, retries, and requests_in_flight_max of {} at most",
                               kIdempotentInFlightMax));
  }
  return settings.idempotence != Idempotence::kOff && possible;
}

}  // namespace

Result<std::shared_ptr<ProducerCore>> ProducerCore::create(Cluster& cluster, const ProducerSettings& settings,
                                                           Locking locking) {
  if (Result<> checked = check_settings(settings); !checked) return std::move(checked).error();
  Result<bool> idempotent = choose_idempotence(settings);
  if (!idempotent) return std::move(idempotent).error();
  std::shared_ptr<ProducerCore> core(new ProducerCore(cluster, settings, *idempotent, locking));
  cluster.add_listener(*core);
  return core;
}

ProducerCore::ProducerCore(Cluster& cluster, const ProducerSettings& settings, bool idempotent, Locking locking)
    : cluster_(cluster),
      settings_(settings),
      idempotent_(idempotent),
      locking_(locking),
      executor_(cluster.context().executor),
      random_(cluster.context().random.next()),
      accumulator_(settings, idempotent, cluster.context().scheduler.clock(), random_) {}

ProducerCore::~ProducerCore() { ENSURE(detached_, "a producer's core ends with detach()"); }

Error ProducerCore::refusal(AppendStatus status, const ProducerRecord& record) const {
  switch (status) {
    case AppendStatus::kFull:
      return {Cause::kQueueFull,
              fmt::format("{} bytes wait for their delivery, which is buffer_bytes_max: wait for ready()",
                          settings_.buffer_bytes_max)};
    case AppendStatus::kTooLarge:
      return {Cause::kTooLarge,
              fmt::format("topic '{}': a record of some {} bytes does not fit in request_bytes_max = {}", record.topic,
                          ProducerBatch::record_size_max(record), settings_.request_bytes_max)};
    case AppendStatus::kNoSuchPartition:
      return invalid(fmt::format("topic '{}' has no partition {}", record.topic, record.partition));
    case AppendStatus::kNoPartition:
      return invalid(fmt::format("topic '{}': with Partitioner::kExplicit a record names its partition", record.topic));
    case AppendStatus::kNoTopic:
      return invalid("a record needs a topic");
    case AppendStatus::kTaken:
    case AppendStatus::kClosed:
      return {Cause::kClosed, "the producer is closed"};
  }
  return {Cause::kClosed, "the producer is closed"};
}

Result<> ProducerCore::send(const ProducerRecord& record, DeliveryCallback on_delivery) {
  const auto held = guard();
  const AppendStatus status = refusing_ ? AppendStatus::kClosed : accumulator_.append(record, on_delivery);
  if (accumulator_.take_news()) wake();
  if (status == AppendStatus::kTaken) [[likely]]
    return {};
  return refusal(status, record);
}

void ProducerCore::begin(SendOperation& operation) {
  const auto held = guard();
  AppendStatus status = AppendStatus::kClosed;
  if (!refusing_) {
    // Nobody overtakes those who wait for room.
    status = AppendStatus::kFull;
    if (first_waiting_ == nullptr) {
      DeliveryCallback on_delivery = operation.callback();
      status = accumulator_.append(operation.record_, on_delivery, &operation.place_);
      if (accumulator_.take_news()) wake();
    }
  }
  if (status == AppendStatus::kFull) return link(operation);
  if (status != AppendStatus::kTaken) operation.outcome_.emplace(refusal(status, operation.record_));
}

bool ProducerCore::is_resolved(const SendOperation& operation) {
  const auto held = guard();
  return operation.outcome_.has_value();
}

bool ProducerCore::suspend(SendOperation& operation, std::coroutine_handle<> awaiter) {
  const auto held = guard();
  if (operation.outcome_) return false;
  operation.awaiter_ = awaiter;
  return true;
}

void ProducerCore::abandon(SendOperation& operation) noexcept {
  const auto held = guard();
  if (operation.waits_for_room_) unlink(operation);
  if (!operation.outcome_ && operation.place_.batch != nullptr) {
    operation.place_.batch->drop_callback(operation.place_.index);
  }
}

void ProducerCore::resolve(SendOperation& operation, Result<DeliveredRecord> outcome) {
  std::coroutine_handle<> awaiter;
  {
    const auto held = guard();
    operation.place_ = {};
    operation.outcome_.emplace(std::move(outcome));
    awaiter = std::exchange(operation.awaiter_, nullptr);
  }
  if (awaiter) executor_->resume_soon(awaiter);
}

void ProducerCore::link(SendOperation& operation) noexcept {
  operation.waits_for_room_ = true;
  operation.previous_ = last_waiting_;
  (last_waiting_ != nullptr ? last_waiting_->next_ : first_waiting_) = &operation;
  last_waiting_ = &operation;
}

void ProducerCore::unlink(SendOperation& operation) noexcept {
  (operation.previous_ != nullptr ? operation.previous_->next_ : first_waiting_) = operation.next_;
  (operation.next_ != nullptr ? operation.next_->previous_ : last_waiting_) = operation.previous_;
  operation.previous_ = operation.next_ = nullptr;
  operation.waits_for_room_ = false;
}

Pending<> ProducerCore::ready() {
  auto waiter = std::make_shared<PendingState<void>>(executor_);
  const auto held = guard();
  if (refusing_) {
    waiter->complete(refusal(AppendStatus::kClosed, {}));
  } else {
    ready_waiters_.push_back(waiter);
    wake();
  }
  return Pending<>(std::move(waiter));
}

Pending<> ProducerCore::flush(int64_t timeout_ms) {
  auto waiter = std::make_shared<PendingState<void>>(executor_);
  const auto held = guard();
  if (refusing_) {
    waiter->complete(refusal(AppendStatus::kClosed, {}));
    return Pending<>(std::move(waiter));
  }
  const Nanos deadline = cluster_.context().scheduler.clock().monotonic() + Millis(timeout_ms);
  flush_waiters_.push_back({.generation = accumulator_.begin_flush(),
                            .deadline = deadline,
                            .afterwards = Afterwards::kGoOn,
                            .waiter = waiter});
  wake();
  return Pending<>(std::move(waiter));
}

Pending<> ProducerCore::close(int64_t timeout_ms) {
  auto waiter = std::make_shared<PendingState<void>>(executor_);
  const auto held = guard();
  if (refusing_) {
    waiter->complete(Result<>());
    return Pending<>(std::move(waiter));
  }
  refusing_ = true;
  const Nanos deadline = cluster_.context().scheduler.clock().monotonic() + Millis(timeout_ms);
  flush_waiters_.push_back({.generation = accumulator_.begin_flush(),
                            .deadline = deadline,
                            .afterwards = Afterwards::kClose,
                            .waiter = waiter});
  wake();
  return Pending<>(std::move(waiter));
}

ProducerStats ProducerCore::stats() {
  const auto held = guard();
  ProducerStats stats = accumulator_.stats();
  stats.buffered_bytes = accumulator_.buffered_bytes();
  return stats;
}

void ProducerCore::shut_down() {
  const auto self = shared_from_this();
  run_in_loop(*executor_, [self] { self->detach(Error(Cause::kClosed, "the producer was destroyed")); });
}

void ProducerCore::wake() {
  if (woken_ || detached_) return;
  woken_ = true;
  auto work = [self = shared_from_this()] { self->work(); };
  if (executor_->is_loop_thread()) {
    cluster_.context().scheduler.before_poll(std::move(work));
  } else {
    executor_->call_soon(std::move(work));
  }
}

}  // namespace leat::client::detail
