// quota_entity.cpp: names, checks and texts.
#include "core/quota/quota_entity.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

namespace leat {
namespace {

enum class ValueType : uint8_t { kDouble, kInt, kLong };

struct KeyRow {
  QuotaKey key;
  std::string_view name;
  ValueType type;
};

constexpr KeyRow kKeys[] = {
    {QuotaKey::kProducerByteRate, "producer_byte_rate", ValueType::kLong},
    {QuotaKey::kConsumerByteRate, "consumer_byte_rate", ValueType::kLong},
    {QuotaKey::kRequestPercentage, "request_percentage", ValueType::kDouble},
    {QuotaKey::kControllerMutationRate, "controller_mutation_rate", ValueType::kDouble},
    {QuotaKey::kConnectionCreationRate, "connection_creation_rate", ValueType::kInt},
};

constexpr double kFractionMax = 1e-6;  // as in Kafka: what a double may miss an integer by
constexpr double kIntBound = 2147483647.0;
constexpr double kLongBound = 9223372036854775807.0;

const KeyRow& row_of(QuotaKey key) noexcept { return kKeys[static_cast<size_t>(key)]; }

// With an address only connections are limited; with a user or a client id all else.
bool may_have(const QuotaEntity& entity, QuotaKey key) noexcept {
  return entity.ip.has_value() == (key == QuotaKey::kConnectionCreationRate);
}

std::optional<std::string> value_fault(const KeyRow& row, double value) {
  if (!(value > 0)) return fmt::format("Quota {} must be greater than 0", row.name);
  if (!std::isfinite(value)) return fmt::format("Quota {} must be a finite number", row.name);
  if (row.type == ValueType::kDouble) return std::nullopt;
  const bool is_int = row.type == ValueType::kInt;
  if (value > (is_int ? kIntBound : kLongBound))
    return fmt::format("Proposed value for {} is too large for {}.", row.name, is_int ? "an INT" : "a LONG");
  if (std::fmod(value, 1.0) > kFractionMax) return fmt::format("{} cannot be a fractional value.", row.name);
  return std::nullopt;
}

std::optional<QuotaName>* part_of(QuotaEntity& entity, std::string_view type) noexcept {
  if (type == kUserEntity) return &entity.user;
  if (type == kClientIdEntity) return &entity.client_id;
  if (type == kIpEntity) return &entity.ip;
  return nullptr;
}

bool is_named_empty(const std::optional<QuotaName>& part) noexcept { return part && *part && (*part)->empty(); }

template <class Address>
std::string address_text(int family, const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(family, &address, text.data(), text.size());
  return text.data();
}

}  // namespace

std::vector<std::pair<std::string_view, QuotaName>> QuotaEntity::parts() const {
  std::vector<std::pair<std::string_view, QuotaName>> present;
  if (user) present.emplace_back(kUserEntity, *user);
  if (client_id) present.emplace_back(kClientIdEntity, *client_id);
  if (ip) present.emplace_back(kIpEntity, *ip);
  return present;
}

std::string QuotaEntity::to_string() const {
  std::string text;
  for (const auto& [type, name] : parts())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", type, name ? std::string_view(*name) : "<default>");
  return text;
}

bool QuotaEntity::is_valid() const noexcept {
  if (is_named_empty(user) || is_named_empty(client_id) || is_named_empty(ip)) return false;
  return ip ? !user && !client_id : user || client_id;
}

std::string_view name_of(QuotaKey key) noexcept { return row_of(key).name; }

std::optional<QuotaKey> find_quota_key(std::string_view name) noexcept {
  for (const KeyRow& row : kKeys) {
    if (row.name == name) return row.key;
  }
  return std::nullopt;
}

QuotaResult<QuotaEntity> quota_entity_of(const std::vector<std::pair<std::string, QuotaName>>& parts) {
  if (parts.empty()) return tl::unexpected<std::string>("Invalid empty client quota entity");
  QuotaEntity entity;
  for (const auto& [type, name] : parts) {
    std::optional<QuotaName>* part = part_of(entity, type);
    if (part == nullptr)
      return tl::unexpected<std::string>(fmt::format("Unhandled client quota entity type: {}", type));
    if (name && name->empty()) return tl::unexpected<std::string>(fmt::format("Empty {} not supported", type));
    if (name && name->size() > kQuotaNameBytesMax) {
      return tl::unexpected<std::string>(
          fmt::format("A {} of {} bytes cannot have a quota: {} at most", type, name->size(), kQuotaNameBytesMax));
    }
    part->emplace(name);
  }
  if (!entity.ip) return entity;
  if (entity.user || entity.client_id) {
    return tl::unexpected<std::string>(
        "Invalid quota entity combination, IP entity should not be combined with User or ClientId");
  }
  if (*entity.ip && !canonical_ip(**entity.ip))
    return tl::unexpected<std::string>(fmt::format("{} is not a valid IP: host names are not resolved", **entity.ip));
  return entity;
}

QuotaResult<QuotaValues> quotas_after(const QuotaEntity& entity, const QuotaValues& before,
                                      const std::vector<QuotaChange>& changes) {
  QuotaValues after = before;
  std::set<std::string_view> seen;
  for (const QuotaChange& change : changes) {
    if (!seen.insert(change.key).second)
      return tl::unexpected<std::string>(fmt::format("Duplicate quota key {}", change.key));
    const std::optional<QuotaKey> key = find_quota_key(change.key);
    if (!change.value) {
      if (key) after.erase(*key);
      continue;
    }
    if (!key || !may_have(entity, *key))
      return tl::unexpected<std::string>(fmt::format("Invalid configuration key {}", change.key));
    if (std::optional<std::string> fault = value_fault(row_of(*key), *change.value))
      return tl::unexpected<std::string>(*std::move(fault));
    after.insert_or_assign(*key, *change.value);
  }
  return after;
}

std::optional<std::string> canonical_ip(const std::string& text) {
  if (text.find('\0') != std::string::npos) return std::nullopt;  // else what stands behind it would not be looked at
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return address_text(AF_INET, v4);
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return std::nullopt;
  if (!IN6_IS_ADDR_V4MAPPED(&v6)) return address_text(AF_INET6, v6);
  std::memcpy(&v4, v6.s6_addr + 12, sizeof v4);
  return address_text(AF_INET, v4);
}

}  // namespace leat
