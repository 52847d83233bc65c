// banned_rules.cpp: calls and constructs that have no place in Leat, or only in some rooms, each with what to use
// instead.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "test/tidy/rules.h"

namespace leat::tidy {

namespace {

enum class Where {
  kEverywhere,
  kProduct,  // every room but test and benchmarks
  kQuiet,    // core, net, client and server: code that runs inside somebody's process without a terminal
  kCore,
  kOutsideLoop,  // every room but net/loop, test and benchmarks
};

struct Banned {
  std::string_view text;  // in code; where it begins or ends with a word character, it is a whole word there
  Where where;
  std::string_view instead;
};

constexpr std::string_view kUseClock = "take the time from an injected Clock (core/base/clock.h)";
constexpr std::string_view kUseRandom = "take randomness from an injected Random (core/base/random.h)";
constexpr std::string_view kNoSleep = "wait for the event itself; in the product with a timer of the loop";
constexpr std::string_view kNoPrint = "answer with a Result, or log (server/log.h); only main and cli print";
constexpr std::string_view kNoLock = "core has no threads of its own: pass what is needed by value";
constexpr std::string_view kNoThread = "loop and workers are all the threads there are (net/loop)";

constexpr std::array kBanned{
    Banned{".detach()", Where::kEverywhere, "a thread is joined by its owner"},
    Banned{"sleep(", Where::kEverywhere, kNoSleep},
    Banned{"usleep(", Where::kEverywhere, kNoSleep},
    Banned{"nanosleep(", Where::kEverywhere, kNoSleep},
    Banned{"uv_sleep(", Where::kEverywhere, kNoSleep},
    Banned{"this_thread::sleep_for", Where::kEverywhere, kNoSleep},
    Banned{"this_thread::sleep_until", Where::kEverywhere, kNoSleep},
    Banned{"rand(", Where::kEverywhere, kUseRandom},
    Banned{"srand(", Where::kEverywhere, kUseRandom},
    Banned{"random_device", Where::kEverywhere, kUseRandom},
    Banned{"std::mt19937", Where::kEverywhere, kUseRandom},
    Banned{"std::mt19937_64", Where::kEverywhere, kUseRandom},
    Banned{"getentropy(", Where::kEverywhere, kUseRandom},
    Banned{"getrandom(", Where::kEverywhere, kUseRandom},
    Banned{"time(nullptr)", Where::kEverywhere, kUseClock},
    Banned{"time(NULL)", Where::kEverywhere, kUseClock},
    Banned{"time(0)", Where::kEverywhere, kUseClock},
    Banned{"gettimeofday(", Where::kEverywhere, kUseClock},
    Banned{"clock_gettime(", Where::kEverywhere, kUseClock},
    Banned{"system_clock", Where::kEverywhere, kUseClock},
    Banned{"high_resolution_clock", Where::kEverywhere, kUseClock},
    Banned{"steady_clock", Where::kProduct, kUseClock},
    Banned{"uv_hrtime(", Where::kProduct, kUseClock},
    Banned{"uv_now(", Where::kProduct, kUseClock},
    Banned{"std::cout", Where::kQuiet, kNoPrint},
    Banned{"std::cerr", Where::kQuiet, kNoPrint},
    Banned{"printf(", Where::kQuiet, kNoPrint},
    Banned{"fprintf(", Where::kQuiet, kNoPrint},
    Banned{"puts(", Where::kQuiet, kNoPrint},
    Banned{"fmt::print(", Where::kQuiet, kNoPrint},
    Banned{"throw", Where::kProduct, "failures are Results; a library's exceptions are caught at the call"},
    Banned{"catch (...)", Where::kProduct, "catch the library's own exception type, at its call"},
    Banned{".value()", Where::kProduct, "it throws: test, then use `*`, or TRY"},
    Banned{"exit(", Where::kQuiet, "return a Result; main decides"},
    Banned{"std::mutex", Where::kCore, kNoLock},
    Banned{"std::shared_mutex", Where::kCore, kNoLock},
    Banned{"std::condition_variable", Where::kCore, kNoLock},
    Banned{"std::thread", Where::kOutsideLoop, kNoThread},
    Banned{"std::jthread", Where::kOutsideLoop, kNoThread},
    Banned{"std::async", Where::kOutsideLoop, kNoThread},
    Banned{"uv_thread_create(", Where::kOutsideLoop, kNoThread},
    Banned{"uv_queue_work(", Where::kEverywhere,
           "libuv's pool is shared with DNS and has no order: Workers (net/loop)"},
    Banned{"std::endl", Where::kEverywhere, "it flushes: '\\n'"},
    Banned{"assert(", Where::kEverywhere, "ENSURE stays on in release (core/base/check.h)"},
};

bool starts_with(std::string_view text, std::string_view what) { return text.substr(0, what.size()) == what; }

bool applies(Where where, const SourceText& source) {
  const std::string_view path = source.path;
  switch (where) {
    case Where::kEverywhere:
      return true;
    case Where::kProduct:
      return !source.is_test();
    case Where::kQuiet:
      return !source.is_test() && !starts_with(path, "cli/") && path != "server/main.cpp";
    case Where::kCore:
      return starts_with(path, "core/");
    case Where::kOutsideLoop:
      return !source.is_test() && !starts_with(path, "net/loop/");
  }
  return true;
}

bool stands_alone(std::string_view line, size_t at, std::string_view text) {
  const size_t end = at + text.size();
  if (is_word(text.front()) && at > 0 && is_word(line[at - 1])) return false;
  return !(is_word(text.back()) && end < line.size() && is_word(line[end]));
}

// `clock.sleep(` or `Job::exit(` are somebody's own names, unless they are std's or the global ones.
bool is_own_name(std::string_view line, size_t at, std::string_view text) {
  if (!is_word(text.front()) || text.back() != '(') return false;
  const std::string_view before = line.substr(0, at);
  const auto ends = [before](std::string_view what) {
    return before.size() >= what.size() && before.substr(before.size() - what.size()) == what;
  };
  if (ends("std::")) return false;
  if (ends(".") || ends("->")) return true;
  return ends("::") && before.size() > 2 && is_word(before[before.size() - 3]);
}

}  // namespace

void check_banned(const SourceText& source, Violations& found) {
  for (const Banned& banned : kBanned) {
    if (!applies(banned.where, source)) continue;
    for (size_t i = 0; i < source.code.size(); ++i) {
      const std::string_view line = source.code[i];
      for (size_t at = line.find(banned.text); at != std::string_view::npos; at = line.find(banned.text, at + 1)) {
        if (!stands_alone(line, at, banned.text) || is_own_name(line, at, banned.text)) continue;
        found.push_back({"banned-call", source.path, i + 1, fmt::format("`{}`: {}", banned.text, banned.instead)});
        break;
      }
    }
  }
}

}  // namespace leat::tidy
