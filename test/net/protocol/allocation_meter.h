// allocation_meter.h: how many bytes this test executable has asked of operator new, on this thread. Replaces the
// global operator new, so it belongs to one executable only.
#pragma once

#include <cstddef>

namespace leat {

size_t allocated_bytes() noexcept;  // ever; take the difference of two

}  // namespace leat
