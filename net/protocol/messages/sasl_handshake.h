// sasl_handshake.h: SaslHandshake, API key 17, versions 0 to 1: choice of the SASL mechanism.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct SaslHandshakeRequest {
  static constexpr std::string_view kName = "SaslHandshakeRequest";
  static constexpr Versions kVersions{.key = 17, .min = 0, .max = 1};

  std::string mechanism;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("mechanism", m.mechanism);
  }
  friend bool operator==(const SaslHandshakeRequest&, const SaslHandshakeRequest&) = default;
};

struct SaslHandshakeResponse {
  static constexpr std::string_view kName = "SaslHandshakeResponse";
  static constexpr Versions kVersions{.key = 17, .min = 0, .max = 1};

  ErrorCode error_code = ErrorCode::kNone;
  std::vector<std::string> mechanisms;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("errorCode", m.error_code);
    v.field("mechanisms", m.mechanisms);
  }
  friend bool operator==(const SaslHandshakeResponse&, const SaslHandshakeResponse&) = default;
};

}  // namespace leat
