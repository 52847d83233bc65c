// small_pool.cpp: see small_pool.h.
#include "net/loop/small_pool.h"

namespace leat::small_pool {

namespace {

// Gives the lists of a thread back when it ends.
struct ThreadCleanup {
  ~ThreadCleanup() {
    for (size_t index = 0; index < kClassCount; ++index) {
      FreeList& list = free_lists[index];
      while (list.first != nullptr) {
        FreePiece* piece = list.first;
        list.first = piece->next;
        give_back_to_heap(piece);
      }
      list.count = kKeptMax;  // what is freed later in the thread's end goes to the heap
    }
  }
  bool used = false;
};
thread_local ThreadCleanup cleanup;

}  // namespace

void* take_fresh(size_t class_index) {
  cleanup.used = true;  // makes it, so that it is destroyed with the thread
  return ::operator new((class_index + 1) * kClassBytes);
}

void give_back_to_heap(void* memory) noexcept { ::operator delete(memory); }

}  // namespace leat::small_pool
