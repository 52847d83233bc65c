// quota_entity.cpp: flags to entities, entities to words.
#include "cli/quota_entity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/suggest.h"

namespace leat::cli {
namespace {

struct Part {
  const char* type;
  const std::optional<std::string>& name;
  bool is_default;
};

constexpr const char* kQuotaOfAddresses = "connection_creation_rate";

}  // namespace

const std::vector<std::string>& quota_keys() {
  static const std::vector<std::string> keys = {"producer_byte_rate", "consumer_byte_rate", "request_percentage",
                                                "controller_mutation_rate", kQuotaOfAddresses};
  return keys;
}

void declare_entity(Flags& flags, EntityFlags& target) {
  flags.text("--user", "NAME", target.user, "A user; without a login everybody is ANONYMOUS");
  flags.on_off("--user-default", target.user_default, "Each user that has no quota of its own");
  flags.text("--client-id", "NAME", target.client_id, "A client id; with a user: of this user only");
  flags.on_off("--client-id-default", target.client_id_default, "Each client id that has no quota of its own");
  flags.text("--ip", "ADDRESS", target.ip, "An address that connections come from");
  flags.on_off("--ip-default", target.ip_default, "Each address that has no quota of its own");
}

Result<client::QuotaEntity> entity_of(const EntityFlags& flags) {
  const Part parts[] = {{"user", flags.user, flags.user_default},
                        {"client-id", flags.client_id, flags.client_id_default},
                        {"ip", flags.ip, flags.ip_default}};
  client::QuotaEntity entity;
  for (const Part& part : parts) {
    if (part.name && part.is_default) {
      return fail(Errc::kInvalidArgument, fmt::format("--{} and --{}-default: say one of them", part.type, part.type));
    }
    if (part.name && part.name->empty())
      return fail(Errc::kInvalidArgument, fmt::format("--{} has no name", part.type));
    if (part.name) entity.emplace(part.type, *part.name);
    if (part.is_default) entity.emplace(part.type, std::nullopt);
  }
  if (entity.contains("ip") && entity.size() > 1) {
    return fail(Errc::kInvalidArgument, "an address stands alone: its quota is not for one user or client id");
  }
  return entity;
}

Result<client::QuotaEntity> needed_entity(const EntityFlags& flags) {
  TRY(entity, entity_of(flags));
  if (entity.empty()) {
    return fail(Errc::kInvalidArgument,
                "whose quota? Say --user, --client-id or both, or --ip; for all others --user-default, "
                "--client-id-default, --ip-default");
  }
  return std::move(entity);
}

std::string shown(const client::QuotaEntity& entity) {
  std::vector<std::string> words;
  for (const auto& [type, name] : entity) words.push_back(fmt::format("{} {}", type, name.value_or("<default>")));
  return fmt::format("{}", fmt::join(words, ", "));
}

JsonRaw entity_json(const client::QuotaEntity& entity) {
  JsonObject object;
  for (const auto& [type, name] : entity) object.add(type, or_null(name));
  return object.raw();
}

Result<void> check_quota_key(const std::string& key) {
  const std::vector<std::string>& known = quota_keys();
  if (std::find(known.begin(), known.end(), key) != known.end()) return {};
  const std::string meant = did_you_mean(key, known);
  return fail(Errc::kInvalidArgument, fmt::format("there is no quota '{}'{} There are: {}", key,
                                                  meant.empty() ? "." : meant, fmt::join(known, ", ")));
}

Result<void> check_quota_fits(const std::string& key, const client::QuotaEntity& entity) {
  const bool is_of_addresses = key == kQuotaOfAddresses;
  if (is_of_addresses == entity.contains("ip")) return {};
  return fail(Errc::kInvalidArgument,
              is_of_addresses
                  ? fmt::format("{} is a quota of addresses, not of {}: say --ip or --ip-default", key, shown(entity))
                  : fmt::format("{} is no quota of addresses: they have {} only", key, kQuotaOfAddresses));
}

}  // namespace leat::cli
