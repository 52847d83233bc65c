// offline_directory.cpp: lock and checkpoints.
#include "core/log/offline_directory.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "core/log/file_names.h"
#include "core/log/recovery_folder.h"

namespace leat {

Result<OfflineDirectory> OfflineDirectory::open(FileSystem& files, const std::string& path, Use use) {
  OfflineDirectory directory(files, path, use);
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
  hints.point_is_unknown = hints.point_is_unknown && is_brokers_;
  return hints;
}

// Beside a broker a topic may go while we look: the checkpoints, which forget it before its folders are gone, are read
// once more before anything is said.
Result<std::vector<LostLog>> OfflineDirectory::lost_logs() const {
  TRY(lost, find_lost_logs(checkpoints_));
  if (lost.empty()) return std::move(lost);
  std::vector<std::string> unsaid;
  TRY(latest, DirectoryCheckpoints::read(files_, path_, unsaid));
  return find_lost_logs(latest);
}

Result<std::vector<LostLog>> OfflineDirectory::find_lost_logs(const DirectoryCheckpoints& checkpoints) const {
  TRY(entries, files_.list(path_));
  std::set<TopicPartition> going;
  bool has_partitions = false;
  bool has_journal = false;
  for (const FileInfo& entry : entries) {
    const std::optional<FolderName> folder = parse_folder_name(entry.name);
    if (!entry.is_directory || !folder) continue;
    if (folder->kind == FolderKind::kDelete) going.insert(folder->name);
    has_journal = has_journal || entry.name == kJournalFolder;
    has_partitions = has_partitions || folder->kind == FolderKind::kPartition;
  }
  std::vector<LostLog> lost;
  bool is_told = has_journal || !has_partitions || !files_.stat(join_path(path_, kMetaFile));
  for (const auto& [name, end] : checkpoints.recovery_points) {
    if (end == Offset(0) || going.contains(name)) continue;
    TRY(log, look_for(name, end));
    if (!log) continue;
    is_told = is_told || log->path == join_path(path_, kJournalFolder);
    lost.push_back(std::move(*log));
  }
  if (!is_told) {
    lost.push_back(
        {.path = join_path(path_, kJournalFolder), .what = "the folder is missing, which says what topics there are"});
  }
  return lost;
}

Result<std::optional<LostLog>> OfflineDirectory::look_for(const TopicPartition& name, Offset end) const {
  const std::string path = join_path(path_, fmt::format("{}", name));
  const Result<FolderContent> content = read_folder(files_, path);
  if (!content && content.error().code != Errc::kNotFound) return fail(content.error());
  if (content && !(content->logs.empty() && content->swaps.empty())) return std::optional<LostLog>();
  const std::string_view what = content ? "no segment is left in the folder" : "the folder is missing";
  return std::optional(LostLog{.path = path, .what = fmt::format("{}, with all records below offset {}", what, end)});
}

}  // namespace leat
