// scratch.cpp: see scratch.h.
#include "benchmarks/load/scratch.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace leat::bench {
namespace {

std::string scratch_directory() {
  const char* directory = std::getenv("TMPDIR");
  return directory == nullptr || *directory == '\0' ? "/tmp" : directory;
}

}  // namespace

Result<ScratchFile> ScratchFile::create() {
  std::string path = scratch_directory() + "/leat-bench-scratch.XXXXXX";
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) return fail(error_from_errno(errno, path));
  (void)unlink(path.c_str());
  return ScratchFile(descriptor);
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), position_(other.position_) {}
ScratchFile& ScratchFile::operator=(ScratchFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(position_, other.position_);
  return *this;
}
ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) (void)close(descriptor_);
}

Result<void> ScratchFile::append(ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), position_);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(error_from_errno(errno, "pwrite to a scratch file"));
    position_ += written;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Result<void> ScratchFile::sync() {
#ifdef __linux__
  const int failed = fdatasync(descriptor_);
#else
  const int failed = fsync(descriptor_);
#endif
  if (failed != 0) return fail(error_from_errno(errno, "sync of a scratch file"));
  return {};
}

void touch_memory(uint64_t bytes) {
  Result<ScratchFile> file = ScratchFile::create();
  if (!file) return;
  const std::vector<uint8_t> chunk(4 << 20, 'x');
  for (uint64_t written = 0; written < bytes; written += chunk.size()) {
    if (!file->append(chunk)) return;
  }
}

void settle_disk() {
#ifdef __linux__
  const int descriptor = open(scratch_directory().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)syncfs(descriptor);
  (void)close(descriptor);
#else
  sync();
#endif
}

}  // namespace leat::bench
