// options_test.cpp: the command line, right and mistyped.
#include "server/options.h"

#include "test/support/catch.h"

namespace leat {
namespace {

TEST_CASE("options: all of them", "[server]") {
  const Result<Options> options = parse_options({"--data-dir", "/d", "--listen=:0", "--metrics=:1", "--config", "f",
                                                 "--set", "a=1", "--set=b=2=3", "--log-level", "warn", "--adopt"});
  REQUIRE(options);
  REQUIRE(options->action == Options::Action::kRun);
  REQUIRE(options->data_dir == "/d");
  REQUIRE(options->listen == ":0");
  REQUIRE(options->metrics == ":1");
  REQUIRE(options->config_file == "f");
  REQUIRE(options->assignments == std::vector<std::string>{"a=1", "b=2=3"});
  REQUIRE(options->log_level == LogLevel::kWarn);
  REQUIRE(options->adopt == Options::Adopt::kYes);
}

TEST_CASE("options: a setting may be set to nothing", "[server]") {
  const Result<Options> options = parse_options({"--set=a=", "--set", "b="});
  REQUIRE(options);
  REQUIRE(options->assignments == std::vector<std::string>{"a=", "b="});
}

TEST_CASE("options: none is fine, help and version say what they are asked", "[server]") {
  REQUIRE(parse_options({})->action == Options::Action::kRun);
  REQUIRE(parse_options({"--version"})->action == Options::Action::kPrintVersion);
  for (const char* help : {"--help", "-h"}) {
    const Result<Options> options = parse_options({help});
    REQUIRE(options);
    REQUIRE(options->action == Options::Action::kPrintHelp);
    REQUIRE(options->help.find("--data-dir") != std::string::npos);
    REQUIRE(options->help.find("Exit codes: 0") != std::string::npos);
  }
}

TEST_CASE("options: a mistyped one is named with the nearest", "[server]") {
  for (const auto& [wrong, meant] :
       {std::pair{"--data-dri", "--data-dir"}, {"--lisen=:0", "--listen"}, {"--adpot", "--adopt"}}) {
    const Result<Options> options = parse_options({wrong, "x"});
    REQUIRE_FALSE(options);
    INFO(options.error().context);
    REQUIRE(options.error().context.find(meant) != std::string::npos);
    REQUIRE(options.error().context.find('\n') == std::string::npos);
  }
}

TEST_CASE("options: what is wrong is told in whole sentences of ours", "[server]") {
  struct Wrong {
    std::vector<std::string> arguments;
    std::string told;
  };
  const std::vector<Wrong> wrongs{
      {{"--bogus"}, "unknown option --bogus. See leatd --help."},
      {{"--lisen", "x"}, "unknown option --lisen, did you mean --listen? See leatd --help."},
      {{"-x"}, "unknown option -x. See leatd --help."},
      {{"-listen", ":1"}, "unknown option -listen, did you mean --listen? See leatd --help."},
      {{"--listen", "a:1", "--listen", "b:2"}, "--listen may be given only once. See leatd --help."},
      {{"--config=a", "--config=b"}, "--config may be given only once. See leatd --help."},
      {{"--metrics"}, "--metrics needs a value. See leatd --help."},
      {{"--set"}, "--set needs a value. See leatd --help."},
      {{"--adopt=perhaps"}, "--adopt takes no value. See leatd --help."},
      {{"--adopt", "stray", "more"}, "unexpected word 'stray'. See leatd --help."},
      {{"--log-level", "loud"}, "--log-level loud: one of debug, info, warn, error, off is needed"}};
  for (const Wrong& wrong : wrongs) {
    const Result<Options> options = parse_options(wrong.arguments);
    REQUIRE_FALSE(options);
    CHECK(options.error().context == wrong.told);
  }
}

TEST_CASE("options: what is wrong is refused in one line", "[server]") {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--log-level", "loud"},
                                             {"--data-dir"},
                                             {"stray"},
                                             {"--adopt=perhaps"},
                                             {"-x"},
                                             {"--data-dir", ""},
                                             {"--listen="},
                                             {"--config", "", "--adopt"},
                                             {"--data-dir", "a", "--data-dir", "b"}}) {
    const Result<Options> options = parse_options(arguments);
    INFO(arguments.front());
    REQUIRE_FALSE(options);
    REQUIRE(options.error().context.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace leat
