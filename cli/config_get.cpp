// config_get.cpp: leat config get: effective settings of a topic or of the broker (DescribeConfigs).
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/config_resource.h"
#include "cli/json_text.h"
#include "cli/text_table.h"

namespace leat::cli {
namespace {

struct GetOptions {
  std::vector<std::string> words;
  bool overrides = false;
};

constexpr int8_t kDefaultConfig = 5;

Result<int> get(Session& session, const GetOptions& options) {
  TRY(client, session.client());
  TRY(target, config_target(*client, options.words));
  TRY(entries, describe_configs(*client, target.resource, target.rest));
  for (const std::string& name : target.rest) {
    const bool found =
        std::any_of(entries.begin(), entries.end(), [&](const ConfigEntry& entry) { return entry.name == name; });
    if (!found)
      return fail(Errc::kNotFound, fmt::format("there is no setting '{}'; list them all by naming none", name));
  }
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
