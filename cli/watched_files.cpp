// watched_files.cpp: the files of a WatchedFiles.
#include "cli/watched_files.h"

#include <utility>

namespace leat::cli {
namespace {

class WatchedFile final : public File {
 public:
  WatchedFile(std::unique_ptr<File> file, const WatchedFiles::OnRead& on_read)
      : file_(std::move(file)), on_read_(on_read) {}

  const std::string& path() const noexcept override { return file_->path(); }
  Result<void> write_at(Position position, std::span<const ByteView> pieces) override {
    return file_->write_at(position, pieces);
  }
  Result<size_t> read_at(Position position, MutableByteView into) override {
    Result<size_t> read = file_->read_at(position, into);
    if (read) on_read_(*read);
    return read;
  }
  Result<std::optional<size_t>> read_cached_at(Position position, MutableByteView into) override {
    Result<std::optional<size_t>> read = file_->read_cached_at(position, into);
    if (read && *read) on_read_(**read);
    return read;
  }
  bool knows_page_cache() const noexcept override { return file_->knows_page_cache(); }
  Result<void> sync(SyncKind kind) override { return file_->sync(kind); }
  Result<void> truncate(int64_t size_bytes) override { return file_->truncate(size_bytes); }
  Result<int64_t> size() override { return file_->size(); }
  Result<void> allocate(int64_t size_bytes) override { return file_->allocate(size_bytes); }
  void drop_cache(Position begin, int64_t size_bytes) noexcept override { file_->drop_cache(begin, size_bytes); }
  int descriptor() const noexcept override { return file_->descriptor(); }

 private:
  const std::unique_ptr<File> file_;
  const WatchedFiles::OnRead& on_read_;
};

}  // namespace

Result<std::unique_ptr<File>> WatchedFiles::open(std::string_view path, OpenMode mode) {
  TRY(file, files_.open(path, mode));
  return std::unique_ptr<File>(std::make_unique<WatchedFile>(std::move(file), on_read_));
}

}  // namespace leat::cli
