// quota_table.h: which of the configured quotas holds for a client. For each key by itself, the first that is there of
//   user and client id; user, any client id; user; default user and client id; default user, any client id;
//   default user; client id; any client id
// as in Kafka. Those who meet at a level share its limit as the level says: a user's clients share the user's, a client
// id's users the client id's; a default is one limit for each name. A client without an id has the quotas of its user
// only. Addresses have their own, or the default address's.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/quota/quota_entity.h"

namespace leat {

inline constexpr size_t kQuotaKeyCount = 5;

// Who asks. Views: good for the call.
struct QuotaClient {
  std::string_view user;
  std::string_view client_id;  // "": none
};

struct HoldingQuota {
  double limit = 0;
  QuotaClient shared_by;  // all with this user and this client id; "" is any
};

class QuotaTable {
 public:
  void assign(const QuotaMap& quotas);

  bool has(QuotaKey key) const noexcept { return present_[static_cast<size_t>(key)]; }
  bool empty() const noexcept;
  std::optional<HoldingQuota> find(QuotaKey key, const QuotaClient& client) const;
  std::optional<double> find_connection_rate(std::string_view ip) const;

 private:
  using ByName = std::map<std::string, double, std::less<>>;
  struct Level {  // of one user, of all users without an own, or of none in particular
    ByName client_ids;
    std::optional<double> any_client_id;
    std::optional<double> whole;
  };
  struct Limits {  // of one key
    std::map<std::string, Level, std::less<>> users;
    Level any_user;
    Level no_user;
  };
  void put(const QuotaEntity& entity, QuotaKey key, double limit);
  void put_address(const QuotaName& ip, double limit);

  std::array<Limits, kQuotaKeyCount> limits_;
  std::array<bool, kQuotaKeyCount> present_{};
  ByName addresses_;  // by canonical text
  std::optional<double> any_address_;
};

}  // namespace leat
