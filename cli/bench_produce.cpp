// bench_produce.cpp: leat bench produce: how fast does a broker take records from this client? Each connection is a
// producer that has a number of batches under way, and makes the next one when one of them is acknowledged.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/bench_loop.h"
#include "cli/bench_report.h"
#include "cli/command.h"
#include "cli/size_limits.h"
#include "cli/suggest.h"
#include "core/base/random.h"
#include "core/record/compression.h"
#include "net/protocol/error_code.h"

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

constexpr int64_t kLingerMs = 1'000;  // batches leave because they are full
constexpr size_t kBatchBytesMax = 1'000'000'000;
constexpr size_t kBytesAroundRecordMax = 64;
constexpr size_t kDifferentValues = 4'096;
constexpr std::string_view kSmaller = "Smaller ones: fewer records (--batch-records), or smaller (--record-bytes)";

class ProduceLoad {
 public:
  ProduceLoad(Session& session, const BenchProduceOptions& options) : session_(session), options_(options) {}
  Result<void> prepare();
  Result<void> run();
  void print() const;

 private:
  struct Lane {
    ProduceLoad* load;
    int32_t partition;
    std::unique_ptr<client::Client> client;
    std::unique_ptr<client::Producer> producer;
    Nanos warm_since{0};  // the first acknowledgement: what was sent before waited for connections as well
  };
  // With what stands around the records.
  size_t batch_bytes() const noexcept;
  std::string batch_text() const;
  Result<void> check_flags() const;
  Result<void> check_size(const client::TopicInfo& topic) const;
  client::ProducerSettings settings() const;
  std::string_view next_value() noexcept;
  void send_batch(Lane& lane);
  void on_batch(Lane& lane, Nanos sent_at, const client::DeliveryReport& report);
  void end_with(const client::Error& error);

  Session& session_;
  const BenchProduceOptions& options_;
  std::string letters_;  // values are slices of it: they pack by about a half
  size_t next_letter_ = 0;
  bool sending_ = false;
  int64_t in_flight_ = 0;
  Nanos end_{0};
  std::optional<client::Error> error_;
  BenchTotals totals_;
  LatencyHistogram latencies_;
  Nanos elapsed_{0};
  BenchLoop loop_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // producers tell of their records to the last, of which all above knows
};

size_t ProduceLoad::batch_bytes() const noexcept {
  const size_t record_bytes = static_cast<size_t>(options_.record_bytes) + kBytesAroundRecordMax;
  return static_cast<size_t>(options_.batch_records) * record_bytes + kBytesAroundRecordMax;
}

std::string ProduceLoad::batch_text() const {
  return fmt::format("a batch of {} records of {} bytes has {} bytes", options_.batch_records, options_.record_bytes,
                     options_.batch_records * options_.record_bytes);
}

// A batch is one, or none: what is measured is told of its last record.
Result<void> ProduceLoad::check_flags() const {
  if (batch_bytes() <= kBatchBytesMax) return {};
  return fail(
      Errc::kInvalidArgument,
      with_hint(fmt::format("{}, which fits in no request: {} at most", batch_text(), kBatchBytesMax), kSmaller));
}

Result<void> ProduceLoad::check_size(const client::TopicInfo& topic) const {
  TRY(connected, session_.client());
  const std::optional<Error> refused = refuse_size(session_, ask_size_limits(*connected, topic), topic,
                                                   options_.compression == "none" ? Packed::kNo : Packed::kYes,
                                                   options_.batch_records * options_.record_bytes, batch_text());
  if (!refused) return {};
  return fail(session_.refusal(ErrorCode::kMessageTooLarge, with_hint(refused->context, kSmaller)));
}

client::ProducerSettings ProduceLoad::settings() const {
  client::ProducerSettings settings;
  settings.acks = options_.acks == "1" ? client::Acks::kLeader : client::Acks::kAll;
  settings.compression = static_cast<client::Compression>(codec_from_name(options_.compression).value_or(Codec::kNone));
  settings.linger_ms = kLingerMs;
  settings.batch_records_max = static_cast<int32_t>(options_.batch_records);
  settings.batch_bytes_max = batch_bytes();
  settings.request_bytes_max = kBatchBytesMax;
  settings.buffer_bytes_max = static_cast<size_t>(options_.in_flight + 1) * settings.batch_bytes_max;
  settings.requests_in_flight_max = static_cast<int32_t>(options_.in_flight);
  settings.request_timeout_ms = session_.options.timeout_ms;
  settings.delivery_timeout_ms = session_.options.timeout_ms + kLingerMs;
  return settings;
}

Result<void> ProduceLoad::prepare() {
  TRY(check_flags());  // before anybody makes a topic
  TRY(topic, find_bench_topic(session_, options_.topic));
  TRY(check_size(topic));
  SeededRandom random(1);
  letters_.resize(static_cast<size_t>(options_.record_bytes) + kDifferentValues);
  for (char& letter : letters_) letter = static_cast<char>('a' + random.below(16));
  for (int64_t i = 0; i < options_.connections; ++i) {
    const size_t place = static_cast<size_t>(i) % topic.partitions.size();
    auto lane = std::make_unique<Lane>();
    lane->load = this;
    lane->partition = topic.partitions[place].partition;
    TRY(made, loop_.new_client(session_));
    lane->client = std::move(made);
    TRY(producer, session_.checked(lane->client->producer(settings())));
    lane->producer = std::move(producer);
    lanes_.push_back(std::move(lane));
  }
  return {};
}

std::string_view ProduceLoad::next_value() noexcept {
  constexpr size_t kStep = 61;
  next_letter_ = (next_letter_ + kStep) % kDifferentValues;
  return std::string_view(letters_).substr(next_letter_, static_cast<size_t>(options_.record_bytes));
}

// Somebody is told of the last record alone, which stands for all of its batch.
void ProduceLoad::send_batch(Lane& lane) {
  const Nanos now = session_.clock.monotonic();
  client::ProducerRecord record{.topic = options_.topic, .partition = lane.partition};
  for (int64_t left = options_.batch_records; left > 0; --left) {
    record.value = next_value();
    client::DeliveryCallback on_delivery;
    if (left == 1) {
      on_delivery = [to = &lane, sent_at = now](const client::DeliveryReport& report) {
        to->load->on_batch(*to, sent_at, report);
      };
    }
    const client::Result<> taken = lane.producer->send(record, std::move(on_delivery));
    if (!taken) return end_with(taken.error());
  }
  ++in_flight_;
}

void ProduceLoad::on_batch(Lane& lane, Nanos sent_at, const client::DeliveryReport& report) {
  --in_flight_;
  if (!report.ok()) return end_with(*report.error);
  const Nanos now = session_.clock.monotonic();
  if (lane.warm_since == Nanos(0)) lane.warm_since = now;
  if (sent_at >= lane.warm_since) latencies_.add(now - sent_at);
  ++totals_.requests;
  totals_.records += options_.batch_records;
  totals_.bytes += options_.batch_records * options_.record_bytes;
  if (now >= end_) sending_ = false;
  if (sending_) return send_batch(lane);
  if (in_flight_ == 0) loop_.stop();
}

void ProduceLoad::end_with(const client::Error& error) {
  if (!error_) error_ = error;
  sending_ = false;
  loop_.stop();
}

Result<void> ProduceLoad::run() {
  catch_interrupts();
  const Nanos begin = session_.clock.monotonic();
  end_ = begin + std::chrono::seconds(options_.seconds);
  BenchProgress progress(session_, begin);
  sending_ = true;
  for (const auto& lane : lanes_) {
    for (int64_t i = 0; i < options_.in_flight && sending_; ++i) send_batch(*lane);
  }
  const auto on_tick = [&] {
    const Nanos now = session_.clock.monotonic();
    if (now >= end_ || interrupted()) sending_ = false;
    progress.show(now, totals_, latencies_);
    if (!sending_ && in_flight_ == 0) loop_.stop();
  };
  if (!error_) loop_.run(on_tick);
  elapsed_ = session_.clock.monotonic() - begin;
  if (error_) return fail(session_.failure(*error_));
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
