// api_table.cpp: look-up in the API table.
#include "net/protocol/api_table.h"

#include <algorithm>
#include <iterator>

#include "core/base/check.h"

namespace leat {
namespace {

constexpr bool in_order_of_key() {
  return std::is_sorted(std::begin(kApis), std::end(kApis),
                        [](const ApiSpec& a, const ApiSpec& b) { return a.key < b.key; });
}
static_assert(in_order_of_key(), "find_api searches by halves");

}  // namespace

const ApiSpec* find_api(int16_t key) noexcept {
  const ApiSpec* found =
      std::lower_bound(std::begin(kApis), std::end(kApis), key,
                       [](const ApiSpec& spec, int16_t wanted) { return static_cast<int16_t>(spec.key) < wanted; });
  return found != std::end(kApis) && static_cast<int16_t>(found->key) == key ? found : nullptr;
}

const ApiSpec& api_spec(ApiKey key) noexcept {
  const ApiSpec* spec = find_api(static_cast<int16_t>(key));
  CHECK(spec != nullptr, "API key {}", static_cast<int>(key));
  return *spec;
}

}  // namespace leat
