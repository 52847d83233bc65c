// main.cpp: leatd. Command line and settings in, exit code out: 0 after a clean stop; otherwise one line on stderr and
// 2 when the command line or a setting is wrong, 1 for all else.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/base/standard_streams.h"
#include "server/options.h"
#include "server/startup.h"

namespace {

using leat::Error;
using leat::Options;
using leat::Result;
using leat::Settings;

// Those of leat, as far as they go.
constexpr int kExitFailed = 1;  // could not start, or not stop cleanly
constexpr int kExitUsage = 2;   // wrong usage: nothing was touched

int refuse(const Error& error, int exit_code) {
  std::fprintf(stderr, "leatd: %s\n", error.context.c_str());
  return exit_code;
}

std::string machine_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

Result<Settings> load_settings(const Options& options, leat::FileSystem& files) {
  leat::SettingsSources sources;
  if (!options.config_file.empty()) {
    TRY(text, Settings::read_file(files, options.config_file));
    sources.file_name = options.config_file;
    sources.file_text = std::move(text);
  }
  sources.assignments = options.assignments;
  if (!options.data_dir.empty()) sources.flags.emplace_back("log.dirs", options.data_dir);
  if (!options.listen.empty()) {
    const bool named = options.listen.find("://") != std::string::npos;
    sources.flags.emplace_back("listeners", named ? options.listen : "PLAINTEXT://" + options.listen);
  }
  if (!options.metrics.empty()) sources.flags.emplace_back("leat.metrics.listener", options.metrics);
  sources.machine_name = machine_name();
  sources.memory_bytes = static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return Settings::load(sources);
}

int run(const std::vector<std::string>& arguments) {
  const leat::SystemClock clock;
  const leat::Nanos started_at = clock.monotonic();
  const Result<Options> options = leat::parse_options(arguments);
  if (!options) return refuse(options.error(), kExitUsage);
  switch (options->action) {
    case Options::Action::kPrintHelp:
      std::fputs(options->help.c_str(), stdout);
      return 0;
    case Options::Action::kPrintVersion:
      std::puts("leatd " LEAT_VERSION);
      return 0;
    case Options::Action::kRun:
      break;
  }
  leat::PosixFileSystem files;
  const Result<Settings> settings = load_settings(*options, files);
  if (!settings) return refuse(settings.error(), kExitUsage);
  leat::prepare_process();
  leat::start_log(options->log_level);
  Result<void> ran = [&] {
    leat::Leatd leatd(*settings, options->adopt, clock, started_at);
    return leatd.run();
  }();
  leat::stop_log();
  return ran ? 0 : refuse(ran.error(), kExitFailed);
}

}  // namespace

int main(int argument_count, char** arguments) {
  leat::fill_standard_streams();
  return run(std::vector<std::string>(arguments + 1, arguments + argument_count));
}
