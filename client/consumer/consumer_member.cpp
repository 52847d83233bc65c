// consumer_member.cpp: ConsumerGroupHeartbeat 0-1. A heartbeat leaves out what has not changed since the last one that
// was answered; a join, and one after silence, says all.
#include "client/consumer/group_member.h"

#include <algorithm>

#include "client/cluster/coordinator.h"

namespace leat::client::detail {
namespace {

constexpr int32_t kJoinEpoch = 0;
constexpr int32_t kLeaveEpoch = -1;
constexpr int32_t kLeaveForAWhileEpoch = -2;  // a static member's: its partitions wait for it

}  // namespace

void ConsumerMember::subscribe(Subscription subscription, Nanos now) {
  subscription_ = std::move(subscription);
  tells_subscription_ = true;
  due_ = now;
}

ConsumerGroupHeartbeatRequest ConsumerMember::heartbeat() {
  ConsumerGroupHeartbeatRequest request;
  request.group_id = settings_.group_id;
  request.member_id = member_id_;
  request.member_epoch = epoch_;
  request.instance_id = settings_.group_instance_id;
  const bool all = tells_all_ || epoch_ == kJoinEpoch;
  if (all) {
    request.rebalance_timeout_ms = static_cast<int32_t>(settings_.rebalance_timeout_ms);
    request.rack_id = settings_.client_rack;
    request.server_assignor = settings_.group_remote_assignor;
  }
  if (all || tells_subscription_) {
    request.subscribed_topic_names = subscription_.topics;
    if (!subscription_.pattern.empty()) request.subscribed_topic_regex = subscription_.pattern;
  }
  if (all || tells_owned_) {
    auto& topics = request.topic_partitions.emplace();
    for (const auto& [topic_id, partitions] : owned_) {
      topics.push_back({.topic_id = topic_id, .partitions = partitions});
    }
  }
  tells_all_ = tells_subscription_ = tells_owned_ = false;
  return request;
}

MemberVerdict ConsumerMember::on_answer(const ConsumerGroupHeartbeatResponse& answer, Nanos now) {
  switch (answer.error_code) {
    case ErrorCode::kNone:
      break;
    case ErrorCode::kFencedMemberEpoch:
    case ErrorCode::kUnknownMemberId:
      reset();
      due_ = now;
      return MemberVerdict::kLost;
    case ErrorCode::kUnsupportedVersion:
    case ErrorCode::kGroupIdNotFound:  // a classic group that cannot be converted has the name
      return MemberVerdict::kUnsupported;
    default:
      tells_all_ = true;
      return may_coordinate_later(answer.error_code) ? MemberVerdict::kTryLater : MemberVerdict::kRefused;
  }
  if (answer.member_id && !answer.member_id->empty()) member_id_ = *answer.member_id;
  epoch_ = answer.member_epoch;
  // Something may have changed while the request was under way.
  due_ = tells_subscription_ || tells_owned_ ? now : now + Millis(std::max(answer.heartbeat_interval_ms, 1));
  if (answer.assignment) {
    Assignment& target = target_.emplace();
    for (const auto& topic : answer.assignment->topic_partitions) {
      auto& partitions = target[topic.topic_id];
      partitions.insert(partitions.end(), topic.partitions.begin(), topic.partitions.end());
      std::sort(partitions.begin(), partitions.end());
    }
  }
  return MemberVerdict::kGoOn;
}

void ConsumerMember::set_owned(Assignment owned, Nanos now) {
  owned_ = std::move(owned);
  tells_owned_ = true;
  due_ = now;
}

ConsumerGroupHeartbeatRequest ConsumerMember::farewell() const {
  ConsumerGroupHeartbeatRequest request;
  request.group_id = settings_.group_id;
  request.member_id = member_id_;
  request.instance_id = settings_.group_instance_id;
  request.member_epoch = settings_.group_instance_id ? kLeaveForAWhileEpoch : kLeaveEpoch;
  return request;
}

void ConsumerMember::reset() noexcept {
  epoch_ = kJoinEpoch;
  owned_.clear();
  target_.reset();
  tells_all_ = true;
}

}  // namespace leat::client::detail
