// options.h: the command line of leatd.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/log.h"

namespace leat {

struct Options {
  enum class Action : uint8_t { kRun, kPrintHelp, kPrintVersion };
  enum class Adopt : uint8_t { kNo, kYes };

  Action action = Action::kRun;
  std::string help;      // for kPrintHelp
  std::string data_dir;  // "" where not given
  std::string listen;    // HOST:PORT, or NAME://HOST:PORT,... as in `listeners`
  std::string metrics;   // HOST:PORT, as in leat.metrics.listener
  std::string config_file;
  std::vector<std::string> assignments;  // name=value
  LogLevel log_level = LogLevel::kInfo;
  Adopt adopt = Adopt::kNo;
};

// One clear line on failure, with the nearest option for a mistyped one.
Result<Options> parse_options(const std::vector<std::string>& arguments);

}  // namespace leat
