// following.cpp: see following.h.
#include "cli/following.h"

#include <fmt/format.h>

#include "cli/json_text.h"

namespace leat::cli {
namespace {

constexpr Millis kLookInterval{1'000};  // while records come: another broker may be away

std::string_view kind_of(const client::Error& error) noexcept {
  return error.cause() == client::Cause::kUnreachable ? kUnreachableKind : error.name();
}

}  // namespace

bool Following::bears(const client::Error& error) const noexcept {
  const bool is_away = error.cause() == client::Cause::kNetwork || error.cause() == client::Cause::kTimedOut ||
                       error.cause() == client::Cause::kUnreachable;
  return is_away && !error.is_fatal() && (begun_ || error.answered_before() == client::AnsweredBefore::kYes);
}

void Following::look(const client::Consumer& consumer, const client::Result<client::Records>& polled) {
  const bool flows = polled && !polled->empty();
  const Nanos now = session_.clock.monotonic();
  if (flows && !told_ && now < look_at_) return;
  look_at_ = now + kLookInterval;
  note(consumer.trouble());
}

void Following::note(const std::optional<client::Error>& trouble) {
  if (trouble.has_value() == told_) return;
  told_ = trouble.has_value();
  if (session_.options.json) {
    const JsonValue value =
        trouble ? JsonValue(JsonObject{{"kind", kind_of(*trouble)}, {"message", trouble->message()}}.raw())
                : JsonValue(nullptr);
    const std::string line = json_line({{"trouble", value}});
    return session_.console.warn(std::string_view(line).substr(0, line.size() - 1));
  }
  session_.console.warn(trouble ? fmt::format("leat: {}, trying again", trouble->message())
                                : "leat: the brokers answer again, going on");
}

}  // namespace leat::cli
