// produce_load.cpp: streams of one Produce request each, encoded once; idempotent ones get new sequences as they leave.
#include <cstring>
#include <utility>

#include "benchmarks/load/frames.h"
#include "benchmarks/load/load.h"
#include "benchmarks/load/request_stream.h"
#include "core/base/check.h"
#include "core/codec/writer.h"
#include "core/record/batch.h"
#include "core/record/batch_builder.h"
#include "core/record/crc32c.h"

namespace leat::bench {
namespace {

// What an idempotent producer writes into each of its batches.
struct Sequence {
  size_t batch_at;  // in the frame
  int64_t producer_id;
  int32_t record_count;
  int32_t next = 0;

  // The CRC follows from the bytes that change: a pass over each batch would cost the generator more than the rest.
  void stamp(MutableByteView frame) noexcept {
    constexpr size_t kFrom = kProducerIdAt;
    constexpr size_t kTo = kBaseSequenceAt + sizeof(int32_t);
    uint8_t* const batch = frame.data() + batch_at;
    uint8_t difference[kTo - kFrom];
    std::memcpy(difference, batch + kFrom, sizeof difference);
    to_big_endian(producer_id, batch + kProducerIdAt);
    to_big_endian(int16_t{0}, batch + kProducerEpochAt);
    to_big_endian(next, batch + kBaseSequenceAt);
    for (size_t i = 0; i < sizeof difference; ++i) difference[i] ^= batch[kFrom + i];
    const uint64_t behind = frame.size() - batch_at - kTo;
    to_big_endian(from_big_endian<uint32_t>(batch + kCrcAt) ^ crc32c_change(difference, behind), batch + kCrcAt);
    next = static_cast<int32_t>((int64_t{next} + record_count) & 0x7fffffff);
  }
};

Result<RequestStream> open_stream(const ProduceLoad& load, int32_t partition, ByteView batch) {
  TRY(socket, Socket::connect(load.broker));
  StreamPlan plan;
  size_t batch_at = 0;
  plan.frame = produce_frame(load.target.topic, partition, load.target.acks, batch, batch_at);
  plan.in_flight = load.in_flight;
  plan.request_count = load.request_count / static_cast<uint64_t>(load.connections);
  plan.what = "produce";
  plan.error_of = [topic_size = load.target.topic.size()](ByteView answer) {
    return produce_error(answer, topic_size);
  };
  if (load.idempotent) {
    TRY(id, request_producer_id(socket));
    Sequence sequence{.batch_at = batch_at, .producer_id = id, .record_count = load.shape.record_count};
    plan.renew = [sequence](MutableByteView frame) mutable { sequence.stamp(frame); };
  }
  TRY(socket.set_nonblocking());
  return RequestStream(std::move(socket), std::move(plan));
}

}  // namespace

std::vector<uint8_t> make_batch(const BatchShape& shape) {
  BatchBuilder builder(BatchOptions{.codec = shape.codec});
  std::vector<uint8_t> value(static_cast<size_t>(shape.record_bytes));
  const int64_t now_ms = SystemClock().wall_ms();
  for (int32_t i = 0; i < shape.record_count; ++i) {
    // Text-like and different in each record, so that codecs find about what they find in real logs.
    for (size_t k = 0; k < value.size(); ++k)
      value[k] = static_cast<uint8_t>('a' + (k * 7 + static_cast<size_t>(i) * (k % 5)) % 26);
    builder.append(NewRecord{.key = std::nullopt, .value = ByteView(value), .timestamp_ms = now_ms});
  }
  const Result<Slice> batch = builder.finish();
  ENSURE(batch.has_value());
  return {batch->view().begin(), batch->view().end()};
}

Result<LoadResult> run_produce(const ProduceLoad& load) {
  const std::vector<uint8_t> batch = make_batch(load.shape);
  std::vector<RequestStream> streams;
  for (int i = 0; i < load.connections; ++i) {
    TRY(stream, open_stream(load, i % load.target.partition_count, batch));
    streams.push_back(std::move(stream));
  }
  TRY(result, run_streams(streams, load.seconds_max));
  result.records = result.requests * static_cast<uint64_t>(load.shape.record_count);
  result.bytes = result.requests * batch.size();
  return result;
}

}  // namespace leat::bench
