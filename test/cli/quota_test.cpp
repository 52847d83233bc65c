// quota_test.cpp: leat quota list, set and delete against a broker that keeps quotas in a map.
#include "cli/session.h"
#include "test/cli/captured.h"
#include "test/client/fake_broker.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;
using namespace leat::test;

namespace {

using Words = std::vector<std::string>;

struct Broker {
  FakeBroker broker{{}};
  Captured run(const Words& more) const {
    Words words{"-b", broker.address(), "quota"};
    words.insert(words.end(), more.begin(), more.end());
    return run_leat(words);
  }
  std::string out(const Words& more) const {
    const Captured result = run(more);
    INFO(result.errors);
    CHECK(result.exit_code == kExitOk);
    return result.out;
  }
};

}  // namespace

TEST_CASE("quota: set, listed, deleted", "[cli][quota]") {
  const Broker f;
  CHECK(f.out({"list"}) == "There are no such quotas.\n");
  CHECK(f.out({"set", "--client-id", "billing", "producer_byte_rate=1048576", "request_percentage=12.5"}) ==
        "Set producer_byte_rate = 1048576 for client-id billing.\n"
        "Set request_percentage = 12.5 for client-id billing.\n");
  CHECK(f.out({"set", "--user-default", "--client-id", "billing", "consumer_byte_rate=7", "-q"}).empty());
  const std::string listed = f.out({"list"});
  CHECK(contains(listed, "client-id billing                  producer_byte_rate  1048576\n"));
  CHECK(contains(listed, "client-id billing, user <default>  consumer_byte_rate  7\n"));
  CHECK(!contains(f.out({"list", "--client-id", "billing", "--only"}), "consumer_byte_rate"));
  CHECK(contains(f.out({"list", "--user-default"}), "consumer_byte_rate"));
  CHECK(f.out({"delete", "--client-id", "billing", "producer_byte_rate"}) ==
        "Deleted producer_byte_rate of client-id billing.\n");
  CHECK(f.out({"delete", "--client-id", "billing"}) == "Deleted request_percentage of client-id billing.\n");
  CHECK(!contains(f.out({"list"}), "request_percentage"));
}

TEST_CASE("quota: as JSON, the default is null", "[cli][quota][json]") {
  const Broker f;
  CHECK(f.out({"set", "--ip-default", "connection_creation_rate=10", "--json"}) ==
        "{\"entity\":{\"ip\":null},\"quota\":\"connection_creation_rate\",\"value\":10}\n");
  CHECK(f.out({"list", "--json"}) == "{\"entity\":{\"ip\":null},\"quotas\":{\"connection_creation_rate\":10}}\n");
  CHECK(f.out({"delete", "--ip-default", "--json"}) ==
        "{\"entity\":{\"ip\":null},\"quota\":\"connection_creation_rate\",\"deleted\":true}\n");
  CHECK(f.out({"list", "--json"}).empty());
}

TEST_CASE("quota: a slip is told before anything is done", "[cli][quota]") {
  const Broker f;
  struct Wrong {
    Words words;
    const char* told;
  };
  const Wrong wrongs[] = {
      {{"set", "producer_byte_rate=1"}, "whose quota? Say --user, --client-id or both, or --ip"},
      {{"set", "--client-id", "c"}, "quota"},
      {{"set", "--client-id", "c", "producer_byte_rat=1"}, "did you mean 'producer_byte_rate'?"},
      {{"set", "--client-id", "c", "producer_byte_rate=fast"}, "a quota is a number above 0"},
      {{"set", "--client-id", "c", "producer_byte_rate=0"}, "to take it away: leat quota delete"},
      {{"set", "--client-id", "c", "--client-id-default", "producer_byte_rate=1"}, "say one of them"},
      {{"set", "--client-id", "c", "--ip", "::1", "producer_byte_rate=1"}, "an address stands alone"},
      {{"set", "--ip", "::1", "producer_byte_rate=1"}, "they have connection_creation_rate only"},
      {{"set", "--user", "u", "connection_creation_rate=1"}, "a quota of addresses, not of user u: say --ip"},
      {{"set", "--user", "u", "producer_byte_rate=1", "producer_byte_rate=2"}, "is set twice"},
      {{"list", "--only"}, "whose quota?"},
      {{"delete", "--client-id", "c", "nonsense"}, "there is no quota 'nonsense'. There are: producer_byte_rate"}};
  for (const Wrong& wrong : wrongs) {
    const Captured result = f.run(wrong.words);
    INFO(result.errors);
    CHECK(result.exit_code == kExitUsage);
    CHECK(contains(result.errors, wrong.told));
  }
  CHECK(f.out({"list", "--json"}).empty());
}

TEST_CASE("quota: what is not there cannot be deleted, unless that is no matter", "[cli][quota]") {
  const Broker f;
  const Captured none = f.run({"delete", "--user", "u"});
  CHECK(none.exit_code == kExitFailed);
  CHECK(contains(none.errors, "there are no quotas of user u. See: leat quota list"));
  CHECK(f.out({"delete", "--user", "u", "--if-exists"}).empty());
  f.out({"set", "--user", "u", "producer_byte_rate=1"});
  const Captured other = f.run({"delete", "--user", "u", "consumer_byte_rate", "producer_byte_rate"});
  CHECK(other.exit_code == kExitFailed);
  CHECK(contains(other.errors, "user u has no consumer_byte_rate; nothing is deleted"));
  CHECK(contains(f.out({"list"}), "producer_byte_rate"));
}

TEST_CASE("quota: what the broker refuses is told in its words", "[cli][quota]") {
  const Broker f;
  const Captured refused = f.run({"set", "--user", "u", "producer_byte_rate=1e19"});
  CHECK(refused.exit_code == kExitFailed);
  CHECK(contains(refused.errors, "INVALID_REQUEST"));
  CHECK(contains(refused.errors, "too large for a LONG"));
}
