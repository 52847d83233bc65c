// bytes.cpp: the block pool. Power-of-two size classes from 512 B to 64 MiB with a bounded stack of free blocks each,
// behind one mutex that is held for a few instructions; larger blocks come from and go to the heap directly.
#include "core/base/bytes.h"

#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

#include "core/base/check.h"

namespace leat {

class Block {
 public:
  std::atomic<uint32_t> references{1};
  uint32_t size_class = 0;
  size_t capacity = 0;
  uint8_t* data() noexcept { return reinterpret_cast<uint8_t*>(this) + kHeaderBytes; }
  static constexpr size_t kHeaderBytes = 64;  // keeps data on its own cache line
};
static_assert(sizeof(Block) <= Block::kHeaderBytes);

namespace {

constexpr uint32_t kMinClassBits = 9;
constexpr uint32_t kMaxClassBits = 26;
constexpr uint32_t kUnpooled = 0xffffffff;
constexpr size_t kCachedBytesMax = size_t{64} << 20;

class BlockPool {
 public:
  Block* take(size_t capacity_bytes) {
    const uint32_t bits = std::max<uint32_t>(kMinClassBits, static_cast<uint32_t>(std::bit_width(capacity_bytes - 1)));
    const bool pooled = capacity_bytes > 0 && bits <= kMaxClassBits;
    const size_t capacity = pooled ? size_t{1} << bits : capacity_bytes;
    in_use_bytes_.fetch_add(capacity, std::memory_order_relaxed);
    if (pooled) {
      const std::lock_guard lock(mutex_);
      auto& free_blocks = free_[bits - kMinClassBits];
      if (!free_blocks.empty()) {
        Block* block = free_blocks.back();
        free_blocks.pop_back();
        cached_bytes_ -= capacity;
        block->references.store(1, std::memory_order_relaxed);
        return block;
      }
    }
    void* memory = ::operator new (Block::kHeaderBytes + capacity, std::align_val_t{64});
    auto* block = new (memory) Block;
    block->size_class = pooled ? bits : kUnpooled;
    block->capacity = capacity;
    return block;
  }

  void give_back(Block* block) noexcept {
    in_use_bytes_.fetch_sub(block->capacity, std::memory_order_relaxed);
    if (block->size_class != kUnpooled) {
      const std::lock_guard lock(mutex_);
      if (cached_bytes_ + block->capacity <= kCachedBytesMax) {
        free_[block->size_class - kMinClassBits].push_back(block);
        cached_bytes_ += block->capacity;
        return;
      }
    }
    release(block);
  }

  void trim(size_t keep_bytes) noexcept {
    const std::lock_guard lock(mutex_);
    for (auto& free_blocks : free_) {
      while (cached_bytes_ > keep_bytes && !free_blocks.empty()) {
        cached_bytes_ -= free_blocks.back()->capacity;
        release(free_blocks.back());
        free_blocks.pop_back();
      }
    }
  }

  BlockPoolStats stats() noexcept {
    const std::lock_guard lock(mutex_);
    return {.cached_bytes = cached_bytes_, .in_use_bytes = in_use_bytes_.load(std::memory_order_relaxed)};
  }

 private:
  static void release(Block* block) noexcept {
    block->~Block();
    ::operator delete (static_cast<void*>(block), std::align_val_t{64});
  }

  std::mutex mutex_;
  std::array<std::vector<Block*>, kMaxClassBits - kMinClassBits + 1> free_;
  size_t cached_bytes_ = 0;
  std::atomic<size_t> in_use_bytes_{0};
};

// Never destroyed: slices in static objects may outlive any order of destruction.
BlockPool& pool() {
  static auto* const instance = new BlockPool;
  return *instance;
}

}  // namespace

BlockRef BlockRef::allocate(size_t capacity_bytes) {
  return BlockRef(pool().take(std::max<size_t>(capacity_bytes, 1)));
}
BlockRef::BlockRef(const BlockRef& other) noexcept : block_(other.block_) {
  if (block_ != nullptr) block_->references.fetch_add(1, std::memory_order_relaxed);
}
BlockRef::~BlockRef() {
  if (block_ != nullptr && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) pool().give_back(block_);
}
uint8_t* BlockRef::data() const noexcept { return block_->data(); }
size_t BlockRef::capacity() const noexcept { return block_->capacity; }
bool BlockRef::unique() const noexcept { return block_->references.load(std::memory_order_acquire) == 1; }

Slice::Slice(BlockRef block, size_t begin, size_t size) noexcept : block_(std::move(block)), size_(size) {
  CHECK(block_ && begin <= block_.capacity() && size <= block_.capacity() - begin);
  data_ = block_.data() + begin;
}

Slice Slice::copy_of(ByteView bytes) {
  BlockRef block = BlockRef::allocate(bytes.size());
  if (!bytes.empty()) std::memcpy(block.data(), bytes.data(), bytes.size());
  return {std::move(block), 0, bytes.size()};
}

Slice Slice::sub(size_t begin, size_t size) const noexcept {
  CHECK(begin <= size_ && size <= size_ - begin, "begin {} size {} of {}", begin, size, size_);
  Slice part = *this;
  part.data_ = data_ + begin;
  part.size_ = size;
  return part;
}

BlockPoolStats block_pool_stats() noexcept { return pool().stats(); }
void block_pool_trim(size_t keep_bytes) noexcept { pool().trim(keep_bytes); }

}  // namespace leat
