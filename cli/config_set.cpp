// config_set.cpp: leat config set: changes settings of a topic, a group or the broker.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/config_resource.h"
#include "cli/json_text.h"
#include "cli/key_value.h"
#include "cli/unset_names.h"

namespace leat::cli {
namespace {

struct SetOptions {
  std::vector<std::string> words;
  std::vector<std::string> unset;
};

Result<int> set(Session& session, const SetOptions& options) {
  TRY(target, parse_config_target(options.words, "config set"));
  TRY(pairs, parse_settings(target.rest, options.unset, "config set"));
  std::vector<client::ConfigChange> changes;
  for (const KeyValue& pair : pairs) changes.push_back({.name = pair.key, .value = pair.value});
  for (const std::string& name : options.unset) changes.push_back({.name = name, .value = std::nullopt});
  if (changes.empty()) return fail(Errc::kInvalidArgument, "nothing to set: give NAME=VALUE, or --unset NAME");
  TRY(connected, session.client());
  TRY(complete(target, session));
  TRY(check_unset_names(session, target.resource, options.unset));
  TRY(session.wait(connected->admin().alter_configs(target.resource, changes)));
  for (const client::ConfigChange& change : changes) {
    if (session.options.json) {
      session.out(json_line({{"name", change.name}, {"value", or_null(change.value)}}));
    }
    session.say(change.value ? fmt::format("Set {} = {}.", change.name, *change.value)
                             : fmt::format("{} is back at its default.", change.name));
  }
  return kExitOk;
}

}  // namespace

Action declare_config_set(Flags& flags) {
  const auto options = std::make_shared<SetOptions>();
  flags.words("what", options->words, Need::kRequired,
              "topic NAME SETTING=VALUE..., group NAME SETTING=VALUE... or broker [ID] SETTING=VALUE...");
  flags.texts("--unset", "NAME", options->unset, "Back to the default; may be repeated");
  return [options](Session& session) { return set(session, *options); };
}

}  // namespace leat::cli
