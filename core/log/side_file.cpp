// side_file.cpp: copies in pieces of fixed size.
#include "core/log/side_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/log/file_names.h"

namespace leat {
namespace {

constexpr size_t kCopyBytes = 1 << 20;

}  // namespace

std::string side_file_path(std::string_view path, Position begin) {
  return fmt::format("{}.{}{}", path, begin.v, kAsideSuffix);
}

Result<void> copy_bytes(File& from, Position begin, int64_t size_bytes, File& to, Position& at) {
  const auto buffer = std::make_unique_for_overwrite<uint8_t[]>(kCopyBytes);
  for (int64_t done = 0; done < size_bytes;) {
    const size_t wanted = std::min(kCopyBytes, static_cast<size_t>(size_bytes - done));
    TRY(count, from.read_at(begin + done, {buffer.get(), wanted}));
    if (count == 0) return fail(Errc::kIo, fmt::format("{}: became shorter while it was copied", from.path()));
    const std::array<ByteView, 1> pieces{ByteView(buffer.get(), count)};
    TRY(to.write_at(at, pieces));
    done += static_cast<int64_t>(count);
    at += static_cast<int64_t>(count);
  }
  return {};
}

Result<void> save_aside(FileSystem& files, File& from, Position begin, int64_t size_bytes, SyncKind kind) {
  const std::string path = side_file_path(from.path(), begin);
  TRY(aside, files.open(path, OpenMode::kCreate));
  TRY(aside->truncate(0));
  Position at(0);
  TRY(copy_bytes(from, begin, size_bytes, *aside, at));
  TRY(aside->sync(kind));
  return files.sync_directory(parent_directory(path));
}

}  // namespace leat
