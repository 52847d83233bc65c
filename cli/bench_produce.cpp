// bench_produce.cpp: leat bench produce: how fast does a broker take records? One prepared request a connection, sent
// again and again with a number of them in flight.
#include <fmt/format.h>

#include <deque>
#include <memory>

#include "cli/bench_connection.h"
#include "cli/bench_report.h"
#include "cli/bench_target.h"
#include "cli/command.h"
#include "core/base/random.h"
#include "core/record/batch_builder.h"
#include "core/record/compression.h"
#include "net/protocol/messages/produce.h"

namespace leat::cli {
namespace {

struct BenchProduceOptions {
  std::string topic;
  int64_t record_bytes = 100;
  int64_t batch_records = 1000;
  int64_t connections = 1;
  int64_t in_flight = 8;
  int64_t seconds = 10;
  std::string compression = "none";
  std::string acks = "all";
};

class ProduceLoad {
 public:
  ProduceLoad(Session& session, const BenchProduceOptions& options) noexcept : session_(session), options_(options) {}
  Result<void> prepare();
  Result<void> run();
  void print() const;

 private:
  struct Lane {
    BenchConnection connection;
    size_t error_position;  // of the error code in an answer
    std::deque<Nanos> sent_at;
  };
  Result<Slice> make_batch() const;
  Result<void> on_answer(Lane& lane, const Slice& answer);
  Result<void> turn(Lane& lane, bool sending);

  Session& session_;
  const BenchProduceOptions& options_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  size_t batch_bytes_ = 0;
  int64_t in_flight_ = 0;
  BenchTotals totals_;
  LatencyHistogram latencies_;
  Nanos elapsed_{0};
};

Result<Slice> ProduceLoad::make_batch() const {
  BatchBuilder builder({.codec = codec_from_name(options_.compression).value_or(Codec::kNone)});
  SeededRandom random(1);
  std::vector<uint8_t> value(static_cast<size_t>(options_.record_bytes));
  for (int64_t i = 0; i < options_.batch_records; ++i) {
    for (uint8_t& byte : value) byte = static_cast<uint8_t>('a' + random.below(16));  // packs by about a half
    builder.append({.value = ByteView(value), .timestamp_ms = session_.clock.wall_ms()});
  }
  return builder.finish();
}

Result<void> ProduceLoad::prepare() {
  TRY(target, find_bench_target(session_, options_.topic));
  TRY(batch, make_batch());
  batch_bytes_ = batch.size();
  for (int64_t i = 0; i < options_.connections; ++i) {
    const auto partition = static_cast<size_t>(i) % target.leaders.size();
    ProduceRequest request;
    request.acks = options_.acks == "1" ? int16_t{1} : int16_t{-1};
    request.timeout_ms = 30'000;
    auto& topic = request.topic_data.emplace_back();
    topic.name = options_.topic;
    topic.partition_data.push_back({.index = static_cast<int32_t>(partition), .records = Records(batch)});
    TRY(train, prepare_frame(request, kBenchProduceVersion));
    TRY(connection, BenchConnection::open(target.leaders[partition], Millis(session_.options.timeout_ms)));
    connection.set_request(std::move(train));
    // correlation id, topic count, topic, partition count, index, then the error code
    const size_t error_position = 4 + 4 + 2 + options_.topic.size() + 4 + 4;
    lanes_.push_back(std::make_unique<Lane>(Lane{std::move(connection), error_position, {}}));
  }
  return {};
}

Result<void> ProduceLoad::on_answer(Lane& lane, const Slice& answer) {
  const Nanos now = session_.clock.monotonic();
  if (answer.size() < lane.error_position + 2 || lane.sent_at.empty()) {
    return fail(Errc::kProtocol, "an answer that is none to a Produce v7");
  }
  const auto code = static_cast<ErrorCode>(from_big_endian<int16_t>(answer.data() + lane.error_position));
  if (code != ErrorCode::kNone)
    return fail(to_error(code, fmt::format("the broker refused the records of '{}'", options_.topic)));
  latencies_.add(now - lane.sent_at.front());
  lane.sent_at.pop_front();
  --in_flight_;
  ++totals_.requests;
  totals_.records += options_.batch_records;
  totals_.bytes += options_.batch_records * options_.record_bytes;
  return {};
}

Result<void> ProduceLoad::turn(Lane& lane, bool sending) {
  TRY(lane.connection.receive_some([&](const Slice& answer) { return on_answer(lane, answer); }));
  const int64_t free_slots = options_.in_flight - static_cast<int64_t>(lane.sent_at.size());
  if (sending && free_slots > 0) {
    const Nanos now = session_.clock.monotonic();
    lane.connection.queue(free_slots);
    lane.sent_at.insert(lane.sent_at.end(), static_cast<size_t>(free_slots), now);
    in_flight_ += free_slots;
  }
  return lane.connection.send_some();
}

Result<void> ProduceLoad::run() {
  catch_interrupts();
  std::vector<BenchConnection*> connections;
  for (const auto& lane : lanes_) connections.push_back(&lane->connection);
  const Nanos begin = session_.clock.monotonic();
  const Nanos end = begin + std::chrono::seconds(options_.seconds);
  const Nanos give_up = end + Millis(session_.options.timeout_ms);
  BenchProgress progress(session_, begin);
  for (Nanos now = begin; now < end || in_flight_ > 0; now = session_.clock.monotonic()) {
    if (now > give_up)
      return fail(Errc::kTimedOut, fmt::format("the broker has not answered for {} ms (--timeout waits longer)",
                                               session_.options.timeout_ms));
    const bool sending = now < end && !interrupted();
    if (!sending && in_flight_ == 0) break;
    for (const auto& lane : lanes_) TRY(turn(*lane, sending));
    progress.show(now, totals_, latencies_);
    wait_for_any(connections, Millis(200));
  }
  elapsed_ = session_.clock.monotonic() - begin;
  return {};
}

void ProduceLoad::print() const {
  print_result(
      session_,
      {.name = "produce", .elapsed = elapsed_, .totals = totals_, .latencies = latencies_, .latency_name = "ack"});
}

}  // namespace

Action declare_bench_produce(Flags& flags) {
  const auto options = std::make_shared<BenchProduceOptions>();
  flags.word("topic", options->topic, Need::kRequired, "Where the records go; they stay there");
  flags.number("-s,--record-bytes", options->record_bytes, {.least = 0, .greatest = 100'000'000}, "Size of a value");
  flags.number("-n,--batch-records", options->batch_records, {.least = 1, .greatest = 1'000'000},
               "Records in a request");
  flags.number("-c,--connections", options->connections, {.least = 1, .greatest = 10'000},
               "Connections, over the partitions in turn");
  flags.number("-i,--in-flight", options->in_flight, {.least = 1, .greatest = 10'000},
               "Requests under way on each of them");
  flags.number("-d,--duration", options->seconds, {.least = 1, .greatest = 86'400}, "Seconds");
  flags.choice("-z,--compression", options->compression, {"none", "gzip", "snappy", "lz4", "zstd"},
               "How the batch is packed");
  flags.choice("-a,--acks", options->acks, {"all", "1"}, "Durable, or only written");
  return [options](Session& session) -> Result<int> {
    ProduceLoad load(session, *options);
    TRY(load.prepare());
    TRY(load.run());
    load.print();
    return kExitOk;
  };
}

}  // namespace leat::cli
