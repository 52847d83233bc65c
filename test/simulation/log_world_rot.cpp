// log_world_rot.cpp: bytes at rest change, or derived files vanish, while the log is closed.
#include <fmt/format.h>

#include <algorithm>

#include "core/log/file_names.h"
#include "core/record/batch.h"
#include "test/simulation/log_world.h"
#include "test/support/catch.h"

namespace leat {

namespace {
constexpr std::string_view kFolder = "/data/topic-0";
}  // namespace

void LogWorld::rot() {
  if (log_ == nullptr) return;
  log_.reset();
  files_.kill_process();
  last_end_ = End::kKill;
  switch (random_.below(6)) {
    case 0:
      files_.remove_matching(kIndexSuffix);
      break;
    case 1:
      files_.remove_matching(kTimeIndexSuffix);
      break;
    case 2:
      files_.remove_matching(kSnapshotSuffix);
      break;
    case 3:
      files_.remove_matching("recovery-point-offset-checkpoint");
      break;
    case 4:
      for (const std::string_view suffix : {kIndexSuffix, kTimeIndexSuffix, kSnapshotSuffix}) flip_in_file(suffix);
      break;
    default:
      rot_log();
      return;
  }
  start();
}

// One bit of one file with this ending; where it was.
std::optional<LogWorld::Flip> LogWorld::flip_in_file(std::string_view suffix) {
  Result<std::vector<FileInfo>> entries = files_.list(kFolder);
  REQUIRE(entries);
  std::erase_if(*entries,
                [suffix](const FileInfo& entry) { return !entry.name.ends_with(suffix) || entry.size_bytes == 0; });
  if (entries->empty()) return std::nullopt;
  const FileInfo& chosen = (*entries)[random_.below(entries->size())];
  const auto position = static_cast<int64_t>(random_.below(static_cast<uint64_t>(chosen.size_bytes)));
  REQUIRE(files_.flip_bit(join_path(kFolder, chosen.name), Position(position), static_cast<int>(random_.below(8))));
  tell(fmt::format("flipped a bit at {} of {}", position, chosen.name));
  return Flip{.base_offset = parse_segment_file_name(chosen.name)->base_offset.v, .position = position};
}

// The batch that a flip has hit, by adding up sizes from the segment's begin.
std::optional<int64_t> LogWorld::batch_at(const Flip& flip) const {
  std::map<int64_t, int64_t> sizes;  // by base offset
  for (auto at = content_.lower_bound(flip.base_offset); at != content_.end(); ++at) {
    sizes[at->first] = static_cast<int64_t>(at->second->bytes.size());
  }
  for (auto at = fillers_.lower_bound(flip.base_offset); at != fillers_.end(); ++at) {
    sizes[*at] = static_cast<int64_t>(kBatchHeaderBytes);
  }
  int64_t position = 0;
  for (const auto& [base_offset, size_bytes] : sizes) {
    position += size_bytes;
    if (flip.position < position) return base_offset;
  }
  return std::nullopt;
}

// A batch is served as it was, or not at all: never another one in its place.
bool LogWorld::is_served(int64_t base_offset, const SubmittedPtr& batch) {
  const LogOffsets offsets = log_->offsets();
  if (base_offset >= offsets.log_end.v) return false;
  Result<ReadPlan> plan = log_->plan_read(Offset(base_offset), {.bytes_max = 1, .upper = offsets.log_end});
  if (!plan) return false;
  const Result<FetchedBatches> fetched = execute(*std::move(plan));
  if (!fetched || fetched->pieces.empty()) return false;
  std::vector<uint8_t> bytes;
  for (const Slice& piece : fetched->pieces) bytes.insert(bytes.end(), piece.view().begin(), piece.view().end());
  return model_.identify(base_offset, bytes) == batch && BatchView(bytes).base_offset().v == base_offset;
}

// Damage of bytes that were durable: what it hits may be lost, nothing else, except that what the recovery point does
// not cover is cut from there on, which is then reported, with the bytes set aside.
void LogWorld::rot_log() {
  const LogContent before = content_;
  const int64_t log_start = log_start_seen_;
  const std::optional<Flip> flip = flip_in_file(kLogSuffix);
  const Result<RecoveryHints> hints = peek_hints();
  REQUIRE(hints);
  const Result<void> started = try_start();
  INFO((started ? std::string() : started.error().context));
  REQUIRE(started);
  for (const std::string& line : report_.damaged) tell("damaged: " + line);
  for (const std::string& line : report_.notes) tell("note: " + line);
  const std::optional<int64_t> hit = flip ? batch_at(*flip) : std::nullopt;
  bool is_later_batch_there = false;
  uint64_t lost = 0;
  for (const auto& [base_offset, batch] : before) {
    if (base_offset < log_start || base_offset == hit) continue;
    INFO("batch at " << base_offset << ", damaged " << hit.value_or(-1) << ", recovery point "
                     << hints->recovery_point.v);
    const bool may_be_cut =
        hit && base_offset > *hit && base_offset >= hints->recovery_point.v && !hints->clean_shutdown;
    const bool is_there = is_served(base_offset, batch);
    if (!may_be_cut) REQUIRE(is_there);
    lost += !is_there;
    is_later_batch_there |= hit && base_offset > *hit;
  }
  if (lost > 0) REQUIRE((report_.saved_aside_bytes > 0 && !report_.damaged.empty()));
  // Offsets are never handed out twice while there is a sign of who had them.
  if (hit && (is_later_batch_there || *hit < hints->recovery_point.v))
    REQUIRE(log_->offsets().log_end.v >= written_end_);
}

}  // namespace leat
