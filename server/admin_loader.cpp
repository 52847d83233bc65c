// admin_loader.cpp: finds leat_admin.so beside leatd, as in a build tree, or where it is installed, and loads it.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <string>

#include "core/storage/file_system.h"
#include "server/admin_http.h"

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

namespace leat {

namespace {

constexpr const char* kModule = "leat_admin.so";

std::string executable_path() {
  std::array<char, 4096> path{};
#ifdef __APPLE__
  auto size = static_cast<uint32_t>(path.size());
  if (_NSGetExecutablePath(path.data(), &size) != 0) return {};
#else
  if (::readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) return {};
#endif
  return path.data();
}

}  // namespace

Result<std::unique_ptr<AdminHttp>> load_admin_http(AdminQuestions& questions, const AdminHttpOptions& options) {
  const std::string folder(parent_directory(executable_path()));
  std::string tried;
  for (const std::string& place : {folder, join_path(folder, LEAT_ADMIN_MODULE_FOLDER)}) {
    const std::string path = join_path(place, kModule);
    void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
      const char* why = ::dlerror();  // NOLINT(concurrency-mt-unsafe)
      tried += tried.empty() ? "" : "; ";
      tried += why != nullptr ? why : path;
      continue;
    }
    auto* start = reinterpret_cast<StartAdminHttp*>(::dlsym(module, kStartAdminHttp));
    if (start == nullptr) return fail(Errc::kUnsupported, path + " is of another version");
    const std::unique_ptr<Result<std::unique_ptr<AdminHttp>>> started(start(questions, options));
    return std::move(*started);
  }
  return fail(Errc::kNotFound, "leat.metrics.listener: the admin module cannot be loaded: " + tried);
}

}  // namespace leat
