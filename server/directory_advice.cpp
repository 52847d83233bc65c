// directory_advice.cpp: see directory_advice.h.
#include "server/directory_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/log/file_names.h"

namespace leat {

namespace {

// As core/log/log_directory.h has them.
constexpr std::array kOurFiles{kLockFile,     kMetaFile,    kCleanFile,       kRecoveryPointFile,
                               kLogStartFile, kCleanedFile, kUnusedEpochsFile};

}  // namespace

Error with_directory_advice(Error error, const std::string& data_dir) {
  const std::string held = fmt::format("lock {}: held by ", join_path(data_dir, kLockFile));
  if (error.code == Errc::kLocked && error.context.starts_with(held)) {
    error.context = fmt::format("data directory {} is in use by {}: stop that one, or take another with --data-dir",
                                data_dir, error.context.substr(held.size()));
  } else if (error.code == Errc::kInvalidArgument && error.context.starts_with(join_path(data_dir, kMetaFile) + ": ")) {
    error.context += "; start leatd with the node.id of the directory, or take another directory with --data-dir";
  }
  return error;
}

std::vector<std::string> foreign_files(FileSystem& files, const std::string& data_dir) {
  std::vector<std::string> foreign;
  const Result<std::vector<FileInfo>> entries = files.list(data_dir);
  if (!entries) return foreign;
  for (const FileInfo& entry : *entries) {
    std::string_view name = entry.name;
    if (name.ends_with(kTemporarySuffix)) name.remove_suffix(kTemporarySuffix.size());
    const bool is_ours = std::find(kOurFiles.begin(), kOurFiles.end(), name) != kOurFiles.end();
    if (!entry.is_directory && !is_ours) foreign.push_back(join_path(data_dir, entry.name));
  }
  return foreign;
}

std::vector<std::string> lines_about(const std::vector<std::string>& paths, std::string_view what) {
  constexpr size_t kNamedMax = 10;
  std::vector<std::string> lines;
  for (const std::string& path : paths) {
    if (lines.size() == kNamedMax) {
      lines.push_back(fmt::format("{} more like {} are there: let a data directory hold nothing but Leat's own",
                                  paths.size() - kNamedMax, paths[kNamedMax - 1]));
      break;
    }
    lines.push_back(fmt::format("{} {}", path, what));
  }
  return lines;
}

}  // namespace leat
