// console.h: the three streams of a command. Output is buffered and leaves in large writes; a reader that went away
// (leat ... | head) ends the command quietly, any other failure (a full disk) is kept for the end. Thread: one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace leat::cli {

// All of it, waiting where the other end is slow; false: errno says why. Fit for a signal handler.
bool write_all(int descriptor, std::string_view text) noexcept;

enum class OutputState : uint8_t { kOpen, kClosed };

class Console {
 public:
  Console(int input, int output, int errors) noexcept : input_(input), output_(output), errors_(errors) {}
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console() { flush(); }

  void out(std::string_view text);
  void flush() noexcept;
  // kClosed: nobody reads any more; the command should end. Known as soon as a write fails, or by look_for_reader().
  OutputState output_state() const noexcept { return state_; }
  // For commands that may have nothing to write for long: whether the other end of a pipe is still open.
  void look_for_reader() noexcept;
  const std::optional<Error>& output_error() const noexcept { return output_error_; }

  void warn(std::string_view line);      // to the error stream, one line
  void progress(std::string_view line);  // overwrites itself on a terminal, silent elsewhere
  void end_progress();

  Result<size_t> read_input(MutableByteView into);  // 0 at the end
  bool input_is_waiting() const noexcept;           // bytes, or the end, can be read without waiting
  bool input_is_terminal() const noexcept;
  std::optional<int64_t> input_size_bytes() const noexcept;   // of a file; none: nobody knows before its end
  int input_descriptor() const noexcept { return input_; }    // for who does more with a terminal than read
  int output_descriptor() const noexcept { return output_; }  // and write; flush() first

 private:
  int input_;
  int output_;
  int errors_;
  std::string buffer_;
  OutputState state_ = OutputState::kOpen;
  std::optional<Error> output_error_;
  bool progress_shown_ = false;
};

}  // namespace leat::cli
