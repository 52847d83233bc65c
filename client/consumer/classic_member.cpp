// classic_member.cpp: the classic protocol's member, and what its leader computes.
#include <algorithm>
#include <set>

#include "client/cluster/coordinator.h"
#include "client/consumer/group_member.h"
#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"

namespace leat::client::detail {
namespace {

constexpr int16_t kSubscriptionVersion = 3;
constexpr int16_t kAssignmentVersion = 1;
constexpr int16_t kLeaveVersionBatched = 3;
constexpr const char* kProtocolType = "consumer";

bool is_eager_with(const std::vector<ClassicAssignor>& assignors) noexcept {
  return std::any_of(assignors.begin(), assignors.end(),
                     [](ClassicAssignor assignor) { return assignor != ClassicAssignor::kCooperativeSticky; });
}

template <class Topics>
std::vector<TopicPartition> flattened(const Topics& topics) {
  std::vector<TopicPartition> partitions;
  for (const auto& topic : topics) {
    for (const int32_t index : topic.partitions) partitions.push_back({.topic = topic.topic, .partition = index});
  }
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

template <class Topic>
std::vector<Topic> by_topic(const std::vector<TopicPartition>& partitions) {
  std::vector<Topic> topics;
  for (const TopicPartition& partition : partitions) {
    if (topics.empty() || topics.back().topic != partition.topic) topics.emplace_back().topic = partition.topic;
    topics.back().partitions.push_back(partition.partition);
  }
  return topics;
}

}  // namespace

ClassicMember::ClassicMember(const ConsumerSettings& settings)
    : settings_(settings), eager_(is_eager_with(settings.classic_assignors)) {}

void ClassicMember::subscribe(std::vector<std::string> topics) {
  std::sort(topics.begin(), topics.end());
  if (topics == topics_) return;
  topics_ = std::move(topics);
  must_join_ = true;
}

leat::Result<JoinGroupRequest> ClassicMember::join(const std::vector<TopicPartition>& owned) const {
  ConsumerProtocolSubscription subscription;
  subscription.topics = topics_;
  subscription.owned_partitions = by_topic<ConsumerProtocolSubscription::TopicPartition>(owned);
  subscription.generation_id = generation_;
  subscription.rack_id = settings_.client_rack;
  TRY(metadata, encode_value(subscription, kSubscriptionVersion));
  JoinGroupRequest request;
  request.group_id = settings_.group_id;
  request.session_timeout_ms = static_cast<int32_t>(settings_.session_timeout_ms);
  request.rebalance_timeout_ms = static_cast<int32_t>(settings_.rebalance_timeout_ms);
  request.member_id = member_id_;
  request.group_instance_id = settings_.group_instance_id;
  request.protocol_type = kProtocolType;
  for (const ClassicAssignor assignor : settings_.classic_assignors) {
    request.protocols.push_back({.name = std::string(assignor_name(assignor)), .metadata = metadata});
  }
  return request;
}

MemberVerdict ClassicMember::judge(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNone:
      return MemberVerdict::kGoOn;
    case ErrorCode::kRebalanceInProgress:
      must_join_ = true;
      return MemberVerdict::kGoOn;
    case ErrorCode::kUnknownMemberId:
      member_id_.clear();
      reset();
      return MemberVerdict::kLost;
    case ErrorCode::kIllegalGeneration:
      reset();
      return MemberVerdict::kLost;
    default:
      return may_coordinate_later(code) || is_retriable(code) ? MemberVerdict::kTryLater : MemberVerdict::kRefused;
  }
}

MemberVerdict ClassicMember::on_joined(const JoinGroupResponse& answer) {
  if (answer.error_code == ErrorCode::kMemberIdRequired && !answer.member_id.empty()) {
    member_id_ = answer.member_id;
    return MemberVerdict::kGoOn;
  }
  if (answer.error_code != ErrorCode::kNone) return judge(answer.error_code);
  member_id_ = answer.member_id;
  generation_ = answer.generation_id;
  protocol_name_ = answer.protocol_name.value_or("");
  is_leader_ = answer.leader == member_id_ && !answer.skip_assignment;
  must_join_ = false;
  members_.clear();
  if (!is_leader_) return MemberVerdict::kGoOn;
  for (const auto& member : answer.members) {
    leat::Result<ConsumerProtocolSubscription> told = decode_value<ConsumerProtocolSubscription>(member.metadata);
    if (!told) continue;  // gets nothing, for nobody can tell what it wants
    members_.push_back({.member_id = member.member_id,
                        .instance_id = member.group_instance_id,
                        .topics = std::move(told->topics),
                        .owned = flattened(told->owned_partitions),
                        .generation = told->generation_id});
  }
  return MemberVerdict::kGoOn;
}

std::vector<std::string> ClassicMember::topics_of_all() const {
  std::set<std::string> names;
  for (const AssignedMember& member : members_) names.insert(member.topics.begin(), member.topics.end());
  return {names.begin(), names.end()};
}

leat::Result<SyncGroupRequest> ClassicMember::sync(const std::map<std::string, int32_t>& partition_counts) const {
  SyncGroupRequest request;
  request.group_id = settings_.group_id;
  request.generation_id = generation_;
  request.member_id = member_id_;
  request.group_instance_id = settings_.group_instance_id;
  request.protocol_type = kProtocolType;
  request.protocol_name = protocol_name_;
  if (!is_leader_) return request;
  const ClassicAssignor assignor = assignor_named(protocol_name_).value_or(ClassicAssignor::kRange);
  for (const auto& [member_id, share] : share_out(assignor, members_, partition_counts)) {
    ConsumerProtocolAssignment assignment;
    assignment.assigned_partitions = by_topic<ConsumerProtocolAssignment::TopicPartition>(share);
    TRY(bytes, encode_value(assignment, kAssignmentVersion));
    request.assignments.push_back({.member_id = member_id, .assignment = std::move(bytes)});
  }
  return request;
}

MemberVerdict ClassicMember::on_synced(const SyncGroupResponse& answer, Nanos now) {
  if (answer.error_code != ErrorCode::kNone) {
    must_join_ = true;
    return judge(answer.error_code);
  }
  due_ = now + Millis(settings_.heartbeat_interval_ms);
  assigned_.emplace();
  if (answer.assignment.empty()) return MemberVerdict::kGoOn;  // the leader gave this member nothing
  leat::Result<ConsumerProtocolAssignment> told = decode_value<ConsumerProtocolAssignment>(answer.assignment);
  if (!told) return MemberVerdict::kRefused;
  assigned_ = flattened(told->assigned_partitions);
  return MemberVerdict::kGoOn;
}

void ClassicMember::set_owned(Revoked revoked) noexcept {
  assigned_.reset();
  if (!eager_ && revoked == Revoked::kSome) must_join_ = true;
}

HeartbeatRequest ClassicMember::heartbeat() const {
  HeartbeatRequest request;
  request.group_id = settings_.group_id;
  request.generation_id = generation_;
  request.member_id = member_id_;
  request.group_instance_id = settings_.group_instance_id;
  return request;
}

MemberVerdict ClassicMember::on_heartbeat(ErrorCode code, Nanos now) {
  due_ = now + Millis(settings_.heartbeat_interval_ms);
  return judge(code);
}

LeaveGroupRequest ClassicMember::farewell(int16_t version) const {
  LeaveGroupRequest request;
  request.group_id = settings_.group_id;
  if (version < kLeaveVersionBatched) {
    request.member_id = member_id_;
  } else {
    request.members.emplace_back().member_id = member_id_;
  }
  return request;
}

void ClassicMember::reset() noexcept {
  generation_ = -1;
  assigned_.reset();
  is_leader_ = false;
  must_join_ = true;
}

}  // namespace leat::client::detail
