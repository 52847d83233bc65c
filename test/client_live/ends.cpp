// ends.cpp: clients that end at any moment and in any way, with everything under way: callbacks, coroutines that wait
// for outcomes, polls, commits, questions of the admin. See commands.h.
#include <atomic>
#include <cstdio>
#include <optional>

#include <leat/client.h>

#include "core/base/random.h"
#include "test/client_live/commands.h"
#include "test/client_live/ledger.h"

namespace leat::client_live {
namespace {

using client::Client;
using client::Consumer;
using client::Pending;
using client::Producer;
using client::ProducerRecord;
using client::Task;

constexpr int kLaneCount = 3;

struct Lane {
  Producer* producer;
  Ledger* ledger;
  const std::string* topic;
  const std::atomic<bool>* closing;  // set before the producer goes: no send() after that
  std::atomic<int>* running;
};

Task<> send_until_the_end(Lane lane) {
  while (!lane.closing->load()) {
    const RecordName name = lane.ledger->begin(0);
    const std::string value = lane.ledger->value_of(name, 20);
    const ProducerRecord record{.topic = *lane.topic, .value = value};
    const client::Result<client::DeliveredRecord> outcome = co_await lane.producer->send(record);
    lane.ledger->note(name.number, outcome);
    if (!outcome) break;
  }
  lane.running->fetch_sub(1);
}

// Everything that one client has under way. Members end in the opposite order: the client last.
class Life {
 public:
  Life(const Arguments& arguments, uint64_t seed) : dice_(seed), topic_(arguments.text("topic")) {
    client::ClientSettings settings;
    settings.bootstrap_servers = arguments.text("bootstrap");
    settings.connect_timeout_ms = 1'000;
    settings.request_timeout_ms = 2'000;
    client_ = need(Client::create(settings), "a client");
    client::ProducerSettings produces;
    produces.linger_ms = static_cast<int64_t>(dice_.below(5));
    produces.buffer_bytes_max = 20'000;  // some wait for room
    producer_ = need(client_->producer(produces), "a producer");
    client::ConsumerSettings consumes;
    consumes.group_id = topic_ + "-ends-" + std::to_string(seed);
    consumes.group_protocol = dice_.one_in(2) ? client::GroupProtocol::kConsumer : client::GroupProtocol::kClassic;
    consumer_ = need(client_->consumer(consumes), "a consumer");
  }

  void live() {
    need(consumer_->subscribe({topic_}), "subscribe()");
    for (int i = 0; i < kLaneCount; ++i) {
      ++running_;
      client_->spawn(send_until_the_end({producer_.get(), &ledger_, &topic_, &closing_, &running_}));
    }
    const uint64_t count = dice_.below(300);
    for (uint64_t i = 0; i < count; ++i) send_one();
    polling_.emplace(consumer_->poll(60'000));
    committing_.emplace(consumer_->commit());
    flushing_.emplace(producer_->flush(60'000));
    listing_.emplace(client_->admin().list_topics());
    pause(milliseconds(static_cast<int64_t>(dice_.below(40))));
  }

  void end() {
    closing_ = true;
    switch (dice_.below(4)) {
      case 0:  // in order, with a deadline that may be too short
        (void)producer_->close(static_cast<int64_t>(dice_.below(50))).wait();
        (void)consumer_->close(static_cast<int64_t>(dice_.below(50))).wait();
        break;
      case 1:  // without a word
        producer_.reset();
        consumer_.reset();
        break;
      case 2:  // the client first
        break;
      default:  // nobody waits for the ends
        producer_->close(60'000).ignore();
        consumer_->close(60'000).ignore();
        break;
    }
    client_.reset();
  }

  void check() {
    ledger_.check_told_once();
    require(running_ == 0, std::to_string(running_.load()) + " coroutines never went on");
    require(polling_->is_done(), "a poll() was never answered");
    require(committing_->is_done(), "a commit() was never answered");
    require(flushing_->is_done(), "a flush() was never answered");
    require(listing_->is_done(), "a list_topics() was never answered");
    if (!producer_) return;
    const client::Result<> late = producer_->send({.topic = topic_, .value = "late"}, {});
    require(!late && late.error().cause() == client::Cause::kClosed, "a producer whose client is gone takes records");
    const client::Result<client::Records> polled = consumer_->poll(10).wait();
    require(!polled && polled.error().cause() == client::Cause::kClosed, "a consumer whose client is gone polls");
  }

  size_t record_count() const { return ledger_.size(); }

 private:
  void send_one() {
    const RecordName name = ledger_.begin(1);
    const std::string value = ledger_.value_of(name, 50);
    const client::Result<> taken = producer_->send({.topic = topic_, .value = value}, ledger_.teller(name));
    if (taken) return;
    require(taken.error().cause() == client::Cause::kQueueFull, "send(): " + taken.error().message());
    ledger_.note(name.number, client::Result<client::DeliveredRecord>(taken.error()));  // refused is an outcome as well
  }

  SeededRandom dice_;
  const std::string topic_;
  Ledger ledger_;
  std::atomic<bool> closing_{false};
  std::atomic<int> running_{0};
  std::unique_ptr<Client> client_;
  std::unique_ptr<Producer> producer_;
  std::unique_ptr<Consumer> consumer_;
  std::optional<Pending<client::Records>> polling_;
  std::optional<Pending<>> committing_;
  std::optional<Pending<>> flushing_;
  std::optional<Pending<std::vector<client::TopicInfo>>> listing_;
};

}  // namespace

void ends(const Arguments& arguments) {
  const auto seed = static_cast<uint64_t>(arguments.number("seed", 1));
  const int64_t rounds = arguments.number("rounds", 20);
  size_t record_count = 0;
  for (int64_t round = 0; round < rounds; ++round) {
    Life life(arguments, seed + static_cast<uint64_t>(round));
    life.live();
    life.end();
    life.check();
    record_count += life.record_count();
  }
  std::printf("SUMMARY rounds=%lld records=%zu\n", static_cast<long long>(rounds), record_count);
}

}  // namespace leat::client_live
