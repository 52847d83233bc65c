// offline_directory.cpp: lock and checkpoints.
#include "core/log/offline_directory.h"

#include <fmt/format.h>

#include <optional>

#include "core/log/file_names.h"

namespace leat {

Result<OfflineDirectory> OfflineDirectory::open(FileSystem& files, const std::string& path, Use use) {
  OfflineDirectory directory(files, use);
  const std::string lock_path = join_path(path, kLockFile);
  if (use == Use::kChange && files.stat(lock_path)) {
    Result<std::unique_ptr<FileLock>> lock = files.lock(lock_path);
    if (!lock && lock.error().code == Errc::kLocked) {
      return fail(Errc::kLocked,
                  fmt::format("{}: leatd runs on this data directory: stop it first ({})", path, lock.error().context));
    }
    if (!lock) return fail(lock.error());
    directory.lock_ = std::move(*lock);
  }
  std::vector<std::string> unsaid;  // a start says them
  TRY(checkpoints, DirectoryCheckpoints::read(files, path, unsaid));
  directory.checkpoints_ = std::move(checkpoints);
  directory.is_brokers_ = directory.checkpoints_.are_there || files.stat(lock_path).has_value();
  directory.was_closed_ = files.stat(join_path(path, kCleanFile)).has_value();
  return directory;
}

RecoveryHints OfflineDirectory::hints_for(std::string_view folder_name) const {
  const std::optional<FolderName> folder = parse_folder_name(folder_name);
  if (!folder || folder->kind != FolderKind::kPartition) return {};
  RecoveryHints hints = checkpoints_.hints_for(folder->name);
  hints.log_start_is_exact = was_closed_ && checkpoints_.log_starts_are_known;
  if (!is_brokers_) hints.compacted = Compacted::kUnknown;
  return hints;
}

}  // namespace leat
