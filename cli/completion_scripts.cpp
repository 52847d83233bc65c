// completion_scripts.cpp: one script for each shell. The one for bash runs in bash 3.2 as well, which macOS has.
#include "cli/completion_scripts.h"

namespace leat::cli {
namespace {

// Bash cuts words at ':' and '=', where leat does not: they are put together again by the blanks of the line, and what
// bash keeps of the word by itself is taken off the answers.
constexpr std::string_view kBash =
    R"script(# leat completion bash: leat itself is asked what fits, so this never goes stale.
_leat() {
  local program=${1/#\~\//$HOME/} rest=${COMP_LINE:0:COMP_POINT} breaks='' kept='' kind='' gap token line word
  local -a words=()
  local i n=0
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    gap=${rest%%[![:space:]]*}
    rest=${rest#"$gap"}
    token=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then token=$rest; fi
    rest=${rest#*"$token"}
    if ((n > 0)) && [[ -z $gap ]]; then
      words[n-1]+=$token
    else
      words[n]=$token
      n=$((n + 1))
    fi
  done
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
  word=${words[n-1]}
  if [[ -n $breaks && $word == *["$breaks"]* ]]; then kept=${word%"${word##*["$breaks"]}"}; fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind=$line
      continue
    fi
    line=${line%%$'\t'*}
    printf -v line '%q' "${line#"$kept"}"
    COMPREPLY[${#COMPREPLY[@]}]=$line
  done < <("$program" __complete -- "${words[@]:1}" 2>/dev/null)
  if [[ $kind == open ]]; then
    compopt -o nospace 2>/dev/null
  elif [[ $kind == files ]] && ! compopt -o default 2>/dev/null; then
    while IFS= read -r line; do
      COMPREPLY[${#COMPREPLY[@]}]=$line
    done < <(compgen -f -- "$word")
  fi
  return 0
}
complete -F _leat leat
)script";

constexpr std::string_view kZsh = R"script(#compdef leat
# leat completion zsh: leat itself is asked what fits, so this never goes stale.
_leat() {
  local -a lines found last
  local line kind program=${(Q)words[1]}
  program=${program/#\~\//$HOME/}
  lines=("${(@f)$("$program" __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  kind=$lines[1]
  if [[ $kind == files ]]; then
    _files
    return
  fi
  for line in "${(@)lines[2,-1]}"; do
    found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  [[ $kind == open ]] && last=(-S '')
  _describe -t words leat found "${(@)last}"
}
if [[ $funcstack[1] == _leat ]]; then
  _leat "$@"
else
  compdef _leat leat
fi
)script";

constexpr std::string_view kFish =
    R"script(# leat completion fish: leat itself is asked what fits, so this never goes stale.
function __leat_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l lines (command $program __complete -- $words "$current" 2>/dev/null)
    test (count $lines) -gt 0; or return
    set -l kind $lines[1]
    set -e lines[1]
    if test "$kind" = files
        __fish_complete_path "$current"
        return
    end
    test (count $lines) -gt 0; and printf '%s\n' $lines
end
complete -c leat -f -a '(__leat_complete)'
)script";

}  // namespace

std::string_view completion_script(std::string_view shell) noexcept {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return {};
}

}  // namespace leat::cli
