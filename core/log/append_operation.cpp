// append_operation.cpp: writing and syncing a group of batches.
#include "core/log/append_operation.h"

#include <fmt/format.h>

#include "core/log/file_names.h"

namespace leat {

Result<void> AppendOperation::open_file() {
  if (file) return {};
  TRY(opened, files_.open(path, OpenMode::kCreate));
  TRY(size, opened->size());
  if (size != position.v) {
    return fail(Errc::kCorrupt, fmt::format("{}: expected {} bytes, found {}: something else writes to this file", path,
                                            position.v, size));
  }
  file = std::move(opened);
  return {};
}

Result<void> AppendOperation::write_group() {
  TRY(open_file());
  // A wish: where the system cannot, or the disk has no more, all works without.
  if (preallocate_bytes > 0) is_allocated = file->allocate(preallocate_bytes).has_value();
  if (epoch_text) {
    TRY(replace_text_file(files_, join_path(directory_, kLeaderEpochFile), *epoch_text, sync_kind()));
  }
  std::vector<ByteView> pieces;
  pieces.reserve(placed.size());
  for (const PlacedBatch& batch : placed) pieces.push_back(batch.bytes.view());
  Result<void> written = file->write_at(position, pieces);
  if (!written) {
    // The cut is made durable as well: the next batch may begin a new segment, and torn bytes that came back at the end
    // of this one would make recovery distrust all that follows them.
    Result<void> cut = file->truncate(position.v);
    if (cut) cut = file->sync(sync_kind());
    if (!cut) {
      cut_failed = true;
      return fail(written.error().code,
                  fmt::format("{}; and could not cut it back: {}", written.error().context, cut.error().context));
    }
    if (room_ahead_bytes > 0) (void)file->allocate(position.v + room_ahead_bytes);
  }
  return written;
}

void AppendOperation::write() noexcept {
  if (placed.empty()) return;
  const Result<void> written = write_group();
  if (written) return;
  write_failed = true;
  error = written.error();
}

Result<void> AppendOperation::sync_all() {
  const SyncKind kind = sync_kind();
  for (UnsyncedFile& before : earlier) {
    if (!before.file) {
      Result<std::unique_ptr<File>> opened = files_.open(before.path, OpenMode::kReadWrite);
      if (!opened && opened.error().code == Errc::kNotFound) continue;
      if (!opened) return fail(opened.error());
      before.file = std::move(*opened);
    }
    TRY(before.file->sync(kind));
  }
  TRY(file->sync(kind));
  if (directory_sync == DirectorySync::kNeeded) TRY(files_.sync_directory(directory_));
  return {};
}

void AppendOperation::sync() noexcept {
  if (placed.empty() || failed()) return;
  const Result<void> synced = sync_all();
  if (synced) return;
  sync_failed = true;
  error = synced.error();
}

void AppendOperation::share_sync_of(const LogAppend& later) noexcept {
  const auto& other = static_cast<const AppendOperation&>(later);
  if (!other.sync_failed) return;
  sync_failed = true;
  error = other.error;
}

}  // namespace leat
