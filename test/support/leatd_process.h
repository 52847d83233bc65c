// leatd_process.h: a leatd of its own for a test: started with the options given, on a port that the system picks,
// stopped and reaped at the end. LEAT_LEATD is the executable's path.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace leat {

class LeatdProcess {
 public:
  explicit LeatdProcess(std::vector<std::string> arguments);
  LeatdProcess(const LeatdProcess&) = delete;
  LeatdProcess& operator=(const LeatdProcess&) = delete;
  ~LeatdProcess();  // kills it when it still runs

  // The first line on stdout; nothing when it ended without one.
  std::optional<std::string> ready_line();
  uint16_t port();  // from the ready line; 0 when it did not get ready
  void signal(int number) noexcept;
  int wait();                 // its exit code; 1000 + the signal's number when one ended it
  std::string stderr_text();  // all of it, once it has ended
  pid_t pid() const noexcept { return pid_; }

 private:
  pid_t pid_ = -1;
  int stdout_ = -1;
  std::string stderr_path_;
  std::optional<std::string> ready_line_;
  bool asked_ = false;
  std::optional<int> exit_code_;
};

// A new directory under the system's one for temporary files, removed with all that is in it at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace leat
