// streams_groups_codec.cpp: encode, decode and walk instantiated for streams groups.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/streams_group_describe.h"
#include "net/protocol/messages/streams_group_heartbeat.h"
#include "net/protocol/messages/streams_group_topology_description_update.h"

namespace leat {

template struct MessageCodec<StreamsGroupHeartbeatRequest>;
template struct MessageCodec<StreamsGroupHeartbeatResponse>;
template struct MessageCodec<StreamsGroupDescribeRequest>;
template struct MessageCodec<StreamsGroupDescribeResponse>;
template struct MessageCodec<StreamsGroupTopologyDescriptionUpdateRequest>;
template struct MessageCodec<StreamsGroupTopologyDescriptionUpdateResponse>;

}  // namespace leat
