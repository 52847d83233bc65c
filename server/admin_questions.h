// admin_questions.h: what the admin HTTP listener may ask of the broker, and nothing else: it runs on threads of its
// own and never sees the broker's state. Each question is posted to the loop and waited for with a deadline; the answer
// is a copy that never changes. AdminDesk (admin_desk.h) answers; tests answer by themselves. Thread: any.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace leat {

struct MetricsSnapshot;

struct Readiness {
  bool ready = false;
  std::string reason;  // why not
};

class AdminQuestions {
 public:
  virtual ~AdminQuestions() = default;
  // Nothing: the loop did not answer in time, or is gone.
  virtual std::shared_ptr<const MetricsSnapshot> metrics() = 0;
  virtual std::optional<Readiness> readiness() = 0;
  // Measures how long the loop takes to take up a post; waits for nothing. Asked a few times a second.
  virtual void probe_loop() = 0;
};

}  // namespace leat
