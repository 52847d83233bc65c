// group_world_classic.h: a model client of the classic protocol, eager: it gives everything up before it joins, waits
// for the others, and gets its share by SyncGroup; as the leader it gives the shares out, by range. It follows Kafka's
// Java client in what it does on each error, and rejoins as the leader when topics changed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "test/simulation/group_world_member.h"

namespace leat {

class ClassicSimMember final : public SimMember {
 public:
  ClassicSimMember(const Parts& parts, Plan plan) : SimMember(parts, std::move(plan)) {}

  void leave() override;
  bool is_classic() const noexcept override { return true; }
  bool is_settled() const override;

 protected:
  void act() override;
  void on_subscription_changed() override { rejoin_at_ms_ = now_ms(); }
  void on_control_produced(const GroupReply& reply) override;
  void on_control_answered(const GroupReply& reply) override;
  void on_control_lost() override;
  bool is_in() const noexcept override { return state_ == State::kIn; }
  int64_t guaranteed_until_ms() const override;

 private:
  enum class State : uint8_t { kOut, kJoining, kSyncing, kIn };

  void join();
  void sync(const JoinGroupReply& joined);
  void heartbeat();
  void take(const JoinGroupReply& reply);
  void take(const SyncGroupReply& reply);
  void take(const GroupHeartbeatReply& reply);
  // The answers that mean the same everywhere. It is out then, and tries again soon, unless it is fenced for good.
  void take_error(GroupErrc error);
  void go_out(int64_t retry_in_ms);
  Bytes subscription() const;
  std::vector<std::pair<std::string, Bytes>> give_out(const std::vector<JoinedMember>& members);
  SimPartitions decode(const Bytes& assignment) const;
  bool is_assigned_by_old_topics() const;
  bool has_share_of_another() const;

  State state_ = State::kOut;
  bool is_leader_ = false;
  int32_t turns_behind_ = 0;  // in which its generation was assigned by topics that are not so any more
  int64_t rejoin_at_ms_ = INT64_MAX;
  int64_t stable_contact_ms_ = INT64_MIN / 2;  // when the coordinator last said that its generation stands
  SimPartitions given_;                        // by the SyncGroup that is under way
};

}  // namespace leat
