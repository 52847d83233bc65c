// alter_user_scram_credentials.h: AlterUserScramCredentials, API key 51, version 0, flexible: SCRAM credentials set and
// removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct AlterUserScramCredentialsRequest {
  static constexpr std::string_view kName = "AlterUserScramCredentialsRequest";
  static constexpr Versions kVersions{.key = 51, .min = 0, .max = 0, .flexible_since = 0};

  struct ScramCredentialDeletion {
    std::string name;
    int8_t mechanism = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("mechanism", m.mechanism);
    }
    friend bool operator==(const ScramCredentialDeletion&, const ScramCredentialDeletion&) = default;
  };

  struct ScramCredentialUpsertion {
    std::string name;
    int8_t mechanism = 0;
    int32_t iterations = 0;
    Bytes salt;
    Bytes salted_password;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("mechanism", m.mechanism);
      v.field("iterations", m.iterations);
      v.field("salt", m.salt);
      v.field("saltedPassword", m.salted_password);
    }
    friend bool operator==(const ScramCredentialUpsertion&, const ScramCredentialUpsertion&) = default;
  };

  std::vector<ScramCredentialDeletion> deletions;
  std::vector<ScramCredentialUpsertion> upsertions;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("deletions", m.deletions);
    v.field("upsertions", m.upsertions);
  }
  friend bool operator==(const AlterUserScramCredentialsRequest&, const AlterUserScramCredentialsRequest&) = default;
};

struct AlterUserScramCredentialsResponse {
  static constexpr std::string_view kName = "AlterUserScramCredentialsResponse";
  static constexpr Versions kVersions{.key = 51, .min = 0, .max = 0, .flexible_since = 0};

  struct AlterUserScramCredentialsResult {
    std::string user;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("user", m.user);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const AlterUserScramCredentialsResult&, const AlterUserScramCredentialsResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<AlterUserScramCredentialsResult> results;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("results", m.results);
  }
  friend bool operator==(const AlterUserScramCredentialsResponse&, const AlterUserScramCredentialsResponse&) = default;
};

}  // namespace leat
