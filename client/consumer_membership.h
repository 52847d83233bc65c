// consumer_membership.h: a member that speaks the consumer protocol (KIP-848): one request, ConsumerGroupHeartbeat,
// joins, reports what is owned, and leaves; the broker assigns. A partition is given up before another member gets it,
// the others are read on meanwhile. Thread: the client's.
#pragma once

#include "client/group_membership.h"
#include "core/base/clock.h"
#include "core/base/uuid.h"
#include "net/protocol/messages/consumer_group_heartbeat.h"

namespace leat {

class ConsumerMembership final : public GroupMembership {
 public:
  // `member_id` is the member's own to make: unique, and the same for as long as it lives.
  ConsumerMembership(SimpleClient& client, const Clock& clock, MembershipOptions options, std::string member_id)
      : client_(client), clock_(clock), options_(std::move(options)), member_id_(std::move(member_id)) {}

  Result<MembershipNews> keep_up() override;
  Result<void> confirm(const std::vector<int32_t>& owned) override;
  Result<void> leave() override;
  Committer committer() const override;

 private:
  ConsumerGroupHeartbeatRequest heartbeat(int32_t epoch) const;
  Result<ConsumerGroupHeartbeatResponse> send(const ConsumerGroupHeartbeatRequest& request);
  Result<MembershipNews> on_answer(const ConsumerGroupHeartbeatResponse& answer);
  Result<std::vector<int32_t>> partitions_in(const ConsumerGroupHeartbeatResponse::Assignment& assignment);
  Error refusal(const ConsumerGroupHeartbeatResponse& answer) const;

  SimpleClient& client_;
  const Clock& clock_;
  MembershipOptions options_;
  std::string member_id_;
  int32_t epoch_ = 0;  // 0: not joined
  Nanos due_{0};       // the next heartbeat
  Uuid topic_id_;
  std::vector<int32_t> owned_;             // as last confirmed
  std::optional<MembershipNews> pending_;  // came with the answer to a confirmation
};

}  // namespace leat
