// rows.cpp: see rows.h.
#include "benchmarks/client/rows.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "benchmarks/client/order.h"
#include "benchmarks/client/program.h"
#include "benchmarks/load/scratch.h"
#include "benchmarks/macro/broker.h"

namespace leat::bench {
namespace {

constexpr double kProducedRecords = 3e6;
constexpr double kConsumedRecords = 5e6;
constexpr double kRoundTrips = 20'000;
constexpr double kQueuedRecords = 1e6;
constexpr double kRecordBytesOnDisk = 112;      // about, with 100 of value
constexpr const char* kNobody = "127.0.0.1:1";  // an address that nobody listens at
// A topic that is read has batches of these sizes side by side: one record, as a slow producer sends, up to half a
// megabyte.
constexpr std::array<int32_t, 5> kBatchRecords{1, 20, 300, 2'000, 5'000};
constexpr uint64_t kBatchesInARow = 8;

constexpr std::array kFigureNames{"records_s", "per_cpu_s", "broker_us", "p50_us",
                                  "p99_us",    "cpu_ns",    "grown_mb",  "peak_mb"};

struct ClientRow {
  std::string name;
  Order order;
  std::vector<Asked> asked;
};

using Named = std::vector<std::pair<const char*, double>>;

std::vector<Asked> throughput_asked(double least, double goal_per_cpu, double least_per_cpu) {
  return {{.figure = "records_s", .words = "records a second", .least = least},
          {.figure = "per_cpu_s", .words = "records a CPU second", .goal = goal_per_cpu, .least = least_per_cpu},
          {.figure = "broker_us", .words = "broker's CPU, us a record", .better = Asked::Better::kLess}};
}

// What a row shows of a contender's figures. The broker's CPU time is that of the whole order, its warm-up included.
Named shown(const Order& order, const Figures& figures, double broker_seconds) {
  const double warm_up = static_cast<double>(order.warm_up_count);
  switch (order.work) {
    case Order::Work::kProduce:
    case Order::Work::kConsume: {
      Named named{{"records_s", figures.records / figures.seconds}};
      if (figures.cpu_seconds > 0) named.emplace_back("per_cpu_s", figures.records / figures.cpu_seconds);
      if (broker_seconds > 0) named.emplace_back("broker_us", broker_seconds * 1e6 / (figures.records + warm_up));
      return named;
    }
    case Order::Work::kRoundTrip:
      return {{"p50_us", figures.p50_us}, {"p99_us", figures.p99_us}};
    case Order::Work::kQueue: {
      Named named{{"cpu_ns", figures.cpu_seconds * 1e9 / figures.records}};
      if (figures.resident_peak_mb <= 0) return named;  // a system without /proc
      named.emplace_back("peak_mb", figures.resident_peak_mb);
      named.emplace_back("grown_mb", figures.resident_peak_mb - figures.resident_before_mb);
      return named;
    }
  }
  return {};
}

// A topic of a row, deleted with it.
class BenchTopic {
 public:
  static Result<BenchTopic> create(int32_t partition_count) {
    static int number = 0;
    TopicPlan plan{
        .name = fmt::format("client-{}-{}", getpid(), ++number), .partition_count = partition_count, .configs = {}};
    TRY(create_topic(broker_address(), plan));
    return BenchTopic(std::move(plan.name));
  }
  BenchTopic(BenchTopic&& other) noexcept : name_(std::exchange(other.name_, "")) {}
  BenchTopic& operator=(BenchTopic&&) = delete;
  ~BenchTopic() {
    if (!name_.empty()) (void)delete_topic(broker_address(), name_);
  }
  const std::string& name() const noexcept { return name_; }

 private:
  explicit BenchTopic(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

// At least `record_count` records in batches of all sizes; gives how many they are.
Result<uint64_t> fill(const std::string& topic, const Order& order) {
  uint64_t filled = 0;
  while (filled < order.record_count) {
    for (const int32_t batch_records : kBatchRecords) {
      ProduceLoad load{.broker = broker_address(),
                       .target = {.topic = topic, .partition_count = order.partition_count},
                       .shape = {.record_count = batch_records,
                                 .record_bytes = order.record_bytes,
                                 .codec = order.codec == "lz4" ? Codec::kLz4 : Codec::kNone}};
      load.connections = order.partition_count;
      load.request_count = kBatchesInARow * static_cast<uint64_t>(order.partition_count);
      TRY(result, run_produce(load));
      filled += result.records;
    }
  }
  return filled;
}

Result<Named> run_contender(const Contender& contender, Order order) {
  order.style = contender.style;
  const double broker_before = broker_cpu_seconds();
  TRY(text, run_program(contender.program, to_arguments(order)));
  const double broker_seconds = broker_cpu_seconds() - broker_before;
  TRY(figures, parse_figures(text));
  return shown(order, figures, broker_seconds);
}

// One contender's turn at a row. What is consumed is there already, what is produced goes to a topic of its own.
Result<Named> take_turn(const Contender& contender, const Order& order) {
  if (order.work == Order::Work::kConsume || order.work == Order::Work::kQueue) return run_contender(contender, order);
  TRY(topic, BenchTopic::create(order.partition_count));
  Order own = order;
  own.topic = topic.name();
  const auto record_count = static_cast<double>(order.record_count + order.warm_up_count);
  touch_memory(static_cast<uint64_t>(record_count * kRecordBytesOnDisk));
  return run_contender(contender, own);
}

bool takes_part(const Contender& contender, const Order& order) {
  return order.work != Order::Work::kQueue || contender.style != "loop";  // memory does not depend on the style
}

// All contenders, one after the other; who begins changes with each repetition.
Result<void> take_turns(benchmark::State& state, const ClientRow& row, const std::vector<Contender>& contenders,
                        ContenderTable& table) {
  static size_t first = 0;
  Order order = row.order;
  std::optional<BenchTopic> read;
  if (order.work == Order::Work::kConsume) {
    TRY(topic, BenchTopic::create(order.partition_count));
    order.topic = topic.name();
    read.emplace(std::move(topic));
    touch_memory(static_cast<uint64_t>(static_cast<double>(order.record_count) * kRecordBytesOnDisk));
    TRY(record_count, fill(order.topic, order));
    order.record_count = record_count;
  }
  ++first;
  for (size_t i = 0; i < contenders.size(); ++i) {
    const Contender& contender = contenders[(first + i) % contenders.size()];
    if (!takes_part(contender, order)) continue;
    TRY(named, take_turn(contender, order));
    for (const auto& [figure, value] : named) {
      state.counters[contender.name + "_" + figure] = value;
      table.add(row.name, row.asked, contender.name, figure, value);
    }
  }
  return {};
}

void add_client_row(ClientRow row, const std::vector<Contender>& contenders, ContenderTable& table) {
  const std::string name = row.name;
  auto* const registered =
      benchmark::RegisterBenchmark(name.c_str(), [row = std::move(row), &contenders, &table](benchmark::State& state) {
        for ([[maybe_unused]] auto _ : state) {
          const auto begin = std::chrono::steady_clock::now();
          const Result<void> done = take_turns(state, row, contenders, table);
          if (!done) return state.SkipWithError(done.error().context.c_str());
          state.SetIterationTime(static_cast<double>(nanoseconds_since(begin)) / 1e9);
        }
      });
  configure(registered);
}

Order order_for(Order::Work work, int32_t partition_count, double record_count) {
  Order order{.work = work};
  const Address& broker = broker_address();
  order.broker = fmt::format("{}:{}", broker.host, broker.port);
  order.partition_count = partition_count;
  order.record_count = scaled(record_count);
  return order;
}

std::string partitions_text(int32_t count) { return count == 1 ? "1_partition" : fmt::format("{}_partitions", count); }

}  // namespace

std::vector<Contender> contenders_in(const std::string& folder) {
  std::vector<Contender> contenders;
  const std::string peer = folder + "/leat_bench_client_rdkafka";
  if (can_be_run(peer)) contenders.push_back({.name = kPeer, .program = peer, .style = "thread"});
  const std::string ours = folder + "/leat_bench_client_leat";
  contenders.push_back({.name = "leat_thread", .program = ours, .style = "thread"});
  contenders.push_back({.name = "leat_loop", .program = ours, .style = "loop"});
  return contenders;
}

std::vector<Figure> figures_of(const std::vector<Contender>& contenders) {
  std::vector<Figure> figures;
  for (const char* const name : kFigureNames) {
    for (const Contender& contender : contenders) {
      figures.push_back({.counter = contender.name + "_" + name, .shown_on_terminal = false});
    }
  }
  return figures;
}

void register_client_rows(const std::vector<Contender>& contenders, ContenderTable& table) {
  const std::vector<Asked> producing = throughput_asked(2, 5, 3);
  for (const int32_t partition_count : {1, 8}) {
    const std::string name = "client/produce_" + partitions_text(partition_count);
    Order order = order_for(Order::Work::kProduce, partition_count, kProducedRecords);
    order.warm_up_count = order.record_count / 10;
    add_client_row({.name = name, .order = order, .asked = producing}, contenders, table);
    order.codec = "lz4";
    add_client_row({.name = name + "_lz4", .order = order, .asked = producing}, contenders, table);
    order.codec = "none";
    order.sequences = Order::Sequences::kOn;
    add_client_row({.name = name + "_idempotent", .order = order, .asked = producing}, contenders, table);
  }
  const std::vector<Asked> consuming = throughput_asked(2, 5, 2.5);
  for (const int32_t partition_count : {1, 8}) {
    const std::string name = "client/consume_" + partitions_text(partition_count);
    Order order = order_for(Order::Work::kConsume, partition_count, kConsumedRecords);
    add_client_row({.name = name + "_crc_checked", .order = order, .asked = consuming}, contenders, table);
    order.crcs = Order::Crcs::kUnchecked;
    add_client_row({.name = name + "_crc_unchecked", .order = order, .asked = consuming}, contenders, table);
    order.crcs = Order::Crcs::kChecked;
    order.codec = "lz4";
    add_client_row({.name = name + "_lz4_crc_checked", .order = order, .asked = consuming}, contenders, table);
  }
  Order trips = order_for(Order::Work::kRoundTrip, 1, kRoundTrips);
  trips.linger_ms = 0;
  trips.warm_up_count = trips.record_count / 20;
  add_client_row({.name = "client/round_trip",
                  .order = trips,
                  .asked = {{.figure = "p50_us", .words = "p50, us", .better = Asked::Better::kLess, .least = 1},
                            {.figure = "p99_us", .words = "p99, us", .better = Asked::Better::kLess}}},
                 contenders, table);
  Order queued = order_for(Order::Work::kQueue, 1, kQueuedRecords);
  queued.broker = kNobody;
  add_client_row({.name = "client/queue",
                  .order = queued,
                  .asked = {{.figure = "peak_mb", .words = "resident, MB", .better = Asked::Better::kLess, .least = 1},
                            {.figure = "grown_mb", .words = "grown by, MB", .better = Asked::Better::kLess},
                            {.figure = "cpu_ns", .words = "CPU, ns a record", .better = Asked::Better::kLess}}},
                 contenders, table);
}

}  // namespace leat::bench
