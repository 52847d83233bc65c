// group_world_member.cpp: model clients, what they have in common.
#include "test/simulation/group_world_member.h"

#include <fmt/format.h>

#include <algorithm>

#include "test/simulation/group_world_expect.h"

namespace leat {

void GroupClaims::set(SimMember& member, const SimPartitions& before, const SimPartitions& after) {
  auto& group = owners_[member.plan().group_id];
  for (const SimPartition& partition : before) {
    if (!after.contains(partition)) std::erase(group[partition], &member);
  }
  for (const SimPartition& partition : after) {
    if (!before.contains(partition)) group[partition].push_back(&member);
  }
}

const std::vector<SimMember*>& GroupClaims::owners(std::string_view group_id, const SimPartition& partition) const {
  static const std::vector<SimMember*> kNobody;
  const auto group = owners_.find(group_id);
  if (group == owners_.end()) return kNobody;
  const auto found = group->second.find(partition);
  return found == group->second.end() ? kNobody : found->second;
}

void GroupClaims::check(const SimMember& member) const {
  for (const SimPartition& partition : member.owned()) {
    for (const SimMember* other : owners(member.plan().group_id, partition)) {
      if (other == &member) continue;
      const bool are_in_one_epoch = other->epoch() == member.epoch() && !other->is_excluded() && !member.is_excluded();
      expect(!are_in_one_epoch && !(other->is_guaranteed() && member.is_guaranteed()), [&] {
        return fmt::format("partition {} of topic {} is owned by {} and by {}", partition.second,
                           partition.first.to_string(), member.to_string(), other->to_string());
      });
    }
  }
}

bool SimMember::is_guaranteed() const {
  return is_alive_ && !is_excluded_ && is_in() && now_ms() < guaranteed_until_ms();
}

std::string SimMember::to_string() const {
  return fmt::format("{} {} of {} (member {}, instance {}, epoch {}, {}guaranteed{}{})",
                     is_classic() ? "classic" : "consumer", plan_.client_id, plan_.group_id, member_id_,
                     plan_.instance_id.value_or("none"), epoch_, is_guaranteed() ? "" : "not ",
                     is_paused_ ? ", paused" : "", is_alive_ ? "" : ", gone");
}

bool SimMember::follows(std::string_view topic) const {
  return std::binary_search(plan_.topics.begin(), plan_.topics.end(), topic) ||
         (plan_.pattern && kSimPatterns[*plan_.pattern].matches(topic));
}

bool SimMember::surely_follows(std::string_view topic) const {
  constexpr int64_t kToldMs = 30'000;  // by then it has told, or is no member any more
  return is_guaranteed() && follows(topic) && now_ms() >= subscribed_at_ms_ + kToldMs;
}

void SimMember::ask(GroupEvent event) {
  expect(!control_, [&] { return "the model asks twice at once: " + to_string(); });
  control_ = parts_.broker.send(*this, std::move(event));
}

void SimMember::wake_in(int64_t delay_ms) {
  const uint64_t wake = ++wake_;
  parts_.timeline.after(delay_ms, [this, wake] {
    if (wake != wake_ || !is_alive_ || control_) return;
    if (is_paused_)
      missed_turn_ = true;
    else
      act();
  });
}

void SimMember::own(SimPartitions partitions) {
  parts_.claims.set(*this, owned_, partitions);
  owned_ = std::move(partitions);
  check_claims();
}

void SimMember::die() {
  own({});
  is_alive_ = false;
}

void SimMember::stop_silently() {
  if (is_alive_) die();
}

void SimMember::pause(int64_t duration_ms) {
  is_paused_ = true;
  const uint64_t pause = ++pause_;
  parts_.timeline.after(duration_ms, [this, pause] {
    if (pause == pause_) resume();
  });
}

void SimMember::resume() {
  if (!is_paused_) return;
  is_paused_ = false;
  // It does not know yet what happened meanwhile: what it commits now may come too late.
  if (is_alive_ && !parts_.mood.is_calm && parts_.random.one_in(2)) commit_some();
  const std::vector<Deferred> deferred = std::exchange(deferred_, {});
  for (const Deferred& what : deferred) {
    if (what.reply)
      on_answered(what.ticket, *what.reply);
    else
      on_lost(what.ticket);
  }
  if (std::exchange(missed_turn_, false) && is_alive_ && !control_) wake_in(0);
}

void SimMember::subscribe_to(std::vector<std::string> topics) {
  plan_.topics = std::move(topics);
  subscribed_at_ms_ = now_ms();
  on_subscription_changed();
}

void SimMember::commit_some() {
  std::vector<SimPartition> partitions;
  for (const SimPartition& partition : owned_) {
    if (parts_.random.below(owned_.size()) < 3) partitions.push_back(partition);
  }
  commit(partitions);
}

void SimMember::commit_all() { commit({owned_.begin(), owned_.end()}); }

void SimMember::commit(const std::vector<SimPartition>& partitions) {
  CommitOffsets event;
  event.group_id = plan_.group_id;
  event.generation_or_epoch = epoch_;
  event.member_id = member_id_;
  event.instance_id = plan_.instance_id;
  for (const auto& [topic_id, partition] : partitions) {
    const std::optional<CatalogTopic> topic = parts_.topics.find(topic_id);
    if (!topic) continue;
    event.offsets.push_back({.topic = topic->name,
                             .topic_id = parts_.random.one_in(2) ? topic_id : Uuid{},
                             .partition = partition,
                             .offset = ++parts_.mood.last_offset,
                             .leader_epoch = parts_.random.one_in(3) ? 4 : -1,
                             .metadata = parts_.random.one_in(5) ? plan_.client_id : ""});
  }
  if (!event.offsets.empty()) parts_.broker.send(*this, std::move(event));
}

void SimMember::on_produced(Ticket ticket, const GroupReply& reply) {
  if (is_alive_ && ticket == control_) on_control_produced(reply);
}

void SimMember::on_answered(Ticket ticket, const GroupReply& reply) {
  if (!is_alive_) return;
  if (is_paused_) {
    deferred_.push_back({.ticket = ticket, .reply = reply});
  } else if (ticket == control_) {
    control_.reset();
    on_control_answered(reply);
  } else if (const auto* commit = std::get_if<CommitOffsetsReply>(&reply)) {
    const bool is_accepted = commit->error == GroupErrc::kNone;
    parts_.counts.add(is_accepted ? GroupHappening::kCommitAcknowledged : GroupHappening::kCommitRefused);
  }
}

void SimMember::on_lost(Ticket ticket) {
  if (!is_alive_) return;
  if (is_paused_) {
    deferred_.push_back({.ticket = ticket, .reply = std::nullopt});
  } else if (ticket == control_) {
    control_.reset();
    on_control_lost();
  }
}

}  // namespace leat
