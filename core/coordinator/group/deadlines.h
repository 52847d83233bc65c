// deadlines.h: named points in time of one machine: at most one for each key, moved by setting it again. Nothing fires
// by itself: the owner asks what is due. Times are wall or monotonic as the owner decides; here milliseconds only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace leat {

enum class DeadlineKind : uint8_t {
  kSession,        // a member that is not heard of
  kRebalance,      // a join or sync phase, or a revocation, that lasts too long
  kPendingMember,  // a member id handed out and not used
  kInitialDelay,   // an empty group waits for more members
  kRegexRefresh,   // patterns are looked up again
  kOffsetExpiry,   // the sweep over committed offsets
};

struct DeadlineKey {
  std::string group_id;
  DeadlineKind kind;
  std::string member_id;  // "" for those of the whole group

  friend auto operator<=>(const DeadlineKey&, const DeadlineKey&) = default;
};

class Deadlines {
 public:
  void set(DeadlineKey key, int64_t at_ms) {
    const auto [place, is_new] = at_.try_emplace(std::move(key), at_ms);
    if (!is_new) {
      queue_.erase({place->second, &place->first});
      place->second = at_ms;
    }
    queue_.insert({at_ms, &place->first});
  }
  void cancel(const DeadlineKey& key) {
    const auto place = at_.find(key);
    if (place == at_.end()) return;
    queue_.erase({place->second, &place->first});
    at_.erase(place);
  }
  void cancel_all_of(const std::string& group_id) {
    auto place = at_.lower_bound({group_id, DeadlineKind{}, {}});
    while (place != at_.end() && place->first.group_id == group_id) {
      queue_.erase({place->second, &place->first});
      place = at_.erase(place);
    }
  }
  bool is_set(const DeadlineKey& key) const { return at_.contains(key); }
  std::optional<int64_t> next_ms() const {
    return queue_.empty() ? std::nullopt : std::optional(queue_.begin()->first);
  }
  // The earliest one that is due, taken out; ask again until there is none.
  std::optional<DeadlineKey> take_due(int64_t now_ms) {
    if (queue_.empty() || queue_.begin()->first > now_ms) return std::nullopt;
    DeadlineKey key = *queue_.begin()->second;
    cancel(key);
    return key;
  }
  size_t size() const noexcept { return at_.size(); }

 private:
  struct Earlier {
    bool operator()(const std::pair<int64_t, const DeadlineKey*>& a,
                    const std::pair<int64_t, const DeadlineKey*>& b) const noexcept {
      return a.first != b.first ? a.first < b.first : *a.second < *b.second;
    }
  };
  std::map<DeadlineKey, int64_t> at_;
  std::set<std::pair<int64_t, const DeadlineKey*>, Earlier> queue_;
};

}  // namespace leat
