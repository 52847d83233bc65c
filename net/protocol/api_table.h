// api_table.h: every API whose messages are described in messages/: key, name, versions, and whether the broker serves
// it. ApiVersions answers, dispatch, the client's choice of versions and docs/protocol.md's test all read this one
// table. An API is marked served only when its semantics work, and then in every version that Apache Kafka 4.4.0
// advertises.
#pragma once

#include <cstdint>
#include <string_view>

#include "net/protocol/api_key.h"

namespace leat {

enum class Served : uint8_t { kNo, kYes };

struct ApiSpec {
  ApiKey key;
  std::string_view name;
  int16_t min;  // versions that can be read and written
  int16_t max;
  int16_t advertised_min;  // below min only for Produce: librdkafka before 1.9 turns compression off when the range
                           // begins at 3
  int16_t flexible_since;  // the same for request and response
  Served served;           // advertised and dispatched by leatd

  constexpr bool supports(int16_t version) const noexcept { return version >= min && version <= max; }
  constexpr bool flexible(int16_t version) const noexcept { return version >= flexible_since; }
  constexpr int16_t request_header_version(int16_t version) const noexcept { return flexible(version) ? 2 : 1; }
  // ApiVersions is answered with header 0 always: the client does not know yet what the broker speaks.
  constexpr int16_t response_header_version(int16_t version) const noexcept {
    return flexible(version) && key != ApiKey::kApiVersions ? 1 : 0;
  }
};

inline constexpr int16_t kNoFlexibleVersions = INT16_MAX;

// By key.
inline constexpr ApiSpec kApis[] = {
    {ApiKey::kProduce, "Produce", 3, 13, 0, 9, Served::kYes},
    {ApiKey::kFetch, "Fetch", 4, 18, 4, 12, Served::kYes},
    {ApiKey::kListOffsets, "ListOffsets", 1, 11, 1, 6, Served::kYes},
    {ApiKey::kMetadata, "Metadata", 0, 13, 0, 9, Served::kYes},
    {ApiKey::kOffsetCommit, "OffsetCommit", 2, 10, 2, 8, Served::kYes},
    {ApiKey::kOffsetFetch, "OffsetFetch", 1, 10, 1, 6, Served::kYes},
    {ApiKey::kFindCoordinator, "FindCoordinator", 0, 6, 0, 3, Served::kYes},
    {ApiKey::kJoinGroup, "JoinGroup", 0, 9, 0, 6, Served::kYes},
    {ApiKey::kHeartbeat, "Heartbeat", 0, 4, 0, 4, Served::kYes},
    {ApiKey::kLeaveGroup, "LeaveGroup", 0, 5, 0, 4, Served::kYes},
    {ApiKey::kSyncGroup, "SyncGroup", 0, 5, 0, 4, Served::kYes},
    {ApiKey::kDescribeGroups, "DescribeGroups", 0, 6, 0, 5, Served::kYes},
    {ApiKey::kListGroups, "ListGroups", 0, 5, 0, 3, Served::kYes},
    {ApiKey::kSaslHandshake, "SaslHandshake", 0, 1, 0, kNoFlexibleVersions, Served::kNo},
    {ApiKey::kApiVersions, "ApiVersions", 0, 5, 0, 3, Served::kYes},
    {ApiKey::kCreateTopics, "CreateTopics", 2, 7, 2, 5, Served::kYes},
    {ApiKey::kDeleteTopics, "DeleteTopics", 1, 6, 1, 4, Served::kYes},
    {ApiKey::kDeleteRecords, "DeleteRecords", 0, 2, 0, 2, Served::kYes},
    {ApiKey::kInitProducerId, "InitProducerId", 0, 5, 0, 2, Served::kYes},
    {ApiKey::kOffsetForLeaderEpoch, "OffsetForLeaderEpoch", 2, 4, 2, 4, Served::kYes},
    {ApiKey::kAddPartitionsToTxn, "AddPartitionsToTxn", 0, 5, 0, 3, Served::kNo},
    {ApiKey::kAddOffsetsToTxn, "AddOffsetsToTxn", 0, 4, 0, 3, Served::kNo},
    {ApiKey::kEndTxn, "EndTxn", 0, 5, 0, 3, Served::kNo},
    {ApiKey::kWriteTxnMarkers, "WriteTxnMarkers", 1, 2, 1, 1, Served::kNo},
    {ApiKey::kTxnOffsetCommit, "TxnOffsetCommit", 0, 6, 0, 3, Served::kNo},
    {ApiKey::kDescribeAcls, "DescribeAcls", 1, 3, 1, 2, Served::kNo},
    {ApiKey::kCreateAcls, "CreateAcls", 1, 3, 1, 2, Served::kNo},
    {ApiKey::kDeleteAcls, "DeleteAcls", 1, 3, 1, 2, Served::kNo},
    {ApiKey::kDescribeConfigs, "DescribeConfigs", 1, 4, 1, 4, Served::kYes},
    {ApiKey::kAlterConfigs, "AlterConfigs", 0, 2, 0, 2, Served::kYes},
    {ApiKey::kDescribeLogDirs, "DescribeLogDirs", 1, 5, 1, 2, Served::kYes},
    {ApiKey::kSaslAuthenticate, "SaslAuthenticate", 0, 2, 0, 2, Served::kNo},
    {ApiKey::kCreatePartitions, "CreatePartitions", 0, 3, 0, 2, Served::kYes},
    {ApiKey::kDeleteGroups, "DeleteGroups", 0, 3, 0, 2, Served::kYes},
    {ApiKey::kElectLeaders, "ElectLeaders", 0, 2, 0, 2, Served::kYes},
    {ApiKey::kIncrementalAlterConfigs, "IncrementalAlterConfigs", 0, 1, 0, 1, Served::kYes},
    {ApiKey::kAlterPartitionReassignments, "AlterPartitionReassignments", 0, 1, 0, 0, Served::kNo},
    {ApiKey::kListPartitionReassignments, "ListPartitionReassignments", 0, 0, 0, 0, Served::kYes},
    {ApiKey::kOffsetDelete, "OffsetDelete", 0, 0, 0, kNoFlexibleVersions, Served::kYes},
    {ApiKey::kDescribeClientQuotas, "DescribeClientQuotas", 0, 1, 0, 1, Served::kYes},
    {ApiKey::kAlterClientQuotas, "AlterClientQuotas", 0, 1, 0, 1, Served::kYes},
    {ApiKey::kDescribeUserScramCredentials, "DescribeUserScramCredentials", 0, 0, 0, 0, Served::kNo},
    {ApiKey::kAlterUserScramCredentials, "AlterUserScramCredentials", 0, 0, 0, 0, Served::kNo},
    {ApiKey::kDescribeQuorum, "DescribeQuorum", 0, 2, 0, 0, Served::kYes},
    {ApiKey::kUpdateFeatures, "UpdateFeatures", 0, 2, 0, 0, Served::kNo},
    {ApiKey::kDescribeCluster, "DescribeCluster", 0, 2, 0, 0, Served::kYes},
    {ApiKey::kDescribeProducers, "DescribeProducers", 0, 0, 0, 0, Served::kYes},
    {ApiKey::kDescribeTransactions, "DescribeTransactions", 0, 0, 0, 0, Served::kNo},
    {ApiKey::kListTransactions, "ListTransactions", 0, 2, 0, 0, Served::kNo},
    {ApiKey::kConsumerGroupHeartbeat, "ConsumerGroupHeartbeat", 0, 1, 0, 0, Served::kYes},
    {ApiKey::kConsumerGroupDescribe, "ConsumerGroupDescribe", 0, 1, 0, 0, Served::kYes},
    {ApiKey::kGetTelemetrySubscriptions, "GetTelemetrySubscriptions", 0, 0, 0, 0, Served::kNo},
    {ApiKey::kPushTelemetry, "PushTelemetry", 0, 0, 0, 0, Served::kNo},
    {ApiKey::kListConfigResources, "ListConfigResources", 0, 1, 0, 0, Served::kYes},
    {ApiKey::kDescribeTopicPartitions, "DescribeTopicPartitions", 0, 0, 0, 0, Served::kYes},
    {ApiKey::kShareGroupHeartbeat, "ShareGroupHeartbeat", 1, 1, 1, 0, Served::kNo},
    {ApiKey::kShareGroupDescribe, "ShareGroupDescribe", 1, 1, 1, 0, Served::kNo},
    {ApiKey::kShareFetch, "ShareFetch", 1, 2, 1, 0, Served::kNo},
    {ApiKey::kShareAcknowledge, "ShareAcknowledge", 1, 2, 1, 0, Served::kNo},
    {ApiKey::kStreamsGroupHeartbeat, "StreamsGroupHeartbeat", 0, 1, 0, 0, Served::kNo},
    {ApiKey::kStreamsGroupDescribe, "StreamsGroupDescribe", 0, 1, 0, 0, Served::kNo},
    {ApiKey::kDescribeShareGroupOffsets, "DescribeShareGroupOffsets", 0, 1, 0, 0, Served::kNo},
    {ApiKey::kAlterShareGroupOffsets, "AlterShareGroupOffsets", 0, 0, 0, 0, Served::kNo},
    {ApiKey::kDeleteShareGroupOffsets, "DeleteShareGroupOffsets", 0, 0, 0, 0, Served::kNo},
    {ApiKey::kStreamsGroupTopologyDescriptionUpdate, "StreamsGroupTopologyDescriptionUpdate", 0, 0, 0, 0, Served::kNo},
};

// nullptr: no such API. For the key as it came off the wire.
const ApiSpec* find_api(int16_t key) noexcept;
// For a key of ours, which is in the table.
const ApiSpec& api_spec(ApiKey key) noexcept;

}  // namespace leat
