// load.cpp: the command that produces under trouble, and checks what came of it: see commands.h.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>

#include "core/base/random.h"
#include "test/client_live/commands.h"
#include "test/client_live/readers.h"

namespace leat::client_live {
namespace {

using client::Producer;
using client::ProducerRecord;
using client::Task;

constexpr int64_t kFlushMs = 240'000;

void make_topic(const LoadPlan& plan) {
  const auto client = make_client(plan);
  client::NewTopic topic{
      .name = plan.topic, .partition_count = plan.partition_count, .replication_factor = plan.replication_factor};
  if (plan.min_in_sync_replicas > 0) {
    topic.configs["min.insync.replicas"] = std::to_string(plan.min_in_sync_replicas);
  }
  for (;;) {
    const client::Result<client::TopicInfo> made = client->admin().create_topic(topic).wait();
    // The answer to a try before may have been lost.
    if (made || made.error().name() == "TOPIC_ALREADY_EXISTS") return;
    require(made.error().is_retriable() && Clock::now() < plan.deadline, "a topic: " + made.error().message());
  }
}

// How many records, and when the next one.
class Pace {
 public:
  explicit Pace(const LoadPlan& plan) : plan_(plan), begin_(Clock::now()) {}
  bool goes_on(uint64_t sent) const {
    if (plan_.duration.count() == 0) return sent < plan_.record_count;
    if (plan_.records_per_second > 0) {
      const auto due = begin_ + milliseconds(static_cast<int64_t>(sent) * 1'000 / plan_.records_per_second);
      const auto early = std::chrono::duration_cast<milliseconds>(due - Clock::now());
      if (early.count() > 0) pause(early);
    }
    return Clock::now() < begin_ + plan_.duration;
  }

 private:
  const LoadPlan& plan_;
  const Clock::time_point begin_;
};

void send_by_callbacks(const LoadPlan& plan, Producer& producer, Ledger& ledger) {
  SeededRandom dice(plan.seed + 1);
  const Pace pace(plan);
  while (pace.goes_on(ledger.size())) {
    require(ledger.wait_until_open(plan.open_max - 1, plan.deadline),
            std::to_string(ledger.open()) + " records have no outcome, and time is over");
    const auto key = static_cast<int32_t>(dice.below(static_cast<uint64_t>(plan.key_count)));
    const RecordName name = ledger.begin(key);
    const std::string key_text = "k" + std::to_string(key);
    const std::string value = ledger.value_of(name, dice.below(plan.padding_bytes_max + 1));
    const ProducerRecord record{.topic = plan.topic, .key = key_text, .value = value};
    for (;;) {
      const client::Result<> taken = producer.send(record, ledger.teller(name));
      if (taken) break;
      require(taken.error().cause() == client::Cause::kQueueFull, "send(): " + taken.error().message());
      need(producer.ready(), "ready()");
    }
  }
}

// Coroutines that send one record after the other, each with keys of its own.
struct Lanes {
  const LoadPlan& plan;
  Producer* producer;
  Ledger& ledger;
  std::atomic<int64_t> left;
  std::mutex mutex = {};
  std::condition_variable ended = {};
  int64_t running = 0;
};

Task<> send_lane(Lanes* lanes, int32_t key) {
  const LoadPlan& plan = lanes->plan;
  SeededRandom dice(plan.seed * 1'000 + static_cast<uint64_t>(key));
  const std::string key_text = "k" + std::to_string(key);
  while (lanes->left.fetch_sub(1) > 0) {
    const RecordName name = lanes->ledger.begin(key);
    const std::string value = lanes->ledger.value_of(name, dice.below(plan.padding_bytes_max + 1));
    const ProducerRecord record{.topic = plan.topic, .key = key_text, .value = value};
    const client::Result<client::DeliveredRecord> outcome = co_await lanes->producer->send(record);
    lanes->ledger.note(name.number, outcome);
  }
  const std::lock_guard held(lanes->mutex);
  --lanes->running;
  lanes->ended.notify_all();
}

void await_lanes(client::Client& client, Lanes& lanes) {
  lanes.running = lanes.plan.key_count;
  for (int64_t key = 0; key < lanes.plan.key_count; ++key) {
    client.spawn(send_lane(&lanes, static_cast<int32_t>(key)));
  }
  std::unique_lock held(lanes.mutex);
  const bool all = lanes.ended.wait_until(held, lanes.plan.deadline, [&lanes] { return lanes.running == 0; });
  if (!all) lanes.left = 0;  // they end with the client, and must not begin another record
  require(all, std::to_string(lanes.running) + " coroutines wait for an outcome, and time is over");
}

client::ProducerStats produce(const LoadPlan& plan, Ledger& ledger) {
  Lanes lanes{
      .plan = plan,
      .producer = nullptr,
      .ledger = ledger,
      .left = static_cast<int64_t>(plan.record_count)};  // it outlives the coroutines, which end with the client
  const auto client = make_client(plan);
  const auto producer = need(client->producer(plan.producer_settings), "a producer");
  lanes.producer = producer.get();
  if (plan.form == SendForm::kAwaited) {
    await_lanes(*client, lanes);
  } else {
    send_by_callbacks(plan, *producer, ledger);
  }
  need(producer->flush(kFlushMs), "flush()");
  require(ledger.open() == 0, "flush() was answered, and " + std::to_string(ledger.open()) + " have no outcome");
  const client::ProducerStats stats = producer->stats();
  require(stats.buffered_bytes == 0 && stats.buffered_records == 0, "everything was told, and something is buffered");
  need(producer->close(10'000), "the producer's close()");
  return stats;
}

Ends ends_of(const LoadPlan& plan, client::Client& client) {
  std::map<client::TopicPartition, int64_t> asked;
  for (int32_t i = 0; i < plan.partition_count; ++i) {
    asked[{.topic = plan.topic, .partition = i}] = client::kLatestOffset;
  }
  for (;;) {
    const auto found = client.admin().list_offsets(asked).wait();
    if (found) {
      Ends ends;
      for (const auto& [name, end] : *found) ends[name.partition] = end.offset;
      return ends;
    }
    require(found.error().is_retriable() && Clock::now() < plan.deadline, "list_offsets: " + found.error().message());
  }
}

void read_all(const LoadPlan& plan, client::Client& client, const Ends& ends, ReadBack& read) {
  client::ConsumerSettings settings;
  settings.auto_offset_reset = client::OffsetReset::kEarliest;
  const auto consumer = need(client.consumer(settings), "a consumer");
  std::vector<client::TopicPartition> names;
  for (const auto& [partition, end] : ends) names.push_back({.topic = plan.topic, .partition = partition});
  need(consumer->assign(names), "assign()");
  while (!read.has_reached(ends)) {
    require(Clock::now() < plan.deadline, "what is stored cannot be read in time");
    const client::Records records = need(consumer->poll(1'000), "poll()");
    for (const client::RecordView& record : records) read.note(record);
  }
}

}  // namespace

void load(const Arguments& arguments) {
  const LoadPlan plan = make_load_plan(arguments);
  const Clock::time_point begin = Clock::now();
  Ledger ledger;
  make_topic(plan);
  std::optional<Follower> follower;
  if (plan.follows) follower.emplace(plan, ledger);
  GroupReaders group(plan, ledger);
  const client::ProducerStats stats = produce(plan, ledger);
  ledger.check_told_once();
  std::puts("PRODUCED");
  std::fflush(stdout);

  const auto client = make_client(plan);
  const Ends ends = ends_of(plan, *client);
  ReadBack read(ledger);
  read_all(plan, *client, ends, read);
  read.check(plan.promise, ends);
  if (follower) follower->finish(ends, read);
  group.finish(ends);
  const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  std::printf("SUMMARY records=%zu failed=%zu batches=%llu retried=%llu ms=%lld\n", ledger.size(), ledger.failed(),
              static_cast<unsigned long long>(stats.batches_sent),
              static_cast<unsigned long long>(stats.batches_retried), static_cast<long long>(took.count()));
}

}  // namespace leat::client_live
