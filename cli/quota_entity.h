// quota_entity.h: whom a quota is for, as flags say it, and as it is shown.
#pragma once

#include <leat/admin.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/json_text.h"
#include "core/base/result.h"

namespace leat::cli {

// What may be limited, by Kafka's names.
const std::vector<std::string>& quota_keys();

struct EntityFlags {
  std::optional<std::string> user;
  std::optional<std::string> client_id;
  std::optional<std::string> ip;
  bool user_default = false;
  bool client_id_default = false;
  bool ip_default = false;
};
void declare_entity(Flags& flags, EntityFlags& target);

// kInvalidArgument: a name and the default of one type, or an address with a user or client id. May be empty.
Result<client::QuotaEntity> entity_of(const EntityFlags& flags);
// The same, which must name somebody.
Result<client::QuotaEntity> needed_entity(const EntityFlags& flags);

std::string shown(const client::QuotaEntity& entity);    // "client-id billing, user <default>"
JsonRaw entity_json(const client::QuotaEntity& entity);  // the default is null

// kInvalidArgument with the nearest name.
Result<void> check_quota_key(const std::string& key);
// kInvalidArgument: addresses have one quota, which nobody else has.
Result<void> check_quota_fits(const std::string& key, const client::QuotaEntity& entity);

}  // namespace leat::cli
