// file_sender.h: private to net/transport. Sends a part of an open file to a socket without copying it through our
// memory (Linux: sendfile). libuv writes what lies in memory and waits for the socket; it has no such call for a
// non-blocking stream, so these two are made beside it, while none of its own writes is under way. They never wait for
// the socket; for the disk only when the part has left the page cache since it was found there. Results: bytes taken,
// or a negative libuv error code; UV_EAGAIN: the socket is full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/bytes.h"

namespace leat {

struct FilePart {
  int descriptor = -1;
  int64_t position = 0;
  size_t size_bytes = 0;
};

inline constexpr size_t kFilePartsPiecesMax = 256;  // views of one send_before_file

// Zero never: a file that ends inside the part is UV_EIO.
int64_t send_file_part(int socket, const FilePart& part) noexcept;
// Bytes that a part of a file follows: the system keeps the last of them back, so that they leave together.
int64_t send_before_file(int socket, std::span<const ByteView> pieces) noexcept;
// The start of a part, for where sending it does not do: fewer than asked for only at its end; UV_EIO where the file
// ends.
int64_t read_file_part(const FilePart& part, MutableByteView into) noexcept;

}  // namespace leat
