// control_records.cpp: encode, decode and walk instantiated.
#include "core/codec/control_records.h"

#include "core/codec/schema_codec.h"

namespace leat {

template struct MessageCodec<EndTxnMarker>;
template struct MessageCodec<ControlRecordTypeSchema>;
template struct MessageCodec<AbortedTxn>;

}  // namespace leat
