// signal_watcher.cpp: see signal_watcher.h.
#include "net/loop/signal_watcher.h"

#include <uv.h>

#include <utility>

#include "core/base/check.h"

namespace leat {

struct SignalWatcher::Handle {
  uv_signal_t signal;
  std::function<void()> on_signal;
};

SignalWatcher::SignalWatcher(UvLoop& loop, int signal_number, std::function<void()> on_signal) : handle_(new Handle) {
  handle_->on_signal = std::move(on_signal);
  ENSURE(uv_signal_init(loop.raw(), &handle_->signal) == 0);
  handle_->signal.data = handle_;
  const int started = uv_signal_start(
      &handle_->signal, [](uv_signal_t* signal, int) noexcept { static_cast<Handle*>(signal->data)->on_signal(); },
      signal_number);
  ENSURE(started == 0, "signal {}: {}", signal_number, uv_strerror(started));
}

SignalWatcher::~SignalWatcher() {
  uv_signal_stop(&handle_->signal);
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_->signal),
           [](uv_handle_t* handle) noexcept { delete static_cast<Handle*>(handle->data); });
}

}  // namespace leat
