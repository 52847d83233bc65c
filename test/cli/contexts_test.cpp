// contexts_test.cpp: the file of contexts, read, changed and written; which address counts; and the commands that keep
// it.
#include "cli/contexts.h"

#include "cli/contexts_address.h"
#include "cli/session.h"
#include "core/storage/posix_file_system.h"
#include "test/cli/captured.h"
#include "test/cli/environment.h"
#include "test/support/catch.h"
#include "test/support/temporary_directory.h"

using namespace leat;
using namespace leat::cli;
using namespace leat::test;

namespace {

constexpr const char* kByHand =
    "# mine\n"
    "\n"
    "  current=two.b \n"
    "context.one.bootstrap-server = localhost:9092\r\n"
    "! not now\n"
    "context.two.b.bootstrap-server\t=\ta.example:1,b.example:2";

ContextFile parsed(std::string_view text) {
  Result<ContextFile> file = ContextFile::parse(text, "F");
  REQUIRE(file.has_value());
  return *std::move(file);
}

std::string error_of(std::string_view text) {
  const Result<ContextFile> file = ContextFile::parse(text, "F");
  REQUIRE(!file.has_value());
  CHECK(file.error().code == Errc::kCorrupt);
  return file.error().context;
}

// A file of contexts of a test's own, and no other way to an address.
struct OwnContexts {
  TemporaryDirectory directory;
  std::string path = directory.path() + "/config/contexts";
  EnvironmentVariable config{"LEAT_CONFIG", path};
  EnvironmentVariable server{kAddressVariable, std::nullopt};

  void write(std::string_view text) {
    PosixFileSystem files;
    REQUIRE(make_directories(files, directory.path() + "/config").has_value());
    REQUIRE(replace_text_file(files, path, text, SyncKind::kData).has_value());
  }
  std::string text() const {
    PosixFileSystem files;
    const Result<std::string> read = read_text_file(files, path);
    return read ? *read : "(" + read.error().context + ")";
  }
};

}  // namespace

TEST_CASE("contexts: what is written by hand is read, and stays where it is", "[cli][contexts]") {
  ContextFile file = parsed(kByHand);
  CHECK(file.current() == "two.b");
  REQUIRE(file.contexts().size() == 2);
  CHECK(file.find("two.b")->bootstrap_servers == "a.example:1,b.example:2");
  CHECK((*file.current_context())->name == "two.b");
  REQUIRE(file.put({.name = "one", .bootstrap_servers = "elsewhere:7"}).has_value());
  REQUIRE(file.put({.name = "three", .bootstrap_servers = "[::1]:9092"}).has_value());
  REQUIRE(file.set_current("three").has_value());
  CHECK(file.to_string() ==
        "# mine\n"
        "\n"
        "current = three\n"
        "context.one.bootstrap-server = elsewhere:7\n"
        "! not now\n"
        "context.two.b.bootstrap-server\t=\ta.example:1,b.example:2\n"
        "context.three.bootstrap-server = [::1]:9092\n");
  REQUIRE(file.remove("three").has_value());
  CHECK(!file.current());
  REQUIRE(file.remove("one").has_value());
  CHECK(file.to_string() == "# mine\n\n! not now\ncontext.two.b.bootstrap-server\t=\ta.example:1,b.example:2\n");
  CHECK(parsed(file.to_string()).contexts().size() == 1);
}

TEST_CASE("contexts: a file that is begun says what it is, and its choice stands first", "[cli][contexts]") {
  ContextFile file = parsed("");
  CHECK(file.contexts().empty());
  CHECK(!file.current());
  REQUIRE(file.put({.name = "a", .bootstrap_servers = "h:1"}).has_value());
  REQUIRE(file.put({.name = "b", .bootstrap_servers = "h:2"}).has_value());
  REQUIRE(file.set_current("a").has_value());
  CHECK(file.to_string() ==
        "# Contexts of leat: named addresses. See: leat context --help\n"
        "current = a\n"
        "context.a.bootstrap-server = h:1\n"
        "context.b.bootstrap-server = h:2\n");
  REQUIRE(file.set_current(std::nullopt).has_value());
  CHECK(!file.current());
  CHECK(parsed("\xef\xbb\xbf"
               "context.a.bootstrap-server=h:1\r\n")
            .contains("a"));
}

TEST_CASE("contexts: whatever else a line says is an error with its place", "[cli][contexts]") {
  struct Wrong {
    const char* text;
    const char* told;
  };
  const Wrong wrongs[] = {
      {"\n# x\nstaging", "F:3: 'staging' has no '='"},
      {"curent = a\n", "F:1: unknown key 'curent'; did you mean 'current'?"},
      {"context.a.bootstrap = h:1\n",
       "F:1: unknown key 'context.a.bootstrap'; did you mean 'context.a.bootstrap-server'?"},
      {"context.bootstrap-server = h:1\n", "F:1: unknown key 'context.bootstrap-server'"},
      {"= h:1\n", "F:1: unknown key ''"},
      {"context.a b.bootstrap-server = h:1\n", "F:1: 'a b' is no name for a context"},
      {"context.-a.bootstrap-server = h:1\n", "F:1: '-a' is no name for a context"},
      {"current =\n", "F:1: '' is no name for a context"},
      {"context.a.bootstrap-server =\n", "F:1: '' is not HOST:PORT"},
      {"context.a.bootstrap-server = h:1,h:x\n", "F:1: 'h:x' is not HOST:PORT"},
      {"current = a\ncurrent = b\n", "F:2: current stands in line 1 already"},
      {"context.a.bootstrap-server = h:1\n\ncontext.a.bootstrap-server = h:1\n",
       "F:3: context.a.bootstrap-server stands in line 1 already"},
      {"\x7f"
       "ELF\x02\n",
       "F:1: this is no text"},
  };
  for (const Wrong& wrong : wrongs) {
    const std::string told = error_of(wrong.text);
    INFO(told);
    CHECK(told.starts_with(wrong.told));
  }
  CHECK(contains(error_of(std::string_view("current\0= a", 11)), "F:1: this is no text"));
}

TEST_CASE("contexts: a name that is none is answered with the nearest", "[cli][contexts]") {
  const ContextFile file = parsed("current = gone\ncontext.staging.bootstrap-server = h:1\n");
  CHECK(file.find("stagin").error().code == Errc::kNotFound);
  CHECK(contains(file.find("stagin").error().context, "; did you mean 'staging'? There are: staging"));
  CHECK(contains(file.find("zzzzzz").error().context, "there is no context 'zzzzzz' in F. There are: staging"));
  CHECK(contains(parsed("").find("a").error().context, "leat context add a HOST:PORT"));
  CHECK(file.current_context().error().code == Errc::kCorrupt);
  CHECK(contains(file.current_context().error().context, "F:1: the current context 'gone' does not exist"));
  CHECK(check_context_name("a.B_c-9").has_value());
  for (const char* name : {"", ".a", "_a", "a/b", "\xc3\xa4", "a=b", "a b"}) CHECK(!check_context_name(name));
}

TEST_CASE("contexts: the file is made, replaced whole, and left alone by a change that fails", "[cli][contexts]") {
  OwnContexts own;
  PosixFileSystem files;
  const auto add = [](ContextFile& file) { return file.put({.name = "a", .bootstrap_servers = "h:1"}); };
  REQUIRE(change_contexts(files, own.path, add).has_value());
  const std::string before = own.text();
  CHECK(contains(before, "context.a.bootstrap-server = h:1\n"));
  const auto fails = [](ContextFile& file) -> Result<void> {
    TRY(file.put({.name = "b", .bootstrap_servers = "h:2"}));
    return file.remove("nobody");
  };
  CHECK(change_contexts(files, own.path, fails).error().code == Errc::kNotFound);
  CHECK(own.text() == before);
  {
    const Result<std::unique_ptr<FileLock>> other = files.lock(own.path + ".lock");
    REQUIRE(other.has_value());
    CHECK(change_contexts(files, own.path, add).error().code == Errc::kLocked);
  }
  own.write("nonsense\n");
  CHECK(change_contexts(files, own.path, add).error().code == Errc::kCorrupt);
  CHECK(own.text() == "nonsense\n");
}

TEST_CASE("contexts: where the file is", "[cli][contexts]") {
  EnvironmentVariable config("LEAT_CONFIG", "/nowhere/mine");
  EnvironmentVariable xdg("XDG_CONFIG_HOME", "/nowhere/xdg");
  EnvironmentVariable home("HOME", "/nowhere/house");
  CHECK(*context_file_path() == "/nowhere/mine");
  config.set("");
  CHECK(*context_file_path() == "/nowhere/xdg/leat/contexts");
  xdg.set("relative");
  CHECK(*context_file_path() == "/nowhere/house/.config/leat/contexts");
  xdg.set(std::nullopt);
  CHECK(*context_file_path() == "/nowhere/house/.config/leat/contexts");
  home.set(std::nullopt);
  CHECK(context_file_path().error().code == Errc::kNotFound);
}

TEST_CASE("contexts: flags count before the environment, that before the file", "[cli][contexts]") {
  OwnContexts own;
  PosixFileSystem files;
  const auto chosen = [&files](const AddressFlags& flags) {
    const Result<ChosenAddress> address = choose_address(flags, files);
    REQUIRE(address.has_value());
    return address->bootstrap_servers + " " + std::string(to_string(address->source)) + " " + address->context;
  };
  CHECK(chosen({}) == "localhost:9092 the default ");
  own.write("current = a\ncontext.a.bootstrap-server = a:1\ncontext.b.bootstrap-server = b:2\n");
  CHECK(chosen({}) == "a:1 the current context a");
  own.server.set("env:3");
  CHECK(chosen({}) == "env:3 LEAT_BOOTSTRAP_SERVER ");
  CHECK(chosen({.bootstrap_servers = std::nullopt, .context = "b"}) == "b:2 --context b");
  CHECK(chosen({.bootstrap_servers = "flag:4", .context = "b"}) == "flag:4 -b ");
  CHECK(choose_address({.bootstrap_servers = std::nullopt, .context = "c"}, files).error().code == Errc::kNotFound);
  own.write("nonsense\n");
  CHECK(chosen({}) == "env:3 LEAT_BOOTSTRAP_SERVER ");
  CHECK(chosen({.bootstrap_servers = "flag:4", .context = std::nullopt}) == "flag:4 -b ");
  own.server.set(std::nullopt);
  CHECK(choose_address({}, files).error().code == Errc::kCorrupt);
}

TEST_CASE("contexts: the commands keep the file", "[cli][contexts]") {
  OwnContexts own;
  CHECK(run_leat({"context", "list"}).out == "No contexts. Make one with: leat context add NAME HOST:PORT\n");
  CHECK(run_leat({"context", "add", "local", "localhost:9092", "--use"}).out ==
        "Added context 'local', localhost:9092; it is used from now on.\n");
  CHECK(run_leat({"context", "add", "far", "a.example:1,b.example:2"}).exit_code == kExitOk);
  CHECK(run_leat({"context", "list"}).out ==
        "CURRENT  CONTEXT  ADDRESS\n"
        "         far      a.example:1,b.example:2\n"
        "*        local    localhost:9092\n");
  CHECK(run_leat({"context", "list", "--json"}).out ==
        R"({"context":"far","bootstrap_server":"a.example:1,b.example:2","current":false})"
        "\n"
        R"({"context":"local","bootstrap_server":"localhost:9092","current":true})"
        "\n");
  CHECK(run_leat({"context", "list", "-q"}).out == "far\nlocal\n");
  CHECK(run_leat({"context", "show", "-q"}).out == "localhost:9092\n");
  CHECK(contains(run_leat({"context", "show"}).out, "From     context 'local', the current context\n"));
  CHECK(run_leat({"context", "show", "-q", "--context", "far"}).out == "a.example:1,b.example:2\n");
  CHECK(run_leat({"context", "add", "far", "c:3", "--replace"}).out ==
        "Changed context 'far', c:3. To use it: leat context use far\n");
  CHECK(run_leat({"context", "use", "far"}).out == "Context 'far' is used from now on.\n");
  CHECK(contains(run_leat({"context", "remove", "far"}).out, "It was the one in use."));
  CHECK(run_leat({"context", "show", "-q"}).out == "localhost:9092\n");
  CHECK(run_leat({"context", "use", "local"}).exit_code == kExitOk);
  CHECK(run_leat({"context", "use", "--none"}).exit_code == kExitOk);
  CHECK(contains(run_leat({"context", "show"}).out, "From     the default\n"));
  CHECK(contains(own.text(), "context.local.bootstrap-server = localhost:9092\n"));
}

TEST_CASE("contexts: what the commands refuse changes nothing", "[cli][contexts]") {
  OwnContexts own;
  REQUIRE(run_leat({"context", "add", "staging", "h:1"}).exit_code == kExitOk);
  const std::string before = own.text();
  struct Refused {
    std::vector<std::string> line;
    int exit_code;
    const char* told;
  };
  const Refused refusals[] = {
      {{"context", "add", "staging", "h:2"}, kExitFailed, "--replace changes its address"},
      {{"context", "add", "a b", "h:2"}, kExitUsage, "'a b' is no name for a context"},
      {{"context", "add", "b", "h:port"}, kExitUsage, "'h:port' is not HOST:PORT"},
      {{"context", "use", "stagin"}, kExitFailed, "did you mean 'staging'?"},
      {{"context", "use"}, kExitUsage, "which context?"},
      {{"context", "use", "staging", "--none"}, kExitUsage, "which context?"},
      {{"context", "remove", "staging", "gone"}, kExitFailed, "there is no context 'gone'"},
      {{"topic", "list", "--context", "stagign"}, kExitFailed, "did you mean 'staging'?"},
      {{"topic", "list", "--contxt", "staging"}, kExitUsage, "did you mean '--context'?"},
  };
  for (const Refused& refused : refusals) {
    const Captured result = run_leat(refused.line);
    INFO(result.errors);
    CHECK(result.exit_code == refused.exit_code);
    CHECK(contains(result.errors, refused.told));
    CHECK(own.text() == before);
  }
  own.write("context.staging.bootstrap-server = h:1\ncontext.staging.address = h:2\n");
  const Captured damaged = run_leat({"topic", "list"});
  CHECK(damaged.exit_code == kExitFailed);
  CHECK(contains(damaged.errors, own.path + ":2: unknown key 'context.staging.address'"));
}

TEST_CASE("contexts: a command asks the broker of its context", "[cli][contexts]") {
  OwnContexts own;
  own.write("current = here\ncontext.here.bootstrap-server = 127.0.0.1:1\n");  // nobody listens there
  const Captured result = run_leat({"topic", "list"});
  CHECK(result.exit_code == kExitUnreachable);
  CHECK(contains(result.errors, "127.0.0.1:1"));
}
