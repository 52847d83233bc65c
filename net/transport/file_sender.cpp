// file_sender.cpp: see file_sender.h.
#include "net/transport/file_sender.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <cerrno>

#ifdef __linux__
#include <sys/sendfile.h>
#endif

#include "core/base/check.h"

namespace leat {

namespace {

#ifdef MSG_MORE
constexpr int kMoreFollows = MSG_MORE;
#else
constexpr int kMoreFollows = 0;
#endif
#ifdef MSG_NOSIGNAL
constexpr int kNoSignal = MSG_NOSIGNAL;
#else
constexpr int kNoSignal = 0;  // macOS: libuv sets SO_NOSIGPIPE on its sockets
#endif

// libuv's codes are errno's, negative, on every Unix.
int64_t result_of(ssize_t count) noexcept { return count >= 0 ? count : -int64_t{errno}; }

}  // namespace

int64_t read_file_part(const FilePart& part, MutableByteView into) noexcept {
  const size_t size = std::min(part.size_bytes, into.size());
  ssize_t count = 0;
  do {
    count = ::pread(part.descriptor, into.data(), size, static_cast<off_t>(part.position));
  } while (count < 0 && errno == EINTR);
  return count == 0 && size > 0 ? int64_t{UV_EIO} : result_of(count);
}

int64_t send_file_part(int socket, const FilePart& part) noexcept {
#ifdef __linux__
  ssize_t count = 0;
  do {
    auto position = static_cast<off_t>(part.position);
    count = ::sendfile(socket, part.descriptor, &position, part.size_bytes);
  } while (count < 0 && errno == EINTR);
  return count == 0 ? int64_t{UV_EIO} : result_of(count);
#else
  // Where nothing tells what is in the page cache no part of a file is ever sent this way; correct, not fast.
  std::array<uint8_t, 16 * 1024> copy;
  const int64_t size = read_file_part(part, copy);
  if (size < 0) return size;
  return result_of(::send(socket, copy.data(), static_cast<size_t>(size), kNoSignal));
#endif
}

int64_t send_before_file(int socket, std::span<const ByteView> pieces) noexcept {
  ENSURE(pieces.size() <= kFilePartsPiecesMax, "{}", pieces.size());
  std::array<iovec, kFilePartsPiecesMax> vectors;
  for (size_t i = 0; i < pieces.size(); ++i) {
    vectors[i] = {const_cast<uint8_t*>(pieces[i].data()), pieces[i].size()};  // sending only reads
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = static_cast<decltype(message.msg_iovlen)>(pieces.size());
  ssize_t count = 0;
  do {
    count = ::sendmsg(socket, &message, kMoreFollows | kNoSignal);
  } while (count < 0 && errno == EINTR);
  return result_of(count);
}

}  // namespace leat
