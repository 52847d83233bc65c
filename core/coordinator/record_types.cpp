// record_types.cpp: the list.
#include "core/coordinator/record_types.h"

#include "core/codec/control_records.h"
#include "core/coordinator/classic_group_records.h"
#include "core/coordinator/consumer_group_records.h"
#include "core/coordinator/consumer_protocol.h"
#include "core/coordinator/share_group_records.h"
#include "core/coordinator/streams_group_records.h"
#include "core/coordinator/transaction_records.h"

namespace leat {
namespace {

constexpr MessageType kRecordTypes[] = {
    message_type<LegacyOffsetCommitKey>(),
    message_type<LegacyOffsetCommitValue>(),
    message_type<OffsetCommitKey>(),
    message_type<OffsetCommitValue>(),
    message_type<GroupMetadataKey>(),
    message_type<GroupMetadataValue>(),
    message_type<ConsumerGroupMetadataKey>(),
    message_type<ConsumerGroupMetadataValue>(),
    message_type<ConsumerGroupPartitionMetadataKey>(),
    message_type<ConsumerGroupPartitionMetadataValue>(),
    message_type<ConsumerGroupMemberMetadataKey>(),
    message_type<ConsumerGroupMemberMetadataValue>(),
    message_type<ConsumerGroupTargetAssignmentMetadataKey>(),
    message_type<ConsumerGroupTargetAssignmentMetadataValue>(),
    message_type<ConsumerGroupTargetAssignmentMemberKey>(),
    message_type<ConsumerGroupTargetAssignmentMemberValue>(),
    message_type<ConsumerGroupCurrentMemberAssignmentKey>(),
    message_type<ConsumerGroupCurrentMemberAssignmentValue>(),
    message_type<ConsumerGroupRegularExpressionKey>(),
    message_type<ConsumerGroupRegularExpressionValue>(),
    message_type<ShareGroupMemberMetadataKey>(),
    message_type<ShareGroupMemberMetadataValue>(),
    message_type<ShareGroupMetadataKey>(),
    message_type<ShareGroupMetadataValue>(),
    message_type<ShareGroupTargetAssignmentMetadataKey>(),
    message_type<ShareGroupTargetAssignmentMetadataValue>(),
    message_type<ShareGroupTargetAssignmentMemberKey>(),
    message_type<ShareGroupTargetAssignmentMemberValue>(),
    message_type<ShareGroupCurrentMemberAssignmentKey>(),
    message_type<ShareGroupCurrentMemberAssignmentValue>(),
    message_type<ShareGroupStatePartitionMetadataKey>(),
    message_type<ShareGroupStatePartitionMetadataValue>(),
    message_type<ShareSnapshotKey>(),
    message_type<ShareSnapshotValue>(),
    message_type<ShareUpdateKey>(),
    message_type<ShareUpdateValue>(),
    message_type<StreamsGroupMetadataKey>(),
    message_type<StreamsGroupMetadataValue>(),
    message_type<StreamsGroupMemberMetadataKey>(),
    message_type<StreamsGroupMemberMetadataValue>(),
    message_type<StreamsGroupTargetAssignmentMetadataKey>(),
    message_type<StreamsGroupTargetAssignmentMetadataValue>(),
    message_type<StreamsGroupTargetAssignmentMemberKey>(),
    message_type<StreamsGroupTargetAssignmentMemberValue>(),
    message_type<StreamsGroupCurrentMemberAssignmentKey>(),
    message_type<StreamsGroupCurrentMemberAssignmentValue>(),
    message_type<StreamsGroupTopologyKey>(),
    message_type<StreamsGroupTopologyValue>(),
    message_type<TransactionLogKey>(),
    message_type<TransactionLogValue>(),
    message_type<ConsumerProtocolSubscription>(),
    message_type<ConsumerProtocolAssignment>(),
    message_type<EndTxnMarker>(),
    message_type<ControlRecordTypeSchema>(),
    message_type<AbortedTxn>(),
};

}  // namespace

std::span<const MessageType> record_types() noexcept { return kRecordTypes; }

}  // namespace leat
