// following.h: a consumer that waits for more goes on while a broker is away: it is restarted, mostly. A line on the
// error stream says when that begins, another one when it is over, so that nobody takes silence for an idle topic. With
// --json they are {"trouble":{"kind":KIND,"message":MESSAGE}} and {"trouble":null}. Thread: one.
#pragma once

#include <leat/consumer.h>

#include <optional>

#include "cli/session.h"

namespace leat::cli {

class Following {
 public:
  explicit Following(Session& session) noexcept : session_(session) {}

  // All that reading needs has been reached: from here on a broker that is away is waited for, whichever it is.
  void begin() noexcept { begun_ = true; }
  // An error that was given says no more than that a broker is away, and the same call may succeed later. An address at
  // which no broker ever answered is not waited for before begin(): then it is probably wrong.
  bool bears(const client::Error& error) const noexcept;
  // After each poll: tells what has begun, or is over.
  void look(const client::Consumer& consumer, const client::Result<client::Records>& polled);
  void note(const std::optional<client::Error>& trouble);

 private:
  Session& session_;
  bool begun_ = false;
  bool told_ = false;
  Nanos look_at_{0};
};

}  // namespace leat::cli
