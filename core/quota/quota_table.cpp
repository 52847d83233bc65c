// quota_table.cpp: see quota_table.h.
#include "core/quota/quota_table.h"

#include <algorithm>

namespace leat {

bool QuotaTable::empty() const noexcept {
  return std::none_of(present_.begin(), present_.end(), [](bool present) { return present; });
}

void QuotaTable::assign(const QuotaMap& quotas) {
  *this = QuotaTable();
  for (const auto& [entity, values] : quotas) {
    for (const auto& [key, limit] : values) put(entity, key, limit);
  }
}

void QuotaTable::put(const QuotaEntity& entity, QuotaKey key, double limit) {
  present_[static_cast<size_t>(key)] = true;
  if (entity.ip) {
    put_address(*entity.ip, limit);
    return;
  }
  Limits& limits = limits_[static_cast<size_t>(key)];
  Level& level = !entity.user ? limits.no_user : *entity.user ? limits.users[**entity.user] : limits.any_user;
  if (!entity.client_id) {
    level.whole = limit;
  } else if (*entity.client_id) {
    level.client_ids.insert_or_assign(**entity.client_id, limit);
  } else {
    level.any_client_id = limit;
  }
}

// Of two spellings of one address the lower limit holds.
void QuotaTable::put_address(const QuotaName& ip, double limit) {
  if (!ip) {
    any_address_ = limit;
    return;
  }
  const auto [at, is_new] = addresses_.try_emplace(canonical_ip(*ip).value_or(*ip), limit);
  if (!is_new) at->second = std::min(at->second, limit);
}

std::optional<HoldingQuota> QuotaTable::find(QuotaKey key, const QuotaClient& client) const {
  if (!has(key)) return std::nullopt;
  const Limits& limits = limits_[static_cast<size_t>(key)];
  const auto named = limits.users.find(client.user);
  const Level* const levels[] = {named == limits.users.end() ? nullptr : &named->second, &limits.any_user,
                                 &limits.no_user};
  for (const Level* level : levels) {
    if (level == nullptr) continue;
    const std::string_view user = level == &limits.no_user ? std::string_view() : client.user;
    if (!client.client_id.empty()) {
      const auto own = level->client_ids.find(client.client_id);
      if (own != level->client_ids.end()) return HoldingQuota{own->second, {user, client.client_id}};
      if (level->any_client_id) return HoldingQuota{*level->any_client_id, {user, client.client_id}};
    }
    if (level->whole) return HoldingQuota{*level->whole, {user, {}}};
  }
  return std::nullopt;
}

std::optional<double> QuotaTable::find_connection_rate(std::string_view ip) const {
  const auto own = addresses_.find(ip);
  return own == addresses_.end() ? any_address_ : own->second;
}

}  // namespace leat
