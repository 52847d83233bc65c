// group_errors.h: GroupErrc as Kafka's error codes: the one switch of these APIs.
#pragma once

#include "core/coordinator/group/group_errc.h"
#include "net/protocol/error_code.h"

namespace leat {

constexpr ErrorCode error_code_of(GroupErrc code) noexcept {
  switch (code) {
    case GroupErrc::kNone:
      return ErrorCode::kNone;
    case GroupErrc::kInvalidRequest:
      return ErrorCode::kInvalidRequest;
    case GroupErrc::kInvalidGroupId:
      return ErrorCode::kInvalidGroupId;
    case GroupErrc::kGroupIdNotFound:
      return ErrorCode::kGroupIdNotFound;
    case GroupErrc::kUnknownMemberId:
      return ErrorCode::kUnknownMemberId;
    case GroupErrc::kMemberIdRequired:
      return ErrorCode::kMemberIdRequired;
    case GroupErrc::kIllegalGeneration:
      return ErrorCode::kIllegalGeneration;
    case GroupErrc::kRebalanceInProgress:
      return ErrorCode::kRebalanceInProgress;
    case GroupErrc::kInconsistentGroupProtocol:
      return ErrorCode::kInconsistentGroupProtocol;
    case GroupErrc::kInvalidSessionTimeout:
      return ErrorCode::kInvalidSessionTimeout;
    case GroupErrc::kGroupMaxSizeReached:
      return ErrorCode::kGroupMaxSizeReached;
    case GroupErrc::kFencedInstanceId:
      return ErrorCode::kFencedInstanceId;
    case GroupErrc::kFencedMemberEpoch:
      return ErrorCode::kFencedMemberEpoch;
    case GroupErrc::kStaleMemberEpoch:
      return ErrorCode::kStaleMemberEpoch;
    case GroupErrc::kUnreleasedInstanceId:
      return ErrorCode::kUnreleasedInstanceId;
    case GroupErrc::kUnsupportedAssignor:
      return ErrorCode::kUnsupportedAssignor;
    case GroupErrc::kInvalidRegularExpression:
      return ErrorCode::kInvalidRegularExpression;
    case GroupErrc::kNonEmptyGroup:
      return ErrorCode::kNonEmptyGroup;
    case GroupErrc::kGroupSubscribedToTopic:
      return ErrorCode::kGroupSubscribedToTopic;
    case GroupErrc::kOffsetMetadataTooLarge:
      return ErrorCode::kOffsetMetadataTooLarge;
    case GroupErrc::kInvalidCommitOffsetSize:
      return ErrorCode::kInvalidCommitOffsetSize;
    case GroupErrc::kUnstableOffsetCommit:
      return ErrorCode::kUnstableOffsetCommit;
    case GroupErrc::kUnknownTopicOrPartition:
      return ErrorCode::kUnknownTopicOrPartition;
    case GroupErrc::kUnknownTopicId:
      return ErrorCode::kUnknownTopicId;
    case GroupErrc::kUnsupportedVersion:
      return ErrorCode::kUnsupportedVersion;
    case GroupErrc::kCoordinatorLoadInProgress:
      return ErrorCode::kCoordinatorLoadInProgress;
    case GroupErrc::kCoordinatorNotAvailable:
      return ErrorCode::kCoordinatorNotAvailable;
    case GroupErrc::kNotCoordinator:
      return ErrorCode::kNotCoordinator;
  }
  return ErrorCode::kUnknownServerError;
}

}  // namespace leat
