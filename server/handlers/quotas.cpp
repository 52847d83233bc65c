// quotas.cpp: DescribeClientQuotas 0-1, AlterClientQuotas 0-1. What is altered is durable and in effect when the answer
// leaves. Each entity of a request is altered by itself, all of its keys or none; validate_only alters nothing.
//   AlterClientQuotas, an entity:
//     no type, an unknown one, an empty name, an IP with another, an IP that is no address        INVALID_REQUEST
//     named twice in the request (none of the two is done; Kafka does the first)                  INVALID_REQUEST
//     a key twice, an unknown one, one that the entity cannot have                                INVALID_REQUEST
//     a value that is not above 0, is not finite, too large, or has a fraction where none may be  INVALID_REQUEST
//     a name longer than 1 KiB                                                                    INVALID_REQUEST
//     more than 10,000 entities would have quotas                                                 POLICY_VIOLATION
//     the journal cannot be written                                                               KAFKA_STORAGE_ERROR
//   DescribeClientQuotas, the whole request:
//     an empty type, one twice, an unknown way to match, a name where none may be (or none where
//     one must be), an IP with another                                                            INVALID_REQUEST
//     an unknown type                                                                             UNSUPPORTED_VERSION
// Difference: a host name is no IP; Kafka asks a name server once, and limits the address that it had then.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "server/broker.h"
#include "server/handlers/metadata_errors.h"
#include "server/handlers/quota_handlers.h"
#include "server/metadata_store.h"

namespace leat {
namespace {

using AlterEntry = AlterClientQuotasRequest::EntryData;
using AlterResult = AlterClientQuotasResponse::EntryData;
using Parts = std::vector<std::pair<std::string, QuotaName>>;

// A text that quotes what the client sent may be longer than the protocol's strings: it could not be answered.
std::string sendable(std::string message) {
  constexpr size_t kBytesMax = 1024;
  if (message.size() <= kBytesMax) return message;
  size_t size = kBytesMax;
  while (size > 0 && (static_cast<unsigned char>(message[size]) & 0xC0) == 0x80) --size;  // not inside a character
  message.resize(size);
  return message + "...";
}

// As it was sent, but sorted and each type once: what the client finds its answer by.
Parts parts_of(const AlterEntry& entry) {
  std::map<std::string, QuotaName> by_type;
  for (const auto& part : entry.entity) by_type.insert_or_assign(part.entity_type, part.entity_name);
  return {by_type.begin(), by_type.end()};
}

void set_error(AlterResult& result, ErrorCode code, std::string message) {
  result.error_code = code;
  result.error_message = sendable(std::move(message));
}

MetadataStore::QuotaAlteration alteration_of(QuotaEntity entity, const AlterEntry& entry) {
  MetadataStore::QuotaAlteration alteration{.entity = std::move(entity), .changes = {}};
  for (const auto& op : entry.ops)
    alteration.changes.push_back({op.key, op.remove ? std::nullopt : std::optional<double>(op.value)});
  return alteration;
}

// What is to be asked of the store, and which entries of the response it is about.
struct Alterations {
  std::vector<MetadataStore::QuotaAlteration> asked;
  std::vector<size_t> places;
};

// One entry of the response for each entity, in the order of the request.
Alterations prepare(const AlterClientQuotasRequest& message, AlterClientQuotasResponse& response) {
  struct Times {
    size_t count = 0;
    bool is_answered = false;
  };
  std::map<Parts, Times> entities;
  std::vector<std::map<Parts, Times>::iterator> entity_of_entry;
  for (const AlterEntry& entry : message.entries) {
    const auto entity = entities.try_emplace(parts_of(entry)).first;
    ++entity->second.count;
    entity_of_entry.push_back(entity);
  }
  Alterations alterations;
  for (size_t i = 0; i < message.entries.size(); ++i) {
    auto& [parts, times] = *entity_of_entry[i];
    if (std::exchange(times.is_answered, true)) continue;
    AlterResult& result = response.entries.emplace_back();
    for (const auto& [type, name] : parts) result.entity.push_back({.entity_type = type, .entity_name = name});
    QuotaResult<QuotaEntity> entity = quota_entity_of(parts);
    if (times.count > 1) {
      set_error(result, ErrorCode::kInvalidRequest, "Ignoring duplicate entity");
    } else if (!entity) {
      set_error(result, ErrorCode::kInvalidRequest, entity.error());
    } else {
      alterations.asked.push_back(alteration_of(*std::move(entity), message.entries[i]));
      alterations.places.push_back(response.entries.size() - 1);
    }
  }
  return alterations;
}

}  // namespace

Task<AlterClientQuotasResponse> handle_alter_client_quotas(Broker& broker, Request /*request*/,
                                                           AlterClientQuotasRequest message) {
  AlterClientQuotasResponse response;
  Alterations alterations = prepare(message, response);
  const Validate validate = message.validate_only ? Validate::kOnly : Validate::kAndDo;
  const std::vector<MetadataResult<void>> results =
      co_await broker.metadata->alter_client_quotas(std::move(alterations.asked), validate);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i]) continue;
    set_error(response.entries[alterations.places[i]], error_code_of(results[i].error().code),
              results[i].error().message);
  }
  // Also after a failure: then the machine was read again, and may hold less than it did.
  broker.quotas.set_quotas(broker.metadata->machine().client_quotas());
  co_return response;
}

namespace {

using Component = DescribeClientQuotasRequest::ComponentData;

enum class MatchType : int8_t { kExact = 0, kDefault = 1, kAny = 2 };

struct FilterFault {
  ErrorCode code;
  std::string message;
};

std::optional<std::string> match_fault(const Component& component) {
  switch (static_cast<MatchType>(component.match_type)) {
    case MatchType::kExact:
      if (component.match) return std::nullopt;
      return "Request specified MATCH_TYPE_EXACT, but set match string to null.";
    case MatchType::kDefault:
      if (!component.match) return std::nullopt;
      return "Request specified MATCH_TYPE_DEFAULT, but also specified a match string.";
    case MatchType::kAny:
      if (!component.match) return std::nullopt;
      return "Request specified MATCH_TYPE_SPECIFIED, but also specified a match string.";
  }
  return fmt::format("Unknown match type {}", component.match_type);
}

// The components by type, or what is wrong with them.
tl::expected<std::map<std::string_view, const Component*>, FilterFault> filter_of(
    const DescribeClientQuotasRequest& message) {
  const auto invalid = [](std::string text) {
    return tl::unexpected<FilterFault>(FilterFault{ErrorCode::kInvalidRequest, std::move(text)});
  };
  std::map<std::string_view, const Component*> filter;
  for (const Component& component : message.components) {
    const std::string& type = component.entity_type;
    if (type.empty()) return invalid("Invalid empty entity type.");
    if (filter.contains(type))
      return invalid(fmt::format("Entity type {} cannot appear more than once in the filter.", type));
    if (type != kUserEntity && type != kClientIdEntity && type != kIpEntity) {
      return tl::unexpected<FilterFault>(
          FilterFault{ErrorCode::kUnsupportedVersion, fmt::format("Unsupported entity type {}", type)});
    }
    if (std::optional<std::string> fault = match_fault(component)) return invalid(*std::move(fault));
    filter.emplace(type, &component);
  }
  if (filter.contains(kIpEntity) && filter.size() > 1) {
    return invalid(
        "Invalid entity filter component combination. IP filter component should not be used with user or clientId "
        "filter component.");
  }
  return filter;
}

bool matches(const Component& component, const QuotaName& name) {
  switch (static_cast<MatchType>(component.match_type)) {
    case MatchType::kExact:
    case MatchType::kDefault:
      return name == component.match;  // the default is null in both
    case MatchType::kAny:
      return true;
  }
  return false;
}

}  // namespace

Task<DescribeClientQuotasResponse> handle_describe_client_quotas(Broker& broker, Request /*request*/,
                                                                 DescribeClientQuotasRequest message) {
  DescribeClientQuotasResponse response;
  const auto filter = filter_of(message);
  if (!filter) {
    response.error_code = filter.error().code;
    response.error_message = sendable(filter.error().message);
    response.entries = std::nullopt;
    co_return response;
  }
  for (const auto& [entity, quotas] : broker.metadata->machine().client_quotas()) {
    const auto parts = entity.parts();
    const auto matched_count = std::count_if(parts.begin(), parts.end(), [&](const auto& part) {
      const auto component = filter->find(part.first);
      return component != filter->end() && matches(*component->second, part.second);
    });
    if (static_cast<size_t>(matched_count) != filter->size()) continue;
    if (message.strict && parts.size() != filter->size()) continue;
    DescribeClientQuotasResponse::EntryData& entry = response.entries->emplace_back();
    for (const auto& [type, name] : parts)
      entry.entity.push_back({.entity_type = std::string(type), .entity_name = name});
    for (const auto& [key, value] : quotas) entry.values.push_back({.key = std::string(name_of(key)), .value = value});
  }
  co_return response;
}

}  // namespace leat
