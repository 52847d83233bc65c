// file_system.cpp: what is built on the door to disk, the same for every FileSystem.
#include "core/storage/file_system.h"

#include <fmt/format.h>

#include <array>

namespace leat {

Result<std::string> read_text_file(FileSystem& files, std::string_view path, size_t size_bytes_max) {
  TRY(file, files.open(path, OpenMode::kRead));
  TRY(size_bytes, file->size());
  if (static_cast<uint64_t>(size_bytes) > size_bytes_max) {
    return fail(Errc::kLimit, fmt::format("read {}: {} bytes, at most {} are taken", path, size_bytes, size_bytes_max));
  }
  std::string text(static_cast<size_t>(size_bytes), '\0');
  TRY(count, file->read_at(Position(0), {reinterpret_cast<uint8_t*>(text.data()), text.size()}));
  text.resize(count);
  return text;
}

namespace {

Result<void> write_whole_file(FileSystem& files, std::string_view path, std::string_view text, SyncKind kind) {
  TRY(file, files.open(path, OpenMode::kCreate));
  TRY(file->truncate(0));  // a crash may have left one
  const std::array<ByteView, 1> pieces{as_bytes(text)};
  TRY(file->write_at(Position(0), pieces));
  return file->sync(kind);
}

}  // namespace

Result<void> replace_text_file(FileSystem& files, std::string_view path, std::string_view text, SyncKind kind) {
  const std::string temporary = std::string(path) + ".tmp";
  Result<void> replaced = write_whole_file(files, temporary, text, kind);
  if (replaced) replaced = files.rename(temporary, path);
  if (!replaced) {
    [[maybe_unused]] const Result<void> removed = files.remove(temporary);  // best effort: gives the space back
    return replaced;
  }
  return files.sync_directory(parent_directory(path));
}

Result<void> remove_if_there(FileSystem& files, std::string_view path) {
  const Result<void> removed = files.remove(path);
  if (!removed && removed.error().code != Errc::kNotFound) return removed;
  return {};
}

namespace {

// The plain removal comes first: it takes a link to a folder away instead of emptying the folder that the link names.
Result<void> remove_entry(FileSystem& files, const std::string& path) {
  const Result<void> removed = files.remove(path);
  if (removed || removed.error().code == Errc::kNotFound) return {};
  if (removed.error().code != Errc::kAlreadyExists) return removed;
  TRY(entries, files.list(path));
  for (const FileInfo& entry : entries) TRY(remove_entry(files, join_path(path, entry.name)));
  return files.remove(path);
}

}  // namespace

Result<void> remove_tree(FileSystem& files, std::string_view path) {
  TRY(remove_entry(files, std::string(path)));
  const Result<void> synced = files.sync_directory(parent_directory(path));
  if (!synced && synced.error().code == Errc::kNotFound) return {};  // the parent was missing too
  return synced;
}

Result<void> make_directories(FileSystem& files, std::string_view path) {
  const Result<FileInfo> info = files.stat(path);
  if (info && info->is_directory) return {};
  if (info) return fail(Errc::kAlreadyExists, fmt::format("make directory {}: a file has this name", path));
  if (info.error().code != Errc::kNotFound) return fail(info.error());
  const std::string_view parent = parent_directory(path);
  if (parent != path) TRY(make_directories(files, parent));
  const Result<void> made = files.make_directory(path);
  if (!made && made.error().code != Errc::kAlreadyExists) return made;
  if (!made) {  // another has made it meanwhile, or it is a link
    const Result<FileInfo> there = files.stat(path);
    if (!there && there.error().code == Errc::kNotFound) {
      return fail(Errc::kNotFound, fmt::format("make directory {}: a symbolic link of this name leads nowhere", path));
    }
  }
  return files.sync_directory(parent);
}

std::string_view parent_directory(std::string_view path) noexcept {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const size_t slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return ".";
  if (slash == 0) return path.substr(0, 1);
  return path.substr(0, slash);
}

std::string_view file_name_of(std::string_view path) noexcept { return path.substr(path.rfind('/') + 1); }

std::string join_path(std::string_view directory, std::string_view name) {
  if (directory.empty()) return std::string(name);
  if (directory.back() == '/') return fmt::format("{}{}", directory, name);
  return fmt::format("{}/{}", directory, name);
}

}  // namespace leat
