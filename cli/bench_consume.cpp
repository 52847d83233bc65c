// bench_consume.cpp: leat bench consume: how fast does a broker give records to this client? Each connection is a
// consumer that reads one partition from its begin, and begins again at its end.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/bench_loop.h"
#include "cli/bench_report.h"
#include "cli/command.h"
#include "cli/topic_lookup.h"

namespace leat::cli {
namespace {

constexpr int64_t kPollWaitMs = 200;

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
  ConsumeLoad(Session& session, const BenchConsumeOptions& options) : session_(session), options_(options) {}
  Result<void> prepare();
  Result<void> run();
  void print() const;

 private:
  struct Lane {
    client::TopicPartition partition;
    int64_t first = 0;
    int64_t end = 0;
    std::unique_ptr<client::Client> client;
    std::unique_ptr<client::Consumer> consumer;
  };
  Result<void> open(Lane& lane);
  client::ConsumerSettings settings() const;
  client::Task<> read(Lane* lane);
  bool goes_on(Lane& lane);
  void end_with(const client::Error& error);
  void sum_up();

  Session& session_;
  const BenchConsumeOptions& options_;
  size_t reading_ = 0;  // lanes that have not ended
  bool ending_ = false;
  std::optional<client::Error> error_;
  BenchTotals totals_;
  LatencyHistogram latencies_;
  Nanos elapsed_{0};
  BenchLoop loop_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

Result<void> ConsumeLoad::prepare() {
  TRY(topic, find_topic(session_, options_.topic));
  TRY(reach_leaders(session_, topic));
  TRY(partitions, chosen_partitions(session_, topic, {}));
  TRY(first, list_offsets(session_, options_.topic, partitions, client::kEarliestOffset));
  TRY(end, list_offsets(session_, options_.topic, partitions, client::kLatestOffset));
  for (int64_t i = 0; i < options_.connections; ++i) {
    const int32_t partition = partitions[static_cast<size_t>(i) % partitions.size()];
    auto lane = std::make_unique<Lane>();
    lane->partition = {.topic = options_.topic, .partition = partition};
    lane->first = first[partition].offset;
    lane->end = end[partition].offset;
    if (lane->end <= lane->first) continue;
    TRY(open(*lane));
    lanes_.push_back(std::move(lane));
  }
  if (!lanes_.empty()) return {};
  return fail(Errc::kNotFound,
              fmt::format("topic '{}' is empty. Fill it with: leat bench produce {}", options_.topic, options_.topic));
}

client::ConsumerSettings ConsumeLoad::settings() const {
  client::ConsumerSettings settings;
  settings.auto_offset_reset = client::OffsetReset::kNone;
  settings.fetch_bytes_max = static_cast<int32_t>(options_.fetch_bytes);
  settings.partition_fetch_bytes_max = static_cast<int32_t>(options_.fetch_bytes);
  settings.check_crcs = options_.check_crc ? client::CrcCheck::kYes : client::CrcCheck::kNo;
  return settings;
}

Result<void> ConsumeLoad::open(Lane& lane) {
  TRY(made, loop_.new_client(session_));
  lane.client = std::move(made);
  TRY(consumer, session_.checked(lane.client->consumer(settings())));
  lane.consumer = std::move(consumer);
  TRY(session_.checked(lane.consumer->assign({lane.partition})));
  return session_.checked(lane.consumer->seek(lane.partition, lane.first));
}

client::Task<> ConsumeLoad::read(Lane* lane) {
  while (!ending_) {
    const Nanos asked_at = session_.clock.monotonic();
    client::Pending<client::Records> pending = lane->consumer->poll(kPollWaitMs);
    const client::Result<client::Records> records = co_await std::move(pending);
    if (!records) end_with(records.error());
    if (ending_) break;
    int64_t count = 0;
    for (const client::RecordView& record : *records) count += record.offset >= lane->first ? 1 : 0;
    totals_.records += count;
    if (count > 0) latencies_.add(session_.clock.monotonic() - asked_at);
    if (!goes_on(*lane)) break;
  }
  if (--reading_ == 0) loop_.stop();
}

// At the end it begins again, but for --once.
bool ConsumeLoad::goes_on(Lane& lane) {
  const client::Result<int64_t> position = lane.consumer->position(lane.partition);
  if (!position || *position < lane.end) return true;
  if (options_.once) return false;
  const client::Result<> placed = lane.consumer->seek(lane.partition, lane.first);
  if (!placed) end_with(placed.error());
  return placed.has_value();
}

void ConsumeLoad::end_with(const client::Error& error) {
  if (!error_) error_ = error;
  ending_ = true;
}

void ConsumeLoad::sum_up() {
  totals_.requests = 0;
  totals_.bytes = 0;
  for (const auto& lane : lanes_) {
    const client::ConsumerStats stats = lane->consumer->stats();
    totals_.requests += static_cast<int64_t>(stats.fetches);
    totals_.bytes += static_cast<int64_t>(stats.bytes_fetched);
  }
}

Result<void> ConsumeLoad::run() {
  catch_interrupts();
  const Nanos begin = session_.clock.monotonic();
  const Nanos end = begin + std::chrono::seconds(options_.seconds);
  BenchProgress progress(session_, begin);
  reading_ = lanes_.size();
  for (const auto& lane : lanes_) lane->client->spawn(read(lane.get()));
  std::optional<Nanos> ended_at;
  loop_.run([&] {
    if (ending_) return;  // what comes until the last poll has ended counts no more
    const Nanos now = session_.clock.monotonic();
    sum_up();
    progress.show(now, totals_, latencies_);
    if (now < end && !interrupted()) return;
    ended_at = now;
    ending_ = true;
  });
  if (!ended_at) sum_up();
  elapsed_ = ended_at.value_or(session_.clock.monotonic()) - begin;
  if (error_) return fail(session_.failure(*error_));
  return {};
}

void ConsumeLoad::print() const {
  print_result(
      session_,
      {.name = "consume", .elapsed = elapsed_, .totals = totals_, .latencies = latencies_, .latency_name = "poll"});
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
