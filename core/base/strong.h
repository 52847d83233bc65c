// strong.h: integers of one kind that do not mix with another: Offset + Position does not compile. Explicit in, `.v`
// out.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>
#include <functional>

namespace leat {

template <class Tag, class Int>
struct Strong {
  using Value = Int;
  Int v{};

  constexpr Strong() noexcept = default;
  constexpr explicit Strong(Int value) noexcept : v(value) {}

  friend constexpr auto operator<=>(Strong, Strong) noexcept = default;
  friend constexpr Strong operator+(Strong a, Int count) noexcept { return Strong(static_cast<Int>(a.v + count)); }
  friend constexpr Strong operator-(Strong a, Int count) noexcept { return Strong(static_cast<Int>(a.v - count)); }
  friend constexpr Int operator-(Strong a, Strong b) noexcept { return static_cast<Int>(a.v - b.v); }
  constexpr Strong& operator+=(Int count) noexcept {
    v = static_cast<Int>(v + count);
    return *this;
  }
};

using Offset = Strong<struct OffsetTag, int64_t>;      // of a record in a partition
using Position = Strong<struct PositionTag, int64_t>;  // of a byte in a file

inline constexpr Offset kNoOffset{-1};
inline constexpr int64_t kNoTimestamp = -1;  // Kafka's "no timestamp"; timestamps are milliseconds since 1970
inline constexpr int64_t kNoProducerId = -1;
inline constexpr int16_t kNoProducerEpoch = -1;
inline constexpr int32_t kNoSequence = -1;
inline constexpr int32_t kNoLeaderEpoch = -1;

}  // namespace leat

template <class Tag, class Int>
struct std::hash<leat::Strong<Tag, Int>> {
  size_t operator()(leat::Strong<Tag, Int> value) const noexcept { return std::hash<Int>{}(value.v); }
};

template <class Tag, class Int>
struct fmt::formatter<leat::Strong<Tag, Int>> : fmt::formatter<Int> {
  template <class Context>
  auto format(leat::Strong<Tag, Int> value, Context& context) const {
    return fmt::formatter<Int>::format(value.v, context);
  }
};
