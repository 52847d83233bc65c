// piece.h: a run of bytes of a message on its way out: in memory, or a range of an open file that the system may send
// itself, so that its bytes never pass through our memory. Invariant: one of the two; the bytes of a range do not
// change as long as the piece lives.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/check.h"

namespace leat {

struct StoredRange {
  std::shared_ptr<const void> owner;  // keeps the descriptor open
  int descriptor = -1;
  int64_t position = 0;
  size_t size_bytes = 0;
};

class Piece {
 public:
  Piece() noexcept = default;
  Piece(Slice bytes) noexcept : bytes_(std::move(bytes)) {}  // NOLINT: memory is what pieces mostly are
  explicit Piece(StoredRange range) : stored_(std::make_shared<const StoredRange>(std::move(range))) {}

  bool is_stored() const noexcept { return stored_ != nullptr; }
  size_t size() const noexcept { return stored_ ? stored_->size_bytes : bytes_.size(); }
  bool empty() const noexcept { return size() == 0; }
  const Slice& bytes() const noexcept {  // of one in memory
    ENSURE(!is_stored());
    return bytes_;
  }
  ByteView view() const noexcept { return bytes().view(); }
  const StoredRange& stored() const noexcept {  // of one in a file
    ENSURE(is_stored());
    return *stored_;
  }

 private:
  Slice bytes_;
  std::shared_ptr<const StoredRange> stored_;
};

}  // namespace leat
