// pending_members.h: member ids that were handed out (KIP-394) and have not come back in a join yet. Each expires by a
// deadline of the group; beyond that there are never more than kCountMax, for a client can ask for ids as fast as it
// likes without ever using one: then the oldest id goes, whose owner would be told to ask for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace leat {

class PendingMembers {
 public:
  static constexpr size_t kCountMax = 10'000;

  bool empty() const noexcept { return number_by_id_.empty(); }
  size_t size() const noexcept { return number_by_id_.size(); }
  bool contains(std::string_view id) const { return number_by_id_.find(id) != number_by_id_.end(); }

  // Returns the id that had to make room.
  std::optional<std::string> add(std::string id) {
    std::optional<std::string> displaced;
    if (size() >= kCountMax) {
      displaced = id_by_number_.begin()->second;
      remove(*displaced);
    }
    id_by_number_.emplace(next_number_, id);
    number_by_id_.emplace(std::move(id), next_number_);
    ++next_number_;
    return displaced;
  }
  bool remove(std::string_view id) {
    const auto place = number_by_id_.find(id);
    if (place == number_by_id_.end()) return false;
    id_by_number_.erase(place->second);
    number_by_id_.erase(place);
    return true;
  }

 private:
  std::map<std::string, uint64_t, std::less<>> number_by_id_;
  std::map<uint64_t, std::string> id_by_number_;  // by age
  uint64_t next_number_ = 0;
};

}  // namespace leat
