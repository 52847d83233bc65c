// recovery_folder.cpp: sorting the files of a folder.
#include "core/log/recovery_folder.h"

#include <algorithm>

#include "core/log/file_names.h"
#include "core/log/producer_snapshot.h"

namespace leat {
namespace {

// False when the name is no file of a segment that is known.
bool sort_segment_file(FolderContent& content, const FileInfo& info) {
  const auto name = parse_segment_file_name(info.name);
  if (!name) return false;
  const Offset base = name->base_offset;
  if (name->suffix == kLogSuffix) {
    content.logs[base] = info;
  } else if (name->suffix == kIndexSuffix) {
    content.index_sizes[base] = info.size_bytes;
  } else if (name->suffix == kTimeIndexSuffix) {
    content.time_index_sizes[base] = info.size_bytes;
  } else if (name->suffix == kSnapshotSuffix) {
    content.snapshots.push_back(base);
  } else if (name->suffix.starts_with(kLogSuffix) && name->suffix.substr(kLogSuffix.size()) == kSwapSuffix) {
    content.swaps.push_back(base);
  } else if (name->suffix.ends_with(kDeletedSuffix) || name->suffix.ends_with(kCleanedSuffix)) {
    content.leftovers.push_back(info.name);
    if (name->suffix == std::string(kLogSuffix) + std::string(kDeletedSuffix)) content.deleted_logs.insert(base);
  } else if (name->suffix.ends_with(kAsideSuffix)) {
    content.asides.push_back(info.name);
  } else {
    return name->suffix == kTransactionIndexSuffix;  // it belongs to a segment
  }
  return true;
}

void take_lone(FolderContent& content, std::map<Offset, int64_t>& sizes, std::string_view suffix) {
  std::erase_if(sizes, [&](const auto& item) {
    if (content.logs.contains(item.first)) return false;
    content.lone_indexes[item.first].push_back(segment_file_name(item.first, suffix));
    return true;
  });
}

}  // namespace

Result<FolderContent> read_folder(FileSystem& files, const std::string& directory) {
  TRY(entries, files.list(directory));
  FolderContent content;
  for (const FileInfo& info : entries) {
    if (!info.is_directory && info.name == kPartitionMetadataFile) {
      content.has_metadata = true;
    } else if (!info.is_directory && info.name == kLeaderEpochFile) {
      content.has_epochs = true;
    } else if (!info.is_directory && info.name.ends_with(kTemporarySuffix)) {
      content.leftovers.push_back(info.name);
    } else if (info.is_directory || !sort_segment_file(content, info)) {
      content.strays.push_back(info.name);
    }
  }
  std::sort(content.snapshots.begin(), content.snapshots.end());
  take_lone(content, content.index_sizes, kIndexSuffix);
  take_lone(content, content.time_index_sizes, kTimeIndexSuffix);
  return content;
}

RecoveryHints with_known_point(FileSystem& files, const std::string& directory, const FolderContent& content,
                               const RecoveryHints& hints) {
  RecoveryHints known = hints;
  if (!hints.point_is_unknown) return known;
  for (auto offset = content.snapshots.rbegin(); offset != content.snapshots.rend(); ++offset) {
    const std::string path = segment_path(directory, *offset, kSnapshotSuffix);
    const Result<std::string> text = read_text_file(files, path, size_t{1} << 30);
    if (!text || !decode_producer_snapshot(as_bytes(*text), path, 0)) continue;
    known.recovery_point = std::max(known.recovery_point, *offset);
    break;
  }
  return known;
}

}  // namespace leat
