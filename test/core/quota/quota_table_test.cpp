// quota_table_test.cpp: Kafka's eight levels, by table; each key by itself; addresses.
#include "core/quota/quota_table.h"

#include "test/support/catch.h"

namespace leat {
namespace {

constexpr QuotaKey kKey = QuotaKey::kProducerByteRate;

QuotaEntity entity(std::optional<QuotaName> user, std::optional<QuotaName> client_id) {
  QuotaEntity made;
  made.user = std::move(user);
  made.client_id = std::move(client_id);
  return made;
}
QuotaEntity address(QuotaName ip) {
  QuotaEntity made;
  made.ip = std::move(ip);
  return made;
}

const QuotaName kDefault = std::nullopt;

// Highest first; the limit of each is its place.
const QuotaEntity kLevels[] = {
    entity(QuotaName("u"), QuotaName("c")), entity(QuotaName("u"), kDefault), entity(QuotaName("u"), std::nullopt),
    entity(kDefault, QuotaName("c")),       entity(kDefault, kDefault),       entity(kDefault, std::nullopt),
    entity(std::nullopt, QuotaName("c")),   entity(std::nullopt, kDefault),
};

struct Shared {
  std::string_view user;
  std::string_view client_id;
};
constexpr Shared kShared[] = {{"u", "c"}, {"u", "c"}, {"u", ""}, {"u", "c"},
                              {"u", "c"}, {"u", ""},  {"", "c"}, {"", "c"}};

TEST_CASE("quota table: an absent part is no default", "[quota]") {
  CHECK(kLevels[4].user.has_value());
  CHECK_FALSE(kLevels[4].user->has_value());
  CHECK_FALSE(kLevels[7].user.has_value());
  CHECK_FALSE(kLevels[5].client_id.has_value());
}

TEST_CASE("quota table: of every set of levels the highest holds", "[quota]") {
  for (unsigned set = 0; set < 256; ++set) {
    QuotaMap quotas;
    int highest = -1;
    for (int level = 7; level >= 0; --level) {
      if ((set >> level & 1) == 0) continue;
      quotas[kLevels[level]] = {{kKey, level + 1}};
      highest = level;
    }
    INFO("levels " << set);
    QuotaTable table;
    table.assign(quotas);
    const std::optional<HoldingQuota> found = table.find(kKey, {"u", "c"});
    REQUIRE(found.has_value() == (highest >= 0));
    CHECK(table.empty() == (highest < 0));
    if (!found) continue;
    CHECK(found->limit == highest + 1);
    CHECK(found->shared_by.user == kShared[highest].user);
    CHECK(found->shared_by.client_id == kShared[highest].client_id);
  }
}

TEST_CASE("quota table: others have the defaults, and no id has the user's only", "[quota]") {
  QuotaMap quotas;
  for (int level = 0; level < 8; ++level) quotas[kLevels[level]] = {{kKey, level + 1}};
  QuotaTable table;
  table.assign(quotas);
  CHECK(table.find(kKey, {"u", "other"})->limit == 2);
  CHECK(table.find(kKey, {"other", "c"})->limit == 4);
  CHECK(table.find(kKey, {"other", "other"})->limit == 5);
  CHECK(table.find(kKey, {"u", ""})->limit == 3);
  CHECK(table.find(kKey, {"other", ""})->limit == 6);
  table.assign({{kLevels[7], {{kKey, 8}}}});
  CHECK(table.find(kKey, {"u", "any"})->limit == 8);
  CHECK_FALSE(table.find(kKey, {"u", ""}).has_value());
}

TEST_CASE("quota table: a level counts only for the keys that it has", "[quota]") {
  QuotaTable table;
  table.assign({{kLevels[0], {{QuotaKey::kConsumerByteRate, 1}}}, {kLevels[7], {{kKey, 8}}}});
  CHECK(table.find(kKey, {"u", "c"})->limit == 8);
  CHECK(table.find(QuotaKey::kConsumerByteRate, {"u", "c"})->limit == 1);
  CHECK_FALSE(table.find(QuotaKey::kConsumerByteRate, {"u", "other"}).has_value());
  CHECK(table.has(kKey));
  CHECK_FALSE(table.has(QuotaKey::kRequestPercentage));
  table.assign({});
  CHECK_FALSE(table.has(kKey));
}

TEST_CASE("quota table: an address has its own limit or the default's", "[quota]") {
  constexpr QuotaKey kRate = QuotaKey::kConnectionCreationRate;
  QuotaTable table;
  table.assign({{address("0:0::1"), {{kRate, 3}}}, {address("10.0.0.1"), {{kRate, 5}}}});
  CHECK(table.find_connection_rate("::1") == 3);
  CHECK(table.find_connection_rate("10.0.0.1") == 5);
  CHECK_FALSE(table.find_connection_rate("10.0.0.2").has_value());
  table.assign({{address("10.0.0.1"), {{kRate, 5}}}, {address(std::nullopt), {{kRate, 7}}}});
  CHECK(table.find_connection_rate("10.0.0.1") == 5);
  CHECK(table.find_connection_rate("10.0.0.2") == 7);
  CHECK(table.find_connection_rate("unknown") == 7);
}

}  // namespace
}  // namespace leat
