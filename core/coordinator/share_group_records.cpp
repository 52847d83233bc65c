// share_group_records.cpp: encode, decode and walk instantiated.
#include "core/coordinator/share_group_records.h"

#include "core/codec/schema_codec.h"

namespace leat {

template struct MessageCodec<ShareGroupMemberMetadataKey>;
template struct MessageCodec<ShareGroupMemberMetadataValue>;
template struct MessageCodec<ShareGroupMetadataKey>;
template struct MessageCodec<ShareGroupMetadataValue>;
template struct MessageCodec<ShareGroupTargetAssignmentMetadataKey>;
template struct MessageCodec<ShareGroupTargetAssignmentMetadataValue>;
template struct MessageCodec<ShareGroupTargetAssignmentMemberKey>;
template struct MessageCodec<ShareGroupTargetAssignmentMemberValue>;
template struct MessageCodec<ShareGroupCurrentMemberAssignmentKey>;
template struct MessageCodec<ShareGroupCurrentMemberAssignmentValue>;
template struct MessageCodec<ShareGroupStatePartitionMetadataKey>;
template struct MessageCodec<ShareGroupStatePartitionMetadataValue>;
template struct MessageCodec<ShareSnapshotKey>;
template struct MessageCodec<ShareSnapshotValue>;
template struct MessageCodec<ShareUpdateKey>;
template struct MessageCodec<ShareUpdateValue>;

}  // namespace leat
