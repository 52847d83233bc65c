// quota_entity.h: whom a client quota is about, and what it limits. An entity is a user, a client id or both, or an IP
// address; each part is a name, or the default of all who have no quota of their own. Which keys an entity may have and
// what their values may be is checked here, in Kafka's words. Invariant of an entity that quota_entity_of made: it has
// a part, no part has an empty name, and an address stands alone.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace leat {

inline constexpr std::string_view kUserEntity = "user";
inline constexpr std::string_view kClientIdEntity = "client-id";
inline constexpr std::string_view kIpEntity = "ip";
inline constexpr size_t kQuotaNameBytesMax = 1024;  // of a name: they stand in the metadata journal and in memory

// A part of an entity: std::nullopt is the default.
using QuotaName = std::optional<std::string>;

struct QuotaEntity {
  std::optional<QuotaName> user;
  std::optional<QuotaName> client_id;
  std::optional<QuotaName> ip;

  // By type, in the order user, client-id, ip.
  std::vector<std::pair<std::string_view, QuotaName>> parts() const;
  std::string to_string() const;  // "user alice, client-id <default>"
  bool is_valid() const noexcept;

  friend auto operator<=>(const QuotaEntity&, const QuotaEntity&) = default;
};

enum class QuotaKey : uint8_t {
  kProducerByteRate,
  kConsumerByteRate,
  kRequestPercentage,
  kControllerMutationRate,
  kConnectionCreationRate,
};

std::string_view name_of(QuotaKey key) noexcept;
std::optional<QuotaKey> find_quota_key(std::string_view name) noexcept;

using QuotaValues = std::map<QuotaKey, double>;  // each above 0 and finite
using QuotaMap = std::map<QuotaEntity, QuotaValues>;

// A set value, or one that is taken away.
struct QuotaChange {
  std::string key;
  std::optional<double> value;
};

template <class T>
using QuotaResult = tl::expected<T, std::string>;  // the error in Kafka's words

// Of the types and names that a client sent. A type given twice counts once, with its last name, as in Kafka.
QuotaResult<QuotaEntity> quota_entity_of(const std::vector<std::pair<std::string, QuotaName>>& parts);

// What the entity's quotas are after the changes. All or none. Taking away what is not there is no error, whatever its
// key, as in Kafka.
QuotaResult<QuotaValues> quotas_after(const QuotaEntity& entity, const QuotaValues& before,
                                      const std::vector<QuotaChange>& changes);

// The one spelling of an address ("::ffff:10.0.0.1" is "10.0.0.1"); nullopt: it is none.
std::optional<std::string> canonical_ip(const std::string& text);

}  // namespace leat
