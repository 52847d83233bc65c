// console.cpp: reads and writes on descriptors.
#include "cli/console.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace leat::cli {
namespace {

constexpr size_t kBufferBytes = 64 * 1024;

}  // namespace

bool write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd waiting{.fd = descriptor, .events = POLLOUT, .revents = 0};
      (void)::poll(&waiting, 1, -1);
      continue;
    }
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void Console::out(std::string_view text) {
  if (state_ == OutputState::kClosed) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

// Output and progress may be the same terminal: the line of progress makes room.
void Console::flush() noexcept {
  if (!buffer_.empty()) end_progress();
  if (state_ == OutputState::kOpen && !write_all(output_, buffer_)) {
    if (errno != EPIPE) output_error_ = error_from_errno(errno, "standard output");
    state_ = OutputState::kClosed;
  }
  buffer_.clear();
}

void Console::look_for_reader() noexcept {
  pollfd looked{.fd = output_, .events = 0, .revents = 0};
  if (::poll(&looked, 1, 0) <= 0 || (looked.revents & (POLLERR | POLLHUP)) == 0) return;
  state_ = OutputState::kClosed;
  buffer_.clear();
}

void Console::warn(std::string_view line) {
  end_progress();
  flush();
  (void)write_all(errors_, std::string(line) + "\n");
}

void Console::progress(std::string_view line) {
  if (::isatty(errors_) == 0) return;
  (void)write_all(errors_, "\r" + std::string(line) + "\x1b[K");
  progress_shown_ = true;
}

void Console::end_progress() {
  if (progress_shown_) (void)write_all(errors_, "\r\x1b[K");
  progress_shown_ = false;
}

Result<size_t> Console::read_input(MutableByteView into) {
  for (;;) {
    const ssize_t size = ::read(input_, into.data(), into.size());
    if (size >= 0) return static_cast<size_t>(size);
    if (errno != EINTR) return fail(error_from_errno(errno, "standard input"));
  }
}

bool Console::input_is_waiting() const noexcept {
  pollfd waiting{.fd = input_, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 0) > 0;
}

std::optional<int64_t> Console::input_size_bytes() const noexcept {
  struct stat status {};
  if (::fstat(input_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<int64_t>(status.st_size);
}

bool Console::input_is_terminal() const noexcept { return ::isatty(input_) != 0; }

}  // namespace leat::cli
