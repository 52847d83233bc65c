// consumer_membership.cpp: ConsumerGroupHeartbeat 0-1. A heartbeat leaves out what has not changed; a join says all.
#include "client/consumer_membership.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/group_coordinator.h"

namespace leat {
namespace {

constexpr int32_t kJoinEpoch = 0;
constexpr int32_t kLeaveEpoch = -1;
constexpr int32_t kLeaveForAWhileEpoch = -2;  // a static member's: its partitions wait for it

}  // namespace

ConsumerGroupHeartbeatRequest ConsumerMembership::heartbeat(int32_t epoch) const {
  ConsumerGroupHeartbeatRequest request;
  request.group_id = options_.group_id;
  request.member_id = member_id_;
  request.member_epoch = epoch;
  request.instance_id = options_.instance_id;
  return request;
}

Result<ConsumerGroupHeartbeatResponse> ConsumerMembership::send(const ConsumerGroupHeartbeatRequest& request) {
  const auto error_of = [](const ConsumerGroupHeartbeatResponse& answer) { return answer.error_code; };
  return ask_coordinator<ConsumerGroupHeartbeatResponse>(client_, options_.group_id, request, error_of);
}

Result<MembershipNews> ConsumerMembership::keep_up() {
  if (pending_) return *std::exchange(pending_, std::nullopt);
  if (epoch_ != kJoinEpoch && clock_.monotonic() < due_) return MembershipNews{};
  ConsumerGroupHeartbeatRequest request = heartbeat(epoch_);
  if (epoch_ == kJoinEpoch) {
    request.rebalance_timeout_ms = static_cast<int32_t>(options_.rebalance_timeout.count());
    request.subscribed_topic_names = std::vector<std::string>{options_.topic};
    request.topic_partitions.emplace();
  }
  TRY(answer, send(request));
  return on_answer(answer);
}

Result<MembershipNews> ConsumerMembership::on_answer(const ConsumerGroupHeartbeatResponse& answer) {
  MembershipNews news;
  if (answer.error_code == ErrorCode::kFencedMemberEpoch || answer.error_code == ErrorCode::kUnknownMemberId) {
    epoch_ = kJoinEpoch;
    owned_.clear();
    news.lost = true;
    return news;
  }
  if (answer.error_code != ErrorCode::kNone) return fail(refusal(answer));
  if (answer.member_id && !answer.member_id->empty()) member_id_ = *answer.member_id;
  epoch_ = answer.member_epoch;
  due_ = clock_.monotonic() + Millis(answer.heartbeat_interval_ms);
  if (!answer.assignment) return news;
  TRY(assigned, partitions_in(*answer.assignment));
  if (assigned != owned_) news.assigned = std::move(assigned);
  return news;
}

// A topic that was made again has another id than the one first met.
Result<std::vector<int32_t>> ConsumerMembership::partitions_in(
    const ConsumerGroupHeartbeatResponse::Assignment& assignment) {
  const auto is_ours = [this](const auto& topic) { return topic.topic_id == topic_id_; };
  const auto& topics = assignment.topic_partitions;
  if (!std::all_of(topics.begin(), topics.end(), is_ours)) {
    TRY(topic, client_.topic(options_.topic, AutoCreate::kNo));
    topic_id_ = topic.topic_id;
  }
  std::vector<int32_t> partitions;
  for (const auto& topic : topics) {
    if (is_ours(topic)) partitions.insert(partitions.end(), topic.partitions.begin(), topic.partitions.end());
  }
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

Error ConsumerMembership::refusal(const ConsumerGroupHeartbeatResponse& answer) const {
  Error error =
      to_error(answer.error_code, fmt::format("group '{}' takes no member", options_.group_id), answer.error_message);
  if (answer.error_code == ErrorCode::kUnsupportedVersion) error.code = Errc::kUnsupported;
  if (answer.error_code == ErrorCode::kUnreleasedInstanceId) {
    error.context =
        with_hint(std::move(error.context),
                  fmt::format("Give each member an instance id of its own, or wait until the session of '{}' ends",
                              options_.instance_id.value_or("")));
  }
  return error;
}

Result<void> ConsumerMembership::confirm(const std::vector<int32_t>& owned) {
  ConsumerGroupHeartbeatRequest request = heartbeat(epoch_);
  auto& topics = request.topic_partitions.emplace();
  if (!owned.empty()) topics.push_back({.topic_id = topic_id_, .partitions = owned});
  owned_ = owned;
  TRY(answer, send(request));
  TRY(news, on_answer(answer));
  if (news.lost || news.assigned) pending_ = std::move(news);
  return {};
}

Result<void> ConsumerMembership::leave() {
  if (epoch_ == kJoinEpoch) return {};
  epoch_ = kJoinEpoch;
  TRY(answer, send(heartbeat(options_.instance_id ? kLeaveForAWhileEpoch : kLeaveEpoch)));
  const bool gone = answer.error_code == ErrorCode::kUnknownMemberId ||
                    answer.error_code == ErrorCode::kFencedMemberEpoch ||
                    answer.error_code == ErrorCode::kGroupIdNotFound;
  if (answer.error_code == ErrorCode::kNone || gone) return {};
  return fail(to_error(answer.error_code, fmt::format("leaving group '{}'", options_.group_id), answer.error_message));
}

Committer ConsumerMembership::committer() const {
  return {.member_id = member_id_, .generation_or_epoch = epoch_, .instance_id = options_.instance_id};
}

}  // namespace leat
