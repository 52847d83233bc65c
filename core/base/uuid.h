// uuid.h: Kafka's 16-byte ids. Text form: URL-safe base64 without padding, 22 characters, as Kafka's Uuid.toString.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/random.h"

namespace leat {

struct Uuid {
  std::array<uint8_t, 16> bytes{};

  friend auto operator<=>(const Uuid&, const Uuid&) = default;
  bool is_zero() const noexcept { return *this == Uuid{}; }
  std::string to_string() const;
  static std::optional<Uuid> parse(std::string_view text);
  // Version 4; never zero, never one of Kafka's reserved ids (0..99), never beginning with '-' in its text form, which
  // command lines would take for a flag.
  static Uuid make(Random& random);
};

}  // namespace leat

template <>
struct std::hash<leat::Uuid> {
  size_t operator()(const leat::Uuid& id) const noexcept {
    uint64_t low = 0;
    std::memcpy(&low, id.bytes.data() + 8, sizeof low);
    return static_cast<size_t>(low * 0x9e3779b97f4a7c15);
  }
};
