// admin_quotas.cpp: client quotas: DescribeClientQuotas, which any broker answers, and AlterClientQuotas.
#include <fmt/format.h>

#include <algorithm>

#include "client/admin/admin_work.h"
#include "net/protocol/messages/alter_client_quotas.h"
#include "net/protocol/messages/describe_client_quotas.h"

namespace leat::client::detail {
namespace {

constexpr int8_t kMatchExact = 0;
constexpr int8_t kMatchDefault = 1;

std::string described(const QuotaEntity& entity) {
  std::string text = "quotas";
  for (const auto& [type, name] : entity) {
    text += fmt::format("{} {} {}", text == "quotas" ? " of" : ",", type, name ? "'" + *name + "'" : "<default>");
  }
  return text;
}

}  // namespace

leat::Task<Result<std::vector<QuotaEntry>>> describe_quotas(AdminSelf self, QuotaEntity parts, QuotaMatch match) {
  std::function<DescribeClientQuotasRequest(int16_t)> make = [&](int16_t) {
    DescribeClientQuotasRequest request;
    request.strict = match == QuotaMatch::kThisOnly;
    for (const auto& [type, name] : parts) {
      request.components.push_back(
          {.entity_type = type, .match_type = name ? kMatchExact : kMatchDefault, .match = name});
    }
    return request;
  };
  std::function<ErrorCode(const DescribeClientQuotasResponse&)> error_of =
      [](const DescribeClientQuotasResponse& response) { return response.error_code; };
  const Result<DescribeClientQuotasResponse> answer =
      co_await AdminWork::ask_node<DescribeClientQuotasResponse, DescribeClientQuotasRequest>(
          self, kAnyNode, std::move(make), std::move(error_of));
  if (!answer) co_return answer.error();
  if (answer->error_code != ErrorCode::kNone) {
    co_return Error::from_broker(answer->error_code, described(parts), answer->error_message);
  }
  std::vector<QuotaEntry> entries;
  if (!answer->entries) co_return entries;
  for (const auto& told : *answer->entries) {
    QuotaEntry& entry = entries.emplace_back();
    for (const auto& part : told.entity) entry.entity.emplace(part.entity_type, part.entity_name);
    for (const auto& quota : told.values) entry.quotas.emplace(quota.key, quota.value);
  }
  std::sort(entries.begin(), entries.end(),
            [](const QuotaEntry& a, const QuotaEntry& b) { return a.entity < b.entity; });
  co_return entries;
}

leat::Task<Result<>> alter_quotas(AdminSelf self, QuotaEntity entity, std::vector<QuotaChange> changes) {
  std::function<AlterClientQuotasRequest(int16_t)> make = [&](int16_t) {
    AlterClientQuotasRequest request;
    auto& asked = request.entries.emplace_back();
    for (const auto& [type, name] : entity) asked.entity.push_back({.entity_type = type, .entity_name = name});
    for (const QuotaChange& change : changes) {
      asked.ops.push_back({.key = change.key, .value = change.value.value_or(0), .remove = !change.value.has_value()});
    }
    return request;
  };
  std::function<ErrorCode(const AlterClientQuotasResponse&)> error_of = [](const AlterClientQuotasResponse& response) {
    return response.entries.empty() ? ErrorCode::kUnknownServerError : response.entries.front().error_code;
  };
  const Result<AlterClientQuotasResponse> answer =
      co_await AdminWork::ask_node<AlterClientQuotasResponse, AlterClientQuotasRequest>(
          self, kControllerNode, std::move(make), std::move(error_of));
  if (!answer) co_return answer.error();
  const std::string what = described(entity) + " are not changed";
  if (answer->entries.empty()) co_return Error(Cause::kProtocol, what + ": the broker's answer lacks them");
  const auto& altered = answer->entries.front();
  if (altered.error_code == ErrorCode::kNone) co_return Result<>();
  co_return Error::from_broker(altered.error_code, what, altered.error_message);
}

}  // namespace leat::client::detail
