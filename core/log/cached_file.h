// cached_file.h: a file of which only the page cache is read: what would wait for the disk fails. For code that reads
// files on workers and may run on the loop as well, when it need not wait. Borrows the file.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/storage/file_system.h"

namespace leat {

// A file of which only the page cache is read: what would wait for the disk fails.
class CachedFile final : public File {
 public:
  explicit CachedFile(File& file) noexcept : file_(file) {}
  const std::string& path() const noexcept override { return file_.path(); }
  Result<size_t> read_at(Position position, MutableByteView into) override {
    TRY(count, file_.read_cached_at(position, into));
    if (!count) return not_here("not in the page cache");
    return *count;
  }
  Result<int64_t> size() override { return file_.size(); }
  Result<void> write_at(Position, std::span<const ByteView>) override { return not_here("read only"); }
  Result<void> sync(SyncKind) override { return not_here("read only"); }
  Result<void> truncate(int64_t) override { return not_here("read only"); }
  Result<void> allocate(int64_t) override { return not_here("read only"); }
  void drop_cache(Position, int64_t) noexcept override {}
  int descriptor() const noexcept override { return file_.descriptor(); }

 private:
  tl::unexpected<Error> not_here(std::string_view why) const {
    return fail(Errc::kUnsupported, fmt::format("{}: {}", file_.path(), why));
  }
  File& file_;
};

}  // namespace leat
