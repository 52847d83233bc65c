// quota_entity_test.cpp: which entities, keys and values there are, and what Kafka says of all others.
#include "core/quota/quota_entity.h"

#include <cmath>
#include <limits>

#include "test/support/catch.h"

namespace leat {
namespace {

using Parts = std::vector<std::pair<std::string, QuotaName>>;

std::string entity_fault(const Parts& parts) {
  const QuotaResult<QuotaEntity> entity = quota_entity_of(parts);
  return entity ? "" : entity.error();
}

QuotaEntity entity_of(const Parts& parts) {
  const QuotaResult<QuotaEntity> entity = quota_entity_of(parts);
  REQUIRE(entity.has_value());
  CHECK(entity->is_valid());
  return *entity;
}

TEST_CASE("quota entity: what may be limited, and what is none", "[quota]") {
  CHECK(entity_of({{"user", "alice"}}).to_string() == "user alice");
  CHECK(entity_of({{"client-id", std::nullopt}, {"user", "a"}}).to_string() == "user a, client-id <default>");
  CHECK(entity_of({{"user", std::nullopt}, {"client-id", "c"}}).parts().size() == 2);
  for (const char* ip : {"10.0.0.1", "::1", "2001:db8::7", "::ffff:10.0.0.1"})
    CHECK(entity_fault({{"ip", ip}}).empty());
  CHECK(entity_fault({{"ip", std::nullopt}}).empty());
  CHECK(entity_of({{"user", "a"}, {"user", "b"}}).to_string() == "user b");

  CHECK(entity_fault({}) == "Invalid empty client quota entity");
  CHECK(entity_fault({{"group", "g"}}) == "Unhandled client quota entity type: group");
  CHECK(entity_fault({{"user", ""}}) == "Empty user not supported");
  CHECK(entity_fault({{"client-id", ""}}) == "Empty client-id not supported");
  CHECK(entity_fault({{"ip", "10.0.0.1"}, {"user", "a"}}).find("IP entity should not be combined") !=
        std::string::npos);
  for (const char* ip : {"10.0.0", "10.0.0.256", "example.org", "::g"})
    CHECK(entity_fault({{"ip", ip}}).find("is not a valid IP") != std::string::npos);
}

TEST_CASE("quota entity: names of odd bytes are names, but not for ever long, and no addresses", "[quota]") {
  using namespace std::string_literals;
  for (const std::string& name : {"a\0b"s, "\n\x7f"s, "<default>"s, " "s, std::string(kQuotaNameBytesMax, 'x')}) {
    const QuotaEntity made = entity_of({{"client-id", name}});
    CHECK(made.client_id == std::optional<QuotaName>(name));
  }
  CHECK(entity_of({{"user", "<default>"}}) != entity_of({{"user", std::nullopt}}));
  CHECK(entity_fault({{"user", std::string(kQuotaNameBytesMax + 1, 'x')}}) ==
        "A user of 1025 bytes cannot have a quota: 1024 at most");
  CHECK(entity_fault({{"ip", "10.0.0.1\0 and more"s}}).find("is not a valid IP") != std::string::npos);
}

TEST_CASE("quota entity: the spellings of an address are one", "[quota]") {
  CHECK(canonical_ip("0:0:0:0:0:0:0:1") == "::1");
  CHECK(canonical_ip("2001:DB8::0:7") == "2001:db8::7");
  CHECK(canonical_ip("::ffff:10.0.0.1") == "10.0.0.1");
  CHECK_FALSE(canonical_ip("localhost").has_value());
}

TEST_CASE("quota entity: every key has its name", "[quota]") {
  for (const char* name : {"producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate",
                           "connection_creation_rate"}) {
    const std::optional<QuotaKey> key = find_quota_key(name);
    REQUIRE(key.has_value());
    CHECK(name_of(*key) == name);
  }
  CHECK_FALSE(find_quota_key("nonsense").has_value());
}

struct ValueCase {
  const char* key;
  double value;
  const char* fault;  // "" is none
};

TEST_CASE("quota values: bounds and texts are Kafka's", "[quota]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const ValueCase cases[] = {
      {"producer_byte_rate", 1, ""},
      {"producer_byte_rate", 50'000.0000001, ""},  // nearer to an integer than a double can say
      {"consumer_byte_rate", 0, "Quota consumer_byte_rate must be greater than 0"},
      {"consumer_byte_rate", -1, "Quota consumer_byte_rate must be greater than 0"},
      {"consumer_byte_rate", std::nan(""), "Quota consumer_byte_rate must be greater than 0"},
      {"producer_byte_rate", 1.5, "producer_byte_rate cannot be a fractional value."},
      {"producer_byte_rate", 1e19, "Proposed value for producer_byte_rate is too large for a LONG."},
      {"request_percentage", 0.5, ""},
      {"request_percentage", kInfinity, "Quota request_percentage must be a finite number"},
      {"controller_mutation_rate", 0.1, ""},
      {"connection_creation_rate", 10, "Invalid configuration key connection_creation_rate"},
      {"nonsense", 1, "Invalid configuration key nonsense"},
  };
  const QuotaEntity entity = entity_of({{"client-id", "c"}});
  for (const ValueCase& each : cases) {
    INFO(each.key << " " << each.value);
    const QuotaResult<QuotaValues> after = quotas_after(entity, {}, {{each.key, each.value}});
    CHECK((after ? "" : after.error()) == each.fault);
  }
  const QuotaEntity ip = entity_of({{"ip", "10.0.0.1"}});
  CHECK(quotas_after(ip, {}, {{"connection_creation_rate", 10}}).has_value());
  CHECK(quotas_after(ip, {}, {{"connection_creation_rate", 1.5}}).error() ==
        "connection_creation_rate cannot be a fractional value.");
  CHECK(quotas_after(ip, {}, {{"connection_creation_rate", 3e9}}).error() ==
        "Proposed value for connection_creation_rate is too large for an INT.");
  CHECK(quotas_after(ip, {}, {{"producer_byte_rate", 10}}).error() == "Invalid configuration key producer_byte_rate");
}

TEST_CASE("quota values: all changes of an entity or none; taking away is never wrong", "[quota]") {
  const QuotaEntity entity = entity_of({{"user", "u"}});
  const QuotaValues before = {{QuotaKey::kProducerByteRate, 10}, {QuotaKey::kConsumerByteRate, 20}};
  const QuotaResult<QuotaValues> after = quotas_after(
      entity, before, {{"producer_byte_rate", std::nullopt}, {"request_percentage", 7}, {"nonsense", std::nullopt}});
  REQUIRE(after.has_value());
  CHECK(*after == QuotaValues{{QuotaKey::kConsumerByteRate, 20}, {QuotaKey::kRequestPercentage, 7}});
  CHECK_FALSE(quotas_after(entity, before, {{"producer_byte_rate", 5}, {"consumer_byte_rate", 0}}).has_value());
  CHECK(quotas_after(entity, before, {{"producer_byte_rate", 5}, {"producer_byte_rate", 6}}).error() ==
        "Duplicate quota key producer_byte_rate");
}

}  // namespace
}  // namespace leat
