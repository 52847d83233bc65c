// records.cpp: comparing Records that are cut differently.
#include "core/codec/records.h"

#include <algorithm>

namespace leat {

bool Records::same_bytes(const Records& other) const noexcept {
  if (size() != other.size()) return false;
  const auto piece = [](const Records& records, size_t index) {
    return index == 0 ? records.first_.view() : records.more_[index - 1].view();
  };
  ByteView a = first_.view();
  ByteView b = other.first_.view();
  size_t a_next = 1;
  size_t b_next = 1;
  for (size_t left = size(); left > 0;) {
    while (a.empty()) a = piece(*this, a_next++);
    while (b.empty()) b = piece(other, b_next++);
    const size_t same = std::min(a.size(), b.size());
    if (!equal(a.first(same), b.first(same))) return false;
    a = a.subspan(same);
    b = b.subspan(same);
    left -= same;
  }
  return true;
}

}  // namespace leat
