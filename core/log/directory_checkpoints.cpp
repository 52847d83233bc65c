// directory_checkpoints.cpp: reading them.
#include "core/log/directory_checkpoints.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/log/file_names.h"

namespace leat {
namespace {

Result<OffsetCheckpoint> read_checkpoint(FileSystem& files, const std::string& path, std::vector<std::string>& notes) {
  const Result<std::string> text = read_text_file(files, path);
  if (!text && text.error().code == Errc::kNotFound) return OffsetCheckpoint();
  if (!text) return fail(text.error());
  Result<OffsetCheckpoint> offsets = decode_offset_checkpoint(*text, path);
  if (offsets) return offsets;
  // Without it everything is scanned and old segments' records show again: slower and more, but nothing is lost.
  notes.push_back(fmt::format("{}; going on without it", offsets.error().context));
  return OffsetCheckpoint();
}

Offset offset_in(const OffsetCheckpoint& checkpoint, const TopicPartition& name) {
  const auto found = checkpoint.find(name);
  return found == checkpoint.end() ? Offset(0) : found->second;
}

}  // namespace

Result<DirectoryCheckpoints> DirectoryCheckpoints::read(FileSystem& files, const std::string& directory,
                                                        std::vector<std::string>& notes) {
  TRY(recovery_points, read_checkpoint(files, join_path(directory, kRecoveryPointFile), notes));
  TRY(log_starts, read_checkpoint(files, join_path(directory, kLogStartFile), notes));
  TRY(cleaned, read_checkpoint(files, join_path(directory, kCleanedFile), notes));
  return DirectoryCheckpoints{std::move(recovery_points), std::move(log_starts), std::move(cleaned)};
}

RecoveryHints DirectoryCheckpoints::hints_for(const TopicPartition& name) const {
  return {.recovery_point = offset_in(recovery_points, name),
          .log_start = offset_in(log_starts, name),
          .cleaned = offset_in(cleaned, name)};
}

}  // namespace leat
