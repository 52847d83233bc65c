// options.cpp: see options.h. CLI11 throws; its exceptions end here.
#include "server/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "core/metadata/nearest_name.h"

namespace leat {

namespace {

constexpr std::array<std::string_view, 9> kOptionNames{"--data-dir",  "--listen", "--metrics", "--config", "--set",
                                                       "--log-level", "--adopt",  "--version", "--help"};

constexpr std::string_view kFooter = R"(
Every setting of --config and --set has Kafka's name (num.partitions, log.retention.hours, listeners, ...); --set wins
over the file, the other options over both. Examples:
  leatd
      keeps its data in ./leat-data and listens on localhost:9092
  leatd --data-dir /var/lib/leat --listen 0.0.0.0:9092 --set advertised.listeners=PLAINTEXT://broker.example:9092
  leatd --config server.properties --set log.retention.hours=24

Logs go to stderr. When leatd is ready it says so in one line on stdout. SIGTERM, SIGINT (Ctrl-C) and SIGHUP (its
terminal is closed; not under nohup) stop it cleanly.
Exit codes: 0 stopped cleanly, 1 could not start or not stop cleanly, 2 wrong usage (an option, a setting).)";

// As a sentence.
std::string not_an_option(const std::string& name) {
  const std::string hint = nearest_name_hint(name, kOptionNames);
  return fmt::format("unknown option {}{}", name, hint.empty() ? "." : hint);
}

// "--dta-dir=x" was meant to be an option that we have.
std::optional<Error> unknown_option(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) continue;
    const std::string name = argument.substr(0, argument.find('='));
    if (std::find(kOptionNames.begin(), kOptionNames.end(), name) != kOptionNames.end()) continue;
    return Error(Errc::kInvalidArgument, not_an_option(name) + " See leatd --help.");
  }
  return std::nullopt;
}

// CLI11's errors in our words, as a sentence.
std::string wrong_use(const CLI::App& app, const CLI::ParseError& error) {
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool too_many = what.find("At Most") != std::string::npos;
    return what.substr(0, what.find(':')) + (too_many ? " may be given only once." : " needs a value.");
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    const size_t name = std::min(what.find("--"), what.size());
    return what.substr(name, what.find(' ', name) - name) + " takes no value.";  // only switches are converted
  }
  const std::vector<std::string> words = app.remaining();
  if (words.empty()) return what + ".";
  return words.front().starts_with('-') ? not_an_option(words.front())
                                        : fmt::format("unexpected word '{}'.", words.front());
}

// What a script makes of a variable that is not set. CLI11 takes it for an option that was not given.
std::optional<Error> empty_value(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    // The first '=', for --set=NAME= sets something to nothing.
    const bool ends_at_equals = argument.find('=') == argument.size() - 1;
    const bool is_empty = ends_at_equals || (i + 1 < arguments.size() && arguments[i + 1].empty());
    if (!argument.starts_with("--") || !is_empty) continue;
    return Error(Errc::kInvalidArgument, fmt::format("{} is empty: give it a value, or leave it out. See leatd --help.",
                                                     argument.substr(0, argument.find('='))));
  }
  return std::nullopt;
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  std::string level = "info";
  bool adopt = false;
  bool version = false;
  CLI::App app("leatd: an event log for one machine that speaks Kafka's protocol", "leatd");
  app.add_option("--data-dir", options.data_dir, "Where records are kept (log.dirs); ./leat-data if not given")
      ->type_name("DIR");
  app.add_option("--listen", options.listen,
                 "Where clients connect (listeners); localhost:9092 if not given, port 0 picks one")
      ->type_name("HOST:PORT");
  app.add_option("--metrics", options.metrics,
                 "Where metrics and health are served over HTTP (leat.metrics.listener); nowhere if not given")
      ->type_name("HOST:PORT");
  app.add_option("--config", options.config_file, "A Kafka-style properties file")->type_name("FILE");
  app.add_option("--set", options.assignments, "One setting by Kafka's name; may be given many times")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  app.add_option("--log-level", level, "debug, info, warn, error or off")->type_name("LEVEL");
  app.add_flag("--adopt", adopt,
               "Take in topic folders that the metadata does not know, as they are (say, of Apache Kafka)");
  app.add_flag("--version", version, "Print the version and end");
  app.footer(std::string(kFooter));

  if (std::optional<Error> unknown = unknown_option(arguments)) return fail(std::move(*unknown));
  if (std::optional<Error> empty = empty_value(arguments)) return fail(std::move(*empty));
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 takes them from the back
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    options.action = Options::Action::kPrintHelp;
    options.help = app.help();
    return options;
  } catch (const CLI::ParseError& error) {
    return fail(Errc::kInvalidArgument, wrong_use(app, error) + " See leatd --help.");
  }
  const std::optional<LogLevel> parsed = parse_log_level(level);
  if (!parsed) {
    return fail(Errc::kInvalidArgument,
                fmt::format("--log-level {}: one of debug, info, warn, error, off is needed", level));
  }
  options.log_level = *parsed;
  options.adopt = adopt ? Options::Adopt::kYes : Options::Adopt::kNo;
  if (version) options.action = Options::Action::kPrintVersion;
  return options;
}

}  // namespace leat
