// completion_test.cpp: what `leat __complete` answers on the declared command line, and that the scripts ask it.
#include "cli/completion.h"

#include <algorithm>
#include <memory>
#include <sstream>

#include "cli/command.h"
#include "cli/completion_scripts.h"
#include "test/cli/captured.h"
#include "test/cli/environment.h"
#include "test/client/fake_broker.h"
#include "test/support/catch.h"
#include "test/support/temporary_directory.h"

using namespace leat;
using namespace leat::cli;
using namespace leat::test;

namespace {

using Words = std::vector<std::string>;

struct Answer {
  std::string kind;
  Words words;
  Words help;
};

// Of a line that ends in the last word, which is being typed.
Answer completed(const Words& line) {
  Words arguments{"__complete", "--"};
  arguments.insert(arguments.end(), line.begin(), line.end());
  const Captured result = run_leat(arguments);
  INFO(result.out << result.errors);
  CHECK(result.exit_code == kExitOk);
  CHECK(result.errors.empty());
  Answer answer;
  std::string_view left = result.out;
  while (!left.empty()) {
    const size_t end = left.find('\n');
    REQUIRE(end != std::string_view::npos);
    const std::string text(left.substr(0, end));
    left.remove_prefix(end + 1);
    if (answer.kind.empty()) {
      answer.kind = text;
      continue;
    }
    const size_t tab = text.find('\t');
    REQUIRE(tab != std::string::npos);
    answer.words.push_back(text.substr(0, tab));
    answer.help.push_back(text.substr(tab + 1));
  }
  CHECK(!answer.kind.empty());
  return answer;
}

Words words_of(const Words& line) {
  const Answer answer = completed(line);
  CHECK(answer.kind == "words");
  return answer.words;
}

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

ListGroupsResponse::ListedGroup listed(std::string id) {
  return {.group_id = std::move(id), .protocol_type = "consumer", .group_state = "Stable", .group_type = "consumer"};
}

}  // namespace

TEST_CASE("completion: every command and every group of them is offered where it belongs", "[cli][completion]") {
  const Answer first = completed({""});
  for (const CommandGroup& group : command_groups()) {
    const auto place = std::find(first.words.begin(), first.words.end(), group.name);
    REQUIRE(place != first.words.end());
    CHECK(first.help[static_cast<size_t>(place - first.words.begin())] == group.summary);
  }
  for (const Command& command : commands()) {
    const size_t space = command.name.find(' ');
    const std::string name(command.name);
    INFO(name);
    if (space == std::string::npos) {
      CHECK(has(first.words, name));
      CHECK(has(words_of({name}), name));
    } else {
      CHECK(has(words_of({name.substr(0, space), ""}), name.substr(space + 1)));
    }
  }
  CHECK(!has(first.words, "__complete"));
  CHECK(words_of({"topic", "de"}) == Words{"describe", "delete"});
  CHECK(words_of({"tipic", ""}).empty());
}

TEST_CASE("completion: quotas by name, with a value where one is set, each once", "[cli][completion]") {
  const Answer set = completed({"quota", "set", "--client-id", "c", "pro"});
  CHECK(set.kind == "open");
  CHECK(set.words == Words{"producer_byte_rate="});
  CHECK(words_of({"quota", "delete", "--client-id", "c", "con"}) ==
        Words{"consumer_byte_rate", "controller_mutation_rate", "connection_creation_rate"});
  CHECK(completed({"quota", "set", "--client-id", "c", "producer_byte_rate=5", "pro"}).words.empty());
  CHECK(words_of({"quota", "delete", "producer_byte_rate", "pro"}).empty());
}

TEST_CASE("completion: every flag of a command, and those that all have", "[cli][completion]") {
  const Words flags = words_of({"topic", "create", "--"});
  for (const char* flag : {"--help", "--partitions", "--replication-factor", "--config", "--if-not-exists", "--json",
                           "--bootstrap-server", "--context", "--timeout"}) {
    INFO(flag);
    CHECK(std::count(flags.begin(), flags.end(), std::string(flag)) == 1);
  }
  CHECK(!has(flags, "--group"));
  CHECK(words_of({"topic", "create", "--part"}) == Words{"--partitions"});
  CHECK(has(words_of({"--"}), "--version"));
  CHECK(!has(words_of({"topic", "create", "-p", "3", "--"}), "--partitions"));
  CHECK(!has(words_of({"topic", "create", "--partitions=3", "--"}), "--partitions"));
  CHECK(has(words_of({"topic", "create", "--config", "a=b", "--"}), "--config"));  // may be repeated
  CHECK(has(words_of({"topic", "list", ""}), "--internal"));                       // nothing else can follow
  CHECK(words_of({"topic", "list", "--", ""}).empty());
}

TEST_CASE("completion: what is offered is what the help of each command shows", "[cli][completion]") {
  for (const Command& command : commands()) {
    const size_t space = command.name.find(' ');
    Words line{std::string(command.name.substr(0, space))};
    if (space != std::string_view::npos) line.emplace_back(command.name.substr(space + 1));
    Words typed = line;
    typed.emplace_back("--");
    Words offered = words_of(typed);
    std::erase(offered, "--version");  // of `leat` alone, and shown there
    line.emplace_back("--help");
    Words shown;
    std::istringstream help(run_leat(line).out);
    for (std::string row; std::getline(help, row);) {
      if (!row.starts_with("  -")) continue;  // a row of flags: "  -p,--partitions N   How many"
      const size_t begin = row.find("--");
      REQUIRE(begin != std::string::npos);
      shown.push_back(row.substr(begin, row.find_first_of(" ,", begin) - begin));
    }
    std::sort(offered.begin(), offered.end());
    std::sort(shown.begin(), shown.end());
    INFO(command.name);
    CHECK(shown.size() > 5);
    CHECK(offered == shown);
  }
}

TEST_CASE("completion: values that are one of a few", "[cli][completion]") {
  const Words codecs{"none", "gzip", "snappy", "lz4", "zstd"};
  CHECK(words_of({"produce", "orders", "-z", ""}) == codecs);
  CHECK(words_of({"produce", "orders", "--compression", "z"}) == Words{"zstd"});
  CHECK(words_of({"produce", "orders", "--compression=s"}) == Words{"--compression=snappy"});
  CHECK(words_of({"completion", ""}) == kCompletionShells);
  CHECK(words_of({"top", "--sort", ""}) == Words{"lag", "records", "bytes", "size", "name"});
  CHECK(words_of({"topic", "create", "--partitions", ""}).empty());  // a number
  CHECK(words_of({"produce", "--nonsense=x"}).empty());
}

TEST_CASE("completion: files are the shell's own", "[cli][completion]") {
  for (const Words& line :
       {Words{"log", "verify", ""}, Words{"log", "dump", "-r", "leat-data/o"}, Words{"log", "repair", "one", "tw"}}) {
    const Answer answer = completed(line);
    CHECK(answer.kind == "files");
    CHECK(answer.words.empty());
  }
}

TEST_CASE("completion: topics and groups are asked for, at the address that the line names", "[cli][completion]") {
  const auto groups = std::make_shared<FakeGroups>(FakeGroups::Script{.listed = {listed("billing"), listed("b\nad")}});
  const FakeBroker broker({.groups = groups});
  const std::string address = broker.address();
  CHECK(words_of({"-b", address, "consume", ""}) == Words{"orders"});
  CHECK(words_of({"consume", "--bootstrap-server=" + address, "ord"}) == Words{"orders"});
  CHECK(words_of({"-b", address, "consume", "x"}).empty());
  CHECK(words_of({"-b", address, "topic", "describe", "orders", ""}).empty());    // it is there already
  CHECK(words_of({"-b", address, "group", "describe", ""}) == Words{"billing"});  // what would break lines is left out
  CHECK(words_of({"-b", address, "consume", "orders", "--group", "bi"}) == Words{"billing"});
  CHECK(words_of({"-b", address, "group", "reset", "billing", "--topic=o"}) == Words{"--topic=orders"});
  CHECK(words_of({"config", "get", ""}) == Words{"topic", "group", "broker"});
  CHECK(words_of({"-b", address, "config", "set", "group", ""}) == Words{"billing"});
  CHECK(words_of({"-b", address, "config", "get", "topic", ""}) == Words{"orders"});
}

TEST_CASE("completion: nobody at the address is no error", "[cli][completion]") {
  CHECK(words_of({"-b", "127.0.0.1:1", "consume", ""}).empty());
  CHECK(words_of({"-b", "host:port:x", "consume", ""}).empty());
}

TEST_CASE("completion: contexts are read from their file", "[cli][completion]") {
  const TemporaryDirectory directory;
  const EnvironmentVariable config("LEAT_CONFIG", directory.path() + "/contexts");
  CHECK(words_of({"--context", ""}).empty());
  REQUIRE(run_leat({"context", "add", "staging", "h:1"}).exit_code == kExitOk);
  REQUIRE(run_leat({"context", "add", "local", "h:2"}).exit_code == kExitOk);
  CHECK(words_of({"--context", ""}) == Words{"local", "staging"});
  CHECK(words_of({"context", "use", "st"}) == Words{"staging"});
  CHECK(words_of({"context", "remove", "local", ""}) == Words{"staging"});
}

TEST_CASE("completion: the line is read as the parser reads it", "[cli][completion]") {
  CommandGrammar root{.name = "leat", .help = ""};
  root.flags.push_back({.names = {"--all", "-a"}, .help = "", .takes_value = false});
  root.flags.push_back({.names = {"--size", "-s"}, .help = "", .takes_value = true});
  CommandGrammar inner{.name = "inner", .help = "in"};
  inner.words.push_back({.name = "one", .kind = WordKind::kChoices, .choices = {"x", "y"}});
  inner.words.push_back({.name = "more", .kind = WordKind::kFiles, .repeats = true});
  root.commands.push_back(inner);
  const auto line_of = [&root](const Words& words) { return read_typed(root, words); };
  CHECK(line_of({"-a", "inner", ""}).commands.size() == 2);
  CHECK(line_of({"-s", "inner", ""}).commands.size() == 1);  // the value of -s
  CHECK(line_of({"-sinner", "inner", ""}).commands.size() == 2);
  CHECK(line_of({"--size=inner", "inner", ""}).flag_values.front().second == "inner");
  CHECK(line_of({"--", "-a", ""}).words == Words{"-a"});
  CHECK(line_of({"inner", "inner", ""}).words == Words{"inner"});
  CHECK(line_of({}).typed.empty());
  const NameSource nobody = [](WordKind, const std::vector<std::string>&) { return Words(); };
  CHECK(complete(line_of({"inner", ""}), nobody).candidates == std::vector<Candidate>{{"x", ""}, {"y", ""}});
  CHECK(complete(line_of({"inner", "x", "f"}), nobody).kind == CompletionKind::kFiles);
  CHECK(complete(line_of({"inner", "x", "f", "g"}), nobody).kind == CompletionKind::kFiles);
  CHECK(complete(line_of({"-", ""}), nobody).candidates.empty());
  CHECK(complete(line_of({"--s"}), nobody).candidates == std::vector<Candidate>{{"--size", ""}});
  CHECK(complete(line_of({"inner", "--al"}), nobody).candidates == std::vector<Candidate>{{"--all", ""}});
}

TEST_CASE("completion: every word by its place is of a kind that is known", "[cli][completion]") {
  // A word of a new name is to be thought about: its kind is in completion_grammar.cpp, or it is one of these.
  const Words free{"name", "address"};
  for (const Command& command : commands()) {
    const size_t space = command.name.find(' ');
    Words line{std::string(command.name.substr(0, space))};
    if (space != std::string_view::npos) line.emplace_back(command.name.substr(space + 1));
    line.emplace_back("--help");
    const std::string help = run_leat(line).out;
    constexpr std::string_view kHeading = "Positionals:\n";
    if (help.find(kHeading) == std::string::npos) continue;
    const size_t begin = help.find(kHeading) + kHeading.size();
    const std::string row = help.substr(begin, help.find('\n', begin) - begin);
    const std::string name = row.substr(2, row.find_first_of(" .", 2) - 2);
    const bool is_known = has({"topic", "group", "context", "path", "what", "shell", "quota"}, name) || has(free, name);
    INFO(name);
    CHECK(is_known);
  }
}

TEST_CASE("completion: the scripts ask leat, and know no command", "[cli][completion]") {
  for (const std::string& shell : kCompletionShells) {
    const Captured result = run_leat({"completion", shell});
    INFO(shell);
    CHECK(result.exit_code == kExitOk);
    CHECK(result.out == completion_script(shell));
    CHECK(result.out.find("__complete -- ") != std::string::npos);
    CHECK(result.out.find("partitions") == std::string::npos);
    CHECK(result.out.ends_with('\n'));
  }
  CHECK(run_leat({"completion", "tcsh"}).exit_code == kExitUsage);
  CHECK(run_leat({"completion"}).exit_code == kExitUsage);
  CHECK(completion_script("tcsh").empty());
}
