// arguments_test.cpp: what is wrong with the words of a command line is told before anybody is asked: in one line, with
// exit code 2, though nobody listens at the address.
#include <algorithm>
#include <string>
#include <vector>

#include "test/cli/captured.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;
using namespace leat::test;

namespace {

using Words = std::vector<std::string>;

Captured run_unreachable(const Words& more) {
  Words words{"-b", "127.0.0.1:1"};
  words.insert(words.end(), more.begin(), more.end());
  return run_leat(words);
}

}  // namespace

TEST_CASE("arguments: numbers out of their range, whatever the command", "[cli]") {
  const Words wrongs[] = {{"topic", "create", "t", "-p", "0"},
                          {"topic", "create", "t", "-p", "-2"},
                          {"topic", "create", "t", "-p", "2147483648"},
                          {"topic", "create", "t", "-r", "0"},
                          {"topic", "create", "t", "-r", "32768"},
                          {"topic", "alter", "t", "-p", "0"},
                          {"produce", "t", "-p", "-1"},
                          {"produce", "t", "--batch-records", "0"},
                          {"produce", "t", "--batch-bytes", "-5"},
                          {"produce", "t", "--batch-bytes", "99999999999999999999"},
                          {"produce", "t", "--timestamp", "-1"},
                          {"produce", "t", "-z", "zstd", "--compression-level", "23"},
                          {"produce", "t", "--compression-level", "3"},
                          {"consume", "t", "-p", "-1"},
                          {"consume", "t", "-p", "0,-1"},
                          {"consume", "t", "-o", "-1"},
                          {"consume", "t", "-n", "-1"},
                          {"consume", "t", "--max-bytes", "0"},
                          {"consume", "t", "--max-bytes", "1073741825"},
                          {"consume", "t", "--since", "yesterday"},
                          {"consume", "t", "--since", "99999999999999999999"},
                          {"offsets", "t", "-p", "4294967296"},
                          {"offsets", "t", "--at", "soon"},
                          {"group", "reset", "g", "--to-offset", "-1", "--all-topics"},
                          {"group", "reset", "g", "--to-datetime", "never", "--all-topics"},
                          {"group", "reset", "g", "--to-latest", "-t", "t:-1"},
                          {"group", "reset", "g", "--to-latest", "-t", "t:0,"},
                          {"group", "reset", "g", "--shift-by", "9223372036854775808", "--all-topics"},
                          {"config", "get", "broker", "99999999999"},
                          {"bench", "produce", "t", "-s", "-1"},
                          {"bench", "produce", "t", "-c", "0"},
                          {"bench", "produce", "t", "-d", "0"},
                          {"bench", "produce", "t", "-s", "100000000", "-n", "1000000"},
                          {"bench", "consume", "t", "-s", "0"},
                          {"bench", "latency", "t", "-r", "0"},
                          {"bench", "latency", "t", "-s", "15"},
                          {"top", "-i", "9"},
                          {"top", "-n", "0"},
                          {"top", "--metrics", "host:0"},
                          {"topic", "list", "--timeout", "0"},
                          {"topic", "list", "--wait", "-1"}};
  for (const Words& wrong : wrongs) {
    const Captured result = run_unreachable(wrong);
    INFO(wrong.back() << ": " << result.errors);
    CHECK(result.exit_code == kExitUsage);
    CHECK(result.out.empty());
    CHECK(result.errors.starts_with("leat: "));
    CHECK(std::count(result.errors.begin(), result.errors.end(), '\n') == 1);
  }
  CHECK(contains(run_unreachable({"topic", "create", "t", "-p", "0"}).errors,
                 "'0' is not a whole number from 1 to 2147483647, or -1"));
  CHECK(run_unreachable({"topic", "create", "t", "-p", "-1", "-r", "-1"}).exit_code == kExitUnreachable);
}

TEST_CASE("arguments: what does not go together, and what names nothing", "[cli]") {
  struct Wrong {
    Words words;
    std::string_view told;
  };
  const Wrong wrongs[] = {
      {{"consume", "t", "--from-beginning", "-o", "5"}, "one of --from-beginning, --offset and --since"},
      {{"consume", "t", "--since", "1h", "-o", "5"}, "one of --from-beginning, --offset and --since"},
      {{"consume", "t", "-g", "g", "--from-beginning", "--since", "1h"}, "one of"},
      {{"consume", "t", "-g", "g", "-o", "5"}, "--offset cannot stand with --group"},
      {{"consume", "t", "-g", "g", "-p", "0"}, "--partition cannot stand with --group"},
      {{"consume", "t", "-g", ""}, "--group needs a name"},
      {{"consume", "t", "-g", "g", "--group-instance-id", ""}, "--group-instance-id needs a name"},
      {{"consume", "t", "--group-instance-id", "i"}, "give --group too"},
      {{"consume", "t", "--group-protocol", "classic"}, "give --group too"},
      {{"consume", "t", "-f", "%q"}, "unknown '%q' in the format"},
      {{"produce", "t", "-K", ""}, "--key-separator is empty"},
      {{"produce", "t", "-H", "no value"}, "is not NAME=VALUE"},
      {{"topic", "create", "t", "-c", "a=1", "-c", "a=2"}, "'a' is set twice"},
      {{"topic", "alter", "t"}, "nothing to alter"},
      {{"topic", "alter", "t", "-c", "a=1", "--unset", "a"}, "'a' is given twice"},
      {{"topic", "alter", "t", "--unset", ""}, "--unset needs the name of a setting"},
      {{"config", "set", "topic", "t", "a=1", "a=2"}, "'a' is set twice"},
      {{"group", "reset", "g", "--to-latest", "--to-earliest", "--all-topics"}, "where to? Give one of"},
      {{"group", "reset", "g", "--to-latest"}, "of which topics?"},
      {{"group", "reset", "g", "--to-latest", "--all-topics", "-t", "t"}, "of which topics?"},
      {{"context", "use", "c", "--none"}, "which context?"},
      {{"topic", "create", ""}, "an empty word names nothing"},
      {{"topic", "delete", "t", ""}, "an empty word names nothing"},
      {{"produce", ""}, "an empty word names nothing"},
      {{"consume", ""}, "an empty word names nothing"},
      {{"group", "describe", ""}, "an empty word names nothing"},
      {{"bench", "produce", ""}, "an empty word names nothing"}};
  for (const Wrong& wrong : wrongs) {
    const Captured result = run_unreachable(wrong.words);
    INFO(result.errors);
    CHECK(result.exit_code == kExitUsage);
    CHECK(contains(result.errors, wrong.told));
    CHECK(std::count(result.errors.begin(), result.errors.end(), '\n') == 1);
  }
}

TEST_CASE("arguments: a choice that is none names the nearest one", "[cli]") {
  CHECK(contains(run_unreachable({"produce", "t", "-z", "zst"}).errors, "did you mean 'zstd'?"));
  CHECK(contains(run_unreachable({"consume", "t", "--isolation", "read_comitted"}).errors,
                 "did you mean 'read_committed'?"));
  CHECK(contains(run_unreachable({"top", "--sort", "record"}).errors, "did you mean 'records'?"));
  CHECK(contains(run_unreachable({"group", "list", "--type", "clasic"}).errors, "did you mean 'classic'?"));
  CHECK(contains(run_unreachable({"config", "get", "topc", "t"}).errors, "did you mean 'topic'?"));
}
