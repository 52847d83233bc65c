// inline_writes.h: whether the loop may write a small append itself. A hop to a worker and back costs 50-60 us here, a
// small pwritev into the page cache 2 us; but a disk that is behind can hold a write for hundreds of milliseconds, and
// with it everybody. So: small appends that need no sync and no other file operation are written by the loop, until one
// of them takes long (longer than a busy machine takes a thread off its core); then workers write for a while, twice as
// long each time the disk is still slow at the next try.
// docs/decisions/0017 has the figures. Thread: the loop.
#pragma once

#include <cstddef>

#include "core/base/clock.h"

namespace leat {

class InlineWrites {
 public:
  static constexpr Nanos kStall = Millis(20);
  static constexpr Nanos kBarredMin = Millis(1000);
  static constexpr Nanos kBarredMax = Millis(32'000);

  // bytes_max: of one append; 0: never.
  InlineWrites(const Clock& clock, size_t bytes_max) noexcept : clock_(clock), bytes_max_(bytes_max) {}

  bool allowed(size_t bytes) const noexcept {
    return bytes <= bytes_max_ && (stalls_ == 0 || clock_.monotonic() >= barred_until_);
  }
  // What one write on the loop took.
  void took(Nanos duration) noexcept;
  size_t stalls() const noexcept { return stalls_; }

 private:
  const Clock& clock_;
  size_t bytes_max_;
  size_t stalls_ = 0;
  Nanos barred_for_ = kBarredMin;
  Nanos barred_until_{0};
};

}  // namespace leat
