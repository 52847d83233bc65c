// quota_set.cpp: leat quota set.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/key_value.h"
#include "cli/quota_entity.h"

namespace leat::cli {
namespace {

struct SetOptions {
  EntityFlags entity;
  std::vector<std::string> words;
};

Result<double> parse_limit(const KeyValue& pair) {
  char* end = nullptr;
  const double value = std::strtod(pair.value.c_str(), &end);
  const bool is_number = !pair.value.empty() && *end == 0 && std::isfinite(value);
  if (is_number && value > 0) return value;
  return fail(
      Errc::kInvalidArgument,
      fmt::format("{}={}: a quota is a number above 0; to take it away: leat quota delete", pair.key, pair.value));
}

Result<int> set(Session& session, const SetOptions& options) {
  TRY(entity, needed_entity(options.entity));
  TRY(pairs, parse_settings(options.words, {}, "quota set"));
  std::vector<client::QuotaChange> changes;
  for (const KeyValue& pair : pairs) {
    TRY(check_quota_key(pair.key));
    TRY(check_quota_fits(pair.key, entity));
    TRY(limit, parse_limit(pair));
    changes.push_back({.key = pair.key, .value = limit});
  }
  TRY(connected, session.client());
  TRY(session.wait(connected->admin().alter_quotas(entity, changes)));
  for (const client::QuotaChange& change : changes) {
    if (session.options.json) {
      session.out(json_line({{"entity", entity_json(entity)}, {"quota", change.key}, {"value", *change.value}}));
    }
    session.say(fmt::format("Set {} = {} for {}.", change.key, *change.value, shown(entity)));
  }
  return kExitOk;
}

}  // namespace

Action declare_quota_set(Flags& flags) {
  const auto options = std::make_shared<SetOptions>();
  declare_entity(flags, options->entity);
  flags.words("quota", options->words, Need::kRequired,
              "QUOTA=VALUE...: producer_byte_rate, consumer_byte_rate (bytes a second), request_percentage (of one "
              "thread), controller_mutation_rate (partitions a second); for --ip connection_creation_rate (a second)");
  return [options](Session& session) { return set(session, *options); };
}

}  // namespace leat::cli
