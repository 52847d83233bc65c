// top_wake.h: a pipe that ends the wait of `leat top`: a byte comes from the client's thread when an answer is there,
// and from signal handlers. Thread: wake() any, also in a signal handler; the rest the one that waits.
#pragma once

#include <memory>

#include "core/base/result.h"

namespace leat::cli {

class WakePipe {
 public:
  static Result<std::shared_ptr<WakePipe>> create();  // shared with answers that may come late
  WakePipe(int read_end, int write_end) noexcept : read_end_(read_end), write_end_(write_end) {}
  WakePipe(const WakePipe&) = delete;
  WakePipe& operator=(const WakePipe&) = delete;
  ~WakePipe();

  int read_end() const noexcept { return read_end_; }  // readable after a wake()
  int write_end() const noexcept { return write_end_; }
  void wake() const noexcept { wake(write_end_); }
  static void wake(int write_end) noexcept;
  void drain() noexcept;

 private:
  int read_end_;
  int write_end_;
};

}  // namespace leat::cli
