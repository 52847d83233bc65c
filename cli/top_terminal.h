// top_terminal.h: the terminal while `leat top` has it: the alternate screen, without echo or cursor, put back as it
// was on every way out that a program has: the end, SIGINT, SIGTERM, SIGHUP, SIGQUIT, an abort. Ctrl-Z puts it back,
// too, and `fg` goes on. SIGKILL cannot be helped: `reset` does. Thread: one; signals may come in any.
#pragma once

#include <optional>
#include <span>

#include "cli/top_screen.h"

namespace leat::cli {

// What signals asked for; SIGINT and SIGTERM a second time end the process at once. One at a time.
class TopSignals {
 public:
  enum class Of : uint8_t { kLines, kScreen };  // kScreen: also those that a screen has to be put back for

  TopSignals(Of of, int wake_end) noexcept;  // a byte is written there when one comes
  ~TopSignals();                             // as they were before
  TopSignals(const TopSignals&) = delete;
  TopSignals& operator=(const TopSignals&) = delete;

  static bool end_asked() noexcept;
  static bool take_resize() noexcept;
  static bool take_suspend() noexcept;

 private:
  Of of_;
};

class TopTerminal {
 public:
  // Both are terminals, or only `output`: then there are no keys. Not on one that knows no commands (TERM=dumb).
  static bool can_be_had(int output);
  TopTerminal(int input, int output) noexcept;
  ~TopTerminal();
  TopTerminal(const TopTerminal&) = delete;
  TopTerminal& operator=(const TopTerminal&) = delete;

  bool has_keys() const noexcept { return has_keys_; }
  std::optional<char> next_key() noexcept;  // without waiting; the terminal is gone: 'q'
  ScreenSize size() const noexcept;
  void draw(std::span<const ScreenLine> lines) noexcept;
  void suspend() noexcept;  // until SIGCONT

 private:
  void enter() noexcept;

  int input_;
  int output_;
  bool has_keys_;
};

}  // namespace leat::cli
