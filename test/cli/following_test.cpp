// following_test.cpp: what leat says of brokers that are away while it waits for records, and what it waits out.
#include "cli/following.h"
#include "test/cli/captured.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;
using namespace leat::test;

namespace {

using client::AnsweredBefore;
using client::Cause;

client::Error away(AnsweredBefore before) {
  return client::Error(Cause::kUnreachable, "broker n1:9092 is not reachable any more (connection refused)")
      .about_broker("n1:9092", before);
}

std::string told_with(const GlobalOptions& options) {
  return run_in_session([&options](Session& session) {
           session.options = options;
           Following following(session);
           following.note(std::nullopt);
           for (int outage = 0; outage < 2; ++outage) {
             for (int poll = 0; poll < 3; ++poll) following.note(away(AnsweredBefore::kYes));
             for (int poll = 0; poll < 3; ++poll) following.note(std::nullopt);
           }
           return kExitOk;
         })
      .errors;
}

}  // namespace

TEST_CASE("following: a line when an outage begins, and one when it is over", "[cli]") {
  const std::string once =
      "leat: broker n1:9092 is not reachable any more (connection refused), trying again\n"
      "leat: the brokers answer again, going on\n";
  CHECK(told_with({}) == once + once);
  GlobalOptions quiet;
  quiet.quiet = true;
  CHECK(told_with(quiet) == once + once);
  const std::string json =
      "{\"trouble\":{\"kind\":\"unreachable\",\"message\":\"broker n1:9092 is not reachable any more (connection "
      "refused)\"}}\n{\"trouble\":null}\n";
  GlobalOptions for_programs;
  for_programs.json = true;
  CHECK(told_with(for_programs) == json + json);
}

TEST_CASE("following: what passes is waited out, addresses at which nobody ever answered are not", "[cli]") {
  (void)run_in_session([](Session& session) {
    Following following(session);
    CHECK(following.bears(away(AnsweredBefore::kYes)));
    CHECK(!following.bears(away(AnsweredBefore::kNo)));
    following.begin();
    CHECK(following.bears(away(AnsweredBefore::kNo)));
    CHECK(following.bears(client::Error(Cause::kTimedOut, "late")));
    CHECK(!following.bears(client::Error(Cause::kTimedOut, "late").as_fatal()));
    for (const Cause cause : {Cause::kBroker, Cause::kDamaged, Cause::kProtocol, Cause::kUnsupported}) {
      CHECK(!following.bears(client::Error(cause, "no")));
    }
    return kExitOk;
  });
}
