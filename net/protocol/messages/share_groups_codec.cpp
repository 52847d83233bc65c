// share_groups_codec.cpp: encode, decode and walk instantiated for share groups.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/alter_share_group_offsets.h"
#include "net/protocol/messages/delete_share_group_offsets.h"
#include "net/protocol/messages/describe_share_group_offsets.h"
#include "net/protocol/messages/share_acknowledge.h"
#include "net/protocol/messages/share_fetch.h"
#include "net/protocol/messages/share_group_describe.h"
#include "net/protocol/messages/share_group_heartbeat.h"

namespace leat {

template struct MessageCodec<ShareGroupHeartbeatRequest>;
template struct MessageCodec<ShareGroupHeartbeatResponse>;
template struct MessageCodec<ShareGroupDescribeRequest>;
template struct MessageCodec<ShareGroupDescribeResponse>;
template struct MessageCodec<ShareFetchRequest>;
template struct MessageCodec<ShareFetchResponse>;
template struct MessageCodec<ShareAcknowledgeRequest>;
template struct MessageCodec<ShareAcknowledgeResponse>;
template struct MessageCodec<DescribeShareGroupOffsetsRequest>;
template struct MessageCodec<DescribeShareGroupOffsetsResponse>;
template struct MessageCodec<AlterShareGroupOffsetsRequest>;
template struct MessageCodec<AlterShareGroupOffsetsResponse>;
template struct MessageCodec<DeleteShareGroupOffsetsRequest>;
template struct MessageCodec<DeleteShareGroupOffsetsResponse>;

}  // namespace leat
