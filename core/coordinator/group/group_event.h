// group_event.h: what the group coordinator is asked, and what it answers. Plain values without wire versions: where a
// version of a request changes the meaning, the event says so by a flag.
// Each event comes with a ticket; each ticket is answered exactly once, in the step it came with or in a later one (a
// join waits for the others, a sync for the leader).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/uuid.h"
#include "core/codec/schema.h"
#include "core/coordinator/group/group_errc.h"

namespace leat {

using Ticket = uint64_t;

struct GroupClient {
  std::string id;
  std::string host;  // as Kafka shows it: "/127.0.0.1"
};

// --- classic protocol -----------------------------------------------------------------------------------------------

struct NamedProtocol {
  std::string name;
  Bytes metadata;

  friend bool operator==(const NamedProtocol&, const NamedProtocol&) = default;
};

struct JoinGroup {
  std::string group_id;
  std::string member_id;  // "": a new member
  std::optional<std::string> instance_id;
  std::string protocol_type;
  std::vector<NamedProtocol> protocols;  // by preference
  int32_t session_timeout_ms = 0;
  int32_t rebalance_timeout_ms = 0;  // the session timeout where the version has none
  bool member_id_round = false;      // v4+: a new dynamic member is given an id first (KIP-394)
  bool may_skip_assignment = false;  // v9+: a static leader that rejoins need not assign (KIP-814)
  GroupClient client;
};
struct JoinedMember {
  std::string member_id;
  std::optional<std::string> instance_id;
  Bytes metadata;
};
struct JoinGroupReply {
  GroupErrc error = GroupErrc::kNone;
  int32_t generation = -1;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol;
  std::string leader;
  std::string member_id;
  bool skip_assignment = false;
  std::vector<JoinedMember> members;  // only for the leader
};

struct SyncGroup {
  std::string group_id;
  int32_t generation = -1;
  std::string member_id;
  std::optional<std::string> instance_id;
  std::optional<std::string> protocol_type;  // v5+
  std::optional<std::string> protocol;
  std::vector<std::pair<std::string, Bytes>> assignments;  // by member id; only from the leader
};
struct SyncGroupReply {
  GroupErrc error = GroupErrc::kNone;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol;
  Bytes assignment;
};

struct GroupHeartbeat {
  std::string group_id;
  int32_t generation = -1;
  std::string member_id;
  std::optional<std::string> instance_id;
};
struct GroupHeartbeatReply {
  GroupErrc error = GroupErrc::kNone;
};

struct LeavingMember {
  std::string member_id;
  std::optional<std::string> instance_id;
};
struct LeaveGroup {
  std::string group_id;
  std::vector<LeavingMember> members;  // one before v3
};
struct LeaveGroupReply {
  GroupErrc error = GroupErrc::kNone;
  std::vector<GroupErrc> members;  // in step with the request's
};

// --- consumer protocol (KIP-848) ------------------------------------------------------------------------------------

struct TopicPartitions {
  Uuid topic_id;
  std::vector<int32_t> partitions;

  friend bool operator==(const TopicPartitions&, const TopicPartitions&) = default;
};

// What is absent has not changed since the member's last heartbeat.
struct ConsumerHeartbeat {
  std::string group_id;
  std::string member_id;
  int32_t member_epoch = 0;  // 0 joins, -1 leaves, -2 leaves for a while (static members)
  std::optional<std::string> instance_id;
  std::optional<std::string> rack_id;
  int32_t rebalance_timeout_ms = -1;
  std::optional<std::vector<std::string>> subscribed_topic_names;
  std::optional<std::string> subscribed_topic_regex;
  std::optional<std::string> server_assignor;
  std::optional<std::vector<TopicPartitions>> owned_partitions;
  bool member_id_is_ours_to_make = false;  // v0
  GroupClient client;
};
struct ConsumerHeartbeatReply {
  GroupFault fault;
  std::string member_id;
  int32_t member_epoch = 0;
  int32_t heartbeat_interval_ms = 0;
  std::optional<std::vector<TopicPartitions>> assignment;  // only when it is news to the member
};

// --- offsets --------------------------------------------------------------------------------------------------------

struct OffsetToCommit {
  std::string topic;
  Uuid topic_id;  // zero: by name alone
  int32_t partition = 0;
  int64_t offset = 0;
  int32_t leader_epoch = -1;
  std::string metadata;
};
// The server has looked up topics already: it asks only for those that are there.
struct CommitOffsets {
  std::string group_id;
  int32_t generation_or_epoch = -1;
  std::string member_id;
  std::optional<std::string> instance_id;
  std::optional<int64_t> retention_ms;  // v2-v4, when given
  bool by_member_epoch_known = true;    // v9+: the client knows STALE_MEMBER_EPOCH and GROUP_ID_NOT_FOUND
  std::vector<OffsetToCommit> offsets;
};
struct CommitOffsetsReply {
  GroupErrc error = GroupErrc::kNone;  // of the whole request
  std::vector<GroupErrc> partitions;   // in step with the request's, when error is kNone
};

struct FetchOffsetsTopic {
  std::string topic;
  std::vector<int32_t> partitions;
};
struct FetchOffsets {
  std::string group_id;
  std::optional<std::string> member_id;  // v9+
  int32_t member_epoch = -1;
  bool require_stable = false;
  std::optional<std::vector<FetchOffsetsTopic>> topics;  // absent: all that are committed
};
struct CommittedOffset {
  std::string topic;
  int32_t partition = 0;
  int64_t offset = -1;  // -1: none
  int32_t leader_epoch = -1;
  std::string metadata;
  GroupErrc error = GroupErrc::kNone;
};
struct FetchOffsetsReply {
  GroupErrc error = GroupErrc::kNone;
  std::vector<CommittedOffset> offsets;  // in step with the request's partitions, if it names any, when error is kNone
};

struct DeleteOffsets {
  std::string group_id;
  std::vector<std::pair<std::string, int32_t>> partitions;
};
struct DeleteOffsetsReply {
  GroupErrc error = GroupErrc::kNone;
  std::vector<GroupErrc> partitions;  // in step with the request's
};

// --- groups ---------------------------------------------------------------------------------------------------------

struct DeleteGroup {
  std::string group_id;
};
struct DeleteGroupReply {
  GroupErrc error = GroupErrc::kNone;
};

struct DescribeGroup {  // DescribeGroups: a classic group
  std::string group_id;
  bool missing_is_an_error = false;  // v6+: GROUP_ID_NOT_FOUND in place of a Dead group
};
struct DescribedClassicMember {
  std::string member_id;
  std::optional<std::string> instance_id;
  GroupClient client;
  Bytes metadata;
  Bytes assignment;
};
struct DescribeGroupReply {
  GroupFault fault;
  std::string state;  // Kafka's words: Empty, PreparingRebalance, CompletingRebalance, Stable, Dead
  std::string protocol_type;
  std::string protocol;
  std::vector<DescribedClassicMember> members;
};

struct DescribeConsumerGroup {
  std::string group_id;
};
struct DescribedConsumerMember {
  std::string member_id;
  std::optional<std::string> instance_id;
  std::optional<std::string> rack_id;
  int32_t member_epoch = 0;
  GroupClient client;
  std::vector<std::string> subscribed_topic_names;
  std::optional<std::string> subscribed_topic_regex;
  std::vector<TopicPartitions> assignment;  // also what it is still to give up
  std::vector<TopicPartitions> target_assignment;
  bool is_classic = false;
};
struct DescribeConsumerGroupReply {
  GroupFault fault;
  std::string state;  // Empty, Assigning, Reconciling, Stable, Dead
  int32_t group_epoch = 0;
  int32_t assignment_epoch = 0;
  std::string assignor;
  std::vector<DescribedConsumerMember> members;
};

struct ListGroups {
  std::vector<std::string> states;  // empty: all; compared without regard to case
  std::vector<std::string> types;   // "classic", "consumer"
};
struct ListedGroup {
  std::string group_id;
  std::string protocol_type;
  std::string state;
  std::string type;
};
struct ListGroupsReply {
  std::vector<ListedGroup> groups;
  GroupErrc error = GroupErrc::kNone;  // made by the runtime
};

// --- from the broker itself -----------------------------------------------------------------------------------------

// A topic is gone: its committed offsets go. Groups subscribed to it notice by the catalog.
struct TopicGone {
  std::string topic;
  Uuid topic_id;
};
// Topics came, went or grew: groups that follow them get a new epoch at their next heartbeat.
struct TopicsChanged {};
// Deadlines that are due.
struct TimePassed {};
struct BroadcastReply {};  // to TopicGone, TopicsChanged, TimePassed

using GroupEvent = std::variant<JoinGroup, SyncGroup, GroupHeartbeat, LeaveGroup, ConsumerHeartbeat, CommitOffsets,
                                FetchOffsets, DeleteOffsets, DeleteGroup, DescribeGroup, DescribeConsumerGroup,
                                ListGroups, TopicGone, TopicsChanged, TimePassed>;
using GroupReply = std::variant<BroadcastReply, JoinGroupReply, SyncGroupReply, GroupHeartbeatReply, LeaveGroupReply,
                                ConsumerHeartbeatReply, CommitOffsetsReply, FetchOffsetsReply, DeleteOffsetsReply,
                                DeleteGroupReply, DescribeGroupReply, DescribeConsumerGroupReply, ListGroupsReply>;

}  // namespace leat
