// quota_list.cpp: leat quota list.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/quota_entity.h"
#include "cli/text_table.h"

namespace leat::cli {
namespace {

struct ListOptions {
  EntityFlags entity;
  bool only = false;
};

Result<int> list(Session& session, const ListOptions& options) {
  TRY(parts, options.only ? needed_entity(options.entity) : entity_of(options.entity));
  TRY(connected, session.client());
  const auto match = options.only ? client::QuotaMatch::kThisOnly : client::QuotaMatch::kAll;
  TRY(entries, session.wait(connected->admin().describe_quotas(parts, match)));
  TextTable table({"FOR", "QUOTA", "VALUE"});
  for (const client::QuotaEntry& entry : entries) {
    JsonObject quotas;
    for (const auto& [key, value] : entry.quotas) {
      quotas.add(key, value);
      table.add({shown(entry.entity), key, fmt::format("{}", value)});
    }
    if (session.options.json) session.out(json_line({{"entity", entity_json(entry.entity)}, {"quotas", quotas.raw()}}));
  }
  if (session.options.json) return kExitOk;
  if (!entries.empty()) session.out(table.to_string());
  if (entries.empty()) session.say("There are no such quotas.");
  return kExitOk;
}

}  // namespace

Action declare_quota_list(Flags& flags) {
  const auto options = std::make_shared<ListOptions>();
  declare_entity(flags, options->entity);
  flags.on_off("--only", options->only, "Not those that have other parts, too: of a user not those of its client ids");
  return [options](Session& session) { return list(session, *options); };
}

}  // namespace leat::cli
