// refusal_test.cpp: the name of a broker's error is found again in the words that were made of it.
#include "client/simple_client.h"
#include "test/support/catch.h"

using namespace leat;

TEST_CASE("refusal: every error of Kafka's is known by its name", "[client]") {
  int named = 0;
  for (int16_t number = -1; number < 200; ++number) {
    const auto code = static_cast<ErrorCode>(number);
    if (code == ErrorCode::kNone) continue;
    INFO(number);
    const std::string_view name = error_name(code);
    CHECK(refusal_name(describe_error(code)) == name);
    CHECK(refusal_name(to_error(code, "topic 'orders' was not created").context) == name);
    CHECK(refusal_name(to_error(code, "orders-0", "the broker says: NOT_CONTROLLER: it (INVALID_CONFIG)").context) ==
          name);
    if (name != "UNKNOWN_ERROR_CODE") ++named;
  }
  CHECK(named >= 137);
}

TEST_CASE("refusal: in parentheses, too, and nowhere else", "[client]") {
  CHECK(refusal_name("topic 'a' does not exist (UNKNOWN_TOPIC_OR_PARTITION). Make it") == "UNKNOWN_TOPIC_OR_PARTITION");
  CHECK(refusal_name("broker b: 3 of 5 failed: NOT_ENOUGH_REPLICAS") == "NOT_ENOUGH_REPLICAS");
  for (const char* ours : {"", "a", "A", "topic 'NOT_CONTROLLER' is no topic", "NOT_CONTROLLER is what it said",
                           "(NOT_CONTROLLER", "check LEAT_BOOTSTRAP_SERVER: it is wrong",
                           "no such error (NOT_AN_ERROR)", "it said: NONE", "NOT_CONTROLLER9:"}) {
    INFO(ours);
    CHECK(refusal_name(ours).empty());
  }
}

TEST_CASE("hints: what happened and what to do are two sentences", "[client]") {
  CHECK(with_hint("it failed", "Try again") == "it failed. Try again");
  CHECK(with_hint("It failed.", "Try again") == "It failed. Try again");
  CHECK(with_hint("did you mean 'it'?", "See it") == "did you mean 'it'? See it");
}
