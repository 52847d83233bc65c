// fake_quotas.h: a broker's client quotas in a map, for FakeBroker. Refuses values that no client could mean. Thread:
// the broker's.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "net/protocol/messages/alter_client_quotas.h"
#include "net/protocol/messages/describe_client_quotas.h"

namespace leat::test {

class FakeQuotas {
 public:
  AlterClientQuotasResponse alter(const AlterClientQuotasRequest& request) {
    AlterClientQuotasResponse response;
    for (const auto& entry : request.entries) {
      auto& result = response.entries.emplace_back();
      Entity entity;
      for (const auto& part : entry.entity) {
        entity[part.entity_type] = part.entity_name;
        result.entity.push_back({.entity_type = part.entity_type, .entity_name = part.entity_name});
      }
      for (const auto& op : entry.ops) {
        if (op.remove) {
          quotas_[entity].erase(op.key);
        } else if (op.value > kGreatest) {
          result.error_code = ErrorCode::kInvalidRequest;
          result.error_message = "Proposed value for " + op.key + " is too large for a LONG.";
        } else {
          quotas_[entity][op.key] = op.value;
        }
      }
      if (quotas_[entity].empty()) quotas_.erase(entity);
    }
    return response;
  }

  DescribeClientQuotasResponse describe(const DescribeClientQuotasRequest& request) const {
    DescribeClientQuotasResponse response;
    for (const auto& [entity, values] : quotas_) {
      const bool matches = std::all_of(request.components.begin(), request.components.end(), [&](const auto& asked) {
        const auto part = entity.find(asked.entity_type);
        return part != entity.end() && (asked.match_type == 2 || part->second == asked.match);
      });
      if (!matches || (request.strict && entity.size() != request.components.size())) continue;
      auto& entry = response.entries->emplace_back();
      for (const auto& [type, name] : entity) entry.entity.push_back({.entity_type = type, .entity_name = name});
      for (const auto& [key, value] : values) entry.values.push_back({.key = key, .value = value});
    }
    return response;
  }

 private:
  using Entity = std::map<std::string, std::optional<std::string>>;
  static constexpr double kGreatest = 1e18;

  std::map<Entity, std::map<std::string, double>> quotas_;
};

}  // namespace leat::test
