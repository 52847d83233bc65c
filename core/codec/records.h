// records.h: the value of a `records` field: record batches as they are on the wire, in pieces that are never copied on
// the way: a decoded field is one sub-slice of the frame it came in, an encoded one leaves by reference, or straight
// from the file that it is stored in.
#pragma once

#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/piece.h"

namespace leat {

class Records {
 public:
  Records() = default;
  explicit Records(Slice only) noexcept : first_(std::move(only)) {}

  size_t size() const noexcept {
    size_t size = first_.size();
    for (const Piece& piece : more_) size += piece.size();
    return size;
  }
  bool empty() const noexcept { return first_.empty() && more_.empty(); }
  void append(Slice slice) {
    if (slice.empty()) return;
    if (empty()) {
      first_ = std::move(slice);
    } else {
      more_.emplace_back(std::move(slice));
    }
  }
  void append(StoredRange range) {
    if (range.size_bytes > 0) more_.emplace_back(std::move(range));
  }
  // What decoding gives: all bytes in one slice. A Records that was appended to may have more.
  const Slice& first() const noexcept { return first_; }
  const std::vector<Piece>& more() const noexcept { return more_; }

  friend bool operator==(const Records& a, const Records& b) noexcept { return a.same_bytes(b); }

 private:
  bool same_bytes(const Records& other) const noexcept;  // however they are cut; all in memory

  Slice first_;
  std::vector<Piece> more_;
};

}  // namespace leat
