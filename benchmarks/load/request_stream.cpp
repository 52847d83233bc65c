// request_stream.cpp: see request_stream.h.
#include "benchmarks/load/request_stream.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>

#include "benchmarks/load/poller.h"
#include "core/codec/byte_order.h"

namespace leat::bench {
namespace {

constexpr size_t kReceiveBytes = 256 << 10;
constexpr size_t kRepeatedBytesMax = 256 << 10;

uint64_t now_ns() noexcept {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

// Drives all streams until each has its answers.
class Pump {
 public:
  explicit Pump(std::vector<RequestStream>& streams)
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
    RequestStream& stream = streams_[i];
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

  std::vector<RequestStream>& streams_;
  std::vector<State> states_;
  size_t left_;
  Poller poller_;
};

}  // namespace

RequestStream::RequestStream(Socket socket, StreamPlan plan)
    : socket_(std::move(socket)),
      plan_(std::move(plan)),
      window_(static_cast<uint64_t>(plan_.in_flight)),
      quota_(plan_.request_count) {
  const std::vector<uint8_t>& frame = plan_.frame;
  const size_t copies = std::min<size_t>(window_, std::max<size_t>(1, kRepeatedBytesMax / frame.size()));
  for (size_t i = 0; i < copies; ++i) repeated_.insert(repeated_.end(), frame.begin(), frame.end());
  received_.resize(kReceiveBytes);
}

void RequestStream::end_early() noexcept {
  const size_t begun = pending_.size() % plan_.frame.size();
  pending_ = pending_.first(begun);
  quota_ = std::min(quota_, sent_ + (begun > 0 ? 1 : 0));
}

Result<void> RequestStream::send() {
  const size_t frame_size = plan_.frame.size();
  while (wants_to_send()) {
    if (pending_.empty()) prepare();
    TRY(count, socket_.send_some(pending_));
    if (count == 0) return {};
    const size_t frames_left = (pending_.size() + frame_size - 1) / frame_size;
    pending_ = pending_.subspan(count);
    const size_t whole = frames_left - (pending_.size() + frame_size - 1) / frame_size;
    const uint64_t now = now_ns();
    for (size_t i = 0; i < whole; ++i) sent_at_.push_back(now);
    sent_ += whole;
  }
  return {};
}

Result<void> RequestStream::receive() {
  TRY(count, socket_.receive_some(MutableByteView(received_).subspan(held_)));
  held_ += count;
  const uint64_t now = now_ns();
  size_t at = 0;
  while (held_ - at >= 4) {
    const auto size = static_cast<size_t>(from_big_endian<int32_t>(received_.data() + at));
    if (held_ - at - 4 < size) break;
    const int16_t error = plan_.error_of({received_.data() + at + 4, size});
    if (error != 0) {
      return fail(Errc::kIo, "a " + plan_.what + " was answered with error code " + std::to_string(error));
    }
    latency_.add(now - sent_at_.front());
    sent_at_.pop_front();
    ++answered_;
    at += 4 + size;
  }
  if (at > 0) std::memmove(received_.data(), received_.data() + at, held_ - at);
  held_ -= at;
  return {};
}

// The next frames side by side, as many as the window allows and the buffer holds.
void RequestStream::prepare() {
  const size_t frame_size = plan_.frame.size();
  const uint64_t room = std::min(window_ - (sent_ - answered_), quota_ - sent_);
  const size_t frames = std::min<size_t>(room, repeated_.size() / frame_size);
  if (plan_.renew != nullptr) {
    for (size_t i = 0; i < frames; ++i) plan_.renew(MutableByteView(repeated_).subspan(i * frame_size, frame_size));
  }
  pending_ = ByteView(repeated_).first(frames * frame_size);
}

Result<LoadResult> run_streams(std::vector<RequestStream>& streams, double seconds_max) {
  const uint64_t begin = now_ns();
  TRY(Pump(streams).run(seconds_max > 0 ? begin + static_cast<uint64_t>(seconds_max * 1e9) : UINT64_MAX));
  LoadResult result;
  result.seconds = static_cast<double>(now_ns() - begin) / 1e9;
  for (const RequestStream& stream : streams) {
    result.requests += stream.answered();
    result.latency.merge(stream.latency());
  }
  return result;
}

}  // namespace leat::bench
