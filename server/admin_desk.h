// admin_desk.h: answers the admin HTTP listener. The listener's threads ask here; what they ask runs on the loop, which
// copies its figures into a snapshot and hands it back. Thousands of partitions are walked in slices that leave the
// loop room, so a snapshot is not of one instant. After close() every question is answered with nothing, at once.
// Thread: the AdminQuestions from any thread, the rest on the loop.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/loop/gate.h"
#include "net/loop/task.h"
#include "net/transport/tcp_server.h"
#include "server/admin_questions.h"
#include "server/broker.h"
#include "server/metrics_snapshot.h"

namespace leat {

template <class T>
class LateAnswer;

class AdminDesk final : public AdminQuestions {
 public:
  // Partitions looked at before the loop gets a chance to poll.
  static constexpr size_t kSlice = 256;

  struct Parts {
    Scheduler& scheduler;
    const TcpServer* server;  // null in tests
    Nanos started_at;
    std::string version;
    size_t partitions_max;      // leat.metrics.partitions.max
    Millis answer_within_max;   // how long a question waits for the loop
    Millis metrics_within_max;  // and one for all figures
  };
  enum class State : uint8_t { kStarting, kReady, kStopping };

  explicit AdminDesk(Parts parts);
  ~AdminDesk() override;

  // From here on requests and writes are timed, and the broker's figures shown; until detach().
  void attach(Broker& broker);
  void detach() noexcept { broker_ = nullptr; }
  void set_state(State state) noexcept { state_ = state; }
  Event::Wait close();  // wakes when no snapshot is being made any more

  std::shared_ptr<const MetricsSnapshot> metrics() override;
  std::optional<Readiness> readiness() override;
  void probe_loop() override;

 private:
  Readiness readiness_now() const;
  Task<void> collect(Gate::Hold hold, std::shared_ptr<LateAnswer<MetricsSnapshot>> answer);
  void copy_broker(MetricsSnapshot& snapshot) const;
  Task<void> walk_partitions(MetricsSnapshot& snapshot);
  Task<void> ask_groups(MetricsSnapshot& snapshot);
  template <class T>
  std::shared_ptr<const T> ask(Millis wait_max, std::function<void(std::shared_ptr<LateAnswer<T>>)> on_loop);

  const Parts parts_;
  Broker* broker_ = nullptr;
  State state_ = State::kStarting;
  Log2Histogram loop_lag_;
  std::atomic<bool> closed_{false};
  Gate gate_;
};

}  // namespace leat
