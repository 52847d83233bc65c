// unset_names.cpp: asks the broker for all settings of the resource.
#include "cli/unset_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/config_resource.h"
#include "cli/suggest.h"

namespace leat::cli {

std::string no_such_setting(const client::ConfigResource& resource, const std::string& name,
                            const std::vector<client::ConfigEntry>& entries) {
  std::vector<std::string> known;
  known.reserve(entries.size());
  for (const client::ConfigEntry& entry : entries) known.push_back(entry.name);
  return fmt::format("a {} has no setting '{}'{}", kind_of(resource), name, did_you_mean(name, known));
}

Result<void> check_unset_names(Session& session, const client::ConfigResource& resource,
                               const std::vector<std::string>& names) {
  if (names.empty()) return {};
  TRY(connected, session.client());
  TRY(entries, session.wait(connected->admin().describe_configs(resource)));
  for (const std::string& name : names) {
    const bool found = std::any_of(entries.begin(), entries.end(),
                                   [&name](const client::ConfigEntry& entry) { return entry.name == name; });
    if (!found) return fail(Errc::kNotFound, "nothing is changed: " + no_such_setting(resource, name, entries));
  }
  return {};
}

}  // namespace leat::cli
