// group_errc.h: why the group coordinator refuses something. Each is one of Kafka's error codes; the server maps them
// (the wire is not core's business).
#pragma once

#include <cstdint>
#include <string>

namespace leat {

enum class GroupErrc : uint8_t {
  kNone,
  kInvalidRequest,
  kInvalidGroupId,
  kGroupIdNotFound,
  kUnknownMemberId,
  kMemberIdRequired,
  kIllegalGeneration,
  kRebalanceInProgress,
  kInconsistentGroupProtocol,
  kInvalidSessionTimeout,
  kGroupMaxSizeReached,
  kFencedInstanceId,
  kFencedMemberEpoch,
  kStaleMemberEpoch,
  kUnreleasedInstanceId,
  kUnsupportedAssignor,
  kInvalidRegularExpression,
  kNonEmptyGroup,
  kGroupSubscribedToTopic,
  kOffsetMetadataTooLarge,
  kInvalidCommitOffsetSize,
  kUnstableOffsetCommit,
  kUnknownTopicOrPartition,
  kUnknownTopicId,
  kUnsupportedVersion,  // a commit in a form that is too old for a member of the consumer protocol
  // Made by the runtime: the state is being read, or could not be made durable. Clients try again.
  kCoordinatorLoadInProgress,
  kCoordinatorNotAvailable,
  kNotCoordinator,
};

struct GroupFault {
  GroupErrc code = GroupErrc::kNone;
  std::string message;  // for a person; many responses have no place for it
};

}  // namespace leat
