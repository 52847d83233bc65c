// metadata_commit.h: what a step of MetadataStore waits for. Thread: the loop.
#pragma once

#include <optional>

#include "net/loop/event.h"
#include "server/metadata_store.h"

namespace leat {

struct MetadataStore::Commit {
  explicit Commit(Scheduler& scheduler) noexcept : done(scheduler) {}
  Event done;
  std::optional<MetadataError> error;
};

}  // namespace leat
