// command_line.cpp: commands as CLI11's subcommands (flags.cpp has their flags, completion_grammar.cpp reads them back;
// nothing else knows CLI11). Words that it does not expect are collected, not thrown, so that the answer can name the
// nearest that is known.
#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/json_text.h"
#include "cli/suggest.h"

namespace leat::cli {

namespace {

constexpr std::string_view kVersion = "0.1.0";
constexpr size_t kHelpColumn = 34;  // where what flags and commands mean begins
constexpr std::string_view kAbout =
    "leat: the command line of Leat, an event log that speaks the Kafka protocol.\n"
    "It works with leatd and with Apache Kafka.";
constexpr std::string_view kFooter =
    "Begin here (leatd must be running; -b names another broker, as do --context and LEAT_BOOTSTRAP_SERVER):\n"
    "  leat topic create orders --partitions 3\n"
    "  echo hello | leat produce orders\n"
    "  leat consume orders --from-beginning --exit\n"
    "Every command teaches itself: leat COMMAND --help. Exit codes: 0 done, 1 refused or damaged,\n"
    "2 wrong usage, 3 broker not reachable, 4 a torn tail and nothing else (log verify).\n"
    "With --json errors are JSON, too, on stderr.";

// One subcommand at most: a topic may have the name of a command.
void prepare(CLI::App& app) {
  app.allow_extras();
  app.fallthrough();
  app.require_subcommand(0, 1);
  app.group("Commands");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->column_width(kHelpColumn);
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

// `what` as a sentence, and where to read on.
std::string with_help(const std::string& what, const CLI::App* app) {
  return with_hint(what, fmt::format("See: {} --help", joined(app)));
}

// Commands of this name elsewhere: "list" at the top is one of topic list and group list.
std::vector<std::string> commands_named(std::string_view word) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    const std::string_view last = command.name.substr(command.name.rfind(' ') + 1);
    if (last == word) names.push_back(fmt::format("'leat {}'", command.name));
  }
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
  const std::vector<std::string> elsewhere = takes_command ? commands_named(bare) : std::vector<std::string>();
  if (meant) {
    text += fmt::format("; did you mean '{}'?", *meant);
  } else if (!elsewhere.empty()) {
    text += fmt::format("; did you mean {}?", fmt::join(elsewhere, " or "));
  }
  return with_help(text, at);
}

// CLI11's errors in our words.
std::string wrong_use(CLI::App* root, const CLI::ParseError& error) {
  std::string what = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool too_many = what.find("At Most") != std::string::npos;
    what = what.substr(0, what.find(':')) + (too_many ? " may be given only once" : " needs a value");
  } else if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    const size_t name = std::min(what.find('-'), what.size());
    what = what.substr(name, what.find(' ', name) - name) + " takes no value";  // only switches are not checked before
  }
  const CLI::App* const at = innermost(root);
  return with_help(at == root ? what : fmt::format("'{}': {}", joined(at), what), at);
}

// "--" only says that what follows are no flags.
std::vector<std::string> unexpected_words(const CLI::App& root) {
  std::vector<std::string> words = root.remaining(true);
  std::erase(words, "--");
  return words;
}

void declare_globals(CLI::App& app, GlobalOptions& options) {
  constexpr int64_t kDayMs = 86'400'000;
  Flags flags(app);
  flags.text("-b,--bootstrap-server", "HOST:PORT", options.address.bootstrap_servers,
             "Broker to ask (several: separated by commas). Without it counts, in this order: --context, the variable "
             "LEAT_BOOTSTRAP_SERVER, the current context, localhost:9092");
  flags.text("--context", "CONTEXT", options.address.context,
             "Ask the brokers of this context; see: leat context --help");
  flags.on_off("--json", options.json, "Output and errors for programs: JSON, an object a line");
  flags.on_off("-q,--quiet", options.quiet, "Only data and errors");
  flags.number("--timeout", options.timeout_ms, {.least = 1, .greatest = kDayMs},
               "How long to wait for an answer, in milliseconds");
  flags.number("--wait", options.wait_ms, {.least = 0, .greatest = kDayMs},
               "How long to wait for a broker that is still starting, in milliseconds");
}

// For the help of every command: the flags that all of them take, which CLI11 shows only in that of `leat`.
std::string shared_flags(const CLI::App& root) {
  CLI::Formatter formatter;
  formatter.column_width(kHelpColumn);
  const std::vector<const CLI::Option*> flags = root.get_options([](const CLI::Option* option) {
    return option->nonpositional() && !option->check_name("--help") && !option->check_name("--version");
  });
  const std::string text = formatter.make_group("Flags of every command", false, flags);
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

using Actions = std::map<const CLI::App*, Action>;

void declare_commands(CLI::App& root, Actions& actions) {
  std::map<std::string, CLI::App*, std::less<>> groups;
  for (const CommandGroup& group : command_groups()) {
    CLI::App* const app = root.add_subcommand(std::string(group.name), std::string(group.summary));
    prepare(*app);
    app->footer([&root] { return shared_flags(root); });
    groups[std::string(group.name)] = app;
  }
  for (const Command& command : commands()) {
    const size_t space = command.name.find(' ');
    CLI::App& parent = space == std::string_view::npos ? root : *groups.find(command.name.substr(0, space))->second;
    const std::string_view name = space == std::string_view::npos ? command.name : command.name.substr(space + 1);
    CLI::App* const app = parent.add_subcommand(std::string(name), std::string(command.summary));
    prepare(*app);
    app->footer([&root] { return shared_flags(root); });
    app->footer("Examples:\n" + std::string(command.examples));
    Flags flags(*app);
    actions[app] = command.declare(flags);
  }
}

int refuse_use(Session& session, std::string what) {
  session.tell(Error(Errc::kInvalidArgument, std::move(what)));
  return kExitUsage;
}

void print_help(CLI::App& root, Session& session) {
  if (!session.options.json) return session.out(root.help());
  const std::string command = joined(innermost(&root));
  session.out(json_line({{"command", command}, {"help", root.help()}}));
}

void print_version(Session& session) {
  session.out(session.options.json ? json_line({{"name", std::string_view("leat")}, {"version", kVersion}})
                                   : fmt::format("leat {}\n", kVersion));
}

int run_chosen(CLI::App& root, const Actions& actions, Session& session) {
  if (const std::vector<std::string> extras = unexpected_words(root); !extras.empty()) {
    return refuse_use(session, unexpected_word(&root, extras.front()));
  }
  CLI::App* const chosen = innermost(&root);
  const auto action = actions.find(chosen);
  if (action == actions.end()) {
    if (session.options.json) {
      return refuse_use(session, with_help(fmt::format("'{}' needs a command: {}", joined(chosen),
                                                       fmt::join(command_names(chosen), ", ")),
                                           chosen));
    }
    session.console.warn(root.help());
    return kExitUsage;
  }
  const Result<int> code = action->second(session);
  session.console.end_progress();
  session.console.flush();
  if (code) return *code;
  const Error error = session.advised(code.error());
  session.tell(error);
  return session.exit_code_of(error);
}

int parse_and_run(std::span<const std::string> arguments, Session& session) {
  CLI::App root{std::string(kAbout), "leat"};
  prepare(root);
  root.set_version_flag("--version", std::string(kVersion));
  root.footer(std::string(kFooter));
  declare_globals(root, session.options);
  Actions actions;
  declare_commands(root, actions);
  if (!arguments.empty() && arguments.front() == kCompletionRequest) {
    return answer_completion(grammar_of(root), arguments.subspan(1), session);
  }
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    root.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    print_help(root, session);
    return kExitOk;
  } catch (const CLI::CallForVersion&) {
    print_version(session);
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    // A word that was misspelt often makes another one seem missing: it is named first.
    const std::vector<std::string> extras = unexpected_words(root);
    return refuse_use(session, extras.empty() ? wrong_use(&root, error) : unexpected_word(&root, extras.front()));
  }
  return run_chosen(root, actions, session);
}

// Also when the rest of the line is wrong: then CLI11 has set nothing yet.
bool asks_for_json(std::span<const std::string> arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), end, "--json") != end;
}

}  // namespace

// A command whose output was lost has failed, whatever it did.
int run_command_line(std::span<const std::string> arguments, Console& console, const Clock& clock) {
  Session session(console, clock);
  session.options.json = asks_for_json(arguments);
  const int exit_code = parse_and_run(arguments, session);
  console.flush();
  if (!console.output_error()) return exit_code;
  session.tell(*console.output_error());
  return exit_code == kExitOk ? kExitFailed : exit_code;
}

}  // namespace leat::cli
