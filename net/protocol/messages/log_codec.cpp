// log_codec.cpp: encode, decode and walk instantiated for reading and cutting the log beside Fetch.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/delete_records.h"
#include "net/protocol/messages/describe_log_dirs.h"
#include "net/protocol/messages/describe_producers.h"
#include "net/protocol/messages/list_offsets.h"
#include "net/protocol/messages/offset_for_leader_epoch.h"

namespace leat {

template struct MessageCodec<ListOffsetsRequest>;
template struct MessageCodec<ListOffsetsResponse>;
template struct MessageCodec<DeleteRecordsRequest>;
template struct MessageCodec<DeleteRecordsResponse>;
template struct MessageCodec<OffsetForLeaderEpochRequest>;
template struct MessageCodec<OffsetForLeaderEpochResponse>;
template struct MessageCodec<DescribeProducersRequest>;
template struct MessageCodec<DescribeProducersResponse>;
template struct MessageCodec<DescribeLogDirsRequest>;
template struct MessageCodec<DescribeLogDirsResponse>;

}  // namespace leat
