// completion_grammar.h: the commands and flags of `leat` for who completes words: read off the command line's own
// declarations, so that there is no second list that could go stale. What a word or a flag's value may be follows from
// its name ("topic", "--group", "path") or from the choices that it was declared with. Thread: any one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace leat::cli {

enum class WordKind : uint8_t {
  kAnything,  // nobody but the user knows
  kChoices,
  kTopics,
  kGroups,
  kContexts,
  kFiles,
  kQuotas,       // their names; for quota set with a value: "producer_byte_rate="
  kConfigWords,  // of config get and set: "topic NAME SETTING...", "group NAME SETTING..." or "broker SETTING..."
};

struct WordGrammar {
  std::string name;
  WordKind kind = WordKind::kAnything;
  std::vector<std::string> choices = {};
  bool repeats = false;
};

struct FlagGrammar {
  std::vector<std::string> names;  // with their dashes, the long ones first
  std::string help;
  bool takes_value = false;
  WordGrammar value = {};
};

struct CommandGrammar {
  std::string name;
  std::string help;
  std::vector<CommandGrammar> commands = {};
  std::vector<FlagGrammar> flags = {};  // its own; those of the commands around it are valid as well
  std::vector<WordGrammar> words = {};  // by their place
};

// Of a whole declared command line.
CommandGrammar grammar_of(const CLI::App& app);

}  // namespace leat::cli
