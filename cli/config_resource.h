// config_resource.h: how config get and config set name what they are about: "topic NAME ...", "group NAME ..." or
// "broker [ID] ...".
#pragma once

#include <leat/admin.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"

namespace leat::cli {

struct ConfigTarget {
  client::ConfigResource resource;  // a broker's name is empty when no ID was given
  std::vector<std::string> rest;    // the words after it
};

std::string_view kind_of(const client::ConfigResource& resource) noexcept;  // "topic", "group", "broker"
// `command` as in "config get", for what is said when words are missing (kInvalidArgument).
Result<ConfigTarget> parse_config_target(const std::vector<std::string>& words, std::string_view command);
// Without an ID: the broker that is asked.
Result<void> complete(ConfigTarget& target, Session& session);

}  // namespace leat::cli
