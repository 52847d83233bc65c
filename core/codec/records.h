// records.h: the value of a `records` field: record batches as they are on the wire, in slices that are never copied on
// the way: a decoded field is one sub-slice of the frame it came in, and an encoded one leaves by reference.
#pragma once

#include <utility>
#include <vector>

#include "core/base/bytes.h"

namespace leat {

class Records {
 public:
  Records() = default;
  explicit Records(Slice only) noexcept : first_(std::move(only)) {}

  size_t size() const noexcept {
    size_t size = first_.size();
    for (const Slice& slice : more_) size += slice.size();
    return size;
  }
  bool empty() const noexcept { return first_.empty(); }
  void append(Slice slice) {
    if (slice.empty()) return;
    if (first_.empty()) {
      first_ = std::move(slice);
    } else {
      more_.push_back(std::move(slice));
    }
  }
  // What decoding gives: all bytes in one slice. A Records that was appended to may have more.
  const Slice& first() const noexcept { return first_; }
  const std::vector<Slice>& more() const noexcept { return more_; }

  friend bool operator==(const Records& a, const Records& b) noexcept { return a.same_bytes(b); }

 private:
  bool same_bytes(const Records& other) const noexcept;  // however they are cut into slices

  Slice first_;
  std::vector<Slice> more_;
};

}  // namespace leat
