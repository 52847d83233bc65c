// topic_alter.cpp: leat topic alter: more partitions, other settings. No request changes both: each is asked for with
// validate_only first, so that nothing is changed when either is refused.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/key_value.h"
#include "cli/unset_names.h"

namespace leat::cli {
namespace {

struct AlterOptions {
  std::string name;
  std::optional<int64_t> partitions;
  std::vector<std::string> configs;
  std::vector<std::string> unset;
};

Result<int> alter(Session& session, const AlterOptions& options) {
  if (!options.partitions && options.configs.empty() && options.unset.empty()) {
    return fail(Errc::kInvalidArgument, "nothing to alter: give --partitions, --config or --unset");
  }
  TRY(pairs, parse_settings(options.configs, options.unset, "--config"));
  std::vector<client::ConfigChange> changes;
  for (const KeyValue& pair : pairs) changes.push_back({.name = pair.key, .value = pair.value});
  for (const std::string& name : options.unset) changes.push_back({.name = name, .value = std::nullopt});
  const client::ConfigResource resource{.type = client::ResourceType::kTopic, .name = options.name};
  TRY(connected, session.client());
  client::Admin& admin = connected->admin();
  TRY(check_unset_names(session, resource, options.unset));
  const auto add_partitions = [&](client::Validate validate) -> Result<void> {
    if (!options.partitions) return {};
    return session.wait(admin.create_partitions(options.name, static_cast<int32_t>(*options.partitions), validate));
  };
  const auto change_settings = [&](client::Validate validate) -> Result<void> {
    if (changes.empty()) return {};
    return session.wait(admin.alter_configs(resource, changes, validate));
  };
  TRY(add_partitions(client::Validate::kOnly));
  TRY(change_settings(client::Validate::kOnly));
  TRY(change_settings(client::Validate::kAndDo));  // first: settings can be changed back, partitions stay
  TRY(add_partitions(client::Validate::kAndDo));
  if (session.options.json) session.out(json_line({{"topic", options.name}, {"altered", true}}));
  session.say(fmt::format("Altered topic '{}'.", options.name));
  return kExitOk;
}

}  // namespace

Action declare_topic_alter(Flags& flags) {
  const auto options = std::make_shared<AlterOptions>();
  flags.word("topic", options->name, Need::kRequired, "The topic");
  flags.number("-p,--partitions", options->partitions, {.least = 1, .greatest = INT32_MAX},
               "How many it shall have; never fewer than it has. Keys may move to other partitions");
  flags.texts("-c,--config", "NAME=VALUE", options->configs, "Set a setting; may be repeated");
  flags.texts("--unset", "NAME", options->unset, "Back to the broker's default; may be repeated");
  return [options](Session& session) { return alter(session, *options); };
}

}  // namespace leat::cli
