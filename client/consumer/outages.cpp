// outages.cpp: see outages.h.
#include "client/consumer/outages.h"

namespace leat::client::detail {
namespace {

constexpr Millis kPassing{2'000};

bool is_told_at_once(const Outages::Source& source, const Error& error) noexcept {
  const bool no_answer = error.cause() == Cause::kUnreachable || error.cause() == Cause::kTimedOut;
  return no_answer && (source.of == Outages::Of::kFetches || source.of == Outages::Of::kGroup);
}

}  // namespace

void Outages::note(const Source& source, const Error& error, Nanos now) {
  if (!error.is_retriable() && source.of != Of::kTopic) return clear(source);
  const auto [at, is_new] = entries_.try_emplace(source, Entry{.error = error, .since = now});
  if (!is_new) at->second.error = error;
}

void Outages::clear_unless(const std::function<bool(const Source&)>& is_needed) {
  std::erase_if(entries_, [&is_needed](const auto& entry) { return !is_needed(entry.first); });
}

std::optional<Error> Outages::current(Nanos now) const {
  const Entry* first = nullptr;
  for (const auto& [source, entry] : entries_) {
    const bool is_told = is_told_at_once(source, entry.error) || now - entry.since >= kPassing;
    if (is_told && (first == nullptr || entry.since < first->since)) first = &entry;
  }
  if (first == nullptr) return std::nullopt;
  return first->error;
}

}  // namespace leat::client::detail
