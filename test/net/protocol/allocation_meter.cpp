// allocation_meter.cpp: counting replacements of operator new.
#include "test/net/protocol/allocation_meter.h"

#include <cstdlib>
#include <new>

namespace leat {
namespace {
thread_local size_t allocated = 0;
}  // namespace

size_t allocated_bytes() noexcept { return allocated; }

static void* counted(void* memory, size_t size) {
  if (memory == nullptr) throw std::bad_alloc();
  allocated += size;
  return memory;
}

}  // namespace leat

void* operator new(size_t size) { return leat::counted(std::malloc(size), size); }
void* operator new(size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<size_t>(alignment);
  return leat::counted(std::aligned_alloc(unit, (size + unit - 1) / unit * unit), size);
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  leat::allocated += size;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
