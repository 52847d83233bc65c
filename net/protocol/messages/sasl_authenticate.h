// sasl_authenticate.h: SaslAuthenticate, API key 36, versions 0 to 2, flexible since 2: one step of a SASL exchange.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct SaslAuthenticateRequest {
  static constexpr std::string_view kName = "SaslAuthenticateRequest";
  static constexpr Versions kVersions{.key = 36, .min = 0, .max = 2, .flexible_since = 2};

  Bytes auth_bytes;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("authBytes", m.auth_bytes);
  }
  friend bool operator==(const SaslAuthenticateRequest&, const SaslAuthenticateRequest&) = default;
};

struct SaslAuthenticateResponse {
  static constexpr std::string_view kName = "SaslAuthenticateResponse";
  static constexpr Versions kVersions{.key = 36, .min = 0, .max = 2, .flexible_since = 2};

  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  Bytes auth_bytes;
  int64_t session_lifetime_ms = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("authBytes", m.auth_bytes);
    v.field("sessionLifetimeMs", m.session_lifetime_ms, {.since = 1, .ignorable = true});
  }
  friend bool operator==(const SaslAuthenticateResponse&, const SaslAuthenticateResponse&) = default;
};

}  // namespace leat
