// produce_load.cpp: the produce loop: one thread, one poll() over all connections, each with its window of requests in
// flight; what the window allows leaves in one send, what arrived is counted without a copy.
#include <poll.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <utility>

#include "benchmarks/load/frames.h"
#include "benchmarks/load/load.h"
#include "core/base/check.h"
#include "core/codec/writer.h"
#include "core/record/batch.h"
#include "core/record/batch_builder.h"
#include "core/record/crc32c.h"

namespace leat::bench {
namespace {

constexpr size_t kReceiveBytes = 256 << 10;
constexpr size_t kRepeatedBytesMax = 256 << 10;

uint64_t now_ns() noexcept {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

// One connection's stream of requests.
class Stream {
 public:
  Stream(Socket socket, const ProduceLoad& load, int32_t partition, ByteView batch)
      : socket_(std::move(socket)),
        topic_size_(load.target.topic.size()),
        window_(static_cast<uint64_t>(load.in_flight)),
        record_count_(load.shape.record_count),
        idempotent_(load.idempotent) {
    frame_ = produce_frame(load.target.topic, partition, load.target.acks, batch, batch_at_);
    // Small frames leave many in one send: the buffer holds them side by side. A sequence makes each frame its own.
    const size_t copies =
        idempotent_ ? 1 : std::min<size_t>(window_, std::max<size_t>(1, kRepeatedBytesMax / frame_.size()));
    for (size_t i = 0; i < copies; ++i) repeated_.insert(repeated_.end(), frame_.begin(), frame_.end());
    received_.resize(kReceiveBytes);
  }

  int descriptor() const noexcept { return socket_.descriptor(); }
  bool wants_to_send() const noexcept { return sent_ < quota_ && sent_ - answered_ < window_; }
  bool finished() const noexcept { return answered_ == quota_; }
  uint64_t answered() const noexcept { return answered_; }
  void set_quota(uint64_t quota) noexcept { quota_ = quota; }
  void set_producer(int64_t producer_id) noexcept { producer_id_ = producer_id; }
  const Histogram& latency() const noexcept { return latency_; }

  Result<void> send() {
    while (wants_to_send()) {
      if (partial_ == 0 && idempotent_) stamp_sequence();
      const uint64_t room = std::min(window_ - (sent_ - answered_), quota_ - sent_);
      const size_t frames = std::min<size_t>(room, repeated_.size() / frame_.size());
      const ByteView bytes(repeated_.data() + partial_, frames * frame_.size() - partial_);
      TRY(count, socket_.send_some(bytes));
      const size_t whole = (partial_ + count) / frame_.size();
      const uint64_t now = now_ns();
      for (size_t i = 0; i < whole; ++i) sent_at_.push_back(now);
      sent_ += whole;
      partial_ = (partial_ + count) % frame_.size();
      if (count < bytes.size()) return {};
    }
    return {};
  }

  Result<void> receive() {
    TRY(count, socket_.receive_some(MutableByteView(received_).subspan(held_)));
    held_ += count;
    const uint64_t now = now_ns();
    size_t at = 0;
    while (held_ - at >= 4) {
      const auto size = static_cast<size_t>(from_big_endian<int32_t>(received_.data() + at));
      if (held_ - at - 4 < size) break;
      const int16_t error = produce_error({received_.data() + at + 4, size}, topic_size_);
      if (error != 0) return fail(Errc::kIo, "a produce was answered with error code " + std::to_string(error));
      latency_.add(now - sent_at_.front());
      sent_at_.pop_front();
      ++answered_;
      at += 4 + size;
    }
    std::memmove(received_.data(), received_.data() + at, held_ - at);
    held_ -= at;
    return {};
  }

 private:
  void stamp_sequence() noexcept {
    uint8_t* batch = repeated_.data() + batch_at_;
    to_big_endian(producer_id_, batch + kProducerIdAt);
    to_big_endian(int16_t{0}, batch + kProducerEpochAt);
    to_big_endian(sequence_, batch + kBaseSequenceAt);
    const ByteView covered(batch + kAttributesAt, repeated_.size() - batch_at_ - kAttributesAt);
    to_big_endian(crc32c(covered), batch + kCrcAt);
    sequence_ = static_cast<int32_t>((int64_t{sequence_} + record_count_) & 0x7fffffff);
  }

  Socket socket_;
  size_t topic_size_;
  uint64_t window_;
  int32_t record_count_;
  bool idempotent_;
  std::vector<uint8_t> frame_;
  std::vector<uint8_t> repeated_;
  size_t batch_at_ = 0;
  size_t partial_ = 0;  // bytes of the frame at the front that have left
  std::vector<uint8_t> received_;
  size_t held_ = 0;
  uint64_t quota_ = 0;
  uint64_t sent_ = 0;
  uint64_t answered_ = 0;
  int64_t producer_id_ = kNoProducerId;
  int32_t sequence_ = 0;
  std::deque<uint64_t> sent_at_;
  Histogram latency_;
};

Result<void> pump(std::vector<Stream>& streams) {
  std::vector<pollfd> polled(streams.size());
  for (size_t left = streams.size(); left > 0;) {
    left = 0;
    for (size_t i = 0; i < streams.size(); ++i) {
      TRY(streams[i].send());
      const bool done = streams[i].finished();
      left += done ? 0 : 1;
      polled[i] = {done ? -1 : streams[i].descriptor(),
                   static_cast<short>(POLLIN | (streams[i].wants_to_send() ? POLLOUT : 0)), 0};
    }
    if (left == 0) break;
    if (poll(polled.data(), polled.size(), 30'000) == 0) return fail(Errc::kTimedOut, "no answer for 30 s");
    for (size_t i = 0; i < streams.size(); ++i) {
      if ((polled[i].revents & (POLLIN | POLLERR | POLLHUP)) != 0) TRY(streams[i].receive());
    }
  }
  return {};
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
  CHECK(batch.has_value());
  return {batch->view().begin(), batch->view().end()};
}

Result<LoadResult> run_produce(const ProduceLoad& load) {
  const std::vector<uint8_t> batch = make_batch(load.shape);
  std::vector<Stream> streams;
  for (int i = 0; i < load.connections; ++i) {
    TRY(socket, Socket::connect(load.broker));
    int64_t producer_id = kNoProducerId;
    if (load.idempotent) {
      TRY(id, request_producer_id(socket));
      producer_id = id;
    }
    TRY(socket.set_nonblocking());
    streams.emplace_back(std::move(socket), load, i % load.target.partition_count, batch);
    streams.back().set_producer(producer_id);
    streams.back().set_quota(load.request_count / static_cast<uint64_t>(load.connections));
  }
  const uint64_t begin = now_ns();
  TRY(pump(streams));
  LoadResult result;
  result.seconds = static_cast<double>(now_ns() - begin) / 1e9;
  for (const Stream& stream : streams) {
    result.requests += stream.answered();
    result.latency.merge(stream.latency());
  }
  result.records = result.requests * static_cast<uint64_t>(load.shape.record_count);
  result.bytes = result.requests * batch.size();
  return result;
}

}  // namespace leat::bench
