// segment_files.cpp: names and places.
#include "cli/segment_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/log/file_names.h"

namespace leat::cli {
namespace {

bool is_log(const FileInfo& entry) {
  const std::optional<SegmentFileName> name = parse_segment_file_name(entry.name);
  return !entry.is_directory && name && name->suffix == kLogSuffix;
}

bool is_partition_folder(const FileInfo& entry) {
  const std::optional<FolderName> name = parse_folder_name(entry.name);
  return entry.is_directory && name && name->kind == FolderKind::kPartition;
}

Result<void> add_folder(FileSystem& files, const std::string& folder, std::vector<std::string>& found) {
  TRY(entries, files.list(folder));
  for (const FileInfo& entry : entries) {
    const std::string path = join_path(folder, entry.name);
    if (is_log(entry)) found.push_back(path);
    if (is_partition_folder(entry)) TRY(add_folder(files, path, found));
  }
  return {};
}

tl::unexpected<Error> holds_nothing(const std::string& path) {
  return fail(Errc::kNotFound,
              fmt::format("'{}' holds no segments: give a partition folder such as leat-data/orders-0, "
                          "a data directory, or a file",
                          path));
}

std::filesystem::path whole_path(const std::string& path) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(path, error);
  if (error) whole = path;
  whole = whole.lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  return whole;
}

// Its parent by name, so that a folder given as `.` is found in its data directory, too.
LogFolder log_folder(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::filesystem::path whole = whole_path(path);
  return {.path = std::move(path), .name = whole.filename().string(), .data_directory = whole.parent_path().string()};
}

// The folder itself when it has segments, else those in it that have.
Result<void> add_log_folders(FileSystem& files, const std::string& folder, std::vector<LogFolder>& found) {
  TRY(entries, files.list(folder));
  if (std::any_of(entries.begin(), entries.end(), is_log)) {
    found.push_back(log_folder(folder));
    return {};
  }
  for (const FileInfo& entry : entries) {
    if (is_partition_folder(entry)) TRY(add_log_folders(files, join_path(folder, entry.name), found));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> find_segment_files(FileSystem& files, const std::vector<std::string>& paths) {
  std::vector<std::string> found;
  for (const std::string& path : paths) {
    TRY(info, files.stat(path));
    if (!info.is_directory) {
      found.push_back(path);
      continue;
    }
    const size_t before = found.size();
    TRY(add_folder(files, path, found));
    if (found.size() == before) return holds_nothing(path);
  }
  return found;
}

Result<std::vector<LogFolder>> find_log_folders(FileSystem& files, const std::vector<std::string>& paths) {
  std::vector<LogFolder> found;
  for (const std::string& path : paths) {
    TRY(info, files.stat(path));
    const size_t before = found.size();
    if (info.is_directory) {
      TRY(add_log_folders(files, path, found));
    } else if (is_log({.name = std::string(file_name_of(path))})) {
      found.push_back(folder_of_file(path));
    }
    if (found.size() == before) return holds_nothing(path);
  }
  return found;
}

LogFolder folder_of_file(const std::string& path) { return log_folder(std::string(parent_directory(path))); }

Result<std::vector<LostLog>> lost_logs_in(FileSystem& files, OpenDirectories& directories, const std::string& path) {
  TRY(info, files.stat(path));
  if (!info.is_directory) return std::vector<LostLog>();
  TRY(directory, directories.directory_at(whole_path(path).string()));
  return directory->lost_logs();
}

Result<const OfflineDirectory*> OpenDirectories::directory_at(const std::string& path) {
  const auto known = opened_.find(path);
  if (known != opened_.end()) return &known->second;
  TRY(opened, OfflineDirectory::open(files_, path, use_));
  return &opened_.emplace(path, std::move(opened)).first->second;
}

}  // namespace leat::cli
