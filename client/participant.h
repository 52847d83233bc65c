// participant.h: what a client has to end before its loop goes: producers and consumers. Thread: the loop.
#pragma once

#include <leat/error.h>

namespace leat::client::detail {

class Participant {
 public:
  virtual ~Participant() = default;
  // Everything under way is answered with `error` before this returns; afterwards nothing of the client is touched any
  // more, and later calls are refused with kClosed. More than once is fine.
  virtual void detach(const Error& error) = 0;
};

}  // namespace leat::client::detail
