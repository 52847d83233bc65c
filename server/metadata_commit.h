// metadata_commit.h: what a step of MetadataStore waits for. Thread: the loop.
#pragma once

#include <optional>

#include "core/metadata/metadata_machine.h"
#include "net/loop/event.h"

namespace leat {

struct MetadataCommit {
  explicit MetadataCommit(Scheduler& scheduler) noexcept : done(scheduler) {}
  Event done;
  std::optional<MetadataError> error;
};

}  // namespace leat
