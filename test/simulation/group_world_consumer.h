// group_world_consumer.h: a model client of the consumer protocol (KIP-848): one kind of heartbeat, in which it says
// what changed and what it owns; it gives up what it is told to before it takes what is new, and then says so. After
// any trouble it says everything again, as Kafka's Java client does.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "test/simulation/group_world_member.h"

namespace leat {

class ConsumerSimMember final : public SimMember {
 public:
  ConsumerSimMember(const Parts& parts, Plan plan);

  void leave() override;
  bool is_classic() const noexcept override { return false; }
  bool is_settled() const override;

 protected:
  void act() override { heartbeat(); }
  void on_subscription_changed() override { must_tell_topics_ = true; }
  void on_control_produced(const GroupReply& reply) override;
  void on_control_answered(const GroupReply& reply) override;
  void on_control_lost() override;
  bool is_in() const noexcept override { return epoch_ > 0; }
  int64_t guaranteed_until_ms() const override;

 private:
  void heartbeat();
  void tell_all(ConsumerHeartbeat& event);
  void take_error(GroupErrc error);
  void begin_again(int64_t retry_in_ms);  // owning nothing
  void reconcile();
  void give_up();
  int64_t next_turn_ms() const;

  SimPartitions assignment_;  // as last told
  bool is_revoking_ = false;
  uint64_t revocation_ = 0;
  bool must_tell_all_ = true;
  bool must_tell_topics_ = false;
  SimPartitions told_owned_;                 // what the coordinator is known to have heard
  std::optional<SimPartitions> sent_owned_;  // in the heartbeat under way
  int32_t sent_epoch_ = 0;
  SimPartitions produced_assignment_;           // the last that the coordinator made, arrived or not
  std::optional<int64_t> revocation_since_ms_;  // since when it may wait for something to be given up
};

}  // namespace leat
