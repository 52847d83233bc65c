// client_quotas.cpp: see client_quotas.h.
#include "core/quota/client_quotas.h"

#include <algorithm>

namespace leat {
namespace {

constexpr double kPercentPerNano = 100.0 / 1e9;  // of one second
constexpr double kMillisPerSecond = 1000.0;

}  // namespace

void ClientQuotas::set_quotas(const QuotaMap& quotas) {
  if (quotas == quotas_) return;
  quotas_ = quotas;
  table_.assign(quotas);
  if (!table_.empty()) return;
  meters_.clear();
  by_use_.clear();
  name_bytes_ = 0;
}

Millis ClientQuotas::noted(QuotaKey key, Millis throttle) noexcept {
  if (throttle > Millis(0)) {
    Throttled& throttled = throttled_[static_cast<size_t>(key)];
    ++throttled.count;
    throttled.time += throttle;
  }
  return throttle;
}

bool ClientQuotas::is_full(const MeterName& with) const noexcept {
  return meters_.size() >= options_.meters_max ||
         name_bytes_ + with.user.size() + with.client_id.size() > options_.name_bytes_max;
}

void ClientQuotas::drop_oldest() {
  meters_.erase(by_use_.front().name());
  name_bytes_ -= by_use_.front().name_bytes();
  by_use_.pop_front();
}

ClientQuotas::Meter& ClientQuotas::meter(const MeterName& name, Millis now) {
  const auto found = meters_.find(name);
  if (found != meters_.end()) {
    by_use_.splice(by_use_.end(), by_use_, found->second);
    by_use_.back().used = now;
  } else {
    while (!meters_.empty() && is_full(name)) drop_oldest();
    std::variant<WindowedRate, TokenBucket> use = WindowedRate(options_.windows);
    if (name.key == QuotaKey::kControllerMutationRate) use = TokenBucket(options_.controller_windows);
    by_use_.push_back({.key = name.key,
                       .user = std::string(name.user),
                       .client_id = std::string(name.client_id),
                       .use = std::move(use),
                       .used = now});
    name_bytes_ += by_use_.back().name_bytes();
    meters_.emplace(by_use_.back().name(), std::prev(by_use_.end()));
  }
  while (now - by_use_.front().used >= options_.unused_max) drop_oldest();  // never the one in use: it is the last
  return by_use_.back();
}

Millis ClientQuotas::record_produce(const QuotaClient& client, int64_t bytes, Millis now) {
  constexpr QuotaKey kKey = QuotaKey::kProducerByteRate;
  const std::optional<HoldingQuota> quota = table_.find(kKey, client);
  if (!quota) return Millis(0);
  WindowedRate& use = rate({kKey, quota->shared_by.user, quota->shared_by.client_id}, now);
  use.record(static_cast<double>(bytes), now);
  return noted(kKey, use.throttle(quota->limit, now));
}

Millis ClientQuotas::record_request_time(const QuotaClient& client, Nanos took, Millis now) {
  constexpr QuotaKey kKey = QuotaKey::kRequestPercentage;
  const std::optional<HoldingQuota> quota = table_.find(kKey, client);
  if (!quota) return Millis(0);
  WindowedRate& use = rate({kKey, quota->shared_by.user, quota->shared_by.client_id}, now);
  use.record(static_cast<double>(took.count()) * kPercentPerNano, now);
  return noted(kKey, std::min(use.throttle(quota->limit, now), options_.windows.size));
}

ClientQuotas::FetchCharge ClientQuotas::record_fetch(const QuotaClient& client, int64_t bytes, Millis now) {
  constexpr QuotaKey kKey = QuotaKey::kConsumerByteRate;
  const std::optional<HoldingQuota> quota = table_.find(kKey, client);
  if (!quota) return {};
  WindowedRate& use = rate({kKey, quota->shared_by.user, quota->shared_by.client_id}, now);
  const bool had_nothing = use.total(now) <= 0;
  use.record(static_cast<double>(bytes), now);
  const Millis throttle = noted(kKey, use.throttle(quota->limit, now));
  const bool withhold = throttle > Millis(0) && !had_nothing;
  if (withhold) use.record(-static_cast<double>(bytes), now);
  return {.throttle = throttle, .withhold = withhold};
}

int64_t ClientQuotas::fetch_bytes_max(const QuotaClient& client) const {
  const std::optional<HoldingQuota> quota = table_.find(QuotaKey::kConsumerByteRate, client);
  if (!quota) return INT64_MAX;
  const Millis whole_windows = options_.windows.size * (options_.windows.count - 1);
  const double bytes = quota->limit * static_cast<double>(whole_windows.count()) / kMillisPerSecond;
  return bytes < static_cast<double>(INT64_MAX) ? std::max<int64_t>(static_cast<int64_t>(bytes), 1) : INT64_MAX;
}

Millis ClientQuotas::mutation_throttle(const QuotaClient& client, Millis now) {
  constexpr QuotaKey kKey = QuotaKey::kControllerMutationRate;
  const std::optional<HoldingQuota> quota = table_.find(kKey, client);
  if (!quota) return Millis(0);
  return bucket({kKey, quota->shared_by.user, quota->shared_by.client_id}, now).throttle(quota->limit, now);
}

void ClientQuotas::record_mutations(const QuotaClient& client, int64_t partitions, Millis now) {
  constexpr QuotaKey kKey = QuotaKey::kControllerMutationRate;
  const std::optional<HoldingQuota> quota = table_.find(kKey, client);
  if (!quota) return;
  bucket({kKey, quota->shared_by.user, quota->shared_by.client_id}, now)
      .take(static_cast<double>(partitions), quota->limit, now);
}

Millis ClientQuotas::record_connection(std::string_view ip, Millis now) {
  const std::optional<double> limit = table_.find_connection_rate(ip);
  if (!limit) return Millis(0);
  WindowedRate& use = rate({QuotaKey::kConnectionCreationRate, ip, {}}, now);
  use.record(1, now);
  const Millis throttle = std::min(use.throttle(*limit, now), options_.windows.size);
  if (throttle > Millis(0)) use.record(-1, now);
  return noted(QuotaKey::kConnectionCreationRate, throttle);
}

}  // namespace leat
