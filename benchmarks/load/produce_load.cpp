// produce_load.cpp: the produce loop: one thread, one poller over all connections, each with its window of requests in
// flight; what the window allows leaves in one send, what arrived is counted without a copy.
#include <chrono>
#include <cstring>
#include <deque>
#include <span>
#include <utility>

#include "benchmarks/load/frames.h"
#include "benchmarks/load/load.h"
#include "benchmarks/load/poller.h"
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
    // Small frames leave many in one send: the buffer holds them side by side.
    const size_t copies = std::min<size_t>(window_, std::max<size_t>(1, kRepeatedBytesMax / frame_.size()));
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

  // No request begins any more; what has begun is finished and answered.
  void end_early() noexcept {
    const size_t begun = pending_.size() % frame_.size();
    pending_ = pending_.first(begun);
    quota_ = std::min(quota_, sent_ + (begun > 0 ? 1 : 0));
  }

  Result<void> send() {
    while (wants_to_send()) {
      if (pending_.empty()) prepare();
      TRY(count, socket_.send_some(pending_));
      if (count == 0) return {};
      const size_t frames_left = (pending_.size() + frame_.size() - 1) / frame_.size();
      pending_ = pending_.subspan(count);
      const size_t whole = frames_left - (pending_.size() + frame_.size() - 1) / frame_.size();
      const uint64_t now = now_ns();
      for (size_t i = 0; i < whole; ++i) sent_at_.push_back(now);
      sent_ += whole;
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
    if (at > 0) std::memmove(received_.data(), received_.data() + at, held_ - at);
    held_ -= at;
    return {};
  }

 private:
  // The next frames side by side, as many as the window allows and the buffer holds.
  void prepare() noexcept {
    const uint64_t room = std::min(window_ - (sent_ - answered_), quota_ - sent_);
    const size_t frames = std::min<size_t>(room, repeated_.size() / frame_.size());
    if (idempotent_) {
      for (size_t i = 0; i < frames; ++i) stamp_sequence(repeated_.data() + i * frame_.size() + batch_at_);
    }
    pending_ = ByteView(repeated_).first(frames * frame_.size());
  }

  // The CRC follows from the bytes that change: a pass over each batch would cost the generator more than the rest.
  void stamp_sequence(uint8_t* batch) noexcept {
    constexpr size_t kFrom = kProducerIdAt;
    constexpr size_t kTo = kBaseSequenceAt + sizeof(int32_t);
    uint8_t difference[kTo - kFrom];
    std::memcpy(difference, batch + kFrom, sizeof difference);
    to_big_endian(producer_id_, batch + kProducerIdAt);
    to_big_endian(int16_t{0}, batch + kProducerEpochAt);
    to_big_endian(sequence_, batch + kBaseSequenceAt);
    for (size_t i = 0; i < sizeof difference; ++i) difference[i] ^= batch[kFrom + i];
    const uint64_t behind = frame_.size() - batch_at_ - kTo;
    to_big_endian(from_big_endian<uint32_t>(batch + kCrcAt) ^ crc32c_change(difference, behind), batch + kCrcAt);
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
  ByteView pending_;  // of repeated_: prepared, not yet sent
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

// Drives all streams until each has its answers.
class Pump {
 public:
  explicit Pump(std::vector<Stream>& streams)
      : streams_(streams), states_(streams.size(), State::kGoing), left_(streams.size()) {}

  Result<void> run(uint64_t deadline_ns) {
    for (size_t i = 0; i < streams_.size(); ++i) {
      poller_.add(streams_[i].descriptor(), i);
      TRY(advance(i));
    }
    while (left_ > 0) {
      if (now_ns() > deadline_ns) {
        deadline_ns = UINT64_MAX;
        TRY(end_all_early());
        continue;
      }
      const std::span<const Poller::Ready> ready = poller_.wait(30'000);
      if (ready.empty()) return fail(Errc::kTimedOut, "no answer for 30 s");
      for (const Poller::Ready& one : ready) {
        if (one.readable) TRY(streams_[one.token].receive());
        TRY(advance(one.token));
      }
    }
    return {};
  }

 private:
  enum class State : uint8_t { kGoing, kNeedsRoom, kFinished };

  Result<void> end_all_early() {
    for (size_t i = 0; i < streams_.size(); ++i) {
      streams_[i].end_early();
      TRY(advance(i));
    }
    return {};
  }

  Result<void> advance(size_t i) {
    Stream& stream = streams_[i];
    if (states_[i] == State::kFinished) return {};
    TRY(stream.send());
    State next = stream.wants_to_send() ? State::kNeedsRoom : State::kGoing;
    if (stream.finished()) next = State::kFinished;
    if (next == states_[i]) return {};
    states_[i] = next;
    if (next == State::kFinished) {
      poller_.remove(stream.descriptor());
      --left_;
    } else {
      poller_.wait_for_room(stream.descriptor(), i, next == State::kNeedsRoom);
    }
    return {};
  }

  std::vector<Stream>& streams_;
  std::vector<State> states_;
  size_t left_;
  Poller poller_;
};

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
  TRY(Pump(streams).run(load.seconds_max > 0 ? begin + static_cast<uint64_t>(load.seconds_max * 1e9) : UINT64_MAX));
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
