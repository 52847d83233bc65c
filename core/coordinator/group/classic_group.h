// classic_group.h: one group of the classic protocol: JoinGroup, SyncGroup, Heartbeat, LeaveGroup (KIP-134, KIP-345,
// KIP-394, KIP-814), as one state machine with Kafka 4.4's rules.
//
//   Empty --join--> PreparingRebalance --all joined, or time is up--> CompletingRebalance --leader's sync--> Stable
//     ^                |        ^                                          |                                    |
//     '--nobody left---'        '----- member joins, leaves, is lost ------'------------------------------------'
//
// Two layers. Durable is what the last record says (recorded()): it changes by apply() alone, which recovery calls too.
// A record is written when a generation is complete: the leader's assignment is there, or nobody is left; and when a
// static member comes back under a new member id. Everything between two records (who joins, the generation under way,
// parked requests) is volatile: after a crash the members of the last record have to come back, and do.
//
// Every ticket is answered once, also that of a member that is removed, fenced, or asks again.
// classic_join.cpp: who gets in. classic_rebalance.cpp: join phase. classic_sync.cpp: sync phase, heartbeats.
// classic_membership.cpp: who goes. classic_group.cpp: records, questions, commits.
// Thread: the loop.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/coordinator/group/classic_member.h"
#include "core/coordinator/group/group_event.h"
#include "core/coordinator/group/group_step.h"
#include "core/coordinator/group/pending_members.h"

namespace leat {

enum class ClassicState : uint8_t { kEmptyGroup, kPreparingRebalance, kCompletingRebalance, kStable };
std::string_view to_string(ClassicState state) noexcept;

// Kafka looks at this before it looks for the group.
inline bool session_timeout_is_allowed(const GroupRules& rules, int32_t session_timeout_ms) noexcept {
  return session_timeout_ms >= rules.min_session_timeout_ms && session_timeout_ms <= rules.max_session_timeout_ms;
}

class ClassicGroup {
 public:
  explicit ClassicGroup(std::string group_id) : group_id_(std::move(group_id)) {}
  ClassicGroup(const ClassicGroup&) = delete;
  ClassicGroup& operator=(const ClassicGroup&) = delete;

  void join(GroupStep& step, Ticket ticket, const JoinGroup& request);
  void sync(GroupStep& step, Ticket ticket, const SyncGroup& request);
  void heartbeat(GroupStep& step, Ticket ticket, const GroupHeartbeat& request);
  void leave(GroupStep& step, Ticket ticket, const LeaveGroup& request);
  void on_deadline(GroupStep& step, const DeadlineKey& key);

  // After recovery, and when a consumer group has become this one: every member gets a full session. A group that is
  // too big rebalances, and one whose record has members and no leader: it was converted, and they have not joined
  // since.
  void loaded(GroupStep& step);
  // Answers all parked joins and syncs, for a group that is to go. Its deadlines are left to the caller.
  void fail_all(GroupStep& step, GroupErrc error);

  // A commit's fence, also for simple consumers (no member, no generation). Keeps the member's session alive.
  GroupErrc check_commit(GroupStep& step, const CommitOffsets& request);

  void apply(const GroupMetadataValue& value);  // the only change of what is durable
  // What the log holds of this group; nothing for one that has offsets alone, or members that still join for the first
  // time.
  const std::optional<GroupMetadataValue>& recorded() const noexcept { return recorded_; }
  GroupMetadataValue to_record_value(int64_t wall_ms) const;  // recorded(), or else an Empty group since wall_ms

  // No member, no id handed out, no record: with no offsets either it may be forgotten, and its deadlines with it.
  bool is_blank() const noexcept { return !recorded_ && members_.empty() && pending_.empty(); }
  bool is_empty() const noexcept { return state_ == ClassicState::kEmptyGroup; }
  ClassicState state() const noexcept { return state_; }
  std::string_view state_name() const noexcept { return to_string(state_); }
  int64_t state_since_wall_ms() const noexcept { return state_since_wall_ms_; }  // -1: an old record did not say
  int32_t generation() const noexcept { return generation_; }
  const std::string& protocol_type() const noexcept { return protocol_type_; }  // "": none so far
  const std::optional<std::string>& protocol() const noexcept { return protocol_; }
  const std::optional<std::string>& leader() const noexcept { return leader_; }
  const ClassicMembers::ById& members() const noexcept { return members_.by_id(); }
  // True also when the group uses protocol type "consumer" and its subscriptions are not known or not understood.
  bool is_subscribed_to(std::string_view topic) const;
  DescribeGroupReply describe() const;

  // All that a member speaks, where the record that made it had the elected protocol only: for a converted group.
  void set_member_protocols(std::string_view member_id, std::vector<NamedProtocol> protocols);

 private:
  struct Fence {  // who asks
    std::string_view member_id;
    const std::optional<std::string>& instance_id;
  };

  // classic_join.cpp
  bool has_room_for(const GroupRules& rules, const JoinGroup& request) const;
  void turn_away(GroupStep& step, Ticket ticket, const JoinGroup& request);
  bool speaks_with(const JoinGroup& request) const;
  void join_unknown(GroupStep& step, Ticket ticket, const JoinGroup& request);
  void hand_out_id(GroupStep& step, Ticket ticket, const JoinGroup& request);
  void join_known(GroupStep& step, Ticket ticket, const JoinGroup& request);
  void join_as(GroupStep& step, Ticket ticket, const JoinGroup& request, const std::string& member_id);
  void rejoin(GroupStep& step, Ticket ticket, const JoinGroup& request);
  void take_over_static(GroupStep& step, Ticket ticket, const JoinGroup& request, const std::string& old_id);
  void keep_generation(GroupStep& step, Ticket ticket, const JoinGroup& request, const std::string& member_id,
                       const std::string& leader_before);
  void park_join(GroupStep& step, Ticket ticket, const std::string& member_id);
  JoinGroupReply current_generation(const std::string& member_id) const;
  std::vector<JoinedMember> joined_members() const;

  // classic_rebalance.cpp
  void rebalance_or_complete(GroupStep& step);
  void prepare_rebalance(GroupStep& step);
  void extend_initial_delay(GroupStep& step);
  bool all_have_joined() const noexcept;
  void complete_join_if_all_joined(GroupStep& step);
  void complete_join(GroupStep& step);
  bool elect_joined_leader();
  void begin_generation(GroupStep& step);
  void become_empty(GroupStep& step);

  // classic_sync.cpp
  GroupErrc check_sync(const SyncGroup& request) const;
  void distribute(GroupStep& step, const SyncGroup& request);
  void fail_syncs(GroupStep& step, GroupErrc error);
  void end_sync(GroupStep& step, const std::string& member_id);
  void expire_owed_syncs(GroupStep& step);

  // classic_membership.cpp
  GroupErrc check_member(Fence who) const;
  GroupErrc leave_one(GroupStep& step, const LeavingMember& leaving);
  void expire_session(GroupStep& step, const std::string& member_id);
  void expire_pending(GroupStep& step, const std::string& member_id);
  void remove_member(GroupStep& step, const std::string& member_id);
  void forget_pending(GroupStep& step, const std::string& member_id);
  void arm_session(GroupStep& step, const ClassicMember& member) const;
  DeadlineKey key_of(DeadlineKind kind, std::string member_id = {}) const {
    return {group_id_, kind, std::move(member_id)};
  }
  static void fail_join(GroupStep& step, Ticket ticket, GroupErrc error, std::string member_id);
  static void fail_sync(GroupStep& step, Ticket ticket, GroupErrc error);

  // classic_group.cpp
  void set_state(ClassicState next, int64_t wall_ms);
  GroupMetadataValue live_value() const;
  void write(GroupStep& step, GroupMetadataValue value);
  void read_subscriptions();

  const std::string group_id_;
  std::optional<GroupMetadataValue> recorded_;

  ClassicState state_ = ClassicState::kEmptyGroup;
  int64_t state_since_wall_ms_ = -1;
  std::string protocol_type_;
  int32_t generation_ = 0;
  std::optional<std::string> protocol_;
  std::optional<std::string> leader_;  // a member's id whenever there are members
  ClassicMembers members_;
  PendingMembers pending_;
  std::optional<std::set<std::string, std::less<>>> subscribed_topics_;  // of the current protocol; absent: not known

  // The join phase began in Empty: it lasts until its delay has passed, however many have joined.
  bool is_initial_ = false;
  bool member_came_during_delay_ = false;
  int32_t initial_delay_ms_ = 0;      // that is running
  int32_t initial_remaining_ms_ = 0;  // by which it may be extended
};

}  // namespace leat
