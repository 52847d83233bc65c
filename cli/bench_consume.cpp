// bench_consume.cpp: leat bench consume: how fast does a broker give records? Each connection reads one partition from
// its begin, and begins again at its end.
#include <fmt/format.h>

#include <memory>

#include "cli/bench_connection.h"
#include "cli/bench_report.h"
#include "cli/bench_target.h"
#include "cli/command.h"
#include "core/record/batch.h"
#include "net/protocol/messages/fetch.h"

namespace leat::cli {
namespace {

struct BenchConsumeOptions {
  std::string topic;
  int64_t fetch_bytes = 1 << 20;
  int64_t connections = 1;
  int64_t seconds = 10;
  bool once = false;
  bool check_crc = false;
};

class ConsumeLoad {
 public:
  ConsumeLoad(Session& session, const BenchConsumeOptions& options) noexcept : session_(session), options_(options) {}
  Result<void> prepare();
  Result<void> run();
  void print() const;

 private:
  struct Lane {
    BenchConnection connection;
    int32_t partition;
    int64_t first;
    int64_t end;
    int64_t position;
    Nanos sent_at{0};
    bool waiting = false;
    bool done = false;
  };
  Result<void> ask(Lane& lane);
  Result<void> on_answer(Lane& lane, const Slice& answer);
  Result<void> on_records(Lane& lane, ByteView records);

  Session& session_;
  const BenchConsumeOptions& options_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  BenchTotals totals_;
  LatencyHistogram latencies_;
  Nanos elapsed_{0};
};

Result<void> ConsumeLoad::prepare() {
  TRY(target, find_bench_target(session_, options_.topic));
  TRY(first, list_offsets(*target.client, target.topic, kEarliestOffset));
  TRY(end, list_offsets(*target.client, target.topic, kLatestOffset));
  int64_t record_count = 0;
  for (int64_t i = 0; i < options_.connections; ++i) {
    const auto partition = static_cast<int32_t>(static_cast<size_t>(i) % target.leaders.size());
    TRY(connection,
        BenchConnection::open(target.leaders[static_cast<size_t>(partition)], Millis(session_.options.timeout_ms)));
    const int64_t begin = first[partition].offset;
    const bool empty = end[partition].offset <= begin;
    lanes_.push_back(std::make_unique<Lane>(Lane{.connection = std::move(connection),
                                                 .partition = partition,
                                                 .first = begin,
                                                 .end = end[partition].offset,
                                                 .position = begin,
                                                 .done = empty}));
    record_count += end[partition].offset - begin;
  }
  if (record_count > 0) return {};
  return fail(Errc::kNotFound,
              fmt::format("topic '{}' is empty. Fill it with: leat bench produce {}", options_.topic, options_.topic));
}

Result<void> ConsumeLoad::ask(Lane& lane) {
  FetchRequest request;
  request.max_wait_ms = 500;
  request.min_bytes = 1;
  request.max_bytes = static_cast<int32_t>(options_.fetch_bytes);
  auto& topic = request.topics.emplace_back();
  topic.topic = options_.topic;
  auto& partition = topic.partitions.emplace_back();
  partition.partition = lane.partition;
  partition.fetch_offset = lane.position;
  partition.partition_max_bytes = static_cast<int32_t>(options_.fetch_bytes);
  TRY(train, prepare_frame(request, kBenchFetchVersion));
  lane.connection.set_request(std::move(train));
  lane.connection.queue(1);
  lane.sent_at = session_.clock.monotonic();
  lane.waiting = true;
  return lane.connection.send_some();
}

Result<void> ConsumeLoad::on_records(Lane& lane, ByteView records) {
  while (!records.empty()) {
    TRY(found, BatchView::parse(records));
    if (!found) return {};
    if (options_.check_crc && !found->crc_matches()) {
      return fail(Errc::kCorrupt, fmt::format("the batch at offset {} has a wrong CRC", found->base_offset()));
    }
    records = records.subspan(found->bytes().size());
    totals_.records += found->record_count();
    lane.position = found->next_offset().v;
  }
  return {};
}

Result<void> ConsumeLoad::on_answer(Lane& lane, const Slice& answer) {
  latencies_.add(session_.clock.monotonic() - lane.sent_at);
  lane.waiting = false;
  ++totals_.requests;
  TRY(response, decode_response<FetchResponse>(answer, kBenchFetchVersion, 1));
  for (const auto& topic : response.responses) {
    for (const auto& data : topic.partitions) {
      if (data.error_code != ErrorCode::kNone) {
        return fail(to_error(data.error_code,
                             fmt::format("{}-{} at offset {}", topic.topic, data.partition_index, lane.position)));
      }
      if (!data.records) continue;
      totals_.bytes += static_cast<int64_t>(data.records->size());
      TRY(on_records(lane, data.records->first().view()));
    }
  }
  if (lane.position < lane.end) return {};
  lane.position = lane.first;
  lane.done = options_.once;
  return {};
}

Result<void> ConsumeLoad::run() {
  catch_interrupts();
  std::vector<BenchConnection*> connections;
  for (const auto& lane : lanes_) connections.push_back(&lane->connection);
  const Nanos begin = session_.clock.monotonic();
  const Nanos end = begin + std::chrono::seconds(options_.seconds);
  BenchProgress progress(session_, begin);
  for (Nanos now = begin; now < end && !interrupted(); now = session_.clock.monotonic()) {
    bool all_done = true;
    for (const auto& lane : lanes_) {
      TRY(lane->connection.receive_some([&](const Slice& answer) { return on_answer(*lane, answer); }));
      if (!lane->waiting && !lane->done) TRY(ask(*lane));
      TRY(lane->connection.send_some());
      all_done = all_done && lane->done;
      if (lane->waiting && now - lane->sent_at > Millis(session_.options.timeout_ms)) {
        return fail(Errc::kTimedOut, fmt::format("the broker has not answered for {} ms (--timeout waits longer)",
                                                 session_.options.timeout_ms));
      }
    }
    if (all_done) break;
    progress.show(now, totals_, latencies_);
    wait_for_any(connections, Millis(200));
  }
  elapsed_ = session_.clock.monotonic() - begin;
  return {};
}

void ConsumeLoad::print() const {
  print_result(
      session_,
      {.name = "consume", .elapsed = elapsed_, .totals = totals_, .latencies = latencies_, .latency_name = "fetch"});
}

}  // namespace

Action declare_bench_consume(Flags& flags) {
  const auto options = std::make_shared<BenchConsumeOptions>();
  flags.word("topic", options->topic, Need::kRequired, "What is read");
  flags.number("-s,--fetch-bytes", options->fetch_bytes, {.least = 1, .greatest = 1 << 30}, "Asked for in one fetch");
  flags.number("-c,--connections", options->connections, {.least = 1, .greatest = 10'000},
               "Connections, over the partitions in turn");
  flags.number("-d,--duration", options->seconds, {.least = 1, .greatest = 86'400}, "Seconds");
  flags.on_off("--once", options->once, "End when all was read once");
  flags.on_off("--check-crc", options->check_crc, "Check each batch's CRC, as consumers do");
  return [options](Session& session) -> Result<int> {
    ConsumeLoad load(session, *options);
    TRY(load.prepare());
    TRY(load.run());
    load.print();
    return kExitOk;
  };
}

}  // namespace leat::cli
