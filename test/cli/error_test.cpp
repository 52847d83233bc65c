// error_test.cpp: with --json every error is one object on the error stream, always of the same shape, and its kind is
// Kafka's name of the error when a broker refused.
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/session.h"
#include "core/record/batch_builder.h"
#include "test/cli/captured.h"
#include "test/client/fake_broker.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;
using namespace leat::test;

namespace {

using Words = std::vector<std::string>;

struct Told {
  std::string kind;
  std::string message;
};

Told parse_error(const std::string& line) {
  INFO(line);
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
  REQUIRE(object.is_object());
  REQUIRE(object.size() == 1);
  REQUIRE(object.contains("error"));
  const nlohmann::json& error = object.at("error");
  REQUIRE(error.is_object());
  REQUIRE(error.size() == 2);
  Told told{.kind = error.value("kind", ""), .message = error.value("message", "")};
  CHECK(!told.kind.empty());
  CHECK(!told.message.empty());
  CHECK(!told.message.starts_with("leat:"));
  return told;
}

// What stands on the error stream: objects, a line each, and nothing else.
std::vector<Told> errors_in(const Captured& result) {
  std::vector<Told> told;
  std::string_view left = result.errors;
  while (!left.empty()) {
    const size_t end = left.find('\n');
    REQUIRE(end != std::string_view::npos);
    told.push_back(parse_error(std::string(left.substr(0, end))));
    left.remove_prefix(end + 1);
  }
  return told;
}

std::string kind_of(const FakeBroker& broker, const Words& more, std::string_view input = "") {
  Words words{"--json", "-b", broker.address()};
  words.insert(words.end(), more.begin(), more.end());
  const Captured result = run_leat(words, input);
  CHECK(result.exit_code == kExitFailed);
  const std::vector<Told> told = errors_in(result);
  REQUIRE(told.size() == 1);
  return told.front().kind;
}

}  // namespace

TEST_CASE("errors: wrong use is JSON wherever --json stands", "[cli][json]") {
  const Words wrongs[] = {{},
                          {"bench"},
                          {"topc", "list"},
                          {"topic", "craete", "orders"},
                          {"topic", "create"},
                          {"topic", "create", "orders", "-p", "three"},
                          {"topic", "create", "orders", "-p", "1", "-p", "2"},
                          {"produce", "orders", "-z", "zip"},
                          {"consume", "orders", "--from-begining"},
                          {"consume", "orders", "--partition"},
                          {"consume", "orders", "--group", "g", "--offset", "5"},
                          {"offsets", "orders", "more"},
                          {"-b", "host:port:x", "topic", "list"},
                          {"topic", "list", "--timeout", "soon"},
                          {"config", "get", "topic"},
                          {"config", "set", "topic", "retention.ms=1"},
                          {"config", "set", "broker"},
                          {"config", "set", "broker", "retention"},
                          {"config", "get", "brokr"},
                          {"config", "get", "group"},
                          {"config", "set", "group", "g"},
                          {"config", "get", "gruop", "g"},
                          {"group", "reset", "g"},
                          {"group", "list", "--state", "Stabel"}};
  for (const Words& wrong : wrongs) {
    for (size_t at = 0; at <= wrong.size(); ++at) {
      Words words = wrong;
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), "--json");
      const Captured result = run_leat(words);
      INFO(at << " " << result.errors);
      CHECK(result.exit_code == kExitUsage);
      CHECK(result.out.empty());
      const std::vector<Told> told = errors_in(result);
      REQUIRE(told.size() == 1);
      CHECK(told.front().kind == "invalid argument");
    }
    if (wrong.empty() || wrong.size() == 1) continue;
    const Captured text = run_leat(wrong);
    INFO(text.errors);
    CHECK(text.exit_code == kExitUsage);
    CHECK(text.errors.starts_with("leat: "));
    CHECK(text.errors.find("..") == std::string::npos);
    CHECK(text.errors.find("?.") == std::string::npos);
  }
}

TEST_CASE("errors: a broker's refusal has Kafka's name", "[cli][json]") {
  for (const ErrorCode code : {ErrorCode::kMessageTooLarge, ErrorCode::kInvalidRecord, ErrorCode::kInvalidTimestamp,
                               ErrorCode::kTopicAuthorizationFailed, ErrorCode::kPolicyViolation}) {
    const FakeBroker broker({.produce_errors = 1, .produce_error = code});
    CHECK(kind_of(broker, {"produce", "orders"}, "x\n") == error_name(code));
  }
  const FakeBroker without({.knows_topic = false});
  CHECK(kind_of(without, {"consume", "orders"}) == "UNKNOWN_TOPIC_OR_PARTITION");
  const FakeBroker broker({});
  CHECK(kind_of(broker, {"offsets", "orders", "-p", "7"}) == "UNKNOWN_TOPIC_OR_PARTITION");
  CHECK(kind_of(broker, {"consume", "orders", "-o", "99", "--exit"}) == "OFFSET_OUT_OF_RANGE");
  const FakeBroker failing({.fetch_errors = 1, .fetch_error = ErrorCode::kTopicAuthorizationFailed});
  CHECK(kind_of(failing, {"consume", "orders", "-o", "0"}) == "TOPIC_AUTHORIZATION_FAILED");
}

TEST_CASE("errors: each of Kafka's is told under its name, and keeps it when others come between", "[cli][json]") {
  std::vector<std::string> names;
  const Captured result = run_in_session([&names](Session& session) {
    session.options.json = true;
    for (int16_t number = -1; number < 200; ++number) {
      const auto code = static_cast<ErrorCode>(number);
      if (code == ErrorCode::kNone) continue;
      names.emplace_back(error_name(code));
      const Error refused = session.failure(client::Error::from_broker(code, "topic 'orders' was not created"));
      const Error ours = session.failure(client::Error(client::Cause::kClosed, "it is closed"));
      CHECK(session.exit_code_of(refused) == kExitFailed);
      CHECK(session.exit_code_of(ours) == kExitFailed);
      session.tell(refused);
    }
    return kExitFailed;
  });
  const std::vector<Told> told = errors_in(result);
  REQUIRE(told.size() == names.size());
  for (size_t i = 0; i < told.size(); ++i) CHECK(told[i].kind == names[i]);
}

TEST_CASE("errors: groups are refused with Kafka's names, each by itself", "[cli][json][group]") {
  const auto groups = std::make_shared<FakeGroups>(FakeGroups::Script{
      .delete_errors = {{"live", ErrorCode::kNonEmptyGroup}, {"gone", ErrorCode::kGroupIdNotFound}}});
  const FakeBroker broker({.groups = groups});
  CHECK(kind_of(broker, {"group", "describe", "g"}) == "GROUP_ID_NOT_FOUND");
  const Captured both = run_leat({"group", "delete", "live", "gone", "-b", broker.address(), "--json"});
  CHECK(both.exit_code == kExitFailed);
  const std::vector<Told> told = errors_in(both);
  REQUIRE(told.size() == 2);
  CHECK(told[0].kind == "NON_EMPTY_GROUP");
  CHECK(told[1].kind == "GROUP_ID_NOT_FOUND");
  CHECK(both.out == "{\"group\":\"live\",\"deleted\":false}\n{\"group\":\"gone\",\"deleted\":false}\n");
}

TEST_CASE("errors: what is no refusal has a kind of ours", "[cli][json]") {
  const Captured nobody = run_leat({"topic", "list", "-b", "127.0.0.1:1", "--json"});
  CHECK(nobody.exit_code == kExitUnreachable);
  REQUIRE(errors_in(nobody).size() == 1);
  CHECK(errors_in(nobody).front().kind == "unreachable");
  const FakeBroker foreign({.answers_nonsense = true});
  const Captured nonsense = run_leat({"topic", "list", "-b", foreign.address(), "--json"});
  CHECK(nonsense.exit_code == kExitUnreachable);
  CHECK(errors_in(nonsense).at(0).kind == "unreachable");
  const FakeBroker misled({.advertised_port = 1});
  const Captured advertised = run_leat({"offsets", "orders", "-b", misled.address(), "--json"});
  CHECK(advertised.exit_code == kExitUnreachable);
  CHECK(errors_in(advertised).at(0).kind == "unreachable");
}
