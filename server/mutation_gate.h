// mutation_gate.h: whom MetadataStore asks before it makes or removes partitions for a client: MutationQuota in the
// handlers, nobody for what the broker does for itself. Thread: the loop.
#pragma once

#include <cstdint>

namespace leat {

class MutationGate {
 public:
  virtual ~MutationGate() = default;
  // Counts so many partitions; false: they are refused, and not counted.
  virtual bool admit(int32_t partitions) = 0;
};

}  // namespace leat
