// captured.cpp: the three streams are temporary files without a name.
#include "test/cli/captured.h"

#include <atomic>
#include <cstdio>
#include <memory>
#include <vector>

#include "cli/command_line.h"
#include "test/support/catch.h"

namespace leat::test {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

// Also for commands that look from two threads.
class SteppingClock final : public Clock {
 public:
  explicit SteppingClock(Millis step) noexcept : step_(step) {}
  int64_t wall_ms() const noexcept override { return 1'700'000'000'000; }
  Nanos monotonic() const noexcept override { return step_ * ++looks_; }

 private:
  const Nanos step_;
  mutable std::atomic<int64_t> looks_{0};
};

std::string contents(const TemporaryFile& file) {
  std::string text;
  std::rewind(file.get());
  for (int byte = std::fgetc(file.get()); byte != EOF; byte = std::fgetc(file.get())) text += static_cast<char>(byte);
  return text;
}

Captured run_with(std::string_view input, const std::function<int(cli::Console&)>& action) {
  const TemporaryFile in(std::tmpfile());
  const TemporaryFile out(std::tmpfile());
  const TemporaryFile errors(std::tmpfile());
  REQUIRE((in && out && errors));
  (void)std::fwrite(input.data(), 1, input.size(), in.get());
  std::rewind(in.get());
  int code = 0;
  {
    cli::Console console(fileno(in.get()), fileno(out.get()), fileno(errors.get()));
    code = action(console);
  }
  return {.exit_code = code, .out = contents(out), .errors = contents(errors)};
}

}  // namespace

Captured run_leat(const std::vector<std::string>& arguments, std::string_view input, Millis step) {
  const SteppingClock clock(step);
  return run_with(input, [&](cli::Console& console) { return cli::run_command_line(arguments, console, clock); });
}

Captured run_in_session(const std::function<int(cli::Session&)>& action) {
  const SteppingClock clock(Millis(1));
  return run_with("", [&](cli::Console& console) {
    cli::Session session(console, clock);
    return action(session);
  });
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace leat::test
