// frames.cpp: see frames.h.
#include "benchmarks/load/frames.h"

#include "core/codec/reader.h"
#include "core/codec/writer.h"
#include "core/record/batch.h"

namespace leat::bench {
namespace {

constexpr std::string_view kClientId = "leat-bench";
constexpr int16_t kUnreadable = INT16_MIN;

void write_string(Writer& out, std::string_view text) {
  out.i16(static_cast<int16_t>(text.size()));
  out.raw(as_bytes(text));
}

void write_header(Writer& out, int16_t api_key, int16_t version) {
  out.i32(0);  // size, patched by finish
  out.i16(api_key);
  out.i16(version);
  out.i32(7);  // correlation id: answers come in order, so nobody needs to tell them apart
  write_string(out, kClientId);
}

std::vector<uint8_t> finish(Writer& out) {
  to_big_endian(static_cast<int32_t>(out.size() - 4), out.at(0));
  return std::move(out).take();
}

}  // namespace

std::vector<uint8_t> produce_frame(std::string_view topic, int32_t partition, int16_t acks, ByteView batch,
                                   size_t& batch_at) {
  Writer out;
  write_header(out, 0, kProduceVersion);
  out.i16(-1);  // transactional id
  out.i16(acks);
  out.i32(30'000);
  out.i32(1);
  write_string(out, topic);
  out.i32(1);
  out.i32(partition);
  out.i32(static_cast<int32_t>(batch.size()));
  batch_at = out.size();
  out.raw(batch);
  return finish(out);
}

std::vector<uint8_t> fetch_frame(const FetchAsk& ask) {
  Writer out;
  write_header(out, 1, kFetchVersion);
  out.i32(-1);  // replica
  out.i32(ask.wait_ms);
  out.i32(ask.min_bytes);
  out.i32(ask.bytes_max);
  out.i8(0);   // read_uncommitted
  out.i32(0);  // no session
  out.i32(-1);
  out.i32(1);
  write_string(out, ask.topic);
  out.i32(1);
  out.i32(ask.partition);
  out.i32(-1);  // current leader epoch
  out.i64(ask.offset);
  out.i64(-1);  // log start offset
  out.i32(ask.bytes_max);
  out.i32(0);  // forgotten topics
  write_string(out, "");
  return finish(out);
}

int16_t produce_error(ByteView answer, size_t topic_size) noexcept {
  // correlation i32, topics i32, name, partitions i32, index i32, error i16
  const size_t at = 4 + 4 + 2 + topic_size + 4 + 4;
  if (answer.size() < at + 2) return kUnreadable;
  return from_big_endian<int16_t>(answer.data() + at);
}

int16_t commit_error(ByteView answer, size_t topic_size) noexcept {
  // correlation i32, throttle i32, topics i32, name, partitions i32, index i32, error i16
  const size_t at = 4 + 4 + 4 + 2 + topic_size + 4 + 4;
  if (answer.size() < at + 2) return kUnreadable;
  return from_big_endian<int16_t>(answer.data() + at);
}

Fetched read_fetched(ByteView answer, size_t topic_size) noexcept {
  Fetched fetched;
  Reader in(answer);
  in.skip(4 + 4);
  fetched.error = in.i16();
  in.skip(4);
  if (in.i32() == 0 && !in.failed()) return fetched;
  in.skip(2 + topic_size + 4 + 4);
  const int16_t error = in.i16();
  if (fetched.error == 0) fetched.error = error;
  fetched.high_watermark = in.i64();
  in.skip(8 + 8);
  const int32_t aborted = in.i32();
  if (aborted > 0) in.skip(static_cast<size_t>(aborted) * 16);
  in.skip(4);
  const int32_t size = in.i32();
  if (size > 0) fetched.records = in.take(static_cast<size_t>(size));
  if (in.failed()) {
    fetched.error = kUnreadable;
    return fetched;
  }
  for (ByteView rest = fetched.records; rest.size() >= kBatchHeaderBytes;) {
    const BatchView batch(rest);
    if (batch.size_bytes() > static_cast<int64_t>(rest.size())) break;
    fetched.next_offset = batch.next_offset().v;
    fetched.record_count += static_cast<uint64_t>(batch.record_count());
    rest = rest.subspan(static_cast<size_t>(batch.size_bytes()));
  }
  return fetched;
}

}  // namespace leat::bench
