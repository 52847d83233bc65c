// group_world_expect.h: a check for the innermost steps of the group simulation: Catch2's own macros make texts also
// when all is well, which costs more than the step. `text` is called only on failure.
#pragma once

#include <string>

#include "test/support/catch.h"

namespace leat {

template <class Text>
void expect(bool holds, const Text& text) {
  if (holds) [[likely]]
    return;
  const std::string failure = text();
  FAIL(failure);
}

}  // namespace leat
