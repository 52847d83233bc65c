// throttle.h: between a handler and the client quotas (core/quota): who asks, what is counted, what the client is told.
// A throttle time goes into the response, and the dispatcher mutes the connection for as long (KIP-219). Without a
// quota of the kind none of this does anything but look at a flag. Thread: the loop.
#pragma once

#include <algorithm>
#include <chrono>

#include "server/broker.h"
#include "server/mutation_gate.h"
#include "server/request.h"

namespace leat {

inline QuotaClient quota_client(const RequestOrigin& origin) noexcept { return {origin.user, origin.client_id}; }

inline Millis quota_now(const Broker& broker) noexcept {
  return std::chrono::duration_cast<Millis>(broker.scheduler.clock().monotonic());
}

// Of a request that is about to be answered. `work` may be null.
inline Millis request_throttle(Broker& broker, const RequestOrigin& origin, const RequestWork* work) {
  if (work == nullptr) return Millis(0);
  const Nanos spent = work->spent(broker.scheduler.clock().monotonic());
  return broker.quotas.record_request_time(quota_client(origin), spent, quota_now(broker));
}

inline Millis produce_throttle(Broker& broker, const RequestOrigin& origin, int64_t size_bytes) {
  if (!broker.quotas.limits(QuotaKey::kProducerByteRate)) return Millis(0);
  return broker.quotas.record_produce(quota_client(origin), size_bytes, quota_now(broker));
}

inline ClientQuotas::FetchCharge fetch_charge(Broker& broker, const RequestOrigin& origin, int64_t bytes) {
  if (!broker.quotas.limits(QuotaKey::kConsumerByteRate)) return {};
  return broker.quotas.record_fetch(quota_client(origin), bytes, quota_now(broker));
}

inline int64_t fetch_quota_bytes(const Broker& broker, const RequestOrigin& origin) {
  if (!broker.quotas.limits(QuotaKey::kConsumerByteRate)) return INT64_MAX;
  return broker.quotas.fetch_bytes_max(quota_client(origin));
}

// controller_mutation_rate over one request. From version `strict_since` of its API on, what comes when the credit is
// used up is refused; before it everything is done, and the client waits afterwards.
class MutationQuota final : public MutationGate {
 public:
  MutationQuota(Broker& broker, const Request& request, int16_t strict_since) noexcept
      : broker_(broker), origin_(request.origin), is_strict_(request.version >= strict_since) {}

  bool admit(int32_t partitions) override {
    if (!broker_.quotas.limits(QuotaKey::kControllerMutationRate)) return true;
    const QuotaClient client = quota_client(*origin_);
    const Millis now = quota_now(broker_);
    if (is_strict_) {
      const Millis exhausted = broker_.quotas.mutation_throttle(client, now);
      hold_back(exhausted, now);
      if (exhausted > Millis(0)) return false;
    }
    broker_.quotas.record_mutations(client, partitions, now);
    if (!is_strict_) hold_back(broker_.quotas.mutation_throttle(client, now), now);
    return true;
  }

  // What is left of the longest wait that was found. Once, when the request has been worked on: it is counted.
  int32_t take_throttle_time_ms() noexcept {
    const Millis left = std::max(held_until_ - quota_now(broker_), Millis(0));
    broker_.quotas.note_mutations_throttled(left);
    return static_cast<int32_t>(left.count());
  }

 private:
  void hold_back(Millis time, Millis now) noexcept {
    if (time > Millis(0)) held_until_ = std::max(held_until_, now + time);
  }

  Broker& broker_;
  const std::shared_ptr<const RequestOrigin> origin_;
  const bool is_strict_;
  Millis held_until_{0};
};

}  // namespace leat
