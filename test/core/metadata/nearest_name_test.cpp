// nearest_name_test.cpp: a slip finds its name; what is no slip finds none.
#include "core/metadata/nearest_name.h"

#include <vector>

#include "core/metadata/topic_configs.h"
#include "test/support/catch.h"

namespace leat {
namespace {

std::string nearest(std::string_view wrong) {
  const std::vector<std::string_view> names = topic_configs().names();
  return std::string(nearest_name(wrong, names).value_or("-"));
}

TEST_CASE("nearest name: a letter missing, added, wrong or swapped", "[metadata]") {
  CHECK(nearest("retention.m") == "retention.ms");
  CHECK(nearest("retention.mss") == "retention.ms");
  CHECK(nearest("retentoin.ms") == "retention.ms");
  CHECK(nearest("retention_ms") == "retention.ms");
  CHECK(nearest("cleanup.polciy") == "cleanup.policy");
  CHECK(nearest("max.mesage.byts") == "max.message.bytes");
  CHECK(nearest("segment.byte") == "segment.bytes");
  CHECK(nearest("retention.ms") == "retention.ms");
}

TEST_CASE("nearest name: the nearer of two wins", "[metadata]") {
  const std::vector<std::string_view> names = {"flush.ms", "flush.messages"};
  CHECK(nearest_name("flush.mss", names) == "flush.ms");
  CHECK(nearest_name("flush.message", names) == "flush.messages");
}

TEST_CASE("nearest name: what is far from all has none", "[metadata]") {
  CHECK(nearest("") == "-");
  CHECK(nearest("x") == "-");
  CHECK(nearest("something.else.entirely") == "-");
  CHECK(nearest(std::string(100'000, 'a')) == "-");
  CHECK_FALSE(nearest_name("retention.ms", {}).has_value());
  const std::vector<std::string_view> names = topic_configs().names();
  CHECK(nearest_name_hint("something.else.entirely", names).empty());
  CHECK(nearest_name_hint("flush.mss", names) == ", did you mean flush.ms?");
}

}  // namespace
}  // namespace leat
