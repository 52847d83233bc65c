// consumer_protocol.cpp: encode, decode and walk instantiated.
#include "core/coordinator/consumer_protocol.h"

#include "core/codec/schema_codec.h"

namespace leat {

template struct MessageCodec<ConsumerProtocolSubscription>;
template struct MessageCodec<ConsumerProtocolAssignment>;

}  // namespace leat
