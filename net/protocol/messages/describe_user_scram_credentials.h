// describe_user_scram_credentials.h: DescribeUserScramCredentials, API key 50, version 0, flexible: which SCRAM
// credentials users have, without secrets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DescribeUserScramCredentialsRequest {
  static constexpr std::string_view kName = "DescribeUserScramCredentialsRequest";
  static constexpr Versions kVersions{.key = 50, .min = 0, .max = 0, .flexible_since = 0};

  struct UserName {
    std::string name;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
    }
    friend bool operator==(const UserName&, const UserName&) = default;
  };

  std::optional<std::vector<UserName>> users = std::vector<UserName>{};

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("users", m.users, {}, kEmpty);
  }
  friend bool operator==(const DescribeUserScramCredentialsRequest&,
                         const DescribeUserScramCredentialsRequest&) = default;
};

struct DescribeUserScramCredentialsResponse {
  static constexpr std::string_view kName = "DescribeUserScramCredentialsResponse";
  static constexpr Versions kVersions{.key = 50, .min = 0, .max = 0, .flexible_since = 0};

  struct CredentialInfo {
    int8_t mechanism = 0;
    int32_t iterations = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("mechanism", m.mechanism);
      v.field("iterations", m.iterations);
    }
    friend bool operator==(const CredentialInfo&, const CredentialInfo&) = default;
  };

  struct DescribeUserScramCredentialsResult {
    std::string user;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    std::vector<CredentialInfo> credential_infos;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("user", m.user);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("credentialInfos", m.credential_infos);
    }
    friend bool operator==(const DescribeUserScramCredentialsResult&,
                           const DescribeUserScramCredentialsResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::vector<DescribeUserScramCredentialsResult> results;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("results", m.results);
  }
  friend bool operator==(const DescribeUserScramCredentialsResponse&,
                         const DescribeUserScramCredentialsResponse&) = default;
};

}  // namespace leat
