// frames.h: the few requests of the load, at fixed, non-flexible versions (Produce 7, Fetch 11, OffsetCommit 7), and
// where in the answers the interesting fields stand. Header: request v1, response v0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"

namespace leat::bench {

inline constexpr int16_t kProduceVersion = 7;
inline constexpr int16_t kFetchVersion = 11;
inline constexpr int16_t kCommitVersion = 7;

// With the size field. `batch_at` receives where the batch begins in the frame.
std::vector<uint8_t> produce_frame(std::string_view topic, int32_t partition, int16_t acks, ByteView batch,
                                   size_t& batch_at);

struct FetchAsk {
  std::string_view topic;
  int32_t partition = 0;
  int64_t offset = 0;
  int32_t bytes_max = 1 << 20;
  int32_t wait_ms = 500;
  int32_t min_bytes = 1;
};
std::vector<uint8_t> fetch_frame(const FetchAsk& ask);

// Of a whole answer without its size field; topic is the one asked for. -32768 when the answer is too short.
int16_t produce_error(ByteView answer, size_t topic_size) noexcept;
int16_t commit_error(ByteView answer, size_t topic_size) noexcept;

struct Fetched {
  int16_t error = 0;
  int64_t high_watermark = -1;
  int64_t next_offset = -1;  // after the last whole batch; -1 when there is none
  uint64_t record_count = 0;
  ByteView records;
};
Fetched read_fetched(ByteView answer, size_t topic_size) noexcept;

}  // namespace leat::bench
