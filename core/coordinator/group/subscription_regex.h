// subscription_regex.h: a pattern that a member of a consumer group subscribes with (KIP-848): which topics it stands
// for. Syntax RE2, as in Kafka; the pattern matches whole names only ("orders" is not "orders-eu"), bytes as UTF-8.
// Patterns are input from clients: the engine is linear in the text, and what it may hold is bounded.
//
// Internal topics (offsets, transactions, share groups, our own metadata) never answer to a pattern; who wants one of
// them names it. Kafka keeps this rule in its client (exclude.internal.topics, true by default) for the patterns that
// the client matches, while its coordinator leaves out nothing but what the member may not describe: there ".*" also
// consumes __consumer_offsets, and so for ever the commits it makes itself. Nobody means that.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/coordinator/group/topic_catalog.h"

namespace re2 {
class RE2;
}

namespace leat {

class SubscriptionRegex {
 public:
  static constexpr size_t kPatternSizeMax = 64 * 1024;

  // kInvalidArgument with the message for INVALID_REGULAR_EXPRESSION, in Kafka's words. To be asked before anything of
  // the member is written, so that what stands in the log compiles.
  static Result<SubscriptionRegex> compile(std::string_view pattern);

  SubscriptionRegex(SubscriptionRegex&&) noexcept;
  SubscriptionRegex& operator=(SubscriptionRegex&&) noexcept;
  ~SubscriptionRegex();

  bool matches(std::string_view topic) const;
  std::vector<std::string> resolve(const TopicCatalog& catalog) const;  // names, sorted

 private:
  explicit SubscriptionRegex(std::unique_ptr<const re2::RE2> compiled) noexcept;

  std::unique_ptr<const re2::RE2> compiled_;
};

}  // namespace leat
