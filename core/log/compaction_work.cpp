// compaction_work.cpp: the pieces.
#include "core/log/compaction_work.h"

#include <algorithm>

namespace leat {

void CompactionWork::execute() noexcept {
  const Result<void> done = run();
  if (!done) error = done.error();
  if (swap) sync_failed = swap->sync_failed;
  if (pass != nullptr) sync_failed = sync_failed || pass->sync_failed();
}

Result<void> CompactionWork::run() {
  for (const std::string& path : removals) TRY(remove_if_there(files_, path));
  if (survey) return look(*survey);
  if (swap) return carry_out(files_, directory_, *swap);
  return pass != nullptr ? pass->step() : Result<void>();
}

// Of headers alone: a batch may have a date and no tombstone any more, which the pass then finds out.
Result<void> CompactionWork::look(Survey& asked) {
  TRY(file, open_segment(files_, directory_, asked.snapshot));
  BatchScanner scanner(*file, Position(0), asked.snapshot.size_bytes, BatchScanner::Depth::kHeaders);
  while (true) {
    TRY(scanned, scanner.next());
    if (!scanned || scanned->batch.base_offset() >= asked.end) return {};
    if (!scanned->batch.has_delete_horizon()) continue;
    asked.delete_horizon_ms = std::min(asked.delete_horizon_ms, scanned->batch.base_timestamp());
  }
}

}  // namespace leat
