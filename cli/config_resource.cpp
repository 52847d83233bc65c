// config_resource.cpp: reads the words.
#include "cli/config_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "cli/suggest.h"
#include "core/base/parse_int.h"

namespace leat::cli {
namespace {

bool is_number(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string_view kind_of(const client::ConfigResource& resource) noexcept {
  if (resource.type == client::ResourceType::kTopic) return "topic";
  return resource.type == client::ResourceType::kGroup ? "group" : "broker";
}

Result<ConfigTarget> parse_config_target(const std::vector<std::string>& words, std::string_view command) {
  const bool sets = command == "config set";
  if (words.empty()) return fail(Errc::kInvalidArgument, "whose settings? Say topic NAME, group NAME, or broker");
  ConfigTarget target;
  size_t used = 1;
  if (words[0] == "topic" || words[0] == "group") {
    const bool is_topic = words[0] == "topic";
    const bool has_name = words.size() > 1 && !(is_topic && words[1].find('=') != std::string::npos);
    if (!has_name) {
      return fail(Errc::kInvalidArgument, fmt::format("the {}'s name is missing: leat {} {} NAME {}", words[0], command,
                                                      words[0], sets ? "SETTING=VALUE" : "[SETTING]"));
    }
    target.resource.type = is_topic ? client::ResourceType::kTopic : client::ResourceType::kGroup;
    target.resource.name = words[1];
    used = 2;
  } else if (words[0] == "broker") {
    target.resource.type = client::ResourceType::kBroker;
    if (words.size() > 1 && is_number(words[1])) {
      if (!parse_int<int32_t>(words[1])) {
        return fail(Errc::kInvalidArgument,
                    fmt::format("'{}' is no broker's id: a whole number from 0 to {}", words[1], INT32_MAX));
      }
      target.resource.name = words[1];
      used = 2;
    }
  } else {
    const std::vector<std::string> known{"topic", "group", "broker"};
    const std::optional<std::string> meant = nearest(words[0], known);
    return fail(Errc::kInvalidArgument,
                fmt::format("'{}' has no settings{}: say topic NAME, group NAME, or broker", words[0],
                            meant ? fmt::format(" (did you mean '{}'?)", *meant) : ""));
  }
  target.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(used), words.end());
  return target;
}

// The controller: the only node that leatd has.
Result<void> complete(ConfigTarget& target, Session& session) {
  if (!target.resource.name.empty()) return {};
  TRY(connected, session.client());
  TRY(cluster, session.wait(connected->admin().describe_cluster()));
  target.resource.name = std::to_string(cluster.controller_id);
  return {};
}

}  // namespace leat::cli
