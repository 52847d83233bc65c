// group_member.h: what a member of a group is to send next, and what answers mean: one machine for each protocol,
// without I/O. Both are used in the same way, with one request under way at a time: ask what is due, send it, tell the
// answer; when the machine says that the assignment changed, the user gives up and takes on partitions, and tells when
// that is done. Heartbeats go on meanwhile. Thread: the loop.
//   ConsumerMember  KIP-848: ConsumerGroupHeartbeat 0-1 does everything, the broker assigns; topics by id.
//   ClassicMember   JoinGroup 0-9, SyncGroup 0-5, Heartbeat 0-4, LeaveGroup 0-5; one member assigns; topics by name.
//                   Eager (give up all, then join) where any of the assignors is, else cooperative (KIP-429).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <leat/consumer.h>

#include "client/consumer/assignors.h"
#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/base/uuid.h"
#include "net/protocol/messages/consumer_group_heartbeat.h"
#include "net/protocol/messages/heartbeat.h"
#include "net/protocol/messages/join_group.h"
#include "net/protocol/messages/leave_group.h"
#include "net/protocol/messages/sync_group.h"

namespace leat::client::detail {

struct Subscription {
  std::vector<std::string> topics = {};
  std::string pattern = {};  // instead of topics
};

enum class MemberVerdict : uint8_t {
  kGoOn,
  kLost,         // the group went on without this member; it joins again by itself
  kTryLater,     // the coordinator is not ready, or is elsewhere
  kUnsupported,  // this group or broker does not speak this protocol
  kRefused,      // and will be so again
};

class ConsumerMember {
 public:
  using Assignment = std::map<Uuid, std::vector<int32_t>>;  // partitions sorted

  // `member_id` is the member's own to make: unique, and the same for as long as it lives.
  ConsumerMember(const ConsumerSettings& settings, std::string member_id)
      : settings_(settings), member_id_(std::move(member_id)) {}

  void subscribe(Subscription subscription, Nanos now);
  Nanos due() const noexcept { return due_; }
  ConsumerGroupHeartbeatRequest heartbeat();
  MemberVerdict on_answer(const ConsumerGroupHeartbeatResponse& answer, Nanos now);
  void on_no_answer() noexcept { tells_all_ = true; }  // what arrived is not known
  ConsumerGroupHeartbeatRequest farewell() const;

  // What the broker wants this member to own, where that is not what it owns.
  const Assignment* to_be_owned() const noexcept { return target_ && *target_ != owned_ ? &*target_ : nullptr; }
  void set_owned(Assignment owned, Nanos now);  // says so at once
  const std::string& member_id() const noexcept { return member_id_; }
  int32_t epoch() const noexcept { return epoch_; }
  bool is_member() const noexcept { return epoch_ > 0; }
  void reset() noexcept;  // it has left

 private:
  const ConsumerSettings& settings_;
  std::string member_id_;
  Subscription subscription_;
  int32_t epoch_ = 0;  // 0: not joined
  Assignment owned_;
  std::optional<Assignment> target_;
  Nanos due_{0};
  bool tells_all_ = true;
  bool tells_subscription_ = true;
  bool tells_owned_ = true;
};

class ClassicMember {
 public:
  explicit ClassicMember(const ConsumerSettings& settings);

  void subscribe(std::vector<std::string> topics);  // names; joins again where they changed
  void rejoin() noexcept { must_join_ = true; }
  bool must_join() const noexcept { return must_join_; }
  bool is_eager() const noexcept { return eager_; }
  Nanos due() const noexcept { return due_; }
  bool is_member() const noexcept { return generation_ >= 0; }

  leat::Result<JoinGroupRequest> join(const std::vector<TopicPartition>& owned) const;
  // kGoOn with is_member(): sync is next; without: join again (the broker gave a member id).
  MemberVerdict on_joined(const JoinGroupResponse& answer);
  bool is_leader() const noexcept { return is_leader_; }
  // For the leader: topics of all members, and what it answers with once their partition counts are known.
  std::vector<std::string> topics_of_all() const;
  leat::Result<SyncGroupRequest> sync(const std::map<std::string, int32_t>& partition_counts) const;
  // kGoOn: assigned() is news, to be taken on; done when set_owned was called.
  MemberVerdict on_synced(const SyncGroupResponse& answer, Nanos now);
  const std::vector<TopicPartition>* assigned() const noexcept { return assigned_ ? &*assigned_ : nullptr; }
  // What came of assigned(). `revoked`: a cooperative member that gave something up joins again.
  enum class Revoked : uint8_t { kNone, kSome };
  void set_owned(Revoked revoked) noexcept;

  HeartbeatRequest heartbeat() const;
  MemberVerdict on_heartbeat(ErrorCode code, Nanos now);
  LeaveGroupRequest farewell(int16_t version) const;

  const std::string& member_id() const noexcept { return member_id_; }
  int32_t generation() const noexcept { return generation_; }
  void reset() noexcept;  // it has left, or was lost

 private:
  MemberVerdict judge(ErrorCode code);

  const ConsumerSettings& settings_;
  const bool eager_;
  std::string member_id_;  // the broker's to make; "" before it has
  int32_t generation_ = -1;
  std::string protocol_name_;
  std::vector<std::string> topics_;
  std::vector<AssignedMember> members_;  // the leader's, from the join
  std::optional<std::vector<TopicPartition>> assigned_;
  Nanos due_{0};
  bool must_join_ = true;
  bool is_leader_ = false;
};

}  // namespace leat::client::detail
