// config_get.cpp: leat config get: effective settings of a topic, a group or the broker.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/config_resource.h"
#include "cli/json_text.h"
#include "cli/suggest.h"
#include "cli/text_table.h"
#include "cli/unset_names.h"

namespace leat::cli {
namespace {

struct GetOptions {
  std::vector<std::string> words;
  bool overrides = false;
};

Result<void> refuse_unknown(Session& session, const ConfigTarget& target, const std::string& name) {
  TRY(connected, session.client());
  TRY(entries, session.wait(connected->admin().describe_configs(target.resource)));
  return fail(Errc::kNotFound, with_hint(no_such_setting(target.resource, name, entries),
                                         fmt::format("All of them: leat config get {} {}", kind_of(target.resource),
                                                     target.resource.name)));
}

// A broker leaves out what it does not know.
Result<void> check_all_found(Session& session, const ConfigTarget& target,
                             const std::vector<client::ConfigEntry>& entries) {
  for (const std::string& name : target.rest) {
    const bool found = std::any_of(entries.begin(), entries.end(),
                                   [&name](const client::ConfigEntry& entry) { return entry.name == name; });
    if (!found) return refuse_unknown(session, target, name);
  }
  return {};
}

Result<int> get(Session& session, const GetOptions& options) {
  TRY(target, parse_config_target(options.words, "config get"));
  TRY(connected, session.client());
  TRY(complete(target, session));
  TRY(entries, session.wait(connected->admin().describe_configs(target.resource, target.rest)));
  TRY(check_all_found(session, target, entries));
  TextTable table({"NAME", "VALUE", "SOURCE"});
  for (const client::ConfigEntry& entry : entries) {
    if (options.overrides && entry.source == client::ConfigSource::kDefault) continue;
    const bool secret = entry.secrecy == client::ConfigEntry::Secrecy::kSensitive;
    if (session.options.json) {
      session.out(json_line({{"name", entry.name},
                             {"value", or_null(entry.value)},
                             {"source", to_string(entry.source)},
                             {"read_only", entry.access == client::ConfigEntry::Access::kReadOnly},
                             {"sensitive", secret}}));
    } else if (target.rest.size() == 1) {
      session.out(entry.value.value_or("") + "\n");
    }
    table.add({entry.name, secret ? "(secret)" : entry.value.value_or(""), std::string(to_string(entry.source))});
  }
  if (!session.options.json && target.rest.size() != 1) session.out(table.to_string());
  return kExitOk;
}

}  // namespace

Action declare_config_get(Flags& flags) {
  const auto options = std::make_shared<GetOptions>();
  flags.words("what", options->words, Need::kRequired,
              "topic NAME [SETTING...], group NAME [SETTING...] or broker [ID] [SETTING...]");
  flags.on_off("--overrides", options->overrides, "Only what is not a default");
  return [options](Session& session) { return get(session, *options); };
}

}  // namespace leat::cli
