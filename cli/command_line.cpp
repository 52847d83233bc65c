// command_line.cpp: the only place that knows CLI11. Words that it does not expect are collected, not thrown, so that
// the answer can name the nearest that is known.
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/suggest.h"

namespace leat::cli {

namespace {

constexpr std::string_view kAbout =
    "leat: the command line of Leat, an event log that speaks the Kafka protocol.\n"
    "It works with leatd and with Apache Kafka.";
constexpr std::string_view kFooter =
    "Begin here (leatd must be running; -b names another broker, or LEAT_BOOTSTRAP_SERVER does):\n"
    "  leat topic create orders --partitions 3\n"
    "  echo hello | leat produce orders\n"
    "  leat consume orders --from-beginning --exit\n"
    "Every command teaches itself: leat COMMAND --help. Exit codes: 0 done, 1 refused or damaged,\n"
    "2 wrong usage, 3 broker not reachable.";

void prepare(CLI::App& app) {
  app.allow_extras();
  app.fallthrough();
  app.get_formatter()->column_width(34);
  app.set_help_flag("-h,--help", "This text");
}

std::string joined(const CLI::App* app) {
  std::string name = app->get_name();
  for (const CLI::App* parent = app->get_parent(); parent != nullptr; parent = parent->get_parent()) {
    name = parent->get_name() + " " + name;
  }
  return name;
}

// The command that was named last; the root when none was.
CLI::App* innermost(CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return app;
}

std::vector<std::string> flag_names(const CLI::App* app) {
  std::vector<std::string> names;
  for (; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> command_names(CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::App* child : app->get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(child->get_name());
  return names;
}

std::string unexpected_word(CLI::App* root, const std::string& word) {
  CLI::App* const at = innermost(root);
  const bool is_flag = word.starts_with('-') && word != "-";
  const bool takes_command = !command_names(at).empty();
  const std::string bare = is_flag ? word.substr(0, word.find('=')) : word;
  const std::optional<std::string> meant = nearest(bare, is_flag ? flag_names(at) : command_names(at));
  std::string text = fmt::format("{} '{}'",
                                 is_flag         ? "unknown flag"
                                 : takes_command ? "unknown command"
                                                 : "unexpected word",
                                 bare);
  if (at != root) text += fmt::format(" for '{}'", joined(at));
  if (meant) text += fmt::format("; did you mean '{}'?", *meant);
  return text + fmt::format(" See: {} --help", joined(at));
}

void declare_globals(CLI::App& app, GlobalOptions& options) {
  app.add_option("-b,--bootstrap-server", options.bootstrap_server,
                 "Broker to ask, host:port (several: separated by commas)")
      ->envname("LEAT_BOOTSTRAP_SERVER")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_flag("--json", options.json, "Output for programs");
  app.add_flag("-q,--quiet", options.quiet, "Only data and errors");
  app.add_option("--timeout", options.timeout_ms, "How long to wait for an answer, in milliseconds")
      ->type_name("MS")
      ->check(CLI::Range(int64_t{1}, int64_t{86'400'000}));
}

using Actions = std::map<const CLI::App*, Action>;

void declare_commands(CLI::App& root, Actions& actions) {
  std::map<std::string, CLI::App*, std::less<>> groups;
  for (const CommandGroup& group : command_groups()) {
    CLI::App* const app = root.add_subcommand(std::string(group.name), std::string(group.summary));
    prepare(*app);
    groups[std::string(group.name)] = app;
  }
  for (const Command& command : commands()) {
    const size_t space = command.name.find(' ');
    CLI::App& parent = space == std::string_view::npos ? root : *groups.find(command.name.substr(0, space))->second;
    const std::string_view name = space == std::string_view::npos ? command.name : command.name.substr(space + 1);
    CLI::App* const app = parent.add_subcommand(std::string(name), std::string(command.summary));
    prepare(*app);
    app->footer("Examples:\n" + std::string(command.examples));
    Flags flags(*app);
    actions[app] = command.declare(flags);
  }
}

int report(Session& session, const Error& error) {
  if (session.options.json) {
    const JsonObject details{{"kind", to_string(error.code)}, {"message", error.context}};
    const std::string line = json_line({{"error", details.raw()}});
    session.console.warn(std::string_view(line).substr(0, line.size() - 1));
  } else {
    session.console.warn("leat: " + error.context);
  }
  if (error.code == Errc::kTimedOut || session.broker_unreachable()) return kExitUnreachable;
  return error.code == Errc::kInvalidArgument ? kExitUsage : kExitFailed;
}

int run_chosen(CLI::App& root, const Actions& actions, Session& session) {
  if (const std::vector<std::string> extras = root.remaining(true); !extras.empty()) {
    session.console.warn("leat: " + unexpected_word(&root, extras.front()));
    return kExitUsage;
  }
  CLI::App* const chosen = innermost(&root);
  const auto action = actions.find(chosen);
  if (action == actions.end()) {
    session.console.warn(chosen->help());
    return kExitUsage;
  }
  const Result<int> code = action->second(session);
  session.console.end_progress();
  session.console.flush();
  return code ? *code : report(session, code.error());
}

int parse_and_run(std::span<const std::string> arguments, Console& console, const Clock& clock) {
  Session session(console, clock);
  CLI::App root{std::string(kAbout), "leat"};
  prepare(root);
  root.set_version_flag("--version", "leat 0.1.0");
  root.footer(std::string(kFooter));
  declare_globals(root, session.options);
  Actions actions;
  declare_commands(root, actions);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    root.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    console.out(innermost(&root)->help());
    return kExitOk;
  } catch (const CLI::CallForVersion& version) {
    console.out(std::string(version.what()) + "\n");
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    // A word that was misspelt often makes another one seem missing: it is named first.
    const std::vector<std::string> extras = root.remaining(true);
    const std::string name = joined(innermost(&root));
    const std::string what = extras.empty() ? fmt::format("{}: {}. See: {} --help", name, error.what(), name)
                                            : "leat: " + unexpected_word(&root, extras.front());
    console.warn(what);
    return kExitUsage;
  }
  return run_chosen(root, actions, session);
}

}  // namespace

// A command whose output was lost has failed, whatever it did.
int run_command_line(std::span<const std::string> arguments, Console& console, const Clock& clock) {
  const int exit_code = parse_and_run(arguments, console, clock);
  console.flush();
  if (!console.output_error()) return exit_code;
  console.warn(fmt::format("leat: {}", console.output_error()->context));
  return exit_code == kExitOk ? kExitFailed : exit_code;
}

// ---- flags.h ----

void Flags::on_off(const std::string& names, bool& target, const std::string& help) {
  app_.add_flag(names, target, help);
}

void Flags::text(const std::string& names, const std::string& value, std::string& target, const std::string& help) {
  app_.add_option(names, target, help)->type_name(value);
}
void Flags::text(const std::string& names, const std::string& value, std::optional<std::string>& target,
                 const std::string& help) {
  app_.add_option(names, target, help)->type_name(value);
}
void Flags::texts(const std::string& names, const std::string& value, std::vector<std::string>& target,
                  const std::string& help) {
  app_.add_option(names, target, help)->type_name(value)->take_all()->allow_extra_args(false);
}
void Flags::number(const std::string& names, int64_t& target, NumberRange range, const std::string& help) {
  app_.add_option(names, target, help)
      ->type_name("N")
      ->check(CLI::Range(range.least, range.greatest))
      ->capture_default_str();
}
void Flags::number(const std::string& names, std::optional<int64_t>& target, NumberRange range,
                   const std::string& help) {
  app_.add_option(names, target, help)->type_name("N")->check(CLI::Range(range.least, range.greatest));
}
void Flags::numbers(const std::string& names, std::vector<int64_t>& target, NumberRange range,
                    const std::string& help) {
  app_.add_option(names, target, help)
      ->type_name("N")
      ->check(CLI::Range(range.least, range.greatest))
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
}
void Flags::choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
                   const std::string& help) {
  std::string value;
  for (const std::string& choice : choices) value += (value.empty() ? "" : "|") + choice;
  app_.add_option(names, target, help)
      ->type_name(value)
      ->check(CLI::IsMember(choices).description(""))
      ->capture_default_str();
}

void Flags::word(const std::string& name, std::string& target, Need need, const std::string& help) {
  app_.add_option(name, target, help)->type_name("")->required(need == Need::kRequired);
}
void Flags::words(const std::string& name, std::vector<std::string>& target, Need need, const std::string& help) {
  app_.add_option(name, target, help)->type_name("")->required(need == Need::kRequired);
}

}  // namespace leat::cli
