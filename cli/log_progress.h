// log_progress.h: how far `leat log` has come: which folder or file of how many, and how much was read. The work reads
// through files(). Thread: the session's.
#pragma once

#include <cstdint>
#include <string>

#include "cli/progress_line.h"
#include "cli/watched_files.h"

namespace leat::cli {

class LogProgress {
 public:
  LogProgress(Session& session, FileSystem& files);

  FileSystem& files() noexcept { return files_; }
  void expect(size_t count) noexcept { expected_count_ += count; }  // so many more
  void begin(std::string name);                                     // the next of them

 private:
  void on_read(size_t bytes);
  std::string line() const;

  ProgressLine line_;
  WatchedFiles files_;
  std::string name_;
  size_t begun_count_ = 0;
  size_t expected_count_ = 0;
  int64_t read_bytes_ = 0;
};

}  // namespace leat::cli
