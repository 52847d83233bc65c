// group_world_member.h: what model clients of both protocols have in common: one request to the coordinator at a time
// beside their commits, pauses, what they believe to own, and since when the coordinator owes them nothing any more.
// Ownership is a belief of the client's: it begins when a reply gives a partition, and ends when the client gives it
// up, learns that it is fenced, leaves or dies. Two clients must never believe in one partition at once while the
// coordinator still owes it to both (is_guaranteed), nor ever in one epoch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/coordinator/group/group_event.h"
#include "test/simulation/group_world_broker.h"
#include "test/simulation/group_world_topics.h"

namespace leat {

class SimMember;

// Who believes to own what.
class GroupClaims {
 public:
  void set(SimMember& member, const SimPartitions& before, const SimPartitions& after);
  // Nobody else owns what `member` does.
  void check(const SimMember& member) const;
  const std::vector<SimMember*>& owners(std::string_view group_id, const SimPartition& partition) const;

 private:
  std::map<std::string, std::map<SimPartition, std::vector<SimMember*>>, std::less<>> owners_;
};

// What the model clients of a group know of each other beyond what the coordinator tells them.
class GroupNotes {
 public:
  struct Assigned {  // by the leader of a classic generation
    uint64_t topics_version = 0;
    std::map<std::string, Uuid, std::less<>> topic_ids;
  };
  void note_assigned(const std::string& group_id, int32_t generation, Assigned assigned) {
    assigned_[{group_id, generation}] = std::move(assigned);
  }
  const Assigned* assigned(const std::string& group_id, int32_t generation) const {
    const auto found = assigned_.find({group_id, generation});
    return found == assigned_.end() ? nullptr : &found->second;
  }
  // The highest generation that a join to a classic group was answered with, by this process of the broker.
  void note_generation(const std::string& group_id, int32_t generation) {
    int32_t& latest = generations_.try_emplace(group_id, -1).first->second;
    latest = std::max(latest, generation);
  }
  int32_t generation(std::string_view group_id) const {
    const auto found = generations_.find(group_id);
    return found == generations_.end() ? -1 : found->second;
  }
  void forget_generations() { generations_.clear(); }
  // After a conversion. What was assigned stays known: a crash may take the conversion back.
  void forget_generation(const std::string& group_id) { generations_.erase(group_id); }

 private:
  std::map<std::pair<std::string, int32_t>, Assigned> assigned_;
  std::map<std::string, int32_t, std::less<>> generations_;
};

class SimMember : public GroupRequester {
 public:
  struct Mood {
    bool is_calm = false;     // nobody is slow any more
    int64_t last_offset = 0;  // committed by anyone: each commit has its own
  };
  struct Parts {
    GroupTimeline& timeline;
    Random& random;
    GroupBroker& broker;
    const SimTopics& topics;
    const GroupRules& rules;
    GroupClaims& claims;
    GroupNotes& notes;
    GroupCounts& counts;
    Mood& mood;
  };
  struct Plan {
    std::string group_id;
    std::string client_id;
    std::optional<std::string> instance_id;
    std::vector<std::string> topics;           // subscribed to, sorted; also such as are not there
    std::optional<size_t> pattern = {};        // of kSimPatterns; consumer protocol only
    std::optional<std::string> assignor = {};  // likewise
    int32_t session_timeout_ms = 0;            // as the coordinator goes by it
    int32_t rebalance_timeout_ms = 0;
    int32_t heartbeat_interval_ms = 0;
    bool is_old = false;  // an old version of the protocol: the coordinator makes its member id and asks for no round
  };

  SimMember(const Parts& parts, Plan plan) : parts_(parts), plan_(std::move(plan)) {}

  void start() { wake_in(0); }
  virtual void leave() = 0;
  void stop_silently();
  void pause(int64_t duration_ms);
  void resume();
  void subscribe_to(std::vector<std::string> topics);
  void commit_some();
  void commit_all();
  // The coordinator gave its place away (to a new static member, by an administrator, with the whole group), or knows
  // of no such epoch: from now on it owes it nothing.
  void exclude() noexcept { is_excluded_ = true; }

  const Plan& plan() const noexcept { return plan_; }
  virtual bool is_classic() const noexcept = 0;
  bool is_alive() const noexcept { return is_alive_; }
  bool is_excluded() const noexcept { return is_excluded_; }
  bool is_guaranteed() const;
  virtual bool is_settled() const = 0;
  bool follows(std::string_view topic) const;
  // And the coordinator knows it.
  bool surely_follows(std::string_view topic) const;
  const std::string& member_id() const noexcept { return member_id_; }
  int32_t epoch() const noexcept { return epoch_; }  // or generation
  const SimPartitions& owned() const noexcept { return owned_; }
  std::string to_string() const;

  void on_produced(Ticket ticket, const GroupReply& reply) final;
  void on_answered(Ticket ticket, const GroupReply& reply) final;
  void on_lost(Ticket ticket) final;

 protected:
  // Its turn, with no request under way.
  virtual void act() = 0;
  virtual void on_subscription_changed() = 0;
  virtual void on_control_produced(const GroupReply& reply) = 0;
  virtual void on_control_answered(const GroupReply& reply) = 0;
  virtual void on_control_lost() = 0;
  // It knows that it is in the group.
  virtual bool is_in() const noexcept = 0;
  // Until when the coordinator owes it what it owns, if it hears nothing more.
  virtual int64_t guaranteed_until_ms() const = 0;

  void ask(GroupEvent event);
  void tell_once(GroupEvent event) { parts_.broker.send(*this, std::move(event)); }  // whatever the answer
  void wake_in(int64_t delay_ms);
  void own(SimPartitions partitions);
  void check_claims() const { parts_.claims.check(*this); }
  void die();
  int64_t now_ms() const noexcept { return parts_.timeline.now_ms(); }
  int64_t up_to_ms(int64_t bound_ms) const { return random_below(parts_.random, bound_ms + 1); }
  // Slow on purpose: never when all is to settle.
  bool is_sluggish(uint64_t one_in) const { return !parts_.mood.is_calm && parts_.random.one_in(one_in); }
  bool is_paused() const noexcept { return is_paused_; }

  const Parts parts_;
  Plan plan_;
  std::string member_id_;
  int32_t epoch_ = -1;
  int64_t session_contact_ms_ = INT64_MIN / 2;  // when the coordinator last took it for alive
  bool is_excluded_ = false;

 private:
  struct Deferred {
    Ticket ticket;
    std::optional<GroupReply> reply;  // absent: lost
  };
  void commit(const std::vector<SimPartition>& partitions);

  SimPartitions owned_;
  int64_t subscribed_at_ms_ = INT64_MIN / 2;  // when that changed
  bool is_alive_ = true;
  std::optional<Ticket> control_;
  uint64_t wake_ = 0;
  bool is_paused_ = false;
  uint64_t pause_ = 0;
  bool missed_turn_ = false;
  std::vector<Deferred> deferred_;
};

}  // namespace leat
