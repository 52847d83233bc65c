// inline_writes.cpp: see inline_writes.h.
#include "server/inline_writes.h"

#include <algorithm>

namespace leat {

void InlineWrites::took(Nanos duration) noexcept {
  if (duration < kStall) return;
  const Nanos now = clock_.monotonic();
  // Stalled again soon after the bar was lifted: it is the disk's state and no accident.
  const bool again = stalls_ > 0 && now - barred_until_ < barred_for_;
  barred_for_ = again ? std::min(barred_for_ * 2, kBarredMax) : kBarredMin;
  barred_until_ = now + barred_for_;
  ++stalls_;
}

}  // namespace leat
