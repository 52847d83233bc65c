// subscription_regex_test.cpp: whole names, RE2's syntax, Kafka's words for what is no pattern, and no internal topics.
#include "core/coordinator/group/subscription_regex.h"

#include "test/core/coordinator/group_fixture.h"
#include "test/support/catch.h"

namespace leat {
namespace {

bool matches(std::string_view pattern, std::string_view topic) {
  const Result<SubscriptionRegex> regex = SubscriptionRegex::compile(pattern);
  INFO((regex ? "" : regex.error().context));
  REQUIRE(regex.has_value());
  return regex->matches(topic);
}

std::string refused(std::string_view pattern) {
  const Result<SubscriptionRegex> regex = SubscriptionRegex::compile(pattern);
  INFO(pattern);
  REQUIRE_FALSE(regex.has_value());
  CHECK(regex.error().code == Errc::kInvalidArgument);
  return regex.error().context;
}

std::vector<std::string> resolve(std::string_view pattern, const TopicCatalog& catalog) {
  const Result<SubscriptionRegex> regex = SubscriptionRegex::compile(pattern);
  REQUIRE(regex.has_value());
  return regex->resolve(catalog);
}

TEST_CASE("subscription regex: the whole name must match", "[group][regex]") {
  CHECK(matches("orders", "orders"));
  CHECK_FALSE(matches("orders", "orders-eu"));
  CHECK_FALSE(matches("orders", "my-orders"));
  CHECK(matches("orders-.*", "orders-"));
  CHECK(matches("orders-.*", "orders-eu.west"));
  CHECK(matches("^orders$", "orders"));
  CHECK_FALSE(matches("orders|invoices", "orders-invoices"));
  CHECK(matches("orders|invoices", "invoices"));
  // Leftmost-first would stop at "ord" and find the name not at its end.
  CHECK(matches("ord|orders", "orders"));
  CHECK(matches("(?i)ORDERS", "orders"));
  CHECK_FALSE(matches("ORDERS", "orders"));
  CHECK(matches("[a-z]+\\.v\\d{1,3}", "orders.v12"));
  CHECK_FALSE(matches("[a-z]+\\.v\\d{1,3}", "orders_v12"));
  CHECK(matches("(?P<region>eu|us)-(\\w+)", "eu-orders"));
  CHECK(matches("\\Qa.b\\E", "a.b"));
  CHECK_FALSE(matches("\\Qa.b\\E", "acb"));
  CHECK_FALSE(matches("", "orders"));
}

TEST_CASE("subscription regex: what is no pattern, in Kafka's words", "[group][regex]") {
  CHECK(refused("(orders") == "SubscribedTopicRegex `(orders` is not a valid regular expression: missing closing ).");
  CHECK(refused("[a-z") == "SubscribedTopicRegex `[a-z` is not a valid regular expression: missing closing ].");
  CHECK(refused("*") ==
        "SubscribedTopicRegex `*` is not a valid regular expression: missing argument to repetition operator.");
  CHECK(refused("a\\") ==
        "SubscribedTopicRegex `a\\` is not a valid regular expression: trailing backslash at end of expression.");
  for (const std::string_view pattern :
       {"[z-a]", "a**", "a{1001}", "(?=a)b", "(?<!a)b", "(a)\\1", "\\y", "a)", "\xff"}) {
    CHECK(refused(pattern).find("is not a valid regular expression: ") != std::string::npos);
  }
}

TEST_CASE("subscription regex: patterns cost no more than a bound", "[group][regex]") {
  CHECK(refused("((((a{1,100}){1,100}){1,100}){1,100})").find("is not a valid") != std::string::npos);
  CHECK(refused(std::string(SubscriptionRegex::kPatternSizeMax + 1, 'a')).find("longer than 65536 bytes") !=
        std::string::npos);
  // The classic of engines that backtrack: they would not come back before the test ends.
  CHECK_FALSE(matches("(a*)*(a*)*(a*)*b", std::string(249, 'a')));
  CHECK(matches("(x+x+)+y", std::string(248, 'x') + "y"));
  CHECK(matches(std::string(100, '(') + "a" + std::string(100, ')'), "a"));
  std::string names;
  for (int i = 0; i < 300; ++i) names += (i > 0 ? "|" : "") + ("some.rather.long.topic.name-" + std::to_string(i));
  CHECK(matches(names, "some.rather.long.topic.name-299"));
  CHECK_FALSE(matches(names, "some.rather.long.topic.name-300"));
}

TEST_CASE("subscription regex: a long pattern is quoted in part, at a character's border", "[group][regex]") {
  const std::string message = refused("(" + std::string(198, 'a') + "\xc3\xa9" + std::string(50, 'b'));
  CHECK(message == "SubscribedTopicRegex `(" + std::string(198, 'a') +
                       "...` is not a valid regular expression: missing closing ).");
}

TEST_CASE("subscription regex: resolved to the topics that there are, by name", "[group][regex]") {
  MapTopicCatalog catalog;
  for (const char* name : {"orders-us", "orders-eu", "invoices", "orders", "Orders-x"}) catalog.add(name, 1);
  CHECK(resolve("orders-.*", catalog) == std::vector<std::string>{"orders-eu", "orders-us"});
  CHECK(resolve("payments", catalog).empty());
  catalog.remove("orders-eu");
  catalog.add("orders-asia", 3);
  CHECK(resolve("orders-.*", catalog) == std::vector<std::string>{"orders-asia", "orders-us"});
  CHECK(resolve(".*", MapTopicCatalog()).empty());
}

TEST_CASE("subscription regex: internal topics do not answer, others that begin alike do", "[group][regex]") {
  MapTopicCatalog catalog;
  for (const char* name : {"__consumer_offsets", "__transaction_state", "__share_group_state", "__leat_metadata",
                           "__consumer_offsets2", "__mine", "t"}) {
    catalog.add(name, 1);
  }
  CHECK(resolve(".*", catalog) == std::vector<std::string>{"__consumer_offsets2", "__mine", "t"});
  CHECK(resolve("__consumer_offsets", catalog).empty());
}

TEST_CASE("subscription regex: moves", "[group][regex]") {
  Result<SubscriptionRegex> made = SubscriptionRegex::compile("a.*");
  REQUIRE(made.has_value());
  SubscriptionRegex regex = std::move(*made);
  CHECK(regex.matches("abc"));
  Result<SubscriptionRegex> other = SubscriptionRegex::compile("b");
  REQUIRE(other.has_value());
  regex = std::move(*other);
  CHECK(regex.matches("b"));
  CHECK_FALSE(regex.matches("abc"));
}

}  // namespace
}  // namespace leat
