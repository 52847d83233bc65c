// config_get.cpp: leat config get: effective settings of a topic or of the broker (DescribeConfigs).
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/config_resource.h"
#include "cli/json_text.h"
#include "cli/text_table.h"
#include "cli/unset_names.h"

namespace leat::cli {
namespace {

struct GetOptions {
  std::vector<std::string> words;
  bool overrides = false;
};

constexpr int8_t kDefaultConfig = 5;

Result<void> refuse_unknown(SimpleClient& client, const ConfigTarget& target, const std::string& name) {
  TRY(entries, describe_configs(client, target.resource, {}));
  const std::string_view kind = target.resource.type == ResourceType::kTopic ? "topic" : "broker";
  return fail(Errc::kNotFound,
              with_hint(no_such_setting(target.resource, name, entries),
                        fmt::format("All of them: leat config get {} {}", kind, target.resource.name)));
}

// A broker leaves out what it does not know.
Result<void> check_all_found(SimpleClient& client, const ConfigTarget& target,
                             const std::vector<ConfigEntry>& entries) {
  for (const std::string& name : target.rest) {
    const bool found =
        std::any_of(entries.begin(), entries.end(), [&name](const ConfigEntry& entry) { return entry.name == name; });
    if (found) continue;
    return refuse_unknown(client, target, name);
  }
  return {};
}

Result<int> get(Session& session, const GetOptions& options) {
  TRY(target, parse_config_target(options.words, "config get"));
  TRY(client, session.client());
  TRY(complete(target, *client));
  TRY(entries, describe_configs(*client, target.resource, target.rest));
  TRY(check_all_found(*client, target, entries));
  TextTable table({"NAME", "VALUE", "SOURCE"});
  for (const ConfigEntry& entry : entries) {
    if (options.overrides && entry.source == kDefaultConfig) continue;
    if (session.options.json) {
      session.out(json_line({{"name", entry.name},
                             {"value", entry.value ? JsonValue(*entry.value) : JsonValue(nullptr)},
                             {"source", config_source_name(entry.source)},
                             {"read_only", entry.read_only},
                             {"sensitive", entry.sensitive}}));
    } else if (target.rest.size() == 1) {
      session.out(entry.value.value_or("") + "\n");
    }
    table.add({entry.name, entry.sensitive ? "(secret)" : entry.value.value_or(""),
               std::string(config_source_name(entry.source))});
  }
  if (!session.options.json && target.rest.size() != 1) session.out(table.to_string());
  return kExitOk;
}

}  // namespace

Action declare_config_get(Flags& flags) {
  const auto options = std::make_shared<GetOptions>();
  flags.words("what", options->words, Need::kRequired, "topic NAME [SETTING...] or broker [ID] [SETTING...]");
  flags.on_off("--overrides", options->overrides, "Only what is not a default");
  return [options](Session& session) { return get(session, *options); };
}

}  // namespace leat::cli
