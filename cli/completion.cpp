// completion.cpp: the line is read as the parser would read it, but for its mistakes, which its user will be told of.
#include "cli/completion.h"

#include <algorithm>

#include "cli/quota_entity.h"

namespace leat::cli {
namespace {

const FlagGrammar* find_flag(const TypedLine& line, std::string_view name) {
  for (auto command = line.commands.rbegin(); command != line.commands.rend(); ++command) {
    for (const FlagGrammar& flag : (*command)->flags) {
      if (std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end()) return &flag;
    }
  }
  return nullptr;
}

// The flag that a word begins with: "--acks", "--acks=all", "-a", "-aall".
std::string_view flag_name_in(std::string_view word) noexcept {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

bool looks_like_flag(const TypedLine& line, std::string_view word) noexcept {
  return !line.only_words && word.size() > 1 && word.front() == '-';
}

const CommandGrammar* child_named(const CommandGrammar& command, std::string_view name) {
  const auto found = std::find_if(command.commands.begin(), command.commands.end(),
                                  [name](const CommandGrammar& child) { return child.name == name; });
  return found == command.commands.end() ? nullptr : &*found;
}

// A word that stands before the one that is being typed.
void take_word(TypedLine& line, const std::string& word) {
  if (line.flag != nullptr) {
    line.flag_values.emplace_back(line.flag->names.front(), word);
    line.flag = nullptr;
    return;
  }
  if (!line.only_words && word == "--") {
    line.only_words = true;
    return;
  }
  if (looks_like_flag(line, word)) {
    const std::string_view name = flag_name_in(word);
    line.flag_names.emplace_back(name);
    const FlagGrammar* const flag = find_flag(line, name);
    if (flag == nullptr || !flag->takes_value) return;
    if (name.size() == word.size()) {
      line.flag = flag;
    } else {
      const size_t skipped = name.size() + (word[name.size()] == '=' ? 1 : 0);
      line.flag_values.emplace_back(flag->names.front(), word.substr(skipped));
    }
    return;
  }
  const CommandGrammar* const child = line.words.empty() ? child_named(*line.commands.back(), word) : nullptr;
  if (child != nullptr) {
    line.commands.push_back(child);
  } else {
    line.words.push_back(word);
  }
}

void offer(Completion& completion, const TypedLine& line, const std::string& word, const std::string& help) {
  const bool is_printable = std::none_of(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;  // it would break the lines of the answer
  });
  if (word.starts_with(line.typed) && is_printable) completion.candidates.push_back({line.before_value + word, help});
}

bool was_given(const TypedLine& line, const FlagGrammar& flag) {
  return std::any_of(flag.names.begin(), flag.names.end(), [&line](const std::string& name) {
    return std::find(line.flag_names.begin(), line.flag_names.end(), name) != line.flag_names.end();
  });
}

// By their long names; once given, only those that may be repeated.
void offer_flags(Completion& completion, const TypedLine& line) {
  for (auto command = line.commands.rbegin(); command != line.commands.rend(); ++command) {
    for (const FlagGrammar& flag : (*command)->flags) {
      const bool is_inherited_help = command != line.commands.rbegin() && flag.names.front() == "--help";
      if (is_inherited_help || (was_given(line, flag) && !flag.value.repeats)) continue;
      offer(completion, line, flag.names.front(), flag.help);
    }
  }
}

void offer_names(Completion& completion, const TypedLine& line, WordKind kind, const NameSource& names) {
  for (const std::string& name : names(kind, line.words)) {
    const bool is_there =
        line.flag == nullptr && std::find(line.words.begin(), line.words.end(), name) != line.words.end();
    if (!is_there) offer(completion, line, name, "");
  }
}

// "topic NAME SETTING...", "group NAME SETTING...", "broker SETTING..."; of config set they go on with a value.
void offer_config_words(Completion& completion, const TypedLine& line, const NameSource& names) {
  if (line.words.empty()) {
    offer(completion, line, "topic", "Settings of a topic");
    offer(completion, line, "group", "Settings of a group");
    offer(completion, line, "broker", "Settings of the broker");
  } else if (line.words.size() == 1 && (line.words.front() == "topic" || line.words.front() == "group")) {
    const WordKind kind = line.words.front() == "group" ? WordKind::kGroups : WordKind::kTopics;
    for (const std::string& name : names(kind, {})) offer(completion, line, name, "");
  } else {
    const bool sets = line.commands.back()->name == "set";
    if (sets) completion.kind = CompletionKind::kOpenWords;
    for (const std::string& name : names(WordKind::kConfigWords, line.words)) {
      offer(completion, line, sets ? name + "=" : name, "");
    }
  }
}

void offer_quotas(Completion& completion, const TypedLine& line) {
  const bool sets = line.commands.back()->name == "set";
  if (sets) completion.kind = CompletionKind::kOpenWords;
  for (const std::string& key : quota_keys()) {
    const std::string word = sets ? key + "=" : key;
    const bool is_there = std::any_of(line.words.begin(), line.words.end(), [&](const std::string& given) {
      return sets ? given.starts_with(word) : given == word;
    });
    if (!is_there) offer(completion, line, word, "");
  }
}

void offer_word(Completion& completion, const TypedLine& line, const WordGrammar& word, const NameSource& names) {
  switch (word.kind) {
    case WordKind::kAnything:
      return;
    case WordKind::kChoices:
      for (const std::string& choice : word.choices) offer(completion, line, choice, "");
      return;
    case WordKind::kFiles:
      completion.kind = CompletionKind::kFiles;
      return;
    case WordKind::kQuotas:
      return offer_quotas(completion, line);
    case WordKind::kConfigWords:
      return offer_config_words(completion, line, names);
    case WordKind::kTopics:
    case WordKind::kGroups:
    case WordKind::kContexts:
      return offer_names(completion, line, word.kind, names);
  }
}

// The one that the next word by its place would be; none when there are enough.
const WordGrammar* next_word(const TypedLine& line) {
  const std::vector<WordGrammar>& declared = line.commands.back()->words;
  if (line.words.size() < declared.size()) return &declared[line.words.size()];
  return !declared.empty() && declared.back().repeats ? &declared.back() : nullptr;
}

}  // namespace

TypedLine read_typed(const CommandGrammar& root, std::span<const std::string> words) {
  TypedLine line;
  line.commands.push_back(&root);
  if (words.empty()) return line;
  for (const std::string& word : words.first(words.size() - 1)) take_word(line, word);
  line.typed = words.back();
  const size_t equals = line.typed.find('=');
  if (line.flag == nullptr && equals != std::string::npos && !line.only_words && line.typed.starts_with("--")) {
    line.flag = find_flag(line, std::string_view(line.typed).substr(0, equals));
    line.before_value = line.typed.substr(0, equals + 1);
    line.typed.erase(0, equals + 1);
  }
  return line;
}

Completion complete(const TypedLine& line, const NameSource& names) {
  Completion completion;
  if (line.flag != nullptr) {
    offer_word(completion, line, line.flag->value, names);
    return completion;
  }
  if (!line.before_value.empty()) return completion;  // the value of a flag that nobody knows
  const bool begins_flag = !line.only_words && line.typed.starts_with('-');
  if (begins_flag) {
    offer_flags(completion, line);
    return completion;
  }
  const std::vector<CommandGrammar>& children = line.commands.back()->commands;
  if (!children.empty()) {
    if (!line.words.empty()) return completion;  // a word stands where a command belongs
    for (const CommandGrammar& child : children) offer(completion, line, child.name, child.help);
    return completion;
  }
  if (const WordGrammar* const word = next_word(line)) {
    offer_word(completion, line, *word, names);
  } else if (line.typed.empty() && !line.only_words) {
    offer_flags(completion, line);  // nothing else can follow
  }
  return completion;
}

}  // namespace leat::cli
