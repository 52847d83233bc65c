// message_types.cpp: the list.
#include "net/protocol/message_types.h"

#include "net/protocol/frame.h"
#include "net/protocol/messages/add_offsets_to_txn.h"
#include "net/protocol/messages/add_partitions_to_txn.h"
#include "net/protocol/messages/alter_client_quotas.h"
#include "net/protocol/messages/alter_configs.h"
#include "net/protocol/messages/alter_partition_reassignments.h"
#include "net/protocol/messages/alter_share_group_offsets.h"
#include "net/protocol/messages/alter_user_scram_credentials.h"
#include "net/protocol/messages/api_versions.h"
#include "net/protocol/messages/consumer_group_describe.h"
#include "net/protocol/messages/consumer_group_heartbeat.h"
#include "net/protocol/messages/create_acls.h"
#include "net/protocol/messages/create_partitions.h"
#include "net/protocol/messages/create_topics.h"
#include "net/protocol/messages/delete_acls.h"
#include "net/protocol/messages/delete_groups.h"
#include "net/protocol/messages/delete_records.h"
#include "net/protocol/messages/delete_share_group_offsets.h"
#include "net/protocol/messages/delete_topics.h"
#include "net/protocol/messages/describe_acls.h"
#include "net/protocol/messages/describe_client_quotas.h"
#include "net/protocol/messages/describe_cluster.h"
#include "net/protocol/messages/describe_configs.h"
#include "net/protocol/messages/describe_groups.h"
#include "net/protocol/messages/describe_log_dirs.h"
#include "net/protocol/messages/describe_producers.h"
#include "net/protocol/messages/describe_quorum.h"
#include "net/protocol/messages/describe_share_group_offsets.h"
#include "net/protocol/messages/describe_topic_partitions.h"
#include "net/protocol/messages/describe_transactions.h"
#include "net/protocol/messages/describe_user_scram_credentials.h"
#include "net/protocol/messages/elect_leaders.h"
#include "net/protocol/messages/end_txn.h"
#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/find_coordinator.h"
#include "net/protocol/messages/get_telemetry_subscriptions.h"
#include "net/protocol/messages/heartbeat.h"
#include "net/protocol/messages/incremental_alter_configs.h"
#include "net/protocol/messages/init_producer_id.h"
#include "net/protocol/messages/join_group.h"
#include "net/protocol/messages/leave_group.h"
#include "net/protocol/messages/list_config_resources.h"
#include "net/protocol/messages/list_groups.h"
#include "net/protocol/messages/list_offsets.h"
#include "net/protocol/messages/list_partition_reassignments.h"
#include "net/protocol/messages/list_transactions.h"
#include "net/protocol/messages/metadata.h"
#include "net/protocol/messages/offset_commit.h"
#include "net/protocol/messages/offset_delete.h"
#include "net/protocol/messages/offset_fetch.h"
#include "net/protocol/messages/offset_for_leader_epoch.h"
#include "net/protocol/messages/produce.h"
#include "net/protocol/messages/push_telemetry.h"
#include "net/protocol/messages/sasl_authenticate.h"
#include "net/protocol/messages/sasl_handshake.h"
#include "net/protocol/messages/share_acknowledge.h"
#include "net/protocol/messages/share_fetch.h"
#include "net/protocol/messages/share_group_describe.h"
#include "net/protocol/messages/share_group_heartbeat.h"
#include "net/protocol/messages/streams_group_describe.h"
#include "net/protocol/messages/streams_group_heartbeat.h"
#include "net/protocol/messages/streams_group_topology_description_update.h"
#include "net/protocol/messages/sync_group.h"
#include "net/protocol/messages/txn_offset_commit.h"
#include "net/protocol/messages/update_features.h"
#include "net/protocol/messages/write_txn_markers.h"

namespace leat {
namespace {

constexpr MessageType kMessageTypes[] = {
    message_type<RequestHeader>(),
    message_type<ResponseHeader>(),
    message_type<ProduceRequest>(),
    message_type<ProduceResponse>(),
    message_type<FetchRequest>(),
    message_type<FetchResponse>(),
    message_type<ListOffsetsRequest>(),
    message_type<ListOffsetsResponse>(),
    message_type<MetadataRequest>(),
    message_type<MetadataResponse>(),
    message_type<OffsetCommitRequest>(),
    message_type<OffsetCommitResponse>(),
    message_type<OffsetFetchRequest>(),
    message_type<OffsetFetchResponse>(),
    message_type<FindCoordinatorRequest>(),
    message_type<FindCoordinatorResponse>(),
    message_type<JoinGroupRequest>(),
    message_type<JoinGroupResponse>(),
    message_type<HeartbeatRequest>(),
    message_type<HeartbeatResponse>(),
    message_type<LeaveGroupRequest>(),
    message_type<LeaveGroupResponse>(),
    message_type<SyncGroupRequest>(),
    message_type<SyncGroupResponse>(),
    message_type<DescribeGroupsRequest>(),
    message_type<DescribeGroupsResponse>(),
    message_type<ListGroupsRequest>(),
    message_type<ListGroupsResponse>(),
    message_type<SaslHandshakeRequest>(),
    message_type<SaslHandshakeResponse>(),
    message_type<ApiVersionsRequest>(),
    message_type<ApiVersionsResponse>(),
    message_type<CreateTopicsRequest>(),
    message_type<CreateTopicsResponse>(),
    message_type<DeleteTopicsRequest>(),
    message_type<DeleteTopicsResponse>(),
    message_type<DeleteRecordsRequest>(),
    message_type<DeleteRecordsResponse>(),
    message_type<InitProducerIdRequest>(),
    message_type<InitProducerIdResponse>(),
    message_type<OffsetForLeaderEpochRequest>(),
    message_type<OffsetForLeaderEpochResponse>(),
    message_type<AddPartitionsToTxnRequest>(),
    message_type<AddPartitionsToTxnResponse>(),
    message_type<AddOffsetsToTxnRequest>(),
    message_type<AddOffsetsToTxnResponse>(),
    message_type<EndTxnRequest>(),
    message_type<EndTxnResponse>(),
    message_type<WriteTxnMarkersRequest>(),
    message_type<WriteTxnMarkersResponse>(),
    message_type<TxnOffsetCommitRequest>(),
    message_type<TxnOffsetCommitResponse>(),
    message_type<DescribeAclsRequest>(),
    message_type<DescribeAclsResponse>(),
    message_type<CreateAclsRequest>(),
    message_type<CreateAclsResponse>(),
    message_type<DeleteAclsRequest>(),
    message_type<DeleteAclsResponse>(),
    message_type<DescribeConfigsRequest>(),
    message_type<DescribeConfigsResponse>(),
    message_type<AlterConfigsRequest>(),
    message_type<AlterConfigsResponse>(),
    message_type<DescribeLogDirsRequest>(),
    message_type<DescribeLogDirsResponse>(),
    message_type<SaslAuthenticateRequest>(),
    message_type<SaslAuthenticateResponse>(),
    message_type<CreatePartitionsRequest>(),
    message_type<CreatePartitionsResponse>(),
    message_type<DeleteGroupsRequest>(),
    message_type<DeleteGroupsResponse>(),
    message_type<ElectLeadersRequest>(),
    message_type<ElectLeadersResponse>(),
    message_type<IncrementalAlterConfigsRequest>(),
    message_type<IncrementalAlterConfigsResponse>(),
    message_type<AlterPartitionReassignmentsRequest>(),
    message_type<AlterPartitionReassignmentsResponse>(),
    message_type<ListPartitionReassignmentsRequest>(),
    message_type<ListPartitionReassignmentsResponse>(),
    message_type<OffsetDeleteRequest>(),
    message_type<OffsetDeleteResponse>(),
    message_type<DescribeClientQuotasRequest>(),
    message_type<DescribeClientQuotasResponse>(),
    message_type<AlterClientQuotasRequest>(),
    message_type<AlterClientQuotasResponse>(),
    message_type<DescribeUserScramCredentialsRequest>(),
    message_type<DescribeUserScramCredentialsResponse>(),
    message_type<AlterUserScramCredentialsRequest>(),
    message_type<AlterUserScramCredentialsResponse>(),
    message_type<DescribeQuorumRequest>(),
    message_type<DescribeQuorumResponse>(),
    message_type<UpdateFeaturesRequest>(),
    message_type<UpdateFeaturesResponse>(),
    message_type<DescribeClusterRequest>(),
    message_type<DescribeClusterResponse>(),
    message_type<DescribeProducersRequest>(),
    message_type<DescribeProducersResponse>(),
    message_type<DescribeTransactionsRequest>(),
    message_type<DescribeTransactionsResponse>(),
    message_type<ListTransactionsRequest>(),
    message_type<ListTransactionsResponse>(),
    message_type<ConsumerGroupHeartbeatRequest>(),
    message_type<ConsumerGroupHeartbeatResponse>(),
    message_type<ConsumerGroupDescribeRequest>(),
    message_type<ConsumerGroupDescribeResponse>(),
    message_type<GetTelemetrySubscriptionsRequest>(),
    message_type<GetTelemetrySubscriptionsResponse>(),
    message_type<PushTelemetryRequest>(),
    message_type<PushTelemetryResponse>(),
    message_type<ListConfigResourcesRequest>(),
    message_type<ListConfigResourcesResponse>(),
    message_type<DescribeTopicPartitionsRequest>(),
    message_type<DescribeTopicPartitionsResponse>(),
    message_type<ShareGroupHeartbeatRequest>(),
    message_type<ShareGroupHeartbeatResponse>(),
    message_type<ShareGroupDescribeRequest>(),
    message_type<ShareGroupDescribeResponse>(),
    message_type<ShareFetchRequest>(),
    message_type<ShareFetchResponse>(),
    message_type<ShareAcknowledgeRequest>(),
    message_type<ShareAcknowledgeResponse>(),
    message_type<DescribeShareGroupOffsetsRequest>(),
    message_type<DescribeShareGroupOffsetsResponse>(),
    message_type<AlterShareGroupOffsetsRequest>(),
    message_type<AlterShareGroupOffsetsResponse>(),
    message_type<DeleteShareGroupOffsetsRequest>(),
    message_type<DeleteShareGroupOffsetsResponse>(),
    message_type<StreamsGroupHeartbeatRequest>(),
    message_type<StreamsGroupHeartbeatResponse>(),
    message_type<StreamsGroupDescribeRequest>(),
    message_type<StreamsGroupDescribeResponse>(),
    message_type<StreamsGroupTopologyDescriptionUpdateRequest>(),
    message_type<StreamsGroupTopologyDescriptionUpdateResponse>(),
};

}  // namespace

std::span<const MessageType> message_types() noexcept { return kMessageTypes; }

const MessageType* find_message_type(std::string_view name) noexcept {
  for (const MessageType& type : kMessageTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace leat
