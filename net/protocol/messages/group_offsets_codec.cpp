// group_offsets_codec.cpp: encode, decode and walk instantiated for committed offsets.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/offset_commit.h"
#include "net/protocol/messages/offset_delete.h"
#include "net/protocol/messages/offset_fetch.h"
#include "net/protocol/messages/txn_offset_commit.h"

namespace leat {

template struct MessageCodec<OffsetCommitRequest>;
template struct MessageCodec<OffsetCommitResponse>;
template struct MessageCodec<OffsetFetchRequest>;
template struct MessageCodec<OffsetFetchResponse>;
template struct MessageCodec<OffsetDeleteRequest>;
template struct MessageCodec<OffsetDeleteResponse>;
template struct MessageCodec<TxnOffsetCommitRequest>;
template struct MessageCodec<TxnOffsetCommitResponse>;

}  // namespace leat
