// leatd_process.cpp: see leatd_process.h.
#include "test/support/leatd_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace leat {

namespace {
constexpr int kSignalBase = 1000;
}

LeatdProcess::LeatdProcess(std::vector<std::string> arguments) {
  std::string path = (std::filesystem::temp_directory_path() / "leatd-stderr-XXXXXX").string();
  const int stderr_file = ::mkstemp(path.data());
  stderr_path_ = path;
  int pipe_ends[2];
  if (stderr_file < 0 || ::pipe(pipe_ends) != 0) std::abort();
  arguments.insert(arguments.begin(), LEAT_LEATD);
  std::vector<char*> raw;
  for (std::string& argument : arguments) raw.push_back(argument.data());
  raw.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    (void)std::signal(SIGHUP, SIG_DFL);  // also where nohup runs the test
    ::dup2(pipe_ends[1], STDOUT_FILENO);
    ::dup2(stderr_file, STDERR_FILENO);
    ::close(pipe_ends[0]);
    ::execv(raw[0], raw.data());
    ::_exit(127);
  }
  ::close(stderr_file);
  ::close(pipe_ends[1]);
  stdout_ = pipe_ends[0];
}

LeatdProcess::~LeatdProcess() {
  if (!exit_code_) {
    signal(SIGKILL);
    wait();
  }
  ::close(stdout_);
  std::filesystem::remove(stderr_path_);
}

std::optional<std::string> LeatdProcess::ready_line() {
  if (asked_) return ready_line_;
  asked_ = true;
  std::string line;
  char byte = 0;
  while (::read(stdout_, &byte, 1) == 1) {
    if (byte == '\n') {
      ready_line_ = line;
      break;
    }
    line += byte;
  }
  return ready_line_;
}

uint16_t LeatdProcess::port() {
  const std::string line = ready_line().value_or("");
  const size_t end = line.find(", data in");
  const size_t colon = end == std::string::npos ? end : line.rfind(':', end);
  return colon == std::string::npos ? uint16_t{0} : static_cast<uint16_t>(std::atoi(line.c_str() + colon + 1));
}

void LeatdProcess::signal(int number) noexcept {
  if (pid_ > 0 && !exit_code_) ::kill(pid_, number);
}

int LeatdProcess::wait() {
  if (exit_code_) return *exit_code_;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  return *exit_code_;
}

std::string LeatdProcess::stderr_text() {
  std::ostringstream text;
  text << std::ifstream(stderr_path_).rdbuf();
  return text.str();
}

TemporaryDirectory::TemporaryDirectory() {
  path_ = (std::filesystem::temp_directory_path() / "leat-test-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) std::abort();
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace leat
