// classic_membership.h: a member that speaks the classic protocol (JoinGroup, SyncGroup, Heartbeat, LeaveGroup), with
// the assignor "range". On every rebalance all partitions are given up first, and what is owned then comes with the
// sync.
// For brokers without the consumer protocol, and groups whose other members speak this one. Thread: the client's.
#pragma once

#include "client/group_membership.h"
#include "core/base/clock.h"
#include "net/protocol/messages/join_group.h"
#include "net/protocol/messages/sync_group.h"

namespace leat {

class ClassicMembership final : public GroupMembership {
 public:
  ClassicMembership(SimpleClient& client, const Clock& clock, MembershipOptions options)
      : client_(client), clock_(clock), options_(std::move(options)) {}

  Result<MembershipNews> keep_up() override;
  Result<void> confirm(const std::vector<int32_t>& owned) override;
  Result<void> leave() override;
  Committer committer() const override;

 private:
  enum class Standing : uint8_t { kOutside, kMember };
  using Assignments = std::vector<SyncGroupRequest::SyncGroupRequestAssignment>;

  Result<MembershipNews> join();
  Result<MembershipNews> sync(const JoinGroupResponse& joined);
  Result<MembershipNews> send_heartbeat();
  Result<Assignments> assign_as_leader(const JoinGroupResponse& joined);
  Result<std::vector<int32_t>> partitions_in(const Bytes& assignment) const;
  Error refusal(ErrorCode code) const;

  SimpleClient& client_;
  const Clock& clock_;
  MembershipOptions options_;
  Standing standing_ = Standing::kOutside;
  std::string member_id_;  // the broker's to make; "" before it has
  int32_t generation_ = -1;
  Nanos due_{0};  // the next heartbeat
};

}  // namespace leat
