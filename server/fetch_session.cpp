// fetch_session.cpp: the cache of fetch sessions, see fetch_session.h.
#include "server/fetch_session.h"

#include <algorithm>

#include "core/base/check.h"

namespace leat {

std::shared_ptr<FetchSession> FetchSessions::find(int32_t id) noexcept {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

void FetchSessions::insert(const std::shared_ptr<FetchSession>& session) {
  ENSURE(session->id == kNoFetchSession);
  if (!make_place(session->watch.size())) return;
  int32_t id = kNoFetchSession;
  while (id == kNoFetchSession || by_id_.contains(id)) id = static_cast<int32_t>(random_.below(INT32_MAX) + 1);
  session->id = id;
  session->created_ = clock_.monotonic();
  session->age_ = by_age_.insert(by_age_.end(), session.get());
  by_id_.emplace(id, session);
  touch(*session);
}

void FetchSessions::remove(int32_t id) noexcept {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  partition_count_ -= found->second->counted_size_;
  by_age_.erase(found->second->age_);
  found->second->id = kNoFetchSession;
  by_id_.erase(found);
}

void FetchSessions::touch(FetchSession& session) noexcept {
  if (session.id == kNoFetchSession) return;  // evicted while it was in use
  session.used_ = clock_.monotonic();
  by_age_.splice(by_age_.end(), by_age_, session.age_);
  partition_count_ -= session.counted_size_;
  session.counted_size_ = session.watch.size();
  partition_count_ += session.counted_size_;
}

bool FetchSessions::make_place(size_t session_size) noexcept {
  if (limits_.sessions_max == 0 || session_size > limits_.partitions_max) return false;
  const auto has_place = [&] {
    return by_id_.size() < limits_.sessions_max && partition_count_ + session_size <= limits_.partitions_max;
  };
  const Nanos now = clock_.monotonic();
  while (!has_place()) {
    FetchSession* victim = by_age_.front();
    if (now - victim->used_ <= kEvictAfter) {
      // All are in use: the smallest of those that had their two minutes makes way for a larger one.
      victim = nullptr;
      for (FetchSession* session : by_age_) {
        const bool old_enough = now - session->created_ > kEvictAfter;
        if (old_enough && (victim == nullptr || session->counted_size_ < victim->counted_size_)) victim = session;
      }
      if (victim == nullptr || victim->counted_size_ >= session_size) return false;
    }
    ++evicted_;
    remove(victim->id);
  }
  return true;
}

size_t FetchSessions::parked_count() const noexcept {
  return static_cast<size_t>(
      std::count_if(under_way_.begin(), under_way_.end(), [](const auto& each) { return each.second->parked(); }));
}

void FetchSessions::on_connection_closed(uint64_t connection) noexcept {
  const auto found = under_way_.find(connection);
  if (found != under_way_.end()) found->second->interrupt();
}

void FetchSessions::shut_down() noexcept {
  shutting_down_ = true;
  for (auto& [connection, watch] : under_way_) watch->interrupt();
}

}  // namespace leat
