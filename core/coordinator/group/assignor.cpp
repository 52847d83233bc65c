// assignor.cpp: the assignors by the names that Kafka gives them.
#include "core/coordinator/group/assignor.h"

namespace leat {

Assignor find_assignor(std::string_view name) noexcept {
  if (name == "uniform") return assign_uniform;
  if (name == "range") return assign_range;
  return nullptr;
}

}  // namespace leat
