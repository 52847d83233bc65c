// directory_stream.h: opens a directory for readdir().
//
// By open() and fdopendir(), not by opendir(): ThreadSanitizer does not see opendir() make a descriptor, nor libuv
// close one, but it sees closedir() close it. A worker that read a directory under the number of a connection just
// closed then reads as a race with the loop's accept.
#pragma once

#include <dirent.h>

#include <memory>

namespace leat {

struct CloseDirectory {
  void operator()(DIR* stream) const noexcept { ::closedir(stream); }
};
using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;

// Empty with errno set when the directory cannot be opened.
DirectoryStream open_directory(const char* path) noexcept;

}  // namespace leat
