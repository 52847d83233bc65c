// segment_files.cpp: names, and index files as plain columns: what dump shows and verify checks is what is there, also
// when core/log would refuse to load it.
#include "cli/segment_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/codec/reader.h"
#include "core/log/file_names.h"

namespace leat::cli {
namespace {

Result<void> add_folder(FileSystem& files, const std::string& folder, std::vector<std::string>& found) {
  TRY(entries, files.list(folder));
  for (const FileInfo& entry : entries) {
    const std::string path = join_path(folder, entry.name);
    const std::optional<SegmentFileName> name = parse_segment_file_name(entry.name);
    if (!entry.is_directory && name && name->suffix == kLogSuffix) found.push_back(path);
    const std::optional<FolderName> inner = parse_folder_name(entry.name);
    if (entry.is_directory && inner && inner->kind == FolderKind::kPartition) TRY(add_folder(files, path, found));
  }
  return {};
}

template <class Entry>
Result<IndexColumns> read_columns(FileSystem& files, const std::string& path, size_t entry_bytes, const Entry& entry) {
  TRY(text, read_text_file(files, path));
  ByteView left = as_bytes(text);
  IndexColumns columns;
  for (; left.size() >= entry_bytes; left = left.subspan(entry_bytes)) {
    const bool all_zero = std::all_of(left.begin(), left.end(), [](uint8_t byte) { return byte == 0; });
    if (all_zero && text.size() > entry_bytes) return columns;  // one entry alone may well be zero
    columns.entries.push_back(entry(left.data()));
  }
  columns.odd_bytes = static_cast<int64_t>(left.size());
  return columns;
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
    if (found.size() == before) {
      return fail(Errc::kNotFound,
                  fmt::format("'{}' holds no segments: give a partition folder such as leat-data/orders-0, a data "
                              "directory, or a file",
                              path));
    }
  }
  return found;
}

Result<IndexColumns> read_offset_index(FileSystem& files, const std::string& path) {
  return read_columns(files, path, 8, [](const uint8_t* at) {
    return std::pair<int64_t, int64_t>(from_big_endian<uint32_t>(at), from_big_endian<uint32_t>(at + 4));
  });
}

Result<IndexColumns> read_time_index(FileSystem& files, const std::string& path) {
  return read_columns(files, path, 12, [](const uint8_t* at) {
    return std::pair<int64_t, int64_t>(from_big_endian<int64_t>(at), from_big_endian<uint32_t>(at + 8));
  });
}

std::string beside(const std::string& log_path, std::string_view suffix) {
  return log_path.substr(0, log_path.size() - kLogSuffix.size()) + std::string(suffix);
}

std::string_view file_name_of(std::string_view path) noexcept { return path.substr(path.rfind('/') + 1); }

}  // namespace leat::cli
