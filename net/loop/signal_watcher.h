// signal_watcher.h: calls back on the loop when the process gets a signal. Stops watching when destroyed; the loop must
// still live then, and runs the handle's close callback. Thread: the loop.
#pragma once

#include <functional>

#include "net/loop/uv_loop.h"

namespace leat {

class SignalWatcher {
 public:
  SignalWatcher(UvLoop& loop, int signal_number, std::function<void()> on_signal);
  ~SignalWatcher();
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;

 private:
  struct Handle;
  Handle* handle_;  // frees itself in its close callback
};

}  // namespace leat
