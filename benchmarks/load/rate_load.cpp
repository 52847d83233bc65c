// rate_load.cpp: single requests at a fixed rate, and the time until they are acknowledged or reach a parked consumer.
// The schedule does not wait for answers, so a broker that stalls is charged for all that had to wait behind the stall
// (no coordinated omission). Latency runs from the write of a request; where an earlier write blocked, which is the
// broker's doing, from its planned time. A wake-up of the generator's own that comes late is nobody's latency: it is
// reported apart, so that one sees how well the schedule was kept.
#include <poll.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <chrono>
#include <deque>

#include "benchmarks/load/frames.h"
#include "benchmarks/load/load.h"

namespace leat::bench {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kBlockedAfter = std::chrono::milliseconds(1);  // a write to a socket with room takes microseconds

// The kernel may round a thread's waits up by 50 us to save wake-ups: not here.
void wait_precisely() {
#ifdef __linux__
  (void)prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
#endif
}

// Collects what arrives on a socket and gives whole answers.
class Answers {
 public:
  explicit Answers(size_t capacity_bytes) : held_(capacity_bytes) {}

  Result<void> receive(Socket& socket) {
    std::copy(held_.begin() + static_cast<ptrdiff_t>(begin_), held_.begin() + static_cast<ptrdiff_t>(end_),
              held_.begin());
    end_ -= begin_;
    begin_ = 0;
    if (end_ == held_.size()) held_.resize(held_.size() * 2);
    TRY(count, socket.receive_some(MutableByteView(held_).subspan(end_)));
    end_ += count;
    return {};
  }
  // Empty when no whole answer is there. Valid until the next receive.
  ByteView next() noexcept {
    if (end_ - begin_ < 4) return {};
    const auto size = static_cast<size_t>(from_big_endian<int32_t>(held_.data() + begin_));
    if (end_ - begin_ - 4 < size) return {};
    const ByteView answer(held_.data() + begin_ + 4, size);
    begin_ += 4 + size;
    return answer;
  }

 private:
  std::vector<uint8_t> held_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

struct RateRun {
  const RateLoad& load;
  Socket producer;
  Socket consumer;
  std::vector<uint8_t> frame;
  Answers produced{1 << 16};
  Answers fetched{4 << 20};
  std::deque<Steady::time_point> unacked;    // begin of each request not yet answered
  std::deque<Steady::time_point> unarrived;  // begin of each request whose records have not arrived
  Steady::time_point held_up_until{};        // the last write returned then, if it blocked
  int64_t next_offset = 0;
  LoadResult result;

  Result<void> ask_for_more() {
    const FetchAsk ask{.topic = load.topic, .offset = next_offset, .wait_ms = 5000};
    return consumer.send_all(fetch_frame(ask));
  }

  Result<void> take_acks() {
    TRY(produced.receive(producer));
    const auto now = Steady::now();
    for (ByteView answer = produced.next(); !answer.empty(); answer = produced.next()) {
      const int16_t error = produce_error(answer, load.topic.size());
      if (error != 0) return fail(Errc::kIo, "a produce was answered with error code " + std::to_string(error));
      if (!load.end_to_end) add(now - unacked.front());
      unacked.pop_front();
    }
    return {};
  }

  Result<void> take_records() {
    TRY(fetched.receive(consumer));
    for (ByteView answer = fetched.next(); !answer.empty(); answer = fetched.next()) {
      const auto now = Steady::now();
      const Fetched batch = read_fetched(answer, load.topic.size());
      if (batch.error != 0)
        return fail(Errc::kIo, "a fetch was answered with error code " + std::to_string(batch.error));
      const uint64_t requests = batch.record_count / static_cast<uint64_t>(load.shape.record_count);
      for (uint64_t i = 0; i < requests && !unarrived.empty(); ++i) {
        add(now - unarrived.front());
        unarrived.pop_front();
      }
      if (batch.next_offset >= 0) next_offset = batch.next_offset;
      TRY(ask_for_more());
    }
    return {};
  }

  void add(Steady::duration latency) {
    result.latency.add(static_cast<uint64_t>(latency / std::chrono::nanoseconds(1)));
    ++result.requests;
  }

  Result<void> send(Steady::time_point planned) {
    const auto now = Steady::now();
    const auto begin = planned < held_up_until ? planned : now;
    result.lateness.add(static_cast<uint64_t>((now - planned) / std::chrono::nanoseconds(1)));
    unacked.push_back(begin);
    if (load.end_to_end) unarrived.push_back(begin);
    TRY(producer.send_all(frame));
    const auto sent = Steady::now();
    if (sent - now > kBlockedAfter) held_up_until = sent;
    return {};
  }

  Result<void> wait_until(Steady::time_point until) {
    pollfd polled[2] = {{producer.descriptor(), POLLIN, 0}, {load.end_to_end ? consumer.descriptor() : -1, POLLIN, 0}};
    const auto left = std::max<Steady::duration>(until - Steady::now(), Steady::duration{0});
    const timespec timeout{static_cast<time_t>(left / std::chrono::seconds(1)),
                           static_cast<long>(left % std::chrono::seconds(1) / std::chrono::nanoseconds(1))};
#ifdef __linux__
    const int ready = ppoll(polled, 2, &timeout, nullptr);
#else
    const int ready = poll(polled, 2, static_cast<int>(timeout.tv_sec * 1000 + timeout.tv_nsec / 1'000'000));
#endif
    if (ready <= 0) return {};
    if ((polled[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) TRY(take_acks());
    if ((polled[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) TRY(take_records());
    return {};
  }
};

}  // namespace

Result<LoadResult> run_rate(const RateLoad& load) {
  TRY(producer, Socket::connect(load.broker));
  TRY(consumer, Socket::connect(load.broker));
  const std::vector<uint8_t> batch = make_batch(load.shape);
  size_t batch_at = 0;
  RateRun run{.load = load,
              .producer = std::move(producer),
              .consumer = std::move(consumer),
              .frame = produce_frame(load.topic, 0, load.acks, batch, batch_at),
              .unacked = {},
              .unarrived = {},
              .result = {}};
  wait_precisely();
  if (load.end_to_end) TRY(run.ask_for_more());
  const auto begin = Steady::now();
  const auto between =
      std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(1 / load.requests_per_second));
  const auto count =
      static_cast<uint64_t>(std::chrono::duration<double>(load.duration).count() * load.requests_per_second);
  for (uint64_t i = 0; i < count; ++i) {
    const auto planned = begin + between * static_cast<int64_t>(i);
    while (Steady::now() < planned) TRY(run.wait_until(planned));
    TRY(run.send(planned));
  }
  // A broker that cannot keep the rate has a queue to work off, whose latencies are part of the result.
  const auto patience = 10 * load.duration + std::chrono::seconds(30);
  const auto deadline = Steady::now() + patience;
  while (!(run.unacked.empty() && run.unarrived.empty())) {
    if (Steady::now() > deadline)
      return fail(Errc::kTimedOut, "some requests were not answered long after the last was sent");
    TRY(run.wait_until(deadline));
  }
  run.result.seconds = std::chrono::duration<double>(Steady::now() - begin).count();
  run.result.records = run.result.requests * static_cast<uint64_t>(load.shape.record_count);
  run.result.bytes = run.result.requests * batch.size();
  return run.result;
}

}  // namespace leat::bench
