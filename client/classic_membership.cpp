// classic_membership.cpp: JoinGroup 0-9, SyncGroup 0-5, Heartbeat 0-4, LeaveGroup 0-5. A join is answered when all
// members have come, a sync when the leader has: both hold this thread for as long.
#include "client/classic_membership.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "client/group_coordinator.h"
#include "client/range_assignment.h"
#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "net/protocol/messages/heartbeat.h"
#include "net/protocol/messages/leave_group.h"

namespace leat {
namespace {

constexpr Millis kHeartbeatInterval{3'000};
constexpr int16_t kEmbeddedVersion = 0;  // of subscription and assignment: nothing of the later ones is needed
constexpr int16_t kLeaveVersionBatched = 3;
constexpr const char* kAssignor = "range";

// The member is not, or no longer, of the present generation, and has to join again.
bool must_rejoin(ErrorCode code) noexcept {
  return code == ErrorCode::kRebalanceInProgress || code == ErrorCode::kIllegalGeneration ||
         code == ErrorCode::kUnknownMemberId;
}

}  // namespace

Error ClassicMembership::refusal(ErrorCode code) const {
  Error error = to_error(code, fmt::format("group '{}' takes no member", options_.group_id));
  if (code == ErrorCode::kInconsistentGroupProtocol) {
    error.context = with_hint(std::move(error.context),
                              fmt::format("Its members share no assignor with this one, which is '{}'", kAssignor));
  }
  if (code == ErrorCode::kFencedInstanceId) {
    error.context = with_hint(std::move(error.context),
                              fmt::format("Give each member an instance id of its own: '{}' is used twice",
                                          options_.instance_id.value_or("")));
  }
  return error;
}

Result<MembershipNews> ClassicMembership::keep_up() {
  if (standing_ == Standing::kOutside) return join();
  if (clock_.monotonic() < due_) return MembershipNews{};
  return send_heartbeat();
}

Result<MembershipNews> ClassicMembership::send_heartbeat() {
  HeartbeatRequest request;
  request.group_id = options_.group_id;
  request.generation_id = generation_;
  request.member_id = member_id_;
  request.group_instance_id = options_.instance_id;
  const auto error_of = [](const HeartbeatResponse& answer) { return answer.error_code; };
  TRY(answer, ask_coordinator<HeartbeatResponse>(client_, options_.group_id, request, error_of));
  due_ = clock_.monotonic() + kHeartbeatInterval;
  MembershipNews news;
  if (answer.error_code == ErrorCode::kNone) return news;
  if (!must_rejoin(answer.error_code)) return fail(refusal(answer.error_code));
  standing_ = Standing::kOutside;
  if (answer.error_code == ErrorCode::kUnknownMemberId) member_id_.clear();
  if (answer.error_code == ErrorCode::kRebalanceInProgress) {
    news.assigned.emplace();  // its offsets may still be committed, with this generation
  } else {
    news.lost = true;
  }
  return news;
}

Result<MembershipNews> ClassicMembership::join() {
  ConsumerProtocolSubscription subscription;
  subscription.topics = {options_.topic};
  TRY(metadata, encode_value(subscription, kEmbeddedVersion));
  JoinGroupRequest request;
  request.group_id = options_.group_id;
  request.session_timeout_ms = static_cast<int32_t>(options_.session_timeout.count());
  request.rebalance_timeout_ms = static_cast<int32_t>(options_.rebalance_timeout.count());
  request.group_instance_id = options_.instance_id;
  request.protocol_type = kConsumerProtocolType;
  request.protocols.push_back({.name = kAssignor, .metadata = metadata});
  const auto error_of = [](const JoinGroupResponse& answer) { return answer.error_code; };
  for (;;) {
    request.member_id = member_id_;
    TRY(answer, ask_coordinator<JoinGroupResponse>(client_, options_.group_id, request, error_of,
                                                   {.extra = options_.rebalance_timeout}));
    if (answer.error_code == ErrorCode::kNone) return sync(answer);
    if (answer.error_code == ErrorCode::kMemberIdRequired && member_id_.empty() && !answer.member_id.empty()) {
      member_id_ = answer.member_id;
      continue;
    }
    if (!must_rejoin(answer.error_code)) return fail(refusal(answer.error_code));
    if (answer.error_code == ErrorCode::kUnknownMemberId) member_id_.clear();
    return MembershipNews{};
  }
}

Result<MembershipNews> ClassicMembership::sync(const JoinGroupResponse& joined) {
  member_id_ = joined.member_id;
  generation_ = joined.generation_id;
  SyncGroupRequest request;
  request.group_id = options_.group_id;
  request.generation_id = generation_;
  request.member_id = member_id_;
  request.group_instance_id = options_.instance_id;
  request.protocol_type = kConsumerProtocolType;
  request.protocol_name = joined.protocol_name;
  if (joined.leader == member_id_ && !joined.skip_assignment) {
    TRY(assignments, assign_as_leader(joined));
    request.assignments = std::move(assignments);
  }
  const auto error_of = [](const SyncGroupResponse& answer) { return answer.error_code; };
  TRY(answer, ask_coordinator<SyncGroupResponse>(client_, options_.group_id, request, error_of,
                                                 {.extra = options_.rebalance_timeout}));
  MembershipNews news;
  if (answer.error_code == ErrorCode::kNone) {
    TRY(assigned, partitions_in(answer.assignment));
    news.assigned = std::move(assigned);
    standing_ = Standing::kMember;
    due_ = clock_.monotonic() + kHeartbeatInterval;
    return news;
  }
  if (!must_rejoin(answer.error_code)) return fail(refusal(answer.error_code));
  if (answer.error_code == ErrorCode::kUnknownMemberId) member_id_.clear();
  return news;
}

Result<ClassicMembership::Assignments> ClassicMembership::assign_as_leader(const JoinGroupResponse& joined) {
  std::vector<RangeMember> members;
  std::set<std::string> names;
  for (const auto& member : joined.members) {
    TRY(subscription, decode_value<ConsumerProtocolSubscription>(member.metadata));
    names.insert(subscription.topics.begin(), subscription.topics.end());
    members.push_back({.member_id = member.member_id,
                       .instance_id = member.group_instance_id,
                       .topics = std::move(subscription.topics)});
  }
  TRY(metadata, client_.metadata(std::vector<std::string>(names.begin(), names.end()), AutoCreate::kNo));
  std::map<std::string, int32_t> topics;
  for (const auto& topic : metadata.topics) {
    if (topic.error_code == ErrorCode::kNone && topic.name) {
      topics[*topic.name] = static_cast<int32_t>(topic.partitions.size());
    }
  }
  Assignments assignments;
  for (auto& [member_id, by_topic] : assign_by_range(std::move(members), topics)) {
    ConsumerProtocolAssignment assignment;
    for (const auto& [topic, partitions] : by_topic) {
      assignment.assigned_partitions.push_back({.topic = topic, .partitions = partitions});
    }
    TRY(bytes, encode_value(assignment, kEmbeddedVersion));
    assignments.push_back({.member_id = member_id, .assignment = std::move(bytes)});
  }
  return assignments;
}

Result<std::vector<int32_t>> ClassicMembership::partitions_in(const Bytes& assignment) const {
  std::vector<int32_t> partitions;
  if (assignment.empty()) return partitions;  // the leader gave this member nothing
  TRY(decoded, decode_value<ConsumerProtocolAssignment>(assignment));
  for (const auto& topic : decoded.assigned_partitions) {
    if (topic.topic != options_.topic) continue;
    partitions.insert(partitions.end(), topic.partitions.begin(), topic.partitions.end());
  }
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

Result<void> ClassicMembership::confirm(const std::vector<int32_t>& /*owned*/) { return {}; }

// A static member that ends says nothing: it is expected back within its session timeout.
Result<void> ClassicMembership::leave() {
  if (member_id_.empty() || options_.instance_id) return {};
  TRY(coordinator, find_coordinator(client_, options_.group_id));
  TRY(version, coordinator->version_of(ApiKey::kLeaveGroup));
  LeaveGroupRequest request;
  request.group_id = options_.group_id;
  if (version < kLeaveVersionBatched) {
    request.member_id = member_id_;
  } else {
    request.members.emplace_back().member_id = member_id_;
  }
  const auto error_of = [](const LeaveGroupResponse& answer) { return answer.error_code; };
  TRY(answer, ask_coordinator<LeaveGroupResponse>(client_, options_.group_id, request, error_of));
  standing_ = Standing::kOutside;
  if (answer.error_code == ErrorCode::kNone || answer.error_code == ErrorCode::kUnknownMemberId) return {};
  return fail(to_error(answer.error_code, fmt::format("leaving group '{}'", options_.group_id)));
}

Committer ClassicMembership::committer() const {
  return {.member_id = member_id_, .generation_or_epoch = generation_, .instance_id = options_.instance_id};
}

}  // namespace leat
