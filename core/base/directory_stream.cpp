// directory_stream.cpp: see the header.
#include "core/base/directory_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace leat {

DirectoryStream open_directory(const char* path) noexcept {
  int descriptor = -1;
  do {
    descriptor = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return nullptr;
  DirectoryStream stream(::fdopendir(descriptor));
  if (stream == nullptr) {
    const int why = errno;
    ::close(descriptor);
    errno = why;
  }
  return stream;
}

}  // namespace leat
