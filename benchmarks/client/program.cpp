// program.cpp: see program.h.
#include "benchmarks/client/program.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

extern char** environ;  // NOLINT: POSIX says so, and not every unistd.h does

namespace leat::bench {
namespace {

Result<pid_t> spawn(const std::string& path, const std::vector<std::string>& arguments, int output) {
  std::vector<std::string> words{path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  (void)posix_spawn_file_actions_init(&actions);
  (void)posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, path.c_str(), &actions, nullptr, argv.data(), environ);
  (void)posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return fail(error_from_errno(failed, path));
  return child;
}

std::string read_to_end(int descriptor) {
  std::string text;
  char piece[4096];
  while (true) {
    const ssize_t size = read(descriptor, piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(piece, static_cast<size_t>(size));
  }
}

}  // namespace

Result<std::string> run_program(const std::string& path, const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe(ends) != 0) return fail(error_from_errno(errno, "a pipe for " + path));
  const Result<pid_t> child = spawn(path, arguments, ends[1]);
  (void)close(ends[1]);
  std::string text = child ? read_to_end(ends[0]) : "";
  (void)close(ends[0]);
  if (!child) return fail(child.error());
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  std::string order;
  for (const std::string& argument : arguments) order += " " + argument;
  return fail(Errc::kIo, path + order + " failed, its words are above");
}

std::string folder_of(const std::string& program) {
  const size_t slash = program.rfind('/');
  return slash == std::string::npos ? "." : program.substr(0, slash);
}

bool can_be_run(const std::string& path) noexcept { return access(path.c_str(), X_OK) == 0; }

}  // namespace leat::bench
