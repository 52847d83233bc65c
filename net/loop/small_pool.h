// small_pool.h: memory for what comes and goes with each request: coroutine frames, groups of appends. Freed pieces
// stay on lists of the thread that freed them, by size class, a bounded number each, so that taking one costs a few
// instructions and no lock. Under AddressSanitizer every piece comes from the heap, so that a stale use is seen.
// Thread: any; a piece may be freed by another thread than the one that took it.
#pragma once

#include <cstddef>
#include <new>

namespace leat::small_pool {

inline constexpr size_t kClassBytes = 64;
inline constexpr size_t kClassCount = 48;  // up to 3 KiB; what is larger comes from the heap
inline constexpr size_t kKeptMax = 128;    // of each class

struct FreePiece {
  FreePiece* next;
};
struct FreeList {
  FreePiece* first = nullptr;
  size_t count = 0;
};
inline thread_local constinit FreeList free_lists[kClassCount];

void* take_fresh(size_t class_index);  // registers the thread's clean-up as well
void give_back_to_heap(void* memory) noexcept;

inline void* take(size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__)
  const size_t index = (bytes - 1) / kClassBytes;
  if (index < kClassCount) {
    FreeList& list = free_lists[index];
    if (list.first == nullptr) return take_fresh(index);
    FreePiece* piece = list.first;
    list.first = piece->next;
    --list.count;
    return piece;
  }
#endif
  return ::operator new(bytes);
}

inline void give_back(void* memory, [[maybe_unused]] size_t bytes) noexcept {
#if !defined(__SANITIZE_ADDRESS__)
  const size_t index = (bytes - 1) / kClassBytes;
  if (index < kClassCount) {
    FreeList& list = free_lists[index];
    if (list.count == kKeptMax) return give_back_to_heap(memory);
    list.first = new (memory) FreePiece{list.first};
    ++list.count;
    return;
  }
#endif
  ::operator delete(memory);
}

// For std::allocate_shared.
template <class T>
struct Allocator {
  using value_type = T;
  Allocator() noexcept = default;
  template <class Other>
  explicit Allocator(const Allocator<Other>&) noexcept {}
  T* allocate(size_t count) { return static_cast<T*>(take(count * sizeof(T))); }
  void deallocate(T* memory, size_t count) noexcept { give_back(memory, count * sizeof(T)); }
  friend bool operator==(const Allocator&, const Allocator&) noexcept { return true; }
};

}  // namespace leat::small_pool
