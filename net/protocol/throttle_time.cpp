// throttle_time.cpp: since which version an API's answers mean "be silent now", and where in them the time stands.
#include "net/protocol/throttle_time.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/codec/message_reader.h"
#include "net/protocol/api_table.h"
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

namespace leat {
namespace {

// A visitor that looks at names only: is it the first of what is on the wire?
struct FirstField {
  int16_t version;
  std::string_view first = {};

  template <class T, class... Rest>
  void field(const char* name, const T&, FieldSpec spec = {}, const Rest&...) {
    if (first.empty() && spec.present(version)) first = name;
  }
};

// Mostly the time stands first, and nothing else is looked at. Else the answer is decoded whole, which is short where
// that is so: of Produce, ApiVersions and OffsetDelete.
template <class Response>
int32_t read(MessageReader& in, int16_t version) {
  static const Response kAny{};
  FirstField look{.version = version};
  Response::visit(kAny, look);
  if (look.first == "throttleTimeMs") return in.i32();
  Response response;
  return decode(in, version, response) ? response.throttle_time_ms : 0;
}

struct Throttling {
  ApiKey key;
  int16_t since;
  int32_t (*read)(MessageReader& in, int16_t version);
};

template <class Response>
constexpr Throttling from(int16_t since) {
  return {static_cast<ApiKey>(Response::kVersions.key), since, read<Response>};
}

// By key. KIP-219 came with Kafka 2.0, and raised the version of every API that there was; younger ones have always
// been answered at once.
constexpr Throttling kThrottlings[] = {
    from<ProduceResponse>(6),
    from<FetchResponse>(8),
    from<ListOffsetsResponse>(3),
    from<MetadataResponse>(6),
    from<OffsetCommitResponse>(4),
    from<OffsetFetchResponse>(4),
    from<FindCoordinatorResponse>(2),
    from<JoinGroupResponse>(3),
    from<HeartbeatResponse>(2),
    from<LeaveGroupResponse>(2),
    from<SyncGroupResponse>(2),
    from<DescribeGroupsResponse>(2),
    from<ListGroupsResponse>(2),
    from<ApiVersionsResponse>(2),
    from<CreateTopicsResponse>(3),
    from<DeleteTopicsResponse>(2),
    from<DeleteRecordsResponse>(1),
    from<InitProducerIdResponse>(1),
    from<OffsetForLeaderEpochResponse>(0),
    from<AddPartitionsToTxnResponse>(1),
    from<AddOffsetsToTxnResponse>(1),
    from<EndTxnResponse>(1),
    from<TxnOffsetCommitResponse>(1),
    from<DescribeAclsResponse>(1),
    from<CreateAclsResponse>(1),
    from<DeleteAclsResponse>(1),
    from<DescribeConfigsResponse>(2),
    from<AlterConfigsResponse>(1),
    from<DescribeLogDirsResponse>(1),
    from<CreatePartitionsResponse>(1),
    from<DeleteGroupsResponse>(1),
    from<ElectLeadersResponse>(0),
    from<IncrementalAlterConfigsResponse>(0),
    from<AlterPartitionReassignmentsResponse>(0),
    from<ListPartitionReassignmentsResponse>(0),
    from<OffsetDeleteResponse>(0),
    from<DescribeClientQuotasResponse>(0),
    from<AlterClientQuotasResponse>(0),
    from<DescribeUserScramCredentialsResponse>(0),
    from<AlterUserScramCredentialsResponse>(0),
    from<UpdateFeaturesResponse>(0),
    from<DescribeClusterResponse>(0),
    from<DescribeProducersResponse>(0),
    from<DescribeTransactionsResponse>(0),
    from<ListTransactionsResponse>(0),
    from<ConsumerGroupHeartbeatResponse>(0),
    from<ConsumerGroupDescribeResponse>(0),
    from<GetTelemetrySubscriptionsResponse>(0),
    from<PushTelemetryResponse>(0),
    from<ListConfigResourcesResponse>(0),
    from<DescribeTopicPartitionsResponse>(0),
    from<ShareGroupHeartbeatResponse>(0),
    from<ShareGroupDescribeResponse>(0),
    from<ShareFetchResponse>(0),
    from<ShareAcknowledgeResponse>(0),
    from<StreamsGroupHeartbeatResponse>(0),
    from<StreamsGroupDescribeResponse>(0),
    from<DescribeShareGroupOffsetsResponse>(0),
    from<AlterShareGroupOffsetsResponse>(0),
    from<DeleteShareGroupOffsetsResponse>(0),
    from<StreamsGroupTopologyDescriptionUpdateResponse>(0),
};
static_assert(std::is_sorted(std::begin(kThrottlings), std::end(kThrottlings),
                             [](const Throttling& a, const Throttling& b) { return a.key < b.key; }));

}  // namespace

int32_t throttle_time_ms(ApiKey key, int16_t version, const Slice& payload) {
  const Throttling* const found =
      std::lower_bound(std::begin(kThrottlings), std::end(kThrottlings), key,
                       [](const Throttling& throttling, ApiKey wanted) { return throttling.key < wanted; });
  if (found == std::end(kThrottlings) || found->key != key || version < found->since) return 0;
  MessageReader in(payload);
  ResponseHeader header;
  if (!decode(in, api_spec(key).response_header_version(version), header)) return 0;
  const int32_t time_ms = found->read(in, version);
  return in.failed() ? 0 : std::max(time_ms, 0);
}

}  // namespace leat
