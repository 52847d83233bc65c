// unset_names.cpp: asks the broker for all settings of the resource (DescribeConfigs).
#include "cli/unset_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/suggest.h"

namespace leat::cli {

Result<void> check_unset_names(SimpleClient& client, const ConfigResource& resource,
                               const std::vector<std::string>& names) {
  if (names.empty()) return {};
  TRY(entries, describe_configs(client, resource, {}));
  std::vector<std::string> known;
  known.reserve(entries.size());
  for (const ConfigEntry& entry : entries) known.push_back(entry.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::optional<std::string> meant = nearest(name, known);
    return fail(Errc::kNotFound, fmt::format("nothing is changed: a {} has no setting '{}'{}",
                                             resource.type == ResourceType::kTopic ? "topic" : "broker", name,
                                             meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
  }
  return {};
}

}  // namespace leat::cli
