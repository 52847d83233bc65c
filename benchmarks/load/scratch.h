// scratch.h: files that a benchmark writes and forgets: unlinked at once, in TMPDIR, which should be on the disk that
// the broker under test uses. Thread: the caller's.
#pragma once

#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace leat::bench {

class ScratchFile {
 public:
  static Result<ScratchFile> create();
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&& other) noexcept;
  ~ScratchFile();

  Result<void> append(ByteView bytes);
  Result<void> sync();  // fdatasync, or the nearest that the system has

 private:
  explicit ScratchFile(int descriptor) noexcept : descriptor_(descriptor) {}
  int descriptor_;
  int64_t position_ = 0;
};

// Writes a scratch file of that size and deletes it, so that the memory which the page cache will need has been
// touched: on virtual machines the first touch is slower than anything that is measured here.
void touch_memory(uint64_t bytes);

// Waits until what others left dirty in the page cache is on disk: a sync that is measured would otherwise wait for
// their bytes too (ext4 commits one journal for all).
void settle_disk();

}  // namespace leat::bench
