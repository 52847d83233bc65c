// group_words.h: what is said of groups that are not there, by every command that names one.
#pragma once

#include <fmt/format.h>

#include <string>

#include "cli/session.h"
#include "net/protocol/error_code.h"

namespace leat::cli {

// In words of ours when it says that there is no such group.
inline Error no_group(Session& session, const client::Error& error, const std::string& name) {
  if (error.kafka_code() != ErrorCode::kGroupIdNotFound) return session.failure(error);
  return session.failure(error,
                         fmt::format("group '{}' does not exist (GROUP_ID_NOT_FOUND). See: leat group list", name));
}

}  // namespace leat::cli
