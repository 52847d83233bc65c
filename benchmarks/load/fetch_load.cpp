// fetch_load.cpp: one consumer that reads a partition from its start, one fetch at a time.
#include <chrono>

#include "benchmarks/load/frames.h"
#include "benchmarks/load/load.h"

namespace leat::bench {

Result<LoadResult> run_fetch(const FetchLoad& load) {
  TRY(socket, Socket::connect(load.broker));
  LoadResult result;
  std::vector<uint8_t> answer(static_cast<size_t>(load.bytes_max) + (1 << 20));
  int64_t offset = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (result.bytes < load.total_bytes) {
    const auto asked = std::chrono::steady_clock::now();
    if (load.seconds_max > 0 && asked - begin > std::chrono::duration<double>(load.seconds_max)) break;
    const FetchAsk ask{.topic = load.topic, .partition = load.partition, .offset = offset, .bytes_max = load.bytes_max};
    TRY(socket.send_all(fetch_frame(ask)));
    uint8_t size_field[4];
    TRY(socket.receive_all(size_field));
    const auto size = static_cast<size_t>(from_big_endian<int32_t>(size_field));
    if (size > answer.size()) answer.resize(size);
    TRY(socket.receive_all({answer.data(), size}));
    const Fetched fetched = read_fetched({answer.data(), size}, load.topic.size());
    if (fetched.error != 0)
      return fail(Errc::kIo, "a fetch was answered with error code " + std::to_string(fetched.error));
    if (fetched.next_offset < 0 && offset == 0)
      return fail(Errc::kInvalidArgument, "nothing to fetch: the partition is empty");
    result.latency.add(static_cast<uint64_t>((std::chrono::steady_clock::now() - asked) / std::chrono::nanoseconds(1)));
    ++result.requests;
    result.records += fetched.record_count;
    result.bytes += fetched.records.size();
    offset = fetched.next_offset < 0 || fetched.next_offset >= fetched.high_watermark ? 0 : fetched.next_offset;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace leat::bench
