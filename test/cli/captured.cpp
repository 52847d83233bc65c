// captured.cpp: the three streams are temporary files without a name.
#include "test/cli/captured.h"

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

// A millisecond passes each time somebody asks, so that a bench of one second ends after so many looks at the clock.
class SteppingClock final : public Clock {
 public:
  int64_t wall_ms() const noexcept override { return 1'700'000'000'000; }
  Nanos monotonic() const noexcept override { return now_ += Millis(1); }

 private:
  mutable Nanos now_{0};
};

std::string contents(const TemporaryFile& file) {
  std::string text;
  std::rewind(file.get());
  for (int byte = std::fgetc(file.get()); byte != EOF; byte = std::fgetc(file.get())) text += static_cast<char>(byte);
  return text;
}

}  // namespace

Captured run_leat(const std::vector<std::string>& arguments, std::string_view input) {
  const TemporaryFile in(std::tmpfile());
  const TemporaryFile out(std::tmpfile());
  const TemporaryFile errors(std::tmpfile());
  REQUIRE((in && out && errors));
  (void)std::fwrite(input.data(), 1, input.size(), in.get());
  std::rewind(in.get());
  const SteppingClock clock;
  int code = 0;
  {
    cli::Console console(fileno(in.get()), fileno(out.get()), fileno(errors.get()));
    code = cli::run_command_line(arguments, console, clock);
  }
  return {.exit_code = code, .out = contents(out), .errors = contents(errors)};
}

}  // namespace leat::test
