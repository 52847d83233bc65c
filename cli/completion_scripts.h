// completion_scripts.h: what the shells run to complete a word of a `leat` line. The scripts know no command and no
// flag: they ask `leat __complete` (completion.h), so that one which was installed once fits every later leat. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

inline const std::vector<std::string> kCompletionShells = {"bash", "zsh", "fish"};

// "" for another shell.
std::string_view completion_script(std::string_view shell) noexcept;

}  // namespace leat::cli
