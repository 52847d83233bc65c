// bench_latency.cpp: leat bench latency: at a steady rate, how long until a record is acknowledged, and until a
// consumer that waits for it has it? A record is due at a time that does not depend on the answers before it, so that a
// stall is not hidden.
#include <fmt/format.h>

#include <deque>
#include <memory>

#include "cli/bench_connection.h"
#include "cli/bench_report.h"
#include "cli/bench_target.h"
#include "cli/command.h"
#include "core/codec/writer.h"
#include "core/record/batch_builder.h"
#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/produce.h"

namespace leat::cli {
namespace {

struct BenchLatencyOptions {
  std::string topic;
  int64_t rate = 1000;
  int64_t record_bytes = 100;
  int64_t seconds = 10;
  std::string acks = "all";
};

constexpr size_t kStampBytes = 16;  // run and due time, at the front of each value

class LatencyRun {
 public:
  LatencyRun(Session& session, const BenchLatencyOptions& options, BenchConnection producer, BenchConnection consumer,
             int64_t position)
      : session_(session),
        options_(options),
        producer_(std::move(producer)),
        consumer_(std::move(consumer)),
        position_(position),
        run_id_(session.clock.wall_ms()),
        value_(std::max<size_t>(static_cast<size_t>(options.record_bytes), kStampBytes), 'x') {}
  Result<void> run();
  void print() const;

 private:
  Result<void> send_due(Nanos now, Nanos end);
  Result<void> send_one(Nanos due);
  Result<void> on_ack(const Slice& answer);
  Result<void> ask();
  Result<void> on_fetched(const Slice& answer);
  Result<void> on_batch(const BatchView& batch);

  Session& session_;
  const BenchLatencyOptions& options_;
  BenchConnection producer_;
  BenchConnection consumer_;
  int64_t position_;
  int64_t run_id_;
  std::vector<uint8_t> value_;
  std::deque<Nanos> due_of_unacked_;
  std::deque<FrameTrain> waiting_frames_;
  Nanos next_due_{0};
  int64_t sent_count_ = 0;
  int64_t received_count_ = 0;
  bool asked_ = false;
  LatencyHistogram acks_;
  LatencyHistogram end_to_end_;
  BenchTotals totals_;
  Nanos elapsed_{0};
};

Result<void> LatencyRun::send_one(Nanos due) {
  to_big_endian(run_id_, value_.data());
  to_big_endian(due.count(), value_.data() + 8);
  BatchBuilder builder;
  builder.append({.value = ByteView(value_), .timestamp_ms = session_.clock.wall_ms()});
  TRY(batch, builder.finish());
  ProduceRequest request;
  request.acks = options_.acks == "1" ? int16_t{1} : int16_t{-1};
  request.timeout_ms = 30'000;
  auto& topic = request.topic_data.emplace_back();
  topic.name = options_.topic;
  topic.partition_data.push_back({.index = 0, .records = Records(std::move(batch))});
  TRY(train, prepare_frame(request, kBenchProduceVersion));
  waiting_frames_.push_back(std::move(train));
  due_of_unacked_.push_back(due);
  ++sent_count_;
  return {};
}

Result<void> LatencyRun::send_due(Nanos now, Nanos end) {
  const Nanos interval(1'000'000'000 / options_.rate);
  for (; next_due_ <= now && next_due_ < end && !interrupted(); next_due_ += interval) TRY(send_one(next_due_));
  for (;;) {
    TRY(producer_.send_some());
    if (producer_.wants_to_send() || waiting_frames_.empty()) return {};
    producer_.set_request(std::move(waiting_frames_.front()));
    waiting_frames_.pop_front();
    producer_.queue(1);
  }
}

Result<void> LatencyRun::on_ack(const Slice& answer) {
  const size_t error_position = 4 + 4 + 2 + options_.topic.size() + 4 + 4;
  if (answer.size() < error_position + 2 || due_of_unacked_.empty())
    return fail(Errc::kProtocol, "an answer that is none to a Produce v7");
  const auto code = static_cast<ErrorCode>(from_big_endian<int16_t>(answer.data() + error_position));
  if (code != ErrorCode::kNone)
    return fail(to_error(code, fmt::format("the broker refused a record of '{}'", options_.topic)));
  acks_.add(session_.clock.monotonic() - due_of_unacked_.front());
  due_of_unacked_.pop_front();
  ++totals_.requests;
  ++totals_.records;
  totals_.bytes += static_cast<int64_t>(value_.size());
  return {};
}

Result<void> LatencyRun::ask() {
  FetchRequest request;
  request.max_wait_ms = 500;
  request.min_bytes = 1;
  request.max_bytes = 1 << 20;
  auto& topic = request.topics.emplace_back();
  topic.topic = options_.topic;
  auto& partition = topic.partitions.emplace_back();
  partition.partition = 0;
  partition.fetch_offset = position_;
  partition.partition_max_bytes = 1 << 20;
  TRY(train, prepare_frame(request, kBenchFetchVersion));
  consumer_.set_request(std::move(train));
  consumer_.queue(1);
  asked_ = true;
  return consumer_.send_some();
}

Result<void> LatencyRun::on_batch(const BatchView& batch) {
  const Nanos now = session_.clock.monotonic();
  position_ = batch.next_offset().v;
  TRY(records, BatchRecords::open(batch, int64_t{64} << 20));
  for (;;) {
    TRY(record, records.next());
    if (!record) return {};
    const bool ours = record->value && record->value->size() >= kStampBytes &&
                      from_big_endian<int64_t>(record->value->data()) == run_id_;
    if (!ours) continue;
    end_to_end_.add(now - Nanos(from_big_endian<int64_t>(record->value->data() + 8)));
    ++received_count_;
  }
}

Result<void> LatencyRun::on_fetched(const Slice& answer) {
  asked_ = false;
  TRY(response, decode_response<FetchResponse>(answer, kBenchFetchVersion, 1));
  for (const auto& topic : response.responses) {
    for (const auto& data : topic.partitions) {
      if (data.error_code != ErrorCode::kNone) return fail(to_error(data.error_code, fmt::format("{}-0", topic.topic)));
      ByteView left = data.records ? data.records->first().view() : ByteView();
      while (!left.empty()) {
        TRY(batch, BatchView::parse(left));
        if (!batch) break;
        left = left.subspan(batch->bytes().size());
        TRY(on_batch(*batch));
      }
    }
  }
  return {};
}

Result<void> LatencyRun::run() {
  catch_interrupts();
  BenchConnection* const both[] = {&producer_, &consumer_};
  const Nanos begin = session_.clock.monotonic();
  const Nanos end = begin + std::chrono::seconds(options_.seconds);
  const Nanos give_up = end + Millis(session_.options.timeout_ms);
  next_due_ = begin;
  BenchProgress progress(session_, begin);
  for (Nanos now = begin;; now = session_.clock.monotonic()) {
    if (now > give_up)
      return fail(Errc::kTimedOut,
                  fmt::format("{} of {} records had come back {} ms after the end (--timeout waits longer)",
                              received_count_, sent_count_, session_.options.timeout_ms));
    TRY(send_due(now, end));
    TRY(producer_.receive_some([this](const Slice& answer) { return on_ack(answer); }));
    TRY(consumer_.receive_some([this](const Slice& answer) { return on_fetched(answer); }));
    if (!asked_) TRY(ask());
    TRY(consumer_.send_some());
    const bool ending = now >= end || interrupted();
    if (ending && due_of_unacked_.empty() && received_count_ >= sent_count_) break;
    progress.show(now, totals_, acks_);
    wait_for_any(both, std::min<Nanos>(ending ? Millis(200) : next_due_ - session_.clock.monotonic(), Millis(200)));
  }
  elapsed_ = session_.clock.monotonic() - begin;
  return {};
}

void LatencyRun::print() const {
  print_result(session_, {.name = "latency",
                          .elapsed = elapsed_,
                          .totals = totals_,
                          .latencies = acks_,
                          .latency_name = "ack",
                          .end_to_end = &end_to_end_});
}

Result<int> measure(Session& session, const BenchLatencyOptions& options) {
  TRY(target, find_bench_target(session, options.topic));
  TRY(end, list_offsets(*target.client, target.topic, kLatestOffset, {0}));
  const Millis timeout(session.options.timeout_ms);
  TRY(producer, BenchConnection::open(target.leaders[0], timeout));
  TRY(consumer, BenchConnection::open(target.leaders[0], timeout));
  LatencyRun run(session, options, std::move(producer), std::move(consumer), end[0].offset);
  TRY(run.run());
  run.print();
  return kExitOk;
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
  return [options](Session& session) { return measure(session, *options); };
}

}  // namespace leat::cli
