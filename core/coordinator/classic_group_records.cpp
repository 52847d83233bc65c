// classic_group_records.cpp: encode, decode and walk instantiated.
#include "core/coordinator/classic_group_records.h"

#include "core/codec/schema_codec.h"

namespace leat {

template struct MessageCodec<LegacyOffsetCommitKey>;
template struct MessageCodec<LegacyOffsetCommitValue>;
template struct MessageCodec<OffsetCommitKey>;
template struct MessageCodec<OffsetCommitValue>;
template struct MessageCodec<GroupMetadataKey>;
template struct MessageCodec<GroupMetadataValue>;

}  // namespace leat
