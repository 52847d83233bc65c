// consumer_group_records.cpp: encode, decode and walk instantiated.
#include "core/coordinator/consumer_group_records.h"

#include "core/codec/schema_codec.h"

namespace leat {

template struct MessageCodec<ConsumerGroupMetadataKey>;
template struct MessageCodec<ConsumerGroupMetadataValue>;
template struct MessageCodec<ConsumerGroupPartitionMetadataKey>;
template struct MessageCodec<ConsumerGroupPartitionMetadataValue>;
template struct MessageCodec<ConsumerGroupMemberMetadataKey>;
template struct MessageCodec<ConsumerGroupMemberMetadataValue>;
template struct MessageCodec<ConsumerGroupTargetAssignmentMetadataKey>;
template struct MessageCodec<ConsumerGroupTargetAssignmentMetadataValue>;
template struct MessageCodec<ConsumerGroupTargetAssignmentMemberKey>;
template struct MessageCodec<ConsumerGroupTargetAssignmentMemberValue>;
template struct MessageCodec<ConsumerGroupCurrentMemberAssignmentKey>;
template struct MessageCodec<ConsumerGroupCurrentMemberAssignmentValue>;
template struct MessageCodec<ConsumerGroupRegularExpressionKey>;
template struct MessageCodec<ConsumerGroupRegularExpressionValue>;

}  // namespace leat
