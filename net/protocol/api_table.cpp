// api_table.cpp: look-up in the API table.
#include "net/protocol/api_table.h"

#include <array>
#include <iterator>

#include "core/base/check.h"

namespace leat {
namespace {

constexpr size_t kKeysMax = 128;
constexpr uint8_t kNoApi = 0xff;

// Places in kApis by key: each request asks several times.
constexpr std::array<uint8_t, kKeysMax> places_by_key() {
  std::array<uint8_t, kKeysMax> places{};
  places.fill(kNoApi);
  for (size_t i = 0; i < std::size(kApis); ++i) places.at(static_cast<size_t>(kApis[i].key)) = static_cast<uint8_t>(i);
  return places;
}
constexpr std::array<uint8_t, kKeysMax> kPlaces = places_by_key();

}  // namespace

const ApiSpec* find_api(int16_t key) noexcept {
  if (key < 0 || static_cast<size_t>(key) >= kKeysMax) return nullptr;
  const uint8_t place = kPlaces[static_cast<size_t>(key)];
  return place == kNoApi ? nullptr : &kApis[place];
}

const ApiSpec& api_spec(ApiKey key) noexcept {
  const ApiSpec* spec = find_api(static_cast<int16_t>(key));
  ENSURE(spec != nullptr, "API key {}", static_cast<int>(key));
  return *spec;
}

}  // namespace leat
