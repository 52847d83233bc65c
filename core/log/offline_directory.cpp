// offline_directory.cpp: lock and checkpoints.
#include "core/log/offline_directory.h"

#include <fmt/format.h>

#include <optional>

#include "core/log/file_names.h"

namespace leat {
namespace {

constexpr std::string_view kLockName = ".lock";
constexpr std::string_view kRecoveryPointName = "recovery-point-offset-checkpoint";
constexpr std::string_view kLogStartName = "log-start-offset-checkpoint";
constexpr std::string_view kCleanedName = "cleaner-offset-checkpoint";

Result<OffsetCheckpoint> read_checkpoint(FileSystem& files, const std::string& path) {
  const Result<std::string> text = read_text_file(files, path);
  if (!text && text.error().code == Errc::kNotFound) return OffsetCheckpoint();
  if (!text) return fail(text.error());
  Result<OffsetCheckpoint> offsets = decode_offset_checkpoint(*text, path);
  return offsets ? std::move(*offsets) : OffsetCheckpoint();
}

Offset offset_in(const OffsetCheckpoint& checkpoint, const TopicPartition& name) {
  const auto found = checkpoint.find(name);
  return found == checkpoint.end() ? Offset(0) : found->second;
}

}  // namespace

Result<OfflineDirectory> OfflineDirectory::open(FileSystem& files, const std::string& path, Use use) {
  OfflineDirectory directory(files, use);
  const std::string lock_path = join_path(path, kLockName);
  if (use == Use::kChange && files.stat(lock_path)) {
    Result<std::unique_ptr<FileLock>> lock = files.lock(lock_path);
    if (!lock && lock.error().code == Errc::kLocked) {
      return fail(Errc::kLocked,
                  fmt::format("{}: leatd runs on this data directory: stop it first ({})", path, lock.error().context));
    }
    if (!lock) return fail(lock.error());
    directory.lock_ = std::move(*lock);
  }
  TRY(recovery_points, read_checkpoint(files, join_path(path, kRecoveryPointName)));
  TRY(log_starts, read_checkpoint(files, join_path(path, kLogStartName)));
  TRY(cleaned, read_checkpoint(files, join_path(path, kCleanedName)));
  directory.recovery_points_ = std::move(recovery_points);
  directory.log_starts_ = std::move(log_starts);
  directory.cleaned_ = std::move(cleaned);
  return directory;
}

RecoveryHints OfflineDirectory::hints_for(std::string_view folder_name) const {
  const std::optional<FolderName> folder = parse_folder_name(folder_name);
  if (!folder || folder->kind != FolderKind::kPartition) return {};
  return {.recovery_point = offset_in(recovery_points_, folder->name),
          .log_start = offset_in(log_starts_, folder->name),
          .cleaned = offset_in(cleaned_, folder->name)};
}

}  // namespace leat
