// side_file.h: what is taken out of a log is kept beside it, for people to look at: bytes of a segment file from a
// position on go to PATH.POSITION.aside. Used by recovery and by repair. Thread: a worker's.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/storage/file_system.h"

namespace leat {

std::string side_file_path(std::string_view path, Position begin);

// Copies to the end of `to`, which is at `at` and moves. kIo when `from` ends before.
Result<void> copy_bytes(File& from, Position begin, int64_t size_bytes, File& to, Position& at);

// The copy and its name are durable when this returns, so that the original may be cut.
Result<void> save_aside(FileSystem& files, File& from, Position begin, int64_t size_bytes, SyncKind kind);

}  // namespace leat
