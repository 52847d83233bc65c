// bytes.cpp: the block pool. Power-of-two size classes from 512 B to 64 MiB with a bounded stack of free blocks each,
// behind one mutex that is held for a few instructions, and before it a few small blocks for each thread; larger blocks
// come from and go to the heap directly.
#include "core/base/bytes.h"

#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

#include "core/base/check.h"

namespace leat {

namespace {

constexpr uint32_t kMinClassBits = 9;
constexpr uint32_t kMaxClassBits = 26;
constexpr uint32_t kUnpooled = 0xffffffff;
constexpr size_t kCachedBytesMax = size_t{64} << 20;

uint32_t class_bits(size_t capacity_bytes) noexcept {
  return std::max<uint32_t>(kMinClassBits, static_cast<uint32_t>(std::bit_width(capacity_bytes - 1)));
}

class BlockPool {
 public:
  Block* take(size_t capacity_bytes) {
    const uint32_t bits = class_bits(capacity_bytes);
    const bool pooled = capacity_bytes > 0 && bits <= kMaxClassBits;
    const size_t capacity = pooled ? size_t{1} << bits : capacity_bytes;
    note_taken(capacity);
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
    note_given_back(block->capacity);
    cache_or_release(block);
  }

  void cache_or_release(Block* block) noexcept {
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

  void note_taken(size_t capacity) noexcept { in_use_bytes_.fetch_add(capacity, std::memory_order_relaxed); }
  void note_given_back(size_t capacity) noexcept { in_use_bytes_.fetch_sub(capacity, std::memory_order_relaxed); }

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

// A few small blocks that this thread freed last, for its next requests and answers: no lock.
class Magazine {
 public:
  ~Magazine() {
    for (Shelf& shelf : shelves_) {
      while (shelf.count > 0) pool().cache_or_release(shelf.blocks[--shelf.count]);
    }
    closed_ = true;
  }

  Block* take(size_t capacity_bytes) noexcept {
    if (capacity_bytes > kLargestBytes) return nullptr;
    Shelf& shelf = shelves_[shelf_of(class_bits(capacity_bytes))];
    if (shelf.count == 0) return nullptr;
    Block* block = shelf.blocks[--shelf.count];
    block->references.store(1, std::memory_order_relaxed);
    pool().note_taken(block->capacity);
    return block;
  }

  bool keep(Block* block) noexcept {
    if (block->capacity > kLargestBytes || block->size_class == kUnpooled || closed_) return false;
    Shelf& shelf = shelves_[shelf_of(block->size_class)];
    if (shelf.count == shelf.blocks.size()) return false;
    shelf.blocks[shelf.count++] = block;
    pool().note_given_back(block->capacity);
    return true;
  }

 private:
  static constexpr uint32_t kLargestBits = 12;
  static constexpr size_t kLargestBytes = size_t{1} << kLargestBits;
  static size_t shelf_of(uint32_t bits) noexcept { return bits - kMinClassBits; }
  struct Shelf {
    std::array<Block*, 16> blocks{};
    size_t count = 0;
  };
  std::array<Shelf, kLargestBits - kMinClassBits + 1> shelves_;
  bool closed_ = false;  // the thread ends
};
thread_local Magazine magazine;

}  // namespace

BlockRef BlockRef::allocate(size_t capacity_bytes) {
  const size_t wanted = std::max<size_t>(capacity_bytes, 1);
  if (Block* block = magazine.take(wanted)) return BlockRef(block);
  return BlockRef(pool().take(wanted));
}
void BlockRef::give_back(Block* block) noexcept {
  if (!magazine.keep(block)) pool().give_back(block);
}

Slice::Slice(BlockRef block, size_t begin, size_t size) noexcept : block_(std::move(block)), size_(size) {
  ENSURE(block_ && begin <= block_.capacity() && size <= block_.capacity() - begin);
  data_ = block_.data() + begin;
}

Slice Slice::copy_of(ByteView bytes) {
  BlockRef block = BlockRef::allocate(bytes.size());
  if (!bytes.empty()) std::memcpy(block.data(), bytes.data(), bytes.size());
  return {std::move(block), 0, bytes.size()};
}

Slice Slice::sub(size_t begin, size_t size) const noexcept {
  ENSURE(begin <= size_ && size <= size_ - begin, "begin {} size {} of {}", begin, size, size_);
  Slice part = *this;
  part.data_ = data_ + begin;
  part.size_ = size;
  return part;
}

BlockPoolStats block_pool_stats() noexcept { return pool().stats(); }
void block_pool_trim(size_t keep_bytes) noexcept { pool().trim(keep_bytes); }

}  // namespace leat
