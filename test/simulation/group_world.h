// group_world.h: one simulated life of a group coordinator and its clients: groups of classic, consumer and both kinds
// of members, simple consumers without a group, topics that change, clients that leave, crash, pause and come back, a
// broker that crashes, an administrator, and somebody who asks with epochs of long ago. Then all grow calm, and every
// group has to settle.
// Checked in every step (group_world_checks.cpp): whom a commit may come from, that what was committed is what is
// fetched, and why an offset may go; besides what the broker, the ledger and the claims check themselves.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/coordinator/group/group_rules.h"
#include "test/simulation/group_world_broker.h"
#include "test/simulation/group_world_member.h"

namespace leat {

class GroupWorld final : private GroupStepObserver, private GroupRequester {
 public:
  enum class Telling : uint8_t { kQuiet, kTold };
  GroupWorld(uint64_t seed, Telling telling);
  ~GroupWorld() override;

  void run();
  const GroupCounts& counts() const noexcept { return counts_; }

 private:
  enum class Speaks : uint8_t { kClassic, kConsumer, kBoth };
  struct Group {
    std::string id;
    Speaks speaks = Speaks::kBoth;
    bool prefers_classic = false;  // what new members of a group of both speak
    std::vector<SimMember*> members;
  };
  struct StaleIdentity {
    std::string group_id;
    std::string member_id;
    std::optional<std::string> instance_id;
    int32_t epoch;
    bool is_classic;
  };

  // group_world.cpp: the world and its end
  void choose_rules();
  void make_groups();
  void calm();
  void settle();
  void finish();
  std::string unsettled(const Group& group) const;  // "": settled
  std::string unsettled() const;
  std::map<std::string, int32_t> epochs() const;
  void describe_groups();

  // group_world_disturb.cpp: what happens in it
  void disturb();
  SimMember* start_member(Group& group, std::optional<std::string> instance_id);
  SimMember::Plan plan_member(const Group& group, bool is_classic);
  void subscribe_by_pattern(SimMember::Plan& plan);
  std::vector<std::string> choose_topics();
  SimMember* any_member();  // alive; nullptr when there is none
  Group& any_group() { return groups_[random_.below(groups_.size())]; }
  Group& group_of(const SimMember& member);
  void start_one();
  void stop_one();
  void pause_one();
  void restart_static();
  void move_to_other_protocol();
  void commit_many();
  void crash_broker() { broker_.crash(); }
  void change_topics();
  void make_topic();
  void delete_topic(const CatalogTopic& topic);
  void change_subscription();
  void ask_with_stale_epoch();
  void remember_identity();
  void commit_without_group();
  void administrate();
  void remove_static_member();
  void delete_offsets();
  void fetch_offsets(const std::string& group_id);
  void step_wall_clock();
  void check_snapshot() { broker_.check_snapshot(); }

  // group_world_checks.cpp: what must hold
  bool still_wanted(Ticket ticket, const GroupEvent& event) override;
  void on_produced(Ticket ticket, const GroupReply& reply) override;
  void on_answered(Ticket, const GroupReply&) override {}
  void on_lost(Ticket ticket) override { stale_tickets_.erase(ticket); }
  void before_records(const GroupEvent* event, const std::vector<GroupRecord>& records) override;
  void on_step(const GroupRequester* from, const GroupEvent* event, Ticket ticket, const GroupOutput& output) override;
  void on_crash() override;
  void on_start() override;
  bool is_stale(const std::string& group_id, const std::string& member_id, int32_t epoch) const;
  int32_t classic_generation(const std::string& group_id) const;
  bool may_offset_go(const GroupEvent* event, const LedgerOffsetKey& key) const;
  bool is_orphan(const LedgerOffsetKey& key) const;
  bool may_offset_expire(const LedgerOffsetKey& key) const;
  void take_conversions(const std::vector<GroupRecord>& records);
  void take_conversion(Group& group, std::optional<Speaks> before, const LedgerGroup* now);
  std::optional<Speaks> kind_in_log(std::string_view group_id) const;
  void note_kinds();
  void watch_instance(const GroupEvent& event);
  void exclude_replaced(const GroupRequester* from, const GroupEvent& event, const GroupReply* reply);
  void exclude_removed(const LeaveGroup& event, const LeaveGroupReply& reply);
  void check_commit(const GroupRequester* from, const CommitOffsets& commit, const CommitOffsetsReply& reply,
                    const GroupOutput& output);
  void check_committer(const CommitOffsets& commit, const std::vector<OffsetToCommit>& accepted) const;
  void check_consumer_committer(const CommitOffsets& commit, const LedgerGroup& group,
                                const std::vector<OffsetToCommit>& accepted) const;
  void check_fetch(const FetchOffsets& fetch, const FetchOffsetsReply& reply) const;
  void check_deleted_offsets(const DeleteOffsets& event, const DeleteOffsetsReply& reply);
  void check_deleted_group(const DeleteGroup& event, const DeleteGroupReply& reply);
  void check_gone_topic(const TopicGone& event) const;
  void check_description(const DescribeGroup& event, const DescribeGroupReply& reply) const;
  void check_description(const DescribeConsumerGroup& event, const DescribeConsumerGroupReply& reply) const;
  bool has_guaranteed_member(std::string_view group_id) const;
  bool is_followed(std::string_view group_id, std::string_view topic) const;
  Group* find_group(std::string_view group_id);

  void tell(const std::string& line) const;

  const uint64_t seed_;
  const Telling telling_;
  SeededRandom random_;
  GroupTimeline timeline_;
  GroupRules rules_;
  SimTopics topics_;
  GroupCounts counts_;
  GroupClaims claims_;
  GroupNotes notes_;
  SimMember::Mood mood_;
  GroupBroker broker_;
  std::vector<Group> groups_;
  std::vector<std::unique_ptr<SimMember>> members_;  // the dead ones too
  std::vector<StaleIdentity> identities_;
  std::set<Ticket> stale_tickets_;                    // what was asked by identities_
  std::map<std::string, Speaks, std::less<>> kinds_;  // of the groups that are in the log, before the step
  std::vector<const SimMember*> replaceable_;         // static members whose place the step may give away
  bool is_settled_ = false;
  bool is_crowded_ = false;          // hundreds of members
  std::set<std::string> ever_made_;  // topics
  size_t members_wanted_ = 0;
  int64_t live_until_ms_ = 0;
  int64_t pace_ms_ = 0;  // between two disturbances, at most
  uint64_t next_name_ = 0;
};

}  // namespace leat
