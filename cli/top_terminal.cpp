// top_terminal.cpp: escape sequences of the VT100 family and xterm, which every terminal of today knows. What a signal
// handler needs is in plain globals: it may come in any thread, and call only what POSIX allows there.
#include "cli/top_terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/console.h"
#include "cli/top_wake.h"

namespace leat::cli {
namespace {

// The alternate screen, no cursor, no new line where a line is too long; and the way back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

constexpr std::array kEnding{SIGINT, SIGTERM, SIGHUP};
constexpr std::array kFatal{SIGQUIT, SIGABRT};
constexpr std::array kOfScreen{SIGWINCH, SIGTSTP};
constexpr size_t kSignalCount = kEnding.size() + kFatal.size() + kOfScreen.size();

volatile std::sig_atomic_t end_seen = 0;
volatile std::sig_atomic_t resize_seen = 0;
volatile std::sig_atomic_t suspend_seen = 0;
volatile std::sig_atomic_t wake_descriptor = -1;

// What a screen has to be put back to; valid while `screen_is_ours`.
volatile std::sig_atomic_t screen_is_ours = 0;
volatile std::sig_atomic_t screen_input = -1;  // -1: it has no settings of ours
volatile std::sig_atomic_t screen_output = -1;
termios settings_before{};

std::array<struct sigaction, kSignalCount> handlers_before{};

// Fit for a signal handler.
void put_back_screen() noexcept {
  if (screen_is_ours == 0) return;
  screen_is_ours = 0;
  (void)write_all(screen_output, kLeave);
  if (screen_input >= 0) (void)::tcsetattr(screen_input, TCSANOW, &settings_before);
}

void end_at_once(int number) noexcept {
  put_back_screen();
  (void)std::signal(number, SIG_DFL);
  (void)::raise(number);  // is delivered when the handler returns
}

void on_signal(int number) noexcept {
  const int error_before = errno;
  if (number == SIGWINCH) {
    resize_seen = 1;
  } else if (number == SIGTSTP) {
    suspend_seen = 1;
  } else if (number == SIGQUIT || number == SIGABRT || end_seen != 0) {
    end_at_once(number);
  } else {
    end_seen = 1;
  }
  WakePipe::wake(wake_descriptor);
  errno = error_before;
}

std::array<int, kSignalCount> all_signals() noexcept {
  std::array<int, kSignalCount> all{};
  size_t count = 0;
  for (const int number : kEnding) all[count++] = number;
  for (const int number : kFatal) all[count++] = number;
  for (const int number : kOfScreen) all[count++] = number;
  return all;
}

// A terminal that hangs up ends lines the usual way.
size_t signal_count(TopSignals::Of of) noexcept { return of == TopSignals::Of::kScreen ? kSignalCount : 2; }

bool take(volatile std::sig_atomic_t& seen) noexcept {
  const bool was = seen != 0;
  seen = 0;
  return was;
}

std::string_view begin_of(LineStyle style) noexcept {
  switch (style) {
    case LineStyle::kPlain:
      return "";
    case LineStyle::kTitle:
      return "\x1b[1m";
    case LineStyle::kHeading:
      return "\x1b[7m";
    case LineStyle::kTrouble:
      return "\x1b[1;31m";
    case LineStyle::kHelp:
      break;
  }
  return "\x1b[2m";
}

}  // namespace

TopSignals::TopSignals(Of of, int wake_end) noexcept : of_(of) {
  end_seen = 0;
  resize_seen = 0;
  suspend_seen = 0;
  wake_descriptor = wake_end;
  struct sigaction action {};
  action.sa_handler = on_signal;
  (void)sigfillset(&action.sa_mask);  // a macro on some systems
  const std::array<int, kSignalCount> all = all_signals();
  for (size_t i = 0; i < signal_count(of_); ++i) (void)::sigaction(all[i], &action, &handlers_before[i]);
}

TopSignals::~TopSignals() {
  const std::array<int, kSignalCount> all = all_signals();
  for (size_t i = 0; i < signal_count(of_); ++i) (void)::sigaction(all[i], &handlers_before[i], nullptr);
  wake_descriptor = -1;
}

bool TopSignals::end_asked() noexcept { return end_seen != 0; }
bool TopSignals::take_resize() noexcept { return take(resize_seen); }
bool TopSignals::take_suspend() noexcept { return take(suspend_seen); }

bool TopTerminal::can_be_had(int output) {
  const char* const name = std::getenv("TERM");
  const bool is_able = name != nullptr && *name != '\0' && std::string_view(name) != "dumb";
  return is_able && ::isatty(output) != 0;
}

TopTerminal::TopTerminal(int input, int output) noexcept
    : input_(input), output_(output), has_keys_(::isatty(input) != 0 && ::tcgetattr(input, &settings_before) == 0) {
  screen_input = has_keys_ ? input_ : -1;
  screen_output = output_;
  enter();
}

TopTerminal::~TopTerminal() { put_back_screen(); }

// Signals of the keyboard stay what they are.
void TopTerminal::enter() noexcept {
  screen_is_ours = 1;
  if (has_keys_) {
    termios settings = settings_before;
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 0;
    (void)::tcsetattr(input_, TCSANOW, &settings);
  }
  (void)write_all(output_, kEnter);
}

void TopTerminal::suspend() noexcept {
  put_back_screen();
  (void)::raise(SIGSTOP);
  enter();
}

std::optional<char> TopTerminal::next_key() noexcept {
  if (!has_keys_) return std::nullopt;
  pollfd waiting{.fd = input_, .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, 0) <= 0) return std::nullopt;
  char key = 0;
  if (::read(input_, &key, 1) == 1) return key;
  return 'q';
}

ScreenSize TopTerminal::size() const noexcept {
  winsize told{};
  const bool is_told = ::ioctl(output_, TIOCGWINSZ, &told) == 0 && told.ws_col > 0 && told.ws_row > 0;
  if (!is_told) return {.columns = 80, .rows = 24};
  return {.columns = told.ws_col, .rows = told.ws_row};
}

// In one write, over what is there, so that nothing flickers.
void TopTerminal::draw(std::span<const ScreenLine> lines) noexcept {
  std::string screen = "\x1b[H";
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) screen += "\r\n";
    screen += begin_of(lines[i].style);
    screen += lines[i].text;
    screen += "\x1b[0m\x1b[K";
  }
  screen += "\x1b[J";
  (void)write_all(output_, screen);
}

}  // namespace leat::cli
