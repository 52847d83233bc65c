// throttle_time.h: the throttle_time_ms of an answer, whatever it answers: for clients, which send nothing more on the
// connection until that time has passed (KIP-219).
#pragma once

#include <cstdint>

#include "core/base/bytes.h"
#include "net/protocol/api_key.h"

namespace leat {

// `payload` is a frame without its size field. 0: not throttled; the answer has no such field; it is malformed; or its
// version is older than KIP-219, and the broker has waited before it answered.
int32_t throttle_time_ms(ApiKey key, int16_t version, const Slice& payload);

}  // namespace leat
