// quota_delete.cpp: leat quota delete.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/quota_entity.h"

namespace leat::cli {
namespace {

struct DeleteOptions {
  EntityFlags entity;
  std::vector<std::string> keys;
  bool if_exists = false;
};

// Brokers let anything be taken away that is not there: a slip would pass for done.
Result<std::vector<client::QuotaChange>> removals(const std::vector<client::QuotaEntry>& entries,
                                                  const client::QuotaEntity& entity, const DeleteOptions& options) {
  std::vector<client::QuotaChange> changes;
  const std::map<std::string, double> quotas = entries.empty() ? std::map<std::string, double>{} : entries[0].quotas;
  for (const auto& [key, value] : quotas) {
    const bool is_asked =
        options.keys.empty() || std::find(options.keys.begin(), options.keys.end(), key) != options.keys.end();
    if (is_asked) changes.push_back({.key = key, .value = std::nullopt});
  }
  if (options.if_exists) return changes;
  if (quotas.empty()) {
    return fail(Errc::kNotFound, fmt::format("there are no quotas of {}. See: leat quota list", shown(entity)));
  }
  for (const std::string& key : options.keys) {
    if (!quotas.contains(key)) {
      return fail(Errc::kNotFound,
                  fmt::format("{} has no {}; nothing is deleted. See: leat quota list", shown(entity), key));
    }
  }
  return changes;
}

Result<int> remove(Session& session, const DeleteOptions& options) {
  TRY(entity, needed_entity(options.entity));
  for (const std::string& key : options.keys) TRY(check_quota_key(key));
  TRY(connected, session.client());
  TRY(entries, session.wait(connected->admin().describe_quotas(entity, client::QuotaMatch::kThisOnly)));
  TRY(changes, removals(entries, entity, options));
  if (!changes.empty()) TRY(session.wait(connected->admin().alter_quotas(entity, changes)));
  for (const client::QuotaChange& change : changes) {
    if (session.options.json) {
      session.out(json_line({{"entity", entity_json(entity)}, {"quota", change.key}, {"deleted", true}}));
    }
    session.say(fmt::format("Deleted {} of {}.", change.key, shown(entity)));
  }
  return kExitOk;
}

}  // namespace

Action declare_quota_delete(Flags& flags) {
  const auto options = std::make_shared<DeleteOptions>();
  declare_entity(flags, options->entity);
  flags.words("quota", options->keys, Need::kOptional, "Names of quotas; none: all of this user, client id or address");
  flags.on_off("--if-exists", options->if_exists, "A quota that does not exist is no error");
  return [options](Session& session) { return remove(session, *options); };
}

}  // namespace leat::cli
