// startup.h: leatd as a whole: loop, sockets, dispatcher, broker; what happens in which order at start and at the end.
// Start: the listeners are bound (a port in use is known before anything is opened), the broker recovers its logs, then
// connections are taken and the ready line is printed. End, on SIGTERM, SIGINT, or SIGHUP where nobody has it ignored:
// nobody is let in any more, the broker answers who is parked and finishes what is queued, answers leave, connections
// close, the loop ends. A second signal changes nothing. The admin listener, if there is one, is there from the first
// to the last. Thread: the loop runs in the thread that calls run().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/storage/posix_file_system.h"
#include "net/loop/uv_loop.h"
#include "net/transport/tcp_server.h"
#include "server/admin_desk.h"
#include "server/admin_http.h"
#include "server/dispatcher.h"
#include "server/handlers/handler_table.h"
#include "server/options.h"
#include "server/running_broker.h"
#include "server/settings.h"

namespace leat {

class Leatd {
 public:
  Leatd(const Settings& settings, Options::Adopt adopt, const Clock& clock, Nanos started_at);
  ~Leatd();
  Leatd(const Leatd&) = delete;
  Leatd& operator=(const Leatd&) = delete;

  // Until a signal; the error is one line for the user.
  Result<void> run();
  void request_stop();  // what the signals do

 private:
  struct BoundListener {
    const Listener* listener;
    uint16_t port;
  };

  Task<void> live();
  Result<void> bind_listeners();
  Result<void> start_admin();
  Task<Result<void>> start_broker();
  Millis admission_delay(const std::string& peer_host);
  void announce();
  Task<void> stop_broker();
  void log_settings() const;

  const Settings& settings_;
  const Options::Adopt adopt_;
  const Clock& clock_;
  const Nanos started_at_;
  PosixFileSystem files_;
  SystemRandom random_;
  UvLoop loop_;
  Event stop_requested_;
  std::unique_ptr<RunningBroker> broker_;
  HandlerTable handlers_;
  Dispatcher dispatcher_;
  TcpServer server_;
  std::unique_ptr<AdminDesk> desk_;        // both null without leat.metrics.listener
  std::unique_ptr<AdminHttp> admin_http_;  // asks the desk
  std::vector<BoundListener> bound_;
  std::optional<Error> failure_;
};

// File-descriptor limit up to what the system allows; a peer that is gone must not kill the process.
void prepare_process() noexcept;

}  // namespace leat
