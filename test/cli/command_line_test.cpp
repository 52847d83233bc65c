// command_line_test.cpp: what is said to wrong words, and that every command teaches itself.
#include "cli/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/suggest.h"
#include "test/cli/captured.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;
using leat::test::Captured;
using leat::test::contains;
using leat::test::run_leat;

TEST_CASE("command line: every command explains itself with an example", "[cli]") {
  int count = 0;
  for (const Command& command : commands()) {
    const std::string name(command.name);
    INFO(name);
    const size_t space = name.find(' ');
    const Captured help = space == std::string::npos
                              ? run_leat({name, "--help"})
                              : run_leat({name.substr(0, space), name.substr(space + 1), "--help"});
    CHECK(help.exit_code == kExitOk);
    CHECK(contains(help.out, command.summary));
    CHECK(contains(help.out, "Examples:"));
    CHECK(contains(help.out, "Usage: leat " + name));
    CHECK(contains(help.out.substr(help.out.find("Examples:")), "leat " + name));
    for (const char* flag : {"--bootstrap-server", "--context", "--json", "--quiet", "--timeout", "--wait"}) {
      CHECK(contains(help.out.substr(help.out.find("Flags of every command:")), flag));
    }
    CHECK(help.errors.empty());
    ++count;
  }
  CHECK(count == 30);
}

TEST_CASE("command line: without a command the help is shown, as an error", "[cli]") {
  for (const Captured& result : {run_leat({}), run_leat({"topic"}), run_leat({"bench", "-q"})}) {
    CHECK(result.exit_code == kExitUsage);
    CHECK(contains(result.errors, "Usage: leat"));
    CHECK(result.out.empty());
  }
  CHECK(contains(run_leat({"topic"}).errors, "Usage: leat topic "));
  const Captured help = run_leat({"--help"});
  CHECK(help.exit_code == kExitOk);
  CHECK(contains(help.out, "leat topic create orders"));
  CHECK(contains(help.out, "produce"));
  CHECK(!contains(help.out, "Flags of every command:"));  // they are its own
  CHECK(contains(run_leat({"topic", "--help"}).out, "Flags of every command:\n  -b,--bootstrap-server HOST:PORT"));
}

TEST_CASE("command line: with --json there is nothing on standard output that is no JSON", "[cli][json]") {
  const std::vector<std::string> lines[] = {{"--version"},          {"--help"},
                                            {"topic", "--help"},    {"topic", "create", "--help"},
                                            {"completion", "bash"}, {"completion", "fish"}};
  for (const std::vector<std::string>& line : lines) {
    for (size_t at = 0; at <= line.size(); ++at) {
      std::vector<std::string> words = line;
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), "--json");
      const Captured result = run_leat(words);
      INFO(line.back() << " at " << at << ": " << result.out);
      CHECK(result.exit_code == kExitOk);
      CHECK(result.errors.empty());
      CHECK(result.out.find('\n') == result.out.size() - 1);
      CHECK(nlohmann::json::parse(result.out, nullptr, false).is_object());
    }
  }
  const nlohmann::json version = nlohmann::json::parse(run_leat({"--json", "--version"}).out, nullptr, false);
  CHECK(run_leat({"--version"}).out == "leat " + version.value("version", "") + "\n");
  const nlohmann::json help = nlohmann::json::parse(run_leat({"topic", "list", "--json", "-h"}).out, nullptr, false);
  CHECK(help.value("command", "") == "leat topic list");
  CHECK(help.value("help", "") == run_leat({"topic", "list", "--help"}).out);
}

TEST_CASE("command line: unknown words are answered with the nearest known", "[cli]") {
  struct Wrong {
    Captured result;
    std::string_view told;
  };
  const Wrong wrongs[] = {
      {run_leat({"topc", "list"}), "unknown command 'topc'; did you mean 'topic'?"},
      {run_leat({"topic", "craete", "orders"}), "unknown command 'craete' for 'leat topic'; did you mean 'create'?"},
      {run_leat({"topic", "create", "orders", "--partitons", "3"}),
       "unknown flag '--partitons' for 'leat topic create'; did you mean '--partitions'?"},
      {run_leat({"consume", "orders", "--from-begining"}), "did you mean '--from-beginning'?"},
      {run_leat({"consume", "orders", "--form=%v"}), "did you mean '--format'?"},
      {run_leat({"topic", "list", "--bootstrap-sever", "x:1"}), "did you mean '--bootstrap-server'?"},
      {run_leat({"offsets", "orders", "more"}), "unexpected word 'more' for 'leat offsets'"},
      {run_leat({"frobnicate"}), "unknown command 'frobnicate'. See: leat --help"},
      {run_leat({"list"}),
       "unknown command 'list'; did you mean 'leat topic list' or 'leat group list' or 'leat quota list' or 'leat "
       "context list'?"},
      {run_leat({"topic", "reset"}), "unknown command 'reset' for 'leat topic'; did you mean 'leat group reset'?"},
      {run_leat({"topic", "consume"}), "did you mean 'leat consume' or 'leat bench consume'?"}};
  for (const Wrong& wrong : wrongs) {
    INFO(wrong.result.errors);
    CHECK(wrong.result.exit_code == kExitUsage);
    CHECK(contains(wrong.result.errors, wrong.told));
    CHECK(wrong.result.out.empty());
  }
}

TEST_CASE("command line: missing and wrong values name the flag and the help", "[cli]") {
  const Captured missing = run_leat({"topic", "create"});
  CHECK(missing.exit_code == kExitUsage);
  CHECK(contains(missing.errors, "'leat topic create': topic is required"));
  CHECK(contains(missing.errors, "leat topic create --help"));
  const Captured word = run_leat({"topic", "create", "orders", "-p", "three"});
  CHECK(word.exit_code == kExitUsage);
  CHECK(contains(word.errors, "--partitions: 'three' is not a whole number from 1 to 2147483647, or -1. See"));
  const Captured choice = run_leat({"produce", "orders", "-z", "zip"});
  CHECK(choice.exit_code == kExitUsage);
  CHECK(contains(choice.errors, "'zip' is none of none, gzip, snappy, lz4, zstd; did you mean 'gzip'? See"));
  CHECK(contains(run_leat({"consume", "orders", "--partition"}).errors, "--partition needs a value"));
  CHECK(
      contains(run_leat({"topic", "create", "a", "-p", "1", "-p", "2"}).errors, "--partitions may be given only once"));
  CHECK(contains(run_leat({"topic", "list", "--json=maybe"}).errors, "--json takes no value"));
  for (const char* number : {"010", "1e3", "0x1", "", "-", "1 ", "99999999999999999999"}) {
    INFO(number);
    CHECK(run_leat({"consume", "orders", "--offset", number}).exit_code == kExitUsage);
  }
  const Captured address = run_leat({"-b", "host:port:x", "topic", "list"});
  CHECK(address.exit_code == kExitUsage);
  CHECK(contains(address.errors, "is not HOST:PORT"));
}

TEST_CASE("command line: nobody at the address says what to do", "[cli]") {
  // Port 1 of the loopback: nobody listens there.
  const Captured text = run_leat({"-b", "127.0.0.1:1", "topic", "list"});
  CHECK(text.exit_code == kExitUnreachable);
  CHECK(contains(text.errors, "broker 127.0.0.1:1 is not reachable"));
  CHECK(contains(text.errors, "leatd --listen 127.0.0.1:1"));
  const Captured json = run_leat({"--json", "-b", "127.0.0.1:1", "topic", "list"});
  CHECK(json.exit_code == kExitUnreachable);
  CHECK(json.errors.starts_with("{\"error\":{\"kind\":"));
}

TEST_CASE("command line: what is named like a command is no command", "[cli]") {
  const std::vector<std::string> lines[] = {
      {"topic", "describe", "orders", "log"},    {"topic", "delete", "orders", "offsets", "topic"},
      {"group", "describe", "group", "consume"}, {"offsets", "consume"},
      {"consume", "log", "--group", "topic"},    {"topic", "describe", "--", "orders"}};
  for (const std::vector<std::string>& line : lines) {
    std::vector<std::string> words{"-b",
                                   "127.0.0.1:1"};  // nobody is there, which is told only when the words are right
    words.insert(words.end(), line.begin(), line.end());
    const Captured result = run_leat(words);
    INFO(result.errors);
    CHECK(result.exit_code == kExitUnreachable);
  }
}

TEST_CASE("command line: --wait tries again until its time is over", "[cli]") {
  const Captured result = run_leat({"topic", "list", "-b", "127.0.0.1:1", "--wait", "3"});
  CHECK(result.exit_code == kExitUnreachable);
  CHECK(contains(result.errors, "broker 127.0.0.1:1 is not reachable"));
}

#ifdef __linux__
TEST_CASE("command line: output that cannot be written fails the command", "[cli]") {
  const int full = ::open("/dev/full", O_WRONLY);
  REQUIRE(full >= 0);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const SystemClock clock;
  {
    Console console(STDIN_FILENO, full, ends[1]);
    const std::vector<std::string> arguments{"--version"};
    CHECK(run_command_line(arguments, console, clock) == kExitFailed);
  }
  std::string said(256, '\0');
  const ssize_t size = ::read(ends[0], said.data(), said.size());
  REQUIRE(size > 0);
  said.resize(static_cast<size_t>(size));
  CHECK(contains(said, "standard output"));
  for (const int descriptor : {full, ends[0], ends[1]}) (void)::close(descriptor);
}
#endif

TEST_CASE("console: a reader that went away is noticed though nothing is written, and is no error", "[cli]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  Console console(STDIN_FILENO, ends[1], STDERR_FILENO);
  console.look_for_reader();
  CHECK(console.output_state() == OutputState::kOpen);
  console.out("a line\n");
  console.flush();
  console.look_for_reader();
  CHECK(console.output_state() == OutputState::kOpen);
  (void)::close(ends[0]);
  console.look_for_reader();
  CHECK(console.output_state() == OutputState::kClosed);
  CHECK(!console.output_error());
  (void)::close(ends[1]);
}

TEST_CASE("suggest: what happened and what to do are two sentences", "[cli]") {
  CHECK(with_hint("it failed", "Try again") == "it failed. Try again");
  CHECK(with_hint("It failed.", "Try again") == "It failed. Try again");
  CHECK(with_hint("did you mean 'it'?", "See it") == "did you mean 'it'? See it");
}

TEST_CASE("suggest: the nearest known word is a misspelling, or begins alike", "[cli]") {
  const std::string known[] = {"create", "list", "delete"};
  CHECK(nearest("lst", known) == "list");
  CHECK(nearest("creat", known) == "create");
  CHECK(!nearest("zzzzzz", known));
}
