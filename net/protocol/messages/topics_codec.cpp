// topics_codec.cpp: encode, decode and walk instantiated for topics and partitions.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/alter_partition_reassignments.h"
#include "net/protocol/messages/create_partitions.h"
#include "net/protocol/messages/create_topics.h"
#include "net/protocol/messages/delete_topics.h"
#include "net/protocol/messages/elect_leaders.h"
#include "net/protocol/messages/list_partition_reassignments.h"

namespace leat {

template struct MessageCodec<CreateTopicsRequest>;
template struct MessageCodec<CreateTopicsResponse>;
template struct MessageCodec<DeleteTopicsRequest>;
template struct MessageCodec<DeleteTopicsResponse>;
template struct MessageCodec<CreatePartitionsRequest>;
template struct MessageCodec<CreatePartitionsResponse>;
template struct MessageCodec<ElectLeadersRequest>;
template struct MessageCodec<ElectLeadersResponse>;
template struct MessageCodec<AlterPartitionReassignmentsRequest>;
template struct MessageCodec<AlterPartitionReassignmentsResponse>;
template struct MessageCodec<ListPartitionReassignmentsRequest>;
template struct MessageCodec<ListPartitionReassignmentsResponse>;

}  // namespace leat
