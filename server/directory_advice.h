// directory_advice.h: what is said about a data directory to whoever starts leatd on it: errors of its opening with
// what to do about them, and files in it that are nobody's. Thread: the loop, at start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/storage/file_system.h"

namespace leat {

// An error of RunningBroker::start(): of a directory that another process uses, or that is another node's, with what
// to do; any other as it is.
Error with_directory_advice(Error error, const std::string& data_dir);

// Paths of the files, sorted, that neither Leat nor a write that a crash cut short has put there. Folders are looked at
// by LogDirectory::list(). Empty when the directory cannot be read.
std::vector<std::string> foreign_files(FileSystem& files, const std::string& data_dir);

// For the log: "PATH WHAT" for each of the first ten, and one more line that counts the rest, so that a directory that
// holds a hundred thousand strangers does not fill it.
std::vector<std::string> lines_about(const std::vector<std::string>& paths, std::string_view what);

}  // namespace leat
