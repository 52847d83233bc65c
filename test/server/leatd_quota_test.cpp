// leatd_quota_test.cpp: client quotas of a leatd as a process: a client is told for how long it is held back, and is;
// not any more when the quota is gone, and again after a restart when it is not.
#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/record/batch_builder.h"
#include "net/protocol/frame.h"
#include "net/protocol/messages/alter_client_quotas.h"
#include "net/protocol/messages/create_topics.h"
#include "net/protocol/messages/describe_client_quotas.h"
#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/metadata.h"
#include "net/protocol/messages/produce.h"
#include "test/support/blocking_client.h"
#include "test/support/catch.h"
#include "test/support/leatd_process.h"

namespace leat {
namespace {

const SystemClock kClock;

// Two windows of a second: what comes at once is a second's worth, and is forgotten after two.
std::vector<std::string> arguments_of(const TemporaryDirectory& directory) {
  return {"--data-dir", directory.path() + "/data", "--listen", "localhost:0", "--set", "quota.window.num=2"};
}

template <class Response, class Request>
Response ask(BlockingClient& client, const Request& request, int16_t version, const std::string& client_id) {
  const Result<std::vector<Slice>> frame = encode_request(request, version, 7, client_id);
  REQUIRE(frame);
  std::string bytes;
  for (const Slice& piece : *frame) bytes += as_text(piece.view());
  REQUIRE(client.send(bytes));
  const std::optional<std::string> payload = client.receive_frame();
  REQUIRE(payload);
  Result<Response> response = decode_response<Response>(Slice::copy_of(as_bytes(*payload)), version, 7);
  REQUIRE(response);
  return std::move(*response);
}

void set_quota(BlockingClient& client, const std::string& type, const std::string& name, const std::string& key,
               std::optional<double> value) {
  AlterClientQuotasRequest request;
  AlterClientQuotasRequest::EntryData& entry = request.entries.emplace_back();
  entry.entity.push_back({.entity_type = type, .entity_name = name});
  entry.ops.push_back({.key = key, .value = value.value_or(0), .remove = !value.has_value()});
  const auto response = ask<AlterClientQuotasResponse>(client, request, 1, "admin");
  REQUIRE(response.entries.at(0).error_code == ErrorCode::kNone);
}

void create_topic(BlockingClient& client, const std::string& name) {
  CreateTopicsRequest request;
  CreateTopicsRequest::CreatableTopic& topic = request.topics.emplace_back();
  topic.name = name;
  topic.num_partitions = 1;
  topic.replication_factor = 1;
  REQUIRE(ask<CreateTopicsResponse>(client, request, 7, "admin").topics.at(0).error_code == ErrorCode::kNone);
}

int32_t produce(BlockingClient& client, size_t value_bytes) {
  BatchBuilder builder;
  builder.append(text_record("key", std::string(value_bytes, 'x'), 1'700'000'000'000));
  const Result<Slice> batch = builder.finish();
  REQUIRE(batch);
  ProduceRequest request;
  request.acks = -1;
  request.timeout_ms = 10'000;
  ProduceRequest::TopicProduceData& data = request.topic_data.emplace_back();
  data.name = "t";
  data.partition_data.emplace_back().records = Records(*batch);
  const auto response = ask<ProduceResponse>(client, request, 12, "producer");
  REQUIRE(response.responses.at(0).partition_responses.at(0).error_code == ErrorCode::kNone);
  return response.throttle_time_ms;
}

int64_t elapsed_ms(Nanos since) { return std::chrono::duration_cast<Millis>(kClock.monotonic() - since).count(); }

TEST_CASE("leatd: a producer above its quota is told so, and not heard for that time; without it, it is fast again",
          "[leatd][quota]") {
  const TemporaryDirectory directory;
  LeatdProcess leatd(arguments_of(directory));
  REQUIRE(leatd.port() != 0);
  {
    BlockingClient admin(leatd.port());
    BlockingClient producer(leatd.port());
    create_topic(admin, "t");
    REQUIRE(produce(producer, 100'000) == 0);
    set_quota(admin, "client-id", "producer", "producer_byte_rate", 30'000);

    const Nanos begin = kClock.monotonic();
    const int32_t throttle_ms = produce(producer, 60'000);
    CHECK(throttle_ms >= 900);  // twice what one second lets through
    CHECK(throttle_ms <= 1'100);
    (void)produce(producer, 1);
    CHECK(elapsed_ms(begin) >= throttle_ms - 20);
    BlockingClient other(leatd.port());
    CHECK(ask<MetadataResponse>(other, MetadataRequest{}, 9, "other").throttle_time_ms == 0);

    set_quota(admin, "client-id", "producer", "producer_byte_rate", std::nullopt);
    (void)produce(producer, 1);  // waits for what was left of the mute
    const Nanos free_again = kClock.monotonic();
    for (int i = 0; i < 5; ++i) CHECK(produce(producer, 60'000) == 0);
    CHECK(elapsed_ms(free_again) < 5'000);
  }
  leatd.signal(SIGTERM);
  CHECK(leatd.wait() == 0);
}

TEST_CASE("leatd: quotas are there after a restart", "[leatd][quota]") {
  const TemporaryDirectory directory;
  for (const bool is_first : {true, false}) {
    LeatdProcess leatd(arguments_of(directory));
    REQUIRE(leatd.port() != 0);
    BlockingClient client(leatd.port());
    if (is_first) {
      create_topic(client, "t");
      set_quota(client, "user", "ANONYMOUS", "producer_byte_rate", 1'000);
    }
    const auto described = ask<DescribeClientQuotasResponse>(client, DescribeClientQuotasRequest{}, 1, "admin");
    REQUIRE(described.entries->size() == 1);
    CHECK(described.entries->at(0).values.at(0).value == 1'000);
    BlockingClient producer(leatd.port());
    CHECK(produce(producer, 900'000) > 100'000);
    leatd.signal(SIGTERM);  // the producer is muted for half an hour: nobody waits for it
    const Nanos begin = kClock.monotonic();
    CHECK(leatd.wait() == 0);
    CHECK(elapsed_ms(begin) < 10'000);
  }
}

TEST_CASE("leatd: a client whose requests take more time than they may is held back for a window at most",
          "[leatd][quota]") {
  const TemporaryDirectory directory;
  LeatdProcess leatd(arguments_of(directory));
  REQUIRE(leatd.port() != 0);
  BlockingClient admin(leatd.port());
  BlockingClient client(leatd.port());
  set_quota(admin, "client-id", "busy", "request_percentage", 0.001);
  int32_t throttle_ms = 0;
  for (int i = 0; i < 2'000 && throttle_ms == 0; ++i)
    throttle_ms = ask<MetadataResponse>(client, MetadataRequest{}, 9, "busy").throttle_time_ms;
  CHECK(throttle_ms > 0);
  CHECK(throttle_ms <= 1'000);
}

TEST_CASE("leatd: too many new connections of an address are closed, those that are there stay", "[leatd][quota]") {
  const TemporaryDirectory directory;
  LeatdProcess leatd(arguments_of(directory));
  REQUIRE(leatd.port() != 0);
  BlockingClient admin(leatd.port());
  set_quota(admin, "ip", "127.0.0.1", "connection_creation_rate", 2);
  std::vector<BlockingClient> clients;
  for (int i = 0; i < 20; ++i) clients.emplace_back(leatd.port());
  (void)ask<MetadataResponse>(clients[0], MetadataRequest{}, 9, "first");
  (void)ask<MetadataResponse>(clients[1], MetadataRequest{}, 9, "second");
  CHECK(clients[19].wait_for_end());
  set_quota(admin, "ip", "127.0.0.1", "connection_creation_rate", std::nullopt);
  BlockingClient later(leatd.port());
  (void)ask<MetadataResponse>(later, MetadataRequest{}, 9, "later");
}

}  // namespace
}  // namespace leat
