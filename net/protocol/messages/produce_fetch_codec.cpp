// produce_fetch_codec.cpp: encode, decode and walk instantiated for the hot messages.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/produce.h"

namespace leat {

template struct MessageCodec<ProduceRequest>;
template struct MessageCodec<ProduceResponse>;
template struct MessageCodec<FetchRequest>;
template struct MessageCodec<FetchResponse>;

}  // namespace leat
