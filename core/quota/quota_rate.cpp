// quota_rate.cpp: the arithmetic, as Kafka's Rate, SampledStat, TokenBucket and QuotaUtils have it.
#include "core/quota/quota_rate.h"

#include <algorithm>
#include <cmath>

namespace leat {
namespace {

constexpr double kMillisPerSecond = 1000.0;

Millis rounded(double wait_ms) noexcept {
  if (!(wait_ms < static_cast<double>(kThrottleMax.count()))) return kThrottleMax;
  return Millis(std::llround(wait_ms));
}

}  // namespace

void WindowedRate::record(double amount, Millis now) {
  forget_old(now);
  if (samples_.empty() || now - samples_.back().start >= windows_.size)
    samples_.push_back({.start = now, .last = now, .sum = 0});
  samples_.back().sum += amount;
  samples_.back().last = now;
}

// A window that reaches into the span counts whole, even if it began before it.
void WindowedRate::forget_old(Millis now) {
  while (!samples_.empty() && now - samples_.front().last >= windows_.span()) samples_.pop_front();
}

double WindowedRate::total(Millis now) {
  forget_old(now);
  double sum = 0;
  for (size_t i = 0; i < samples_.size(); ++i) sum += samples_[i].sum;
  return sum;
}

Millis WindowedRate::measured_span(Millis now) const noexcept {
  const Millis elapsed = samples_.empty() ? Millis(0) : now - samples_[0].start;
  const int64_t whole = elapsed / windows_.size;
  const int64_t wanted = windows_.count - 1;
  return whole < wanted ? elapsed + windows_.size * (wanted - whole) : elapsed;
}

Millis WindowedRate::throttle(double limit, Millis now) {
  const double sum = total(now);
  const double span_ms = static_cast<double>(measured_span(now).count());
  // Rate above limit, without dividing by a span of nothing (a single window, just begun).
  const double allowed = limit * span_ms / kMillisPerSecond;
  if (sum <= allowed || sum <= 0) return Millis(0);
  return rounded(sum / limit * kMillisPerSecond - span_ms);
}

void TokenBucket::refill(double limit, Millis now) noexcept {
  const double full = limit * static_cast<double>(windows_.span().count()) / kMillisPerSecond;
  const double gained = limit * static_cast<double>((now - refilled_).count()) / kMillisPerSecond;
  tokens_ = tokens_ ? std::min(full, *tokens_ + gained) : full;
  refilled_ = now;
}

void TokenBucket::take(double amount, double limit, Millis now) noexcept {
  refill(limit, now);
  *tokens_ -= amount;
}

Millis TokenBucket::throttle(double limit, Millis now) noexcept {
  refill(limit, now);
  // At least one: whoever overdraws is refused, and to come again after nothing would be no answer.
  return *tokens_ < 0 ? std::max(rounded(-*tokens_ / limit * kMillisPerSecond), Millis(1)) : Millis(0);
}

}  // namespace leat
