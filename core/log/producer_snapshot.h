// producer_snapshot.h: producer state as a file, "%020d.snapshot", named by the offset up to which it speaks; Apache
// Kafka's format (ProducerSnapshot, version 1), big-endian:
//   file  := version:i16(=1) crc:u32 count:i32 entry*          the CRC-32C covers what follows it
//   entry := producer_id:i64 epoch:i16 last_sequence:i32 last_offset:i64 offset_delta:i32 timestamp:i64
//            coordinator_epoch:i32
//            transaction_start:i64
// Only a producer's last batch is kept, as in Kafka: after a restart the last batch is still known as a duplicate, and
// those which recovery reads again. Derived data: a missing or bad one is rebuilt by reading the log. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/log/producer_state.h"

namespace leat {

// Without what an append in flight has in doubt.
std::vector<uint8_t> encode_producer_snapshot(const ProducerState& state);
// kCorrupt with path, expected and found. Timestamps later than `now_ms` are taken as `now_ms`, so that none lives for
// ever.
Result<ProducerState> decode_producer_snapshot(ByteView file, std::string_view path, int64_t now_ms);

}  // namespace leat
