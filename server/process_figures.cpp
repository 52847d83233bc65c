// process_figures.cpp: getrusage, and /proc or its counterparts on macOS.
#include "server/process_figures.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "core/base/directory_stream.h"

#ifdef __APPLE__
#include <mach/mach.h>
#endif

namespace leat {

namespace {

double seconds_of(const timeval& time) noexcept {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

int64_t resident_bytes() noexcept {
#ifdef __APPLE__
  mach_task_basic_info info{};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  const auto status = task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&info), &count);
  return status == KERN_SUCCESS ? static_cast<int64_t>(info.resident_size) : 0;
#else
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  long long total = 0;
  long long resident = 0;
  const int fields = std::fscanf(file, "%lld %lld", &total, &resident);
  std::fclose(file);
  return fields == 2 ? resident * ::sysconf(_SC_PAGESIZE) : 0;
#endif
}

int64_t open_descriptors() noexcept {
#ifdef __APPLE__
  const DirectoryStream directory = open_directory("/dev/fd");
#else
  const DirectoryStream directory = open_directory("/proc/self/fd");
#endif
  if (directory == nullptr) return 0;
  int64_t count = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (entry->d_name[0] != '.') ++count;
  }
  return count - 1;  // the directory's own
}

}  // namespace

ProcessFigures process_figures() noexcept {
  ProcessFigures figures;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) {
    figures.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) figures.descriptors_max = static_cast<int64_t>(limit.rlim_cur);
  figures.resident_bytes = resident_bytes();
  figures.open_descriptors = open_descriptors();
  return figures;
}

}  // namespace leat
