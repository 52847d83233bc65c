// completion.h: what fits where the cursor stands. The shells' scripts (completion_scripts.h) ask
//   leat __complete -- WORD...       the words of the line without `leat`, up to the cursor; the last is being typed
// and are answered in lines: first "words", "open" (words that go on: no blank follows) or "files" (the shell completes
// names of files itself), then for each word that fits WORD TAB HELP. Nothing is said on the error stream, and a broker
// has half a second. Pure, but for the names.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/completion_grammar.h"
#include "cli/session.h"

namespace leat::cli {

inline constexpr std::string_view kCompletionRequest = "__complete";  // no command: it is in no help

struct Candidate {
  std::string word;  // whole, as it shall stand in the line
  std::string help;

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

enum class CompletionKind : uint8_t { kWords, kOpenWords, kFiles };

struct Completion {
  CompletionKind kind = CompletionKind::kWords;
  std::vector<Candidate> candidates = {};
};

// What the line says so far, in the parts that matter to what comes next.
struct TypedLine {
  std::vector<const CommandGrammar*> commands;                   // from `leat` to the innermost; flags of all are valid
  std::vector<std::string> words;                                // by their place, before the one that is being typed
  std::vector<std::string> flag_names;                           // those that were given, as they were written
  std::vector<std::pair<std::string, std::string>> flag_values;  // by their first long name
  const FlagGrammar* flag = nullptr;                             // its value is being typed
  std::string before_value;                                      // of the word that is being typed: "--acks="
  std::string typed;                                             // the rest of it
  bool only_words = false;                                       // behind "--" there are no flags
};
TypedLine read_typed(const CommandGrammar& root, std::span<const std::string> words);

// Names of kTopics, kGroups, kContexts, and for kConfigWords those of the settings of what the words before are about.
using NameSource = std::function<std::vector<std::string>(WordKind kind, const std::vector<std::string>& words)>;
Completion complete(const TypedLine& line, const NameSource& names);

// The answer to `leat __complete`; `arguments` without the request itself.
int answer_completion(const CommandGrammar& root, std::span<const std::string> arguments, Session& session);

}  // namespace leat::cli
