// completion_grammar.cpp: CLI11's declarations, read back.
#include "cli/completion_grammar.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

namespace leat::cli {
namespace {

struct NamedKind {
  std::string_view name;  // of a flag without dashes, or of a word by its place
  WordKind kind;
};
constexpr std::array kNamedKinds{
    NamedKind{"topic", WordKind::kTopics},     NamedKind{"group", WordKind::kGroups},
    NamedKind{"context", WordKind::kContexts}, NamedKind{"path", WordKind::kFiles},
    NamedKind{"what", WordKind::kConfigWords}, NamedKind{"quota", WordKind::kQuotas},
};

std::vector<std::string> split_choices(std::string_view text) {
  std::vector<std::string> choices;
  for (;;) {
    const size_t bar = text.find('|');
    choices.emplace_back(text.substr(0, bar));
    if (bar == std::string_view::npos) return choices;
    text.remove_prefix(bar + 1);
  }
}

// Flags::choice shows its choices as the value's name: "none|gzip|zstd".
WordGrammar word_of(const CLI::Option& option, const std::string& name) {
  WordGrammar word{.name = name, .repeats = option.get_expected_max() > 1};
  const std::string shown = option.get_type_name();
  if (shown.find('|') != std::string::npos) {
    word.kind = WordKind::kChoices;
    word.choices = split_choices(shown);
    return word;
  }
  const auto* const known = std::find_if(kNamedKinds.begin(), kNamedKinds.end(),
                                         [&name](const NamedKind& candidate) { return candidate.name == name; });
  if (known != kNamedKinds.end()) word.kind = known->kind;
  return word;
}

FlagGrammar flag_of(const CLI::Option& option) {
  FlagGrammar flag{.names = {}, .help = option.get_description(), .takes_value = option.get_items_expected_max() > 0};
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  flag.value = word_of(option, option.get_lnames().empty() ? option.get_snames().front() : option.get_lnames().front());
  return flag;
}

}  // namespace

CommandGrammar grammar_of(const CLI::App& app) {
  CommandGrammar command{.name = app.get_name(), .help = app.get_description()};
  for (const CLI::Option* const option : app.get_options()) {
    if (option->nonpositional()) {
      command.flags.push_back(flag_of(*option));
    } else {
      command.words.push_back(word_of(*option, option->get_name(true)));
    }
  }
  for (const CLI::App* const child : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.commands.push_back(grammar_of(*child));
  }
  return command;
}

}  // namespace leat::cli
