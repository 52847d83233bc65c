// load_plan.cpp: see load_plan.h.
#include "test/client_live/load_plan.h"

#include <array>
#include <span>
#include <vector>

#include "core/base/random.h"

namespace leat::client_live {
namespace {

using client::ClassicAssignor;
using client::Compression;

template <class T>
T pick(SeededRandom& dice, std::span<const T> from) {
  return from[dice.below(from.size())];
}

Promise promise_named(const std::string& name) {
  if (name == "exactly-once") return Promise::kExactlyOnce;
  if (name == "given-up") return Promise::kGivenUp;
  require(name == "at-least-once", "--promise '" + name + "': exactly-once, given-up or at-least-once");
  return Promise::kAtLeastOnce;
}

client::GroupProtocol protocol_named(const std::string& name, SeededRandom& dice) {
  if (name == "consumer") return client::GroupProtocol::kConsumer;
  if (name == "classic") return client::GroupProtocol::kClassic;
  if (name == "auto") return client::GroupProtocol::kAuto;
  require(name == "any", "--protocol '" + name + "': consumer, classic, auto or any");
  return dice.one_in(2) ? client::GroupProtocol::kConsumer : client::GroupProtocol::kClassic;
}

client::ClientSettings make_client_settings(const std::string& bootstrap) {
  client::ClientSettings settings;
  settings.bootstrap_servers = bootstrap;
  settings.connect_timeout_ms = 1'000;
  settings.request_timeout_ms = 2'000;
  settings.reconnect_backoff_ms = 10;
  settings.reconnect_backoff_max_ms = 200;
  settings.retry_backoff_ms = 10;
  settings.retry_backoff_max_ms = 200;
  return settings;
}

client::ProducerSettings make_producer_settings(SeededRandom& dice, Promise promise) {
  constexpr std::array<int64_t, 4> kLingerMs{0, 1, 5, 20};
  constexpr std::array<int32_t, 4> kBatchRecords{1, 3, 10, 1'000};
  constexpr std::array<size_t, 3> kBufferBytes{20'000, 200'000, size_t{32} << 20};
  constexpr std::array kCodecs{Compression::kNone,   Compression::kNone, Compression::kGzip,
                               Compression::kSnappy, Compression::kLz4,  Compression::kZstd};
  client::ProducerSettings settings;
  settings.linger_ms = pick<int64_t>(dice, kLingerMs);
  settings.batch_records_max = pick<int32_t>(dice, kBatchRecords);
  settings.buffer_bytes_max = pick<size_t>(dice, kBufferBytes);
  settings.compression = pick<Compression>(dice, kCodecs);
  settings.requests_in_flight_max = static_cast<int32_t>(1 + dice.below(5));
  settings.request_timeout_ms = 2'000;
  settings.retry_backoff_ms = 10;
  settings.retry_backoff_max_ms = 200;
  if (promise == Promise::kGivenUp) {
    settings.request_timeout_ms = 150;
    settings.delivery_timeout_ms = 200 + static_cast<int64_t>(dice.below(500));
  }
  if (promise == Promise::kAtLeastOnce) {
    settings.idempotence = client::Idempotence::kOff;
    settings.acks = dice.one_in(2) ? client::Acks::kLeader : client::Acks::kAll;
  } else {
    settings.idempotence = client::Idempotence::kRequired;
  }
  return settings;
}

client::ConsumerSettings make_member_settings(SeededRandom& dice, const std::string& topic,
                                              const std::string& protocol) {
  const std::vector<std::vector<ClassicAssignor>> assignors{
      {ClassicAssignor::kRange, ClassicAssignor::kCooperativeSticky},
      {ClassicAssignor::kRoundRobin},
      {ClassicAssignor::kCooperativeSticky}};
  client::ConsumerSettings settings;
  settings.group_id = topic + "-readers";
  settings.group_protocol = protocol_named(protocol, dice);
  settings.classic_assignors = assignors[dice.below(assignors.size())];
  settings.auto_offset_reset = client::OffsetReset::kEarliest;
  settings.auto_commit_interval_ms = 300;
  settings.session_timeout_ms = 3'000;
  settings.heartbeat_interval_ms = 200;
  settings.rebalance_timeout_ms = 3'000;
  settings.fetch_wait_max_ms = 100;
  return settings;
}

}  // namespace

LoadPlan make_load_plan(const Arguments& arguments) {
  LoadPlan plan;
  plan.seed = static_cast<uint64_t>(arguments.number("seed", 1));
  SeededRandom dice(plan.seed);
  plan.topic = arguments.text("topic");
  plan.promise = promise_named(arguments.text("promise", "exactly-once"));
  plan.client_settings = make_client_settings(arguments.text("bootstrap"));
  plan.producer_settings = make_producer_settings(dice, plan.promise);
  plan.member_settings = make_member_settings(dice, plan.topic, arguments.text("protocol", "any"));
  const auto any_partitions = static_cast<int64_t>(1 + dice.below(4));
  const auto any_keys = static_cast<int64_t>(1 + dice.below(16));
  plan.partition_count = static_cast<int32_t>(arguments.number("partitions", any_partitions));
  plan.replication_factor = static_cast<int16_t>(arguments.number("replicas", -1));
  plan.min_in_sync_replicas = arguments.number("min-isr", 0);
  plan.key_count = arguments.number("keys", any_keys);
  plan.record_count = static_cast<uint64_t>(arguments.number("records", 500));
  plan.duration = seconds(arguments.number("seconds", 0));
  plan.records_per_second = arguments.number("rate", 0);
  constexpr std::array<int64_t, 3> kOpen{20, 100, 400};
  plan.open_max = static_cast<size_t>(arguments.number("window", pick<int64_t>(dice, kOpen)));
  constexpr std::array<uint64_t, 3> kPadding{10, 200, 4'000};
  plan.padding_bytes_max = pick<uint64_t>(dice, kPadding);
  plan.form = dice.one_in(4) ? SendForm::kAwaited : SendForm::kCallbacks;
  if (plan.duration.count() > 0) plan.form = SendForm::kCallbacks;
  plan.follows = arguments.number("follow", 1) != 0;
  plan.member_count = arguments.number("members", 0);
  plan.deadline = Clock::now() + seconds(arguments.number("deadline", 60));
  return plan;
}

std::unique_ptr<client::Client> make_client(const LoadPlan& plan) {
  return need(client::Client::create(plan.client_settings), "a client");
}

}  // namespace leat::client_live
