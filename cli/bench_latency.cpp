// bench_latency.cpp: leat bench latency: at a steady rate, how long until a record is acknowledged, and until a
// consumer that waits for it has it? A record is due at a time that does not depend on the answers before it, so that a
// stall is not hidden. Sent from this thread; told, and consumed, in the client's.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "cli/bench_loop.h"
#include "cli/bench_report.h"
#include "cli/command.h"
#include "cli/topic_lookup.h"
#include "core/base/bytes.h"
#include "core/codec/byte_order.h"

namespace leat::cli {
namespace {

constexpr size_t kStampBytes = 16;  // run and due time, at the front of each value
constexpr int32_t kPartition = 0;
constexpr Nanos kLookAtMost = Millis(200);  // for interrupts, progress and the end
constexpr size_t kBufferBytes = size_t{256} << 20;
constexpr size_t kBytesAroundRecordMax = 1'024;

struct BenchLatencyOptions {
  std::string topic;
  int64_t rate = 1000;
  int64_t record_bytes = 100;
  int64_t seconds = 10;
  std::string acks = "all";
};

// Waits on nothing but the time; a loop's timers count in milliseconds.
void wait_for(Nanos duration) noexcept {
  const Nanos least = std::max(duration, Nanos(0));
#ifdef __linux__
  const timespec time{.tv_sec = static_cast<time_t>(least.count() / 1'000'000'000),
                      .tv_nsec = least.count() % 1'000'000'000};
  (void)::ppoll(nullptr, 0, &time, nullptr);
#else
  (void)::poll(nullptr, 0, static_cast<int>(least.count() / 1'000'000));
#endif
}

// Written in the client's thread, read in the command's. Shared, for a consumer that is destroyed may tell once more.
class Measured {
 public:
  Measured(const Clock& clock, int64_t run_id, int64_t record_bytes) noexcept
      : clock_(clock), run_id_(run_id), record_bytes_(record_bytes) {}

  void on_ack(Nanos due, const client::DeliveryReport& report) {
    const std::lock_guard held(mutex_);
    if (!report.ok()) return note(*report.error);
    acks_.add(clock_.monotonic() - due);
    ++totals_.requests;
    ++totals_.records;
    totals_.bytes += record_bytes_;
  }
  client::Consumer::Continue on_records(const client::Result<client::Records>& records) {
    const std::lock_guard held(mutex_);
    if (!records) {
      note(records.error());
      return client::Consumer::Continue::kStop;
    }
    const Nanos now = clock_.monotonic();
    for (const client::RecordView& record : *records) on_record(record, now);
    return client::Consumer::Continue::kGoOn;
  }

  int64_t received_count() const {
    const std::lock_guard held(mutex_);
    return received_count_;
  }
  bool has_all(int64_t sent_count) const {
    const std::lock_guard held(mutex_);
    return totals_.records >= sent_count && received_count_ >= sent_count;
  }
  std::optional<client::Error> error() const {
    const std::lock_guard held(mutex_);
    return error_;
  }
  void show(BenchProgress& progress, Nanos now) const {
    const std::lock_guard held(mutex_);
    progress.show(now, totals_, acks_);
  }
  void print(Session& session, Nanos elapsed) const {
    const std::lock_guard held(mutex_);
    print_result(session, {.name = "latency",
                           .elapsed = elapsed,
                           .totals = totals_,
                           .latencies = acks_,
                           .latency_name = "ack",
                           .end_to_end = &end_to_end_});
  }

 private:
  void note(const client::Error& error) {
    if (!error_) error_ = error;
  }
  void on_record(const client::RecordView& record, Nanos now) {
    if (!record.value || record.value->size() < kStampBytes) return;
    const uint8_t* const stamp = as_bytes(*record.value).data();
    if (from_big_endian<int64_t>(stamp) != run_id_) return;
    end_to_end_.add(now - Nanos(from_big_endian<int64_t>(stamp + 8)));
    ++received_count_;
  }

  const Clock& clock_;
  const int64_t run_id_;
  const int64_t record_bytes_;
  mutable std::mutex mutex_;
  BenchTotals totals_;
  LatencyHistogram acks_;
  LatencyHistogram end_to_end_;
  int64_t received_count_ = 0;
  std::optional<client::Error> error_;
};

class LatencyRun {
 public:
  LatencyRun(Session& session, const BenchLatencyOptions& options)
      : session_(session),
        options_(options),
        run_id_(session.clock.wall_ms()),
        value_(static_cast<size_t>(options.record_bytes), 'x'),
        measured_(std::make_shared<Measured>(session.clock, run_id_, options.record_bytes)) {}
  Result<void> prepare();
  Result<void> run();
  void print() const { measured_->print(session_, elapsed_); }

 private:
  client::ProducerSettings producer_settings() const;
  Result<void> open_consumer(client::Client& on, int64_t position);
  Result<void> send_due(Nanos now, Nanos end);
  Result<void> send_one(Nanos due);

  Session& session_;
  const BenchLatencyOptions& options_;
  const int64_t run_id_;
  std::string value_;
  const std::shared_ptr<Measured> measured_;
  std::unique_ptr<client::Producer> producer_;
  std::unique_ptr<client::Consumer> consumer_;
  Nanos next_due_{0};
  int64_t sent_count_ = 0;
  Nanos elapsed_{0};
};

// Each record is a request of its own, whatever is under way.
client::ProducerSettings LatencyRun::producer_settings() const {
  constexpr int32_t kInFlightMax = 1'000;
  client::ProducerSettings settings;
  settings.acks = options_.acks == "1" ? client::Acks::kLeader : client::Acks::kAll;
  settings.idempotence = client::Idempotence::kOff;
  settings.linger_ms = 0;
  settings.batch_records_max = 1;
  settings.batch_bytes_max = static_cast<size_t>(options_.record_bytes) + kBytesAroundRecordMax;
  settings.request_bytes_max = std::max(settings.request_bytes_max, settings.batch_bytes_max);
  settings.buffer_bytes_max = kBufferBytes;
  settings.requests_in_flight_max = kInFlightMax;
  settings.request_timeout_ms = session_.options.timeout_ms;
  settings.delivery_timeout_ms = session_.options.timeout_ms;
  return settings;
}

Result<void> LatencyRun::open_consumer(client::Client& on, int64_t position) {
  client::ConsumerSettings settings;
  settings.auto_offset_reset = client::OffsetReset::kNone;
  TRY(consumer, session_.checked(on.consumer(settings)));
  consumer_ = std::move(consumer);
  const client::TopicPartition partition{.topic = options_.topic, .partition = kPartition};
  TRY(session_.checked(consumer_->assign({partition})));
  TRY(session_.checked(consumer_->seek(partition, position)));
  consumer_->poll_each(
      [measured = measured_](const client::Result<client::Records>& records) { return measured->on_records(records); });
  return {};
}

Result<void> LatencyRun::prepare() {
  TRY(topic, find_bench_topic(session_, options_.topic));
  TRY(end, list_offsets(session_, topic.name, {kPartition}, client::kLatestOffset));
  TRY(connected, session_.client());
  TRY(open_consumer(*connected, end[kPartition].offset));
  TRY(producer, session_.checked(connected->producer(producer_settings())));
  producer_ = std::move(producer);
  return {};
}

Result<void> LatencyRun::send_one(Nanos due) {
  auto* const stamp = reinterpret_cast<uint8_t*>(value_.data());
  to_big_endian(run_id_, stamp);
  to_big_endian(due.count(), stamp + 8);
  const client::ProducerRecord record{.topic = options_.topic, .value = value_, .partition = kPartition};
  const auto on_delivery = [to = measured_.get(), due](const client::DeliveryReport& report) {
    to->on_ack(due, report);
  };
  for (;;) {
    const client::Result<> taken = producer_->send(record, on_delivery);
    if (taken) break;
    if (taken.error().cause() != client::Cause::kQueueFull) return fail(session_.failure(taken.error()));
    TRY(session_.wait(producer_->ready()));
  }
  ++sent_count_;
  return {};
}

Result<void> LatencyRun::send_due(Nanos now, Nanos end) {
  const Nanos interval(1'000'000'000 / options_.rate);
  for (; next_due_ <= now && next_due_ < end && !interrupted(); next_due_ += interval) TRY(send_one(next_due_));
  return {};
}

Result<void> LatencyRun::run() {
  catch_interrupts();
  const Nanos begin = session_.clock.monotonic();
  const Nanos end = begin + std::chrono::seconds(options_.seconds);
  const Nanos give_up = end + Millis(session_.options.timeout_ms);
  next_due_ = begin;
  BenchProgress progress(session_, begin);
  for (Nanos now = begin;; now = session_.clock.monotonic()) {
    if (now > give_up)
      return fail(Errc::kTimedOut,
                  fmt::format("{} of {} records had come back {} ms after the end (--timeout waits longer)",
                              measured_->received_count(), sent_count_, session_.options.timeout_ms));
    TRY(send_due(now, end));
    if (const std::optional<client::Error> error = measured_->error()) return fail(session_.failure(*error));
    const bool ending = now >= end || interrupted();
    if (ending && measured_->has_all(sent_count_)) break;
    measured_->show(progress, now);
    constexpr Nanos kLastLooks = Millis(1);  // the last records are on their way
    wait_for(std::min(ending ? kLastLooks : next_due_ - session_.clock.monotonic(), kLookAtMost));
  }
  elapsed_ = session_.clock.monotonic() - begin;
  return {};
}

}  // namespace

Action declare_bench_latency(Flags& flags) {
  const auto options = std::make_shared<BenchLatencyOptions>();
  flags.word("topic", options->topic, Need::kRequired, "Where the records go; partition 0 is used");
  flags.number("-r,--rate", options->rate, {.least = 1, .greatest = 1'000'000},
               "Records a second, each a request of its own");
  flags.number("-s,--record-bytes", options->record_bytes, {.least = 16, .greatest = 10'000'000}, "Size of a value");
  flags.number("-d,--duration", options->seconds, {.least = 1, .greatest = 86'400}, "Seconds");
  flags.choice("-a,--acks", options->acks, {"all", "1"}, "Durable, or only written");
  return [options](Session& session) -> Result<int> {
    LatencyRun run(session, *options);
    TRY(run.prepare());
    TRY(run.run());
    run.print();
    return kExitOk;
  };
}

}  // namespace leat::cli
