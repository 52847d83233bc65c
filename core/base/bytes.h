// bytes.h: views of bytes, and Slice: a reference-counted piece of an immutable-once-published block.
// A Block is filled by one owner (a connection reading from its socket, a builder), then shared as Slices; from the
// moment a slice is given to anybody else its bytes do not change. The one exception is an append lane, which patches
// base offset and leader epoch of a batch before the batch is published to readers. Blocks are counted atomically:
// slices travel between the loop and workers. A slice pins its whole block: see Slice::pinned_bytes, which caches
// charge for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace leat {

using ByteView = std::span<const uint8_t>;
using MutableByteView = std::span<uint8_t>;

inline ByteView as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteView bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline bool equal(ByteView a, ByteView b) noexcept {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// A block's memory comes from a process-wide cache of freed blocks by size class (first touch of fresh pages is the
// slowest step of all on virtual machines). Thread-safe. Defined here because a request copies and drops some forty
// references, most of them empty.
class Block {
 public:
  std::atomic<uint32_t> references{1};
  uint32_t size_class = 0;
  size_t capacity = 0;
  uint8_t* data() noexcept { return reinterpret_cast<uint8_t*>(this) + kHeaderBytes; }
  static constexpr size_t kHeaderBytes = 64;  // keeps data on its own cache line
};
static_assert(sizeof(Block) <= Block::kHeaderBytes);

class BlockRef {
 public:
  BlockRef() noexcept = default;
  static BlockRef allocate(size_t capacity_bytes);  // capacity may be rounded up
  BlockRef(const BlockRef& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  BlockRef(BlockRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  BlockRef& operator=(BlockRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockRef() {
    if (block_ != nullptr && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) give_back(block_);
  }

  explicit operator bool() const noexcept { return block_ != nullptr; }
  uint8_t* data() const noexcept { return block_->data(); }
  size_t capacity() const noexcept { return block_->capacity; }
  bool unique() const noexcept { return block_->references.load(std::memory_order_acquire) == 1; }

 private:
  explicit BlockRef(Block* block) noexcept : block_(block) {}
  static void give_back(Block* block) noexcept;
  Block* block_ = nullptr;
};

class Slice {
 public:
  Slice() noexcept = default;
  Slice(BlockRef block, size_t begin, size_t size) noexcept;
  static Slice copy_of(ByteView bytes);

  ByteView view() const noexcept { return {data_, size_}; }
  const uint8_t* data() const noexcept { return data_; }
  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  Slice sub(size_t begin, size_t size) const noexcept;                     // CHECKs its bounds
  MutableByteView unpublished() const noexcept { return {data_, size_}; }  // only while nobody else reads it
  size_t pinned_bytes() const noexcept { return block_ ? block_.capacity() : 0; }

 private:
  BlockRef block_;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

struct BlockPoolStats {
  size_t cached_bytes;
  size_t in_use_bytes;
};
BlockPoolStats block_pool_stats() noexcept;
// Gives cached memory above `keep_bytes` back to the system.
void block_pool_trim(size_t keep_bytes) noexcept;

}  // namespace leat
