// error_code.cpp: names, sentences and kinds of the error codes, in one table by code.
#include "net/protocol/error_code.h"

#include <iterator>

namespace leat {
namespace {

enum class Retry : uint8_t { kNo, kYes, kAfterMetadata };

struct Row {
  ErrorCode code;
  std::string_view name;
  Retry retry;
  std::string_view message;
};

constexpr Row kRows[] = {
    {ErrorCode::kUnknownServerError, "UNKNOWN_SERVER_ERROR", Retry::kNo,
     "The broker failed in an unexpected way; its log says more."},
    {ErrorCode::kNone, "NONE", Retry::kNo, ""},
    {ErrorCode::kOffsetOutOfRange, "OFFSET_OUT_OF_RANGE", Retry::kNo,
     "The offset is outside the range that the partition holds."},
    {ErrorCode::kCorruptMessage, "CORRUPT_MESSAGE", Retry::kYes,
     "A record batch is damaged: its CRC, length, magic or compressed data are wrong, or a key is missing where the "
     "topic is compacted."},
    {ErrorCode::kUnknownTopicOrPartition, "UNKNOWN_TOPIC_OR_PARTITION", Retry::kAfterMetadata,
     "The broker has no such topic or partition."},
    {ErrorCode::kInvalidFetchSize, "INVALID_FETCH_SIZE", Retry::kNo, "The fetch size is not valid."},
    {ErrorCode::kLeaderNotAvailable, "LEADER_NOT_AVAILABLE", Retry::kAfterMetadata,
     "The partition has no leader at the moment."},
    {ErrorCode::kNotLeaderOrFollower, "NOT_LEADER_OR_FOLLOWER", Retry::kAfterMetadata,
     "This broker is not the leader, or not a replica, of the partition."},
    {ErrorCode::kRequestTimedOut, "REQUEST_TIMED_OUT", Retry::kYes, "The request was not done in time."},
    {ErrorCode::kBrokerNotAvailable, "BROKER_NOT_AVAILABLE", Retry::kNo, "The broker is not available."},
    {ErrorCode::kReplicaNotAvailable, "REPLICA_NOT_AVAILABLE", Retry::kAfterMetadata,
     "The replica of the partition is not available."},
    {ErrorCode::kMessageTooLarge, "MESSAGE_TOO_LARGE", Retry::kNo,
     "A record batch is larger than max.message.bytes allows."},
    {ErrorCode::kStaleControllerEpoch, "STALE_CONTROLLER_EPOCH", Retry::kNo, "The controller epoch is out of date."},
    {ErrorCode::kOffsetMetadataTooLarge, "OFFSET_METADATA_TOO_LARGE", Retry::kNo,
     "The metadata string of an offset is longer than offset.metadata.max.bytes."},
    {ErrorCode::kNetworkException, "NETWORK_EXCEPTION", Retry::kAfterMetadata,
     "The connection was lost before an answer came."},
    {ErrorCode::kCoordinatorLoadInProgress, "COORDINATOR_LOAD_IN_PROGRESS", Retry::kYes,
     "The coordinator is still loading its state."},
    {ErrorCode::kCoordinatorNotAvailable, "COORDINATOR_NOT_AVAILABLE", Retry::kYes, "No coordinator is available."},
    {ErrorCode::kNotCoordinator, "NOT_COORDINATOR", Retry::kYes, "This broker is not the coordinator."},
    {ErrorCode::kInvalidTopicException, "INVALID_TOPIC_EXCEPTION", Retry::kNo, "The topic name is not valid."},
    {ErrorCode::kRecordListTooLarge, "RECORD_LIST_TOO_LARGE", Retry::kNo,
     "The records of the request are larger than segment.bytes."},
    {ErrorCode::kNotEnoughReplicas, "NOT_ENOUGH_REPLICAS", Retry::kYes,
     "There are fewer in-sync replicas than min.insync.replicas."},
    {ErrorCode::kNotEnoughReplicasAfterAppend, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", Retry::kYes,
     "The records were written, but to fewer in-sync replicas than min.insync.replicas."},
    {ErrorCode::kInvalidRequiredAcks, "INVALID_REQUIRED_ACKS", Retry::kNo, "acks must be -1, 0 or 1."},
    {ErrorCode::kIllegalGeneration, "ILLEGAL_GENERATION", Retry::kNo,
     "The generation id is not the group's present one."},
    {ErrorCode::kInconsistentGroupProtocol, "INCONSISTENT_GROUP_PROTOCOL", Retry::kNo,
     "The member has no protocol in common with its group."},
    {ErrorCode::kInvalidGroupId, "INVALID_GROUP_ID", Retry::kNo, "The group id is not valid."},
    {ErrorCode::kUnknownMemberId, "UNKNOWN_MEMBER_ID", Retry::kNo, "The group does not know this member."},
    {ErrorCode::kInvalidSessionTimeout, "INVALID_SESSION_TIMEOUT", Retry::kNo,
     "The session timeout is outside group.min.session.timeout.ms to group.max.session.timeout.ms."},
    {ErrorCode::kRebalanceInProgress, "REBALANCE_IN_PROGRESS", Retry::kNo, "The group is rebalancing: rejoin."},
    {ErrorCode::kInvalidCommitOffsetSize, "INVALID_COMMIT_OFFSET_SIZE", Retry::kNo,
     "The offset commit is larger than a record batch may be."},
    {ErrorCode::kTopicAuthorizationFailed, "TOPIC_AUTHORIZATION_FAILED", Retry::kNo, "Not authorized for the topic."},
    {ErrorCode::kGroupAuthorizationFailed, "GROUP_AUTHORIZATION_FAILED", Retry::kNo, "Not authorized for the group."},
    {ErrorCode::kClusterAuthorizationFailed, "CLUSTER_AUTHORIZATION_FAILED", Retry::kNo,
     "Not authorized for the cluster."},
    {ErrorCode::kInvalidTimestamp, "INVALID_TIMESTAMP", Retry::kNo, "A timestamp is outside what the topic accepts."},
    {ErrorCode::kUnsupportedSaslMechanism, "UNSUPPORTED_SASL_MECHANISM", Retry::kNo,
     "The SASL mechanism is not enabled."},
    {ErrorCode::kIllegalSaslState, "ILLEGAL_SASL_STATE", Retry::kNo,
     "The request does not fit the state of the SASL exchange."},
    {ErrorCode::kUnsupportedVersion, "UNSUPPORTED_VERSION", Retry::kNo,
     "The broker does not speak this version of the API."},
    {ErrorCode::kTopicAlreadyExists, "TOPIC_ALREADY_EXISTS", Retry::kNo, "A topic of this name exists already."},
    {ErrorCode::kInvalidPartitions, "INVALID_PARTITIONS", Retry::kNo, "The number of partitions is not valid."},
    {ErrorCode::kInvalidReplicationFactor, "INVALID_REPLICATION_FACTOR", Retry::kNo,
     "The replication factor is below 1 or above the number of brokers."},
    {ErrorCode::kInvalidReplicaAssignment, "INVALID_REPLICA_ASSIGNMENT", Retry::kNo,
     "The replica assignment is not valid."},
    {ErrorCode::kInvalidConfig, "INVALID_CONFIG", Retry::kNo, "A configuration is not valid."},
    {ErrorCode::kNotController, "NOT_CONTROLLER", Retry::kYes, "This broker is not the controller."},
    {ErrorCode::kInvalidRequest, "INVALID_REQUEST", Retry::kNo, "The request is not valid."},
    {ErrorCode::kUnsupportedForMessageFormat, "UNSUPPORTED_FOR_MESSAGE_FORMAT", Retry::kNo,
     "The message format on the broker cannot carry this."},
    {ErrorCode::kPolicyViolation, "POLICY_VIOLATION", Retry::kNo, "A policy of the broker refuses the request."},
    {ErrorCode::kOutOfOrderSequenceNumber, "OUT_OF_ORDER_SEQUENCE_NUMBER", Retry::kNo,
     "The sequence number does not follow the producer's last one."},
    {ErrorCode::kDuplicateSequenceNumber, "DUPLICATE_SEQUENCE_NUMBER", Retry::kNo,
     "The sequence number was seen before."},
    {ErrorCode::kInvalidProducerEpoch, "INVALID_PRODUCER_EPOCH", Retry::kNo,
     "The producer epoch is older than the one known to the broker."},
    {ErrorCode::kInvalidTxnState, "INVALID_TXN_STATE", Retry::kNo,
     "The transaction is in a state that does not allow this."},
    {ErrorCode::kInvalidProducerIdMapping, "INVALID_PRODUCER_ID_MAPPING", Retry::kNo,
     "The producer id is not the one of the transactional id."},
    {ErrorCode::kInvalidTransactionTimeout, "INVALID_TRANSACTION_TIMEOUT", Retry::kNo,
     "The transaction timeout is above transaction.max.timeout.ms."},
    {ErrorCode::kConcurrentTransactions, "CONCURRENT_TRANSACTIONS", Retry::kYes,
     "Another operation on the transaction is still under way."},
    {ErrorCode::kTransactionCoordinatorFenced, "TRANSACTION_COORDINATOR_FENCED", Retry::kNo,
     "The transaction coordinator has an older epoch than another one."},
    {ErrorCode::kTransactionalIdAuthorizationFailed, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", Retry::kNo,
     "Not authorized for the transactional id."},
    {ErrorCode::kSecurityDisabled, "SECURITY_DISABLED", Retry::kNo, "Security is not enabled on the broker."},
    {ErrorCode::kOperationNotAttempted, "OPERATION_NOT_ATTEMPTED", Retry::kNo,
     "Not attempted, because another part of the request failed."},
    {ErrorCode::kKafkaStorageError, "KAFKA_STORAGE_ERROR", Retry::kAfterMetadata,
     "The log directory of the partition failed; see the broker's log."},
    {ErrorCode::kLogDirNotFound, "LOG_DIR_NOT_FOUND", Retry::kNo, "The log directory does not exist."},
    {ErrorCode::kSaslAuthenticationFailed, "SASL_AUTHENTICATION_FAILED", Retry::kNo, "SASL authentication failed."},
    {ErrorCode::kUnknownProducerId, "UNKNOWN_PRODUCER_ID", Retry::kNo, "The broker has no state of this producer id."},
    {ErrorCode::kReassignmentInProgress, "REASSIGNMENT_IN_PROGRESS", Retry::kNo,
     "A reassignment of the partition is under way."},
    {ErrorCode::kDelegationTokenAuthDisabled, "DELEGATION_TOKEN_AUTH_DISABLED", Retry::kNo,
     "Delegation tokens are not enabled."},
    {ErrorCode::kDelegationTokenNotFound, "DELEGATION_TOKEN_NOT_FOUND", Retry::kNo,
     "The delegation token does not exist."},
    {ErrorCode::kDelegationTokenOwnerMismatch, "DELEGATION_TOKEN_OWNER_MISMATCH", Retry::kNo,
     "The delegation token belongs to somebody else."},
    {ErrorCode::kDelegationTokenRequestNotAllowed, "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED", Retry::kNo,
     "Delegation tokens need a secure, authenticated connection."},
    {ErrorCode::kDelegationTokenAuthorizationFailed, "DELEGATION_TOKEN_AUTHORIZATION_FAILED", Retry::kNo,
     "Not authorized for the delegation token."},
    {ErrorCode::kDelegationTokenExpired, "DELEGATION_TOKEN_EXPIRED", Retry::kNo, "The delegation token has expired."},
    {ErrorCode::kInvalidPrincipalType, "INVALID_PRINCIPAL_TYPE", Retry::kNo, "The principal type is not supported."},
    {ErrorCode::kNonEmptyGroup, "NON_EMPTY_GROUP", Retry::kNo, "The group has members."},
    {ErrorCode::kGroupIdNotFound, "GROUP_ID_NOT_FOUND", Retry::kNo, "The group does not exist."},
    {ErrorCode::kFetchSessionIdNotFound, "FETCH_SESSION_ID_NOT_FOUND", Retry::kYes,
     "The fetch session does not exist."},
    {ErrorCode::kInvalidFetchSessionEpoch, "INVALID_FETCH_SESSION_EPOCH", Retry::kYes,
     "The epoch of the fetch session is not the expected one."},
    {ErrorCode::kListenerNotFound, "LISTENER_NOT_FOUND", Retry::kAfterMetadata,
     "The leader has no listener of the name through which this client came."},
    {ErrorCode::kTopicDeletionDisabled, "TOPIC_DELETION_DISABLED", Retry::kNo,
     "Deleting topics is disabled (delete.topic.enable)."},
    {ErrorCode::kFencedLeaderEpoch, "FENCED_LEADER_EPOCH", Retry::kAfterMetadata,
     "The leader epoch is older than the broker's."},
    {ErrorCode::kUnknownLeaderEpoch, "UNKNOWN_LEADER_EPOCH", Retry::kYes,
     "The leader epoch is newer than the broker's."},
    {ErrorCode::kUnsupportedCompressionType, "UNSUPPORTED_COMPRESSION_TYPE", Retry::kNo,
     "The compression type is not supported at this version of the API."},
    {ErrorCode::kStaleBrokerEpoch, "STALE_BROKER_EPOCH", Retry::kNo, "The broker epoch is out of date."},
    {ErrorCode::kOffsetNotAvailable, "OFFSET_NOT_AVAILABLE", Retry::kYes,
     "The offset is not known yet after a change of leader."},
    {ErrorCode::kMemberIdRequired, "MEMBER_ID_REQUIRED", Retry::kNo,
     "The member must join again with the member id it was given."},
    {ErrorCode::kPreferredLeaderNotAvailable, "PREFERRED_LEADER_NOT_AVAILABLE", Retry::kAfterMetadata,
     "The preferred leader is not available."},
    {ErrorCode::kGroupMaxSizeReached, "GROUP_MAX_SIZE_REACHED", Retry::kNo,
     "The group has its greatest number of members (group.max.size)."},
    {ErrorCode::kFencedInstanceId, "FENCED_INSTANCE_ID", Retry::kNo,
     "Another member with the same group.instance.id took over."},
    {ErrorCode::kEligibleLeadersNotAvailable, "ELIGIBLE_LEADERS_NOT_AVAILABLE", Retry::kAfterMetadata,
     "No eligible leader is available."},
    {ErrorCode::kElectionNotNeeded, "ELECTION_NOT_NEEDED", Retry::kAfterMetadata, "The partition needs no election."},
    {ErrorCode::kNoReassignmentInProgress, "NO_REASSIGNMENT_IN_PROGRESS", Retry::kNo,
     "No reassignment of the partition is under way."},
    {ErrorCode::kGroupSubscribedToTopic, "GROUP_SUBSCRIBED_TO_TOPIC", Retry::kNo,
     "The group is subscribed to the topic."},
    {ErrorCode::kInvalidRecord, "INVALID_RECORD", Retry::kNo,
     "A record breaks a rule of the record format or of the topic."},
    {ErrorCode::kUnstableOffsetCommit, "UNSTABLE_OFFSET_COMMIT", Retry::kYes,
     "Offsets of an open transaction are pending."},
    {ErrorCode::kThrottlingQuotaExceeded, "THROTTLING_QUOTA_EXCEEDED", Retry::kYes,
     "A quota was exceeded; try again later."},
    {ErrorCode::kProducerFenced, "PRODUCER_FENCED", Retry::kNo,
     "A newer producer with the same transactional id took over."},
    {ErrorCode::kResourceNotFound, "RESOURCE_NOT_FOUND", Retry::kNo, "The resource does not exist."},
    {ErrorCode::kDuplicateResource, "DUPLICATE_RESOURCE", Retry::kNo, "The resource is named twice in the request."},
    {ErrorCode::kUnacceptableCredential, "UNACCEPTABLE_CREDENTIAL", Retry::kNo, "The credential is not acceptable."},
    {ErrorCode::kInconsistentVoterSet, "INCONSISTENT_VOTER_SET", Retry::kNo,
     "The voters of the request and of the quorum differ."},
    {ErrorCode::kInvalidUpdateVersion, "INVALID_UPDATE_VERSION", Retry::kNo, "The feature update is not valid."},
    {ErrorCode::kFeatureUpdateFailed, "FEATURE_UPDATE_FAILED", Retry::kNo,
     "The feature update could not be finalized."},
    {ErrorCode::kPrincipalDeserializationFailure, "PRINCIPAL_DESERIALIZATION_FAILURE", Retry::kNo,
     "The principal could not be read."},
    {ErrorCode::kSnapshotNotFound, "SNAPSHOT_NOT_FOUND", Retry::kNo, "The snapshot does not exist."},
    {ErrorCode::kPositionOutOfRange, "POSITION_OUT_OF_RANGE", Retry::kNo, "The position is outside the snapshot."},
    {ErrorCode::kUnknownTopicId, "UNKNOWN_TOPIC_ID", Retry::kAfterMetadata, "The broker has no topic with this id."},
    {ErrorCode::kDuplicateBrokerRegistration, "DUPLICATE_BROKER_REGISTRATION", Retry::kNo,
     "The broker id is registered by another broker."},
    {ErrorCode::kBrokerIdNotRegistered, "BROKER_ID_NOT_REGISTERED", Retry::kNo, "The broker id is not registered."},
    {ErrorCode::kInconsistentTopicId, "INCONSISTENT_TOPIC_ID", Retry::kAfterMetadata,
     "The topic id is not the one that the log of the partition has."},
    {ErrorCode::kInconsistentClusterId, "INCONSISTENT_CLUSTER_ID", Retry::kNo, "The cluster id is not this cluster's."},
    {ErrorCode::kTransactionalIdNotFound, "TRANSACTIONAL_ID_NOT_FOUND", Retry::kNo,
     "The transactional id does not exist."},
    {ErrorCode::kFetchSessionTopicIdError, "FETCH_SESSION_TOPIC_ID_ERROR", Retry::kYes,
     "Topic ids were used in a part of the fetch session only."},
    {ErrorCode::kIneligibleReplica, "INELIGIBLE_REPLICA", Retry::kNo,
     "The replica is not eligible for the in-sync set."},
    {ErrorCode::kNewLeaderElected, "NEW_LEADER_ELECTED", Retry::kNo,
     "The change of the in-sync set elected a new leader."},
    {ErrorCode::kOffsetMovedToTieredStorage, "OFFSET_MOVED_TO_TIERED_STORAGE", Retry::kNo,
     "The offset is in remote storage only."},
    {ErrorCode::kFencedMemberEpoch, "FENCED_MEMBER_EPOCH", Retry::kNo,
     "The member epoch is older than the coordinator's: rejoin."},
    {ErrorCode::kUnreleasedInstanceId, "UNRELEASED_INSTANCE_ID", Retry::kNo,
     "The group.instance.id is still in use by another member."},
    {ErrorCode::kUnsupportedAssignor, "UNSUPPORTED_ASSIGNOR", Retry::kNo, "The assignor is not supported."},
    {ErrorCode::kStaleMemberEpoch, "STALE_MEMBER_EPOCH", Retry::kNo,
     "The member epoch is older than the coordinator's: try again with the new one."},
    {ErrorCode::kMismatchedEndpointType, "MISMATCHED_ENDPOINT_TYPE", Retry::kNo,
     "The request came to a listener of another kind of endpoint."},
    {ErrorCode::kUnsupportedEndpointType, "UNSUPPORTED_ENDPOINT_TYPE", Retry::kNo,
     "The kind of endpoint is not supported."},
    {ErrorCode::kUnknownControllerId, "UNKNOWN_CONTROLLER_ID", Retry::kNo, "The controller id is not known."},
    {ErrorCode::kUnknownSubscriptionId, "UNKNOWN_SUBSCRIPTION_ID", Retry::kNo,
     "The subscription id of the client metrics is not known, or out of date."},
    {ErrorCode::kTelemetryTooLarge, "TELEMETRY_TOO_LARGE", Retry::kNo,
     "The client metrics are larger than the broker accepts."},
    {ErrorCode::kInvalidRegistration, "INVALID_REGISTRATION", Retry::kNo, "The registration is not valid."},
    {ErrorCode::kTransactionAbortable, "TRANSACTION_ABORTABLE", Retry::kNo, "The transaction must be aborted."},
    {ErrorCode::kInvalidRecordState, "INVALID_RECORD_STATE", Retry::kNo,
     "The state of the record does not allow this."},
    {ErrorCode::kShareSessionNotFound, "SHARE_SESSION_NOT_FOUND", Retry::kYes, "The share session does not exist."},
    {ErrorCode::kInvalidShareSessionEpoch, "INVALID_SHARE_SESSION_EPOCH", Retry::kYes,
     "The epoch of the share session is not the expected one."},
    {ErrorCode::kFencedStateEpoch, "FENCED_STATE_EPOCH", Retry::kNo,
     "The state epoch is older than the share coordinator's."},
    {ErrorCode::kInvalidVoterKey, "INVALID_VOTER_KEY", Retry::kNo, "The voter key does not match the receiver's."},
    {ErrorCode::kDuplicateVoter, "DUPLICATE_VOTER", Retry::kNo, "The voter is in the quorum already."},
    {ErrorCode::kVoterNotFound, "VOTER_NOT_FOUND", Retry::kNo, "The voter is not in the quorum."},
    {ErrorCode::kInvalidRegularExpression, "INVALID_REGULAR_EXPRESSION", Retry::kNo,
     "The regular expression is not valid."},
    {ErrorCode::kRebootstrapRequired, "REBOOTSTRAP_REQUIRED", Retry::kNo,
     "The client's metadata is out of date: it must start from its bootstrap servers."},
    {ErrorCode::kStreamsInvalidTopology, "STREAMS_INVALID_TOPOLOGY", Retry::kNo, "The streams topology is not valid."},
    {ErrorCode::kStreamsInvalidTopologyEpoch, "STREAMS_INVALID_TOPOLOGY_EPOCH", Retry::kNo,
     "The epoch of the streams topology is not valid."},
    {ErrorCode::kStreamsTopologyFenced, "STREAMS_TOPOLOGY_FENCED", Retry::kNo,
     "The epoch of the streams topology is older than the group's."},
    {ErrorCode::kShareSessionLimitReached, "SHARE_SESSION_LIMIT_REACHED", Retry::kYes,
     "There are too many share sessions."},
    {ErrorCode::kGroupDeletionFailed, "GROUP_DELETION_FAILED", Retry::kNo, "The group could not be deleted."},
    {ErrorCode::kStreamsTopologyDescriptionUpdateFailed, "STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED", Retry::kNo,
     "The description of the streams topology could not be stored."},
    {ErrorCode::kControllerIdNotRegistered, "CONTROLLER_ID_NOT_REGISTERED", Retry::kNo,
     "The controller id is not registered."},
};

constexpr bool in_order_of_code() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<int>(kRows[i].code) != static_cast<int>(i) - 1) return false;
  }
  return true;
}
static_assert(in_order_of_code(), "row i has code i - 1");

const Row* find(ErrorCode code) noexcept {
  const int index = static_cast<int>(code) + 1;
  return index >= 0 && index < static_cast<int>(std::size(kRows)) ? &kRows[index] : nullptr;
}

}  // namespace

std::string_view error_name(ErrorCode code) noexcept {
  const Row* row = find(code);
  return row != nullptr ? row->name : "UNKNOWN_ERROR_CODE";
}

std::string_view error_message(ErrorCode code) noexcept {
  const Row* row = find(code);
  return row != nullptr ? row->message : "An error that this version of Leat does not know.";
}

bool is_retriable(ErrorCode code) noexcept {
  const Row* row = find(code);
  return row != nullptr && row->retry != Retry::kNo;
}

bool is_stale_metadata(ErrorCode code) noexcept {
  const Row* row = find(code);
  return row != nullptr && row->retry == Retry::kAfterMetadata;
}

}  // namespace leat
