// consumer_group.h: one consumer group (KIP-848): members say by heartbeats what they subscribe to and own; a target
// assignment is made here; and members are led to it, giving up before others get (consumer_reconciliation.h). Classic
// members may be in it, too, while a group moves from one protocol to the other: each of their joins is a heartbeat.
//
// Epochs: the group's rises with every change of members, subscriptions or topics; the target's is the group epoch that
// it was made for; a member's is the target that it has reached.
//   Empty: no members.  Assigning: the target is behind the group.  Reconciling: some member is behind the target.
//   Stable: none is.
//
// Invariants: no partition is held (assigned, or still to be revoked) by two members; a request that is refused has
// written nothing. Durable state changes only in apply(), which step.write() ends in and recovery calls; the counts
// beside it follow from it; the rest may be lost in a crash.
// consumer_heartbeat.cpp: who gets in, heartbeats, who leaves. consumer_classic.cpp: classic members.
// consumer_target.cpp: subscriptions, patterns, epochs, the target. consumer_group.cpp: removal, deadlines, questions.
// consumer_records.cpp: apply, snapshot, tombstones. consumer_describe.cpp: describe.
// Thread: the loop.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/coordinator/consumer_protocol.h"
#include "core/coordinator/group/consumer_member.h"
#include "core/coordinator/group/consumer_reconciliation.h"
#include "core/coordinator/group/group_event.h"
#include "core/coordinator/group/group_record.h"
#include "core/coordinator/group/group_step.h"

namespace leat {

class ConsumerGroup {
 public:
  using Members = std::map<std::string, ConsumerMember, std::less<>>;

  explicit ConsumerGroup(std::string group_id) : id_(std::move(group_id)) {}
  ConsumerGroup(const ConsumerGroup&) = delete;
  ConsumerGroup& operator=(const ConsumerGroup&) = delete;

  // What is wrong with a heartbeat whatever the group: to be asked before a group is looked for, made or converted.
  static GroupFault fault_of(const ConsumerHeartbeat& event, const GroupRules& rules);

  // Requests. Each ticket is answered in the step that it came with: nothing is parked here.
  void heartbeat(GroupStep& step, Ticket ticket, const ConsumerHeartbeat& event);
  void classic_join(GroupStep& step, Ticket ticket, const JoinGroup& event);
  void classic_sync(GroupStep& step, Ticket ticket, const SyncGroup& event);
  void classic_heartbeat(GroupStep& step, Ticket ticket, const GroupHeartbeat& event);
  void classic_leave(GroupStep& step, Ticket ticket, const LeaveGroup& event);

  void on_deadline(GroupStep& step, const DeadlineKey& key);
  // After recovery, and when a classic group has become this one: every member gets a full session from now on.
  void loaded(GroupStep& step);
  void catalog_changed() noexcept { must_look_at_catalog_ = true; }  // the next heartbeat does

  // Offsets.
  GroupErrc check_commit(GroupStep& step, const CommitOffsets& event) const;
  GroupErrc check_fetch(const FetchOffsets& event) const;
  bool is_subscribed_to(std::string_view topic) const;
  // Since when it is empty, if that was seen since the start; else -1: go by the commits' own times, as Kafka does.
  int64_t state_since_wall_ms() const noexcept { return is_empty() ? empty_since_wall_ms_ : -1; }

  // What it is.
  const std::string& id() const noexcept { return id_; }
  std::string_view state_name() const noexcept;
  bool is_empty() const noexcept { return members_.empty(); }
  // False: the log holds nothing of it (its first member was refused): forget it.
  bool is_durable() const noexcept;
  int32_t epoch() const noexcept { return group_ ? group_->epoch : 0; }
  int32_t target_epoch() const noexcept { return target_ ? target_->assignment_epoch : 0; }
  const Members& members() const noexcept { return members_; }
  const ConsumerMember* member(std::string_view member_id) const;        // nullptr: no such
  const PartitionsByTopic& target_of(std::string_view member_id) const;  // empty: none
  DescribeConsumerGroupReply describe(const TopicCatalog& catalog, const GroupRules& rules) const;

  // Conversion to a classic group, after the step in which its last member of the consumer protocol left or was
  // replaced by a classic one. The generation is then the highest epoch that a member has reached (not the group's,
  // which nobody knows yet): members that are up to date are told of the rebalance; another number would make them drop
  // everything.
  bool may_downgrade() const noexcept { return !members_.empty() && classic_count_ == members_.size(); }
  bool wants_downgrade(const GroupRules& rules) const noexcept;
  int32_t highest_member_epoch() const noexcept;

  // The only change of durable state. A missing value ends what the key names.
  void apply(const ConsumerGroupRecord& record);
  void apply(const ConsumerMemberRecord& record);
  void apply(const TargetEpochRecord& record);
  void apply(const TargetMemberRecord& record);
  void apply(const CurrentMemberRecord& record);
  void apply(const RegexRecord& record);

  std::vector<GroupRecord> snapshot() const;    // records that rebuild the durable state; by kind, then key
  std::vector<GroupRecord> tombstones() const;  // of all that the log holds of it, in the order that Kafka asks for

 private:
  using Counts = std::map<std::string, size_t, std::less<>>;  // never 0
  using Owned = const std::vector<TopicPartitions>*;          // nullptr: not said

  // Who asks, and on what terms it is let in.
  struct Admission {
    GroupFault fault;
    std::string member_id;
    std::string replaced_id;  // the static member whose place it takes; "": none
  };

  // consumer_heartbeat.cpp
  ConsumerHeartbeatReply beat(GroupStep& step, const ConsumerHeartbeat& event);
  ConsumerHeartbeatReply leave(GroupStep& step, const ConsumerHeartbeat& event);
  Admission admit(GroupStep& step, const ConsumerHeartbeat& event) const;
  GroupFault admit_dynamic(const ConsumerHeartbeat& event, const ConsumerMember* known) const;
  GroupFault admit_static(const ConsumerHeartbeat& event, Admission& admission) const;
  GroupFault place_fault(const ConsumerHeartbeat& event, const ConsumerMember& member) const;
  GroupFault regex_fault(const ConsumerHeartbeat& event) const;
  void replace_member(GroupStep& step, const std::string& old_id, const std::string& new_id);
  bool update_member(GroupStep& step, const std::string& member_id, MemberMetadata next);
  bool reconcile_member(GroupStep& step, const std::string& member_id, bool subscription_changed, Owned owned);
  void leave_for_a_while(GroupStep& step, const ConsumerMember& member);

  // consumer_classic.cpp
  struct ClassicAsker {
    const std::string& member_id;
    const std::optional<std::string>& instance_id;
    int32_t generation;
  };
  Admission admit_classic(GroupStep& step, const JoinGroup& event,
                          std::optional<ConsumerProtocolSubscription>& subscription) const;
  GroupErrc check_classic(const ClassicAsker& asker) const;
  bool supports_protocols_of(const JoinGroup& event) const;
  bool must_rejoin(const ConsumerMember& member) const;
  void expect_join(GroupStep& step, const ConsumerMember& member) const;
  GroupErrc find_leaving(const LeavingMember& leaving, std::string& member_id) const;
  Bytes classic_assignment(const ConsumerMember& member, const TopicCatalog& catalog) const;

  // consumer_target.cpp
  void bring_up_to_date(GroupStep& step, bool inputs_changed);
  bool resolve_regexes(GroupStep& step);
  void drop_unused_regexes(GroupStep& step);
  void bump_epoch(GroupStep& step, int64_t hash);
  void write_epoch(GroupStep& step, int32_t new_epoch, int64_t hash);
  void update_target(GroupStep& step);
  void reach_group_epoch(GroupStep& step, int64_t made_wall_ms);
  AssignorInput assignor_input(const TopicCatalog& catalog) const;
  std::string preferred_assignor(const GroupRules& rules) const;
  std::vector<std::string_view> names_of(const ConsumerMember& member) const;
  std::set<std::string> subscribed_names() const;
  std::set<Uuid> subscribed_topics(const ConsumerMember& member, const TopicCatalog& catalog) const;
  int64_t metadata_hash(const TopicCatalog& catalog) const;

  // consumer_group.cpp
  void remove_members(GroupStep& step, const std::set<std::string>& member_ids);
  void end_member(GroupStep& step, const std::string& member_id);
  const ConsumerMember& existing(std::string_view member_id) const;  // CHECKs that it is there
  const ConsumerMember* static_member(std::string_view instance_id) const;
  bool is_full(const GroupRules& rules) const noexcept;
  GroupErrc check_epoch(const ConsumerMember& member, int32_t epoch) const;
  void expect_heartbeat(GroupStep& step, const ConsumerMember& member) const;
  void expect_revocation(GroupStep& step, const ConsumerMember& member) const;
  DeadlineKey key_of(DeadlineKind kind, std::string member_id = {}) const { return {id_, kind, std::move(member_id)}; }

  // consumer_records.cpp
  ConsumerMember& find_or_make(const std::string& member_id);
  void count_metadata(const ConsumerMember& member);
  void discount_metadata(const ConsumerMember& member);

  const std::string id_;

  // Durable.
  std::optional<ConsumerGroupMetadataValue> group_;
  std::optional<ConsumerGroupTargetAssignmentMetadataValue> target_;
  Members members_;
  std::map<std::string, PartitionsByTopic, std::less<>> targets_;                    // by member id
  std::map<std::string, ConsumerGroupRegularExpressionValue, std::less<>> regexes_;  // resolved patterns

  // Counted over the members.
  PartitionHolders holders_;
  std::map<std::string, std::string, std::less<>> id_by_instance_;
  Counts subscribers_by_name_;
  Counts subscribers_by_regex_;
  Counts votes_by_assignor_;
  Counts speakers_by_protocol_;  // classic members that list it
  size_t classic_count_ = 0;

  // Volatile.
  bool must_look_at_catalog_ = true;  // topics may have changed since the epoch was made
  int64_t empty_since_wall_ms_ = -1;
};

}  // namespace leat
