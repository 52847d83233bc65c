// shared_library.cpp: the shared library has a source, as CMake wants; all else in it comes from the static ones.
#include <leat/version.h>

namespace leat::client {

static_assert(kVersionMajor >= 0 && kVersionMinor >= 0 && kVersionPatch >= 0);

}  // namespace leat::client
