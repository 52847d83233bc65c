// streams_group_records.cpp: encode, decode and walk instantiated.
#include "core/coordinator/streams_group_records.h"

#include "core/codec/schema_codec.h"

namespace leat {

template struct MessageCodec<StreamsGroupMetadataKey>;
template struct MessageCodec<StreamsGroupMetadataValue>;
template struct MessageCodec<StreamsGroupMemberMetadataKey>;
template struct MessageCodec<StreamsGroupMemberMetadataValue>;
template struct MessageCodec<StreamsGroupTargetAssignmentMetadataKey>;
template struct MessageCodec<StreamsGroupTargetAssignmentMetadataValue>;
template struct MessageCodec<StreamsGroupTargetAssignmentMemberKey>;
template struct MessageCodec<StreamsGroupTargetAssignmentMemberValue>;
template struct MessageCodec<StreamsGroupCurrentMemberAssignmentKey>;
template struct MessageCodec<StreamsGroupCurrentMemberAssignmentValue>;
template struct MessageCodec<StreamsGroupTopologyKey>;
template struct MessageCodec<StreamsGroupTopologyValue>;

}  // namespace leat
