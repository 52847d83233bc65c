// leatd_test.cpp: leatd as a process: ready line, exit codes, what it says when it cannot start, raw and hostile
// requests. Each test starts a leatd of its own on a port that the system picks.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/record/batch_builder.h"
#include "net/protocol/frame.h"
#include "net/protocol/messages/api_versions.h"
#include "net/protocol/messages/create_topics.h"
#include "net/protocol/messages/describe_cluster.h"
#include "net/protocol/messages/describe_log_dirs.h"
#include "net/protocol/messages/describe_quorum.h"
#include "net/protocol/messages/elect_leaders.h"
#include "net/protocol/messages/find_coordinator.h"
#include "net/protocol/messages/metadata.h"
#include "net/protocol/messages/produce.h"
#include "test/support/blocking_client.h"
#include "test/support/catch.h"
#include "test/support/leatd_process.h"

namespace leat {
namespace {

std::vector<std::string> on_any_port(const std::string& data_dir, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"--data-dir", data_dir, "--listen", "localhost:0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

template <class Response, class Request>
Response ask(BlockingClient& client, const Request& request, int16_t version) {
  const Result<std::vector<Slice>> frame = encode_request(request, version, 7, "test");
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

size_t line_count(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

ErrorCode create_topic(BlockingClient& client, const std::string& name) {
  CreateTopicsRequest request;
  CreateTopicsRequest::CreatableTopic& topic = request.topics.emplace_back();
  topic.name = name;
  topic.num_partitions = 1;
  topic.replication_factor = 1;
  return ask<CreateTopicsResponse>(client, request, 7).topics.at(0).error_code;
}

ErrorCode produce(BlockingClient& client, const std::string& topic) {
  BatchBuilder builder;
  builder.append(text_record("key", "value", 1'700'000'000'000));
  const Result<Slice> batch = builder.finish();
  REQUIRE(batch);
  ProduceRequest request;
  request.acks = -1;
  request.timeout_ms = 10'000;
  ProduceRequest::TopicProduceData& data = request.topic_data.emplace_back();
  data.name = topic;
  data.partition_data.emplace_back().records = Records(*batch);
  return ask<ProduceResponse>(client, request, 12).responses.at(0).partition_responses.at(0).error_code;
}

TEST_CASE("leatd: ready line, a request, a clean stop", "[leatd]") {
  const TemporaryDirectory directory;
  LeatdProcess leatd(on_any_port(directory.path() + "/data"));
  const std::string line = leatd.ready_line().value_or(leatd.stderr_text());
  INFO(line);
  REQUIRE(std::regex_match(
      line, std::regex("leatd ready on 127\\.0\\.0\\.1:[0-9]+, data in " + directory.path() + "/data, [0-9]+ ms")));
  {
    BlockingClient client(leatd.port());
    ApiVersionsRequest request;
    request.client_software_name = "leat-test";
    request.client_software_version = "1.0";
    const auto response = ask<ApiVersionsResponse>(client, request, 3);
    REQUIRE(response.error_code == ErrorCode::kNone);
    size_t served = 0;
    for (const ApiSpec& api : kApis) served += api.served == Served::kYes ? 1 : 0;
    REQUIRE(response.api_keys.size() == served);
    request.client_software_name = "bad name\n";
    REQUIRE(ask<ApiVersionsResponse>(client, request, 3).error_code == ErrorCode::kInvalidRequest);
  }
  leatd.signal(SIGTERM);
  leatd.signal(SIGINT);  // a second one changes nothing
  REQUIRE(leatd.wait() == 0);
}

TEST_CASE("leatd: every signal that asks for an end, a terminal's hangup too, is a clean stop", "[leatd]") {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    INFO("signal " << number);
    const TemporaryDirectory directory;
    LeatdProcess leatd(on_any_port(directory.path()));
    {
      BlockingClient client(leatd.port());
      REQUIRE(create_topic(client, "t") == ErrorCode::kNone);
      REQUIRE(produce(client, "t") == ErrorCode::kNone);
    }
    leatd.signal(number);
    REQUIRE(leatd.wait() == 0);
    CHECK(::access((directory.path() + "/.kafka_cleanshutdown").c_str(), F_OK) == 0);
    CHECK(leatd.stderr_text().find("stopping") != std::string::npos);
  }
}

TEST_CASE("leatd: localhost answers on both families", "[leatd]") {
  const TemporaryDirectory directory;
  LeatdProcess leatd(on_any_port(directory.path()));
  for (const char* host : {"127.0.0.1", "::1"}) {
    BlockingClient client(leatd.port(), host);
    if (!client.connected() && std::string(host) == "::1") continue;  // a machine without IPv6
    REQUIRE(ask<ApiVersionsResponse>(client, ApiVersionsRequest{}, 0).error_code == ErrorCode::kNone);
  }
}

TEST_CASE("leatd: what stops the start is one clear line; exit code 2 is wrong usage, 1 all else", "[leatd]") {
  const TemporaryDirectory directory;
  LeatdProcess first(on_any_port(directory.path() + "/data"));
  REQUIRE(first.port() != 0);
  const std::string taken = std::to_string(first.port());
  std::ofstream(directory.path() + "/bad.properties") << "num.partitions=1\nnum.partitons=2\n";
  std::ofstream(directory.path() + "/file") << "no directory";
  REQUIRE(::mkdir((directory.path() + "/garbage").c_str(), 0755) == 0);
  std::ofstream(directory.path() + "/garbage/meta.properties") << "garbage\n";
  REQUIRE(::symlink("nowhere", (directory.path() + "/link").c_str()) == 0);
  {
    LeatdProcess another(on_any_port(directory.path() + "/node", {"--set", "node.id=7"}));
    REQUIRE(another.port() != 0);
    another.signal(SIGTERM);
    REQUIRE(another.wait() == 0);
  }
  struct Attempt {
    int exit_code;
    std::vector<std::string> arguments;
    std::string said;
  };
  const std::vector<Attempt> attempts{
      {1, on_any_port(directory.path() + "/data"),
       "data directory " + directory.path() + "/data is in use by process " + std::to_string(first.pid()) + ": stop"},
      {1, on_any_port(directory.path() + "/link"), "/link: a symbolic link of this name leads nowhere"},
      {1, on_any_port(directory.path() + "/link/below"), "/link: a symbolic link of this name leads nowhere"},
      {1, on_any_port(directory.path() + "/node"), "or take another directory with --data-dir"},
      {1, {"--data-dir", directory.path() + "/other", "--listen", "localhost:" + taken}, taken},
      {1, on_any_port(directory.path() + "/other", {"--metrics", "127.0.0.1:" + taken}),
       "leat.metrics.listener: cannot listen on 127.0.0.1:" + taken + ": the port is in use by another process"},
      {1, on_any_port(directory.path() + "/file/below"), directory.path() + "/file"},
      {1, on_any_port(directory.path() + "/garbage"), "/garbage/meta.properties: neither Leat's nor Apache Kafka's"},
      {2, on_any_port(directory.path() + "/other", {"--set", "num.partitons=2"}), "num.partitions"},
      {2, on_any_port(directory.path() + "/other", {"--set", "log.retention.ms=-7"}), "log.retention.ms"},
      {2, on_any_port(directory.path() + "/other", {"--config", directory.path() + "/bad.properties"}),
       "num.partitions"},
      {2, on_any_port(directory.path() + "/other", {"--config", directory.path() + "/missing"}), "missing"},
      {2, {"--listen", "nonsense"}, "nonsense"},
      {2, {"--frobnicate"}, "--frobnicate"}};
  for (const Attempt& attempt : attempts) {
    LeatdProcess second(attempt.arguments);
    REQUIRE_FALSE(second.ready_line());
    INFO(attempt.said << ": " << second.stderr_text());
    REQUIRE(second.wait() == attempt.exit_code);
    const std::string said = second.stderr_text();
    REQUIRE(line_count(said) == 1);
    REQUIRE(said.find(attempt.said) != std::string::npos);
  }
  first.signal(SIGTERM);
  REQUIRE(first.wait() == 0);
}

TEST_CASE("leatd: files in the data directory that are nobody's are named at start, and left", "[leatd]") {
  const TemporaryDirectory directory;
  REQUIRE(::mkdir((directory.path() + "/folder").c_str(), 0755) == 0);
  std::ofstream(directory.path() + "/notes.txt") << "mine";
  for (int life = 0; life < 2; ++life) {
    LeatdProcess leatd(on_any_port(directory.path()));
    REQUIRE(leatd.port() != 0);
    leatd.signal(SIGTERM);
    REQUIRE(leatd.wait() == 0);
    const std::string said = leatd.stderr_text();
    INFO(said);
    CHECK(count_of(said, "is none of ours: left alone") == 2);
    for (const char* name : {"/folder", "/notes.txt"}) {
      CHECK(count_of(said, directory.path() + name + " is none of ours: left alone") == 1);
    }
  }
}

TEST_CASE("leatd: a disk below its reserve is told at start, and refused appends now and then", "[leatd]") {
  const TemporaryDirectory directory;
  LeatdProcess leatd(on_any_port(directory.path(), {"--set", "leat.disk.reserve.bytes=9223372036854775807"}));
  {
    BlockingClient client(leatd.port());
    REQUIRE(create_topic(client, "t") == ErrorCode::kNone);
    for (int i = 0; i < 50; ++i) REQUIRE(produce(client, "t") == ErrorCode::kKafkaStorageError);
  }
  leatd.signal(SIGTERM);
  REQUIRE(leatd.wait() == 0);
  const std::string said = leatd.stderr_text();
  INFO(said);
  CHECK(count_of(said, "below leat.disk.reserve.bytes=9223372036854775807") == 1);
  CHECK(said.find("below leat.disk.reserve.bytes") < said.find("t-0: an append was refused"));
  CHECK(count_of(said, "an append was refused") >= 1);
  CHECK(count_of(said, "an append was refused") <= 5);  // one in ten seconds, on however slow a machine
}

TEST_CASE("leatd: a cluster of one describes itself", "[leatd]") {
  const TemporaryDirectory directory;
  LeatdProcess leatd(on_any_port(directory.path()));
  BlockingClient client(leatd.port());
  const auto cluster = ask<DescribeClusterResponse>(client, DescribeClusterRequest{}, 2);
  REQUIRE(cluster.brokers.size() == 1);
  REQUIRE(cluster.brokers[0].port == leatd.port());
  REQUIRE(cluster.controller_id == cluster.brokers[0].broker_id);
  REQUIRE(cluster.cluster_id.size() == 22);
  DescribeClusterRequest controllers;
  controllers.endpoint_type = 2;
  REQUIRE(ask<DescribeClusterResponse>(client, controllers, 1).error_code == ErrorCode::kMismatchedEndpointType);
  DescribeLogDirsRequest all;
  all.topics.reset();
  const auto dirs = ask<DescribeLogDirsResponse>(client, all, 4);
  REQUIRE(dirs.results.size() == 1);
  REQUIRE(dirs.results[0].log_dir == directory.path());
  REQUIRE(dirs.results[0].total_bytes > dirs.results[0].usable_bytes);
  REQUIRE(dirs.results[0].usable_bytes > 0);
  DescribeQuorumRequest quorum;
  quorum.topics = {{"__cluster_metadata", {{0}, {1}}}};
  const auto described = ask<DescribeQuorumResponse>(client, quorum, 2).topics.at(0).partitions;
  REQUIRE(described.at(0).leader_id == cluster.controller_id);
  REQUIRE(described.at(0).current_voters.size() == 1);
  REQUIRE_FALSE(described.at(0).current_voters.at(0).replica_directory_id.is_zero());
  REQUIRE(described.at(0).high_watermark == described.at(0).current_voters.at(0).log_end_offset);
  REQUIRE(described.at(0).high_watermark > 0);
  REQUIRE(described.at(1).error_code == ErrorCode::kUnknownTopicOrPartition);
  ElectLeadersRequest elect;
  elect.topic_partitions->push_back({"nothing", {0}});
  REQUIRE(
      ask<ElectLeadersResponse>(client, elect, 2).replica_election_results.at(0).partition_result.at(0).error_code ==
      ErrorCode::kUnknownTopicOrPartition);
  FindCoordinatorRequest find;
  find.coordinator_keys = {"g"};
  REQUIRE(ask<FindCoordinatorResponse>(client, find, 4).coordinators.at(0).port == leatd.port());
  // The same id after a restart.
  leatd.signal(SIGTERM);
  REQUIRE(leatd.wait() == 0);
  LeatdProcess again(on_any_port(directory.path()));
  BlockingClient other(again.port());
  REQUIRE(ask<DescribeClusterResponse>(other, DescribeClusterRequest{}, 0).cluster_id == cluster.cluster_id);
}

TEST_CASE("leatd: an unsupported version closes with one line that names client, peer, key and version", "[leatd]") {
  const TemporaryDirectory directory;
  LeatdProcess leatd(on_any_port(directory.path()));
  {
    BlockingClient client(leatd.port());
    client.send_frame(std::string("\0\x03\0\x63\0\0\0\x01\0\x03sar", 13));
    REQUIRE(client.wait_for_end());
  }
  leatd.signal(SIGTERM);
  REQUIRE(leatd.wait() == 0);
  const std::string said = leatd.stderr_text();
  INFO(said);
  REQUIRE(std::regex_search(said, std::regex("closing 127\\.0\\.0\\.1:[0-9]+: client \"sar\", API key 3, version 99")));
}

TEST_CASE("leatd: random and mutated requests leave it up, and others served", "[leatd]") {
  const TemporaryDirectory directory;
  LeatdProcess leatd(on_any_port(directory.path(), {"--log-level", "error"}));
  BlockingClient steady(leatd.port());
  SeededRandom random(20261130);
  MetadataRequest metadata;
  metadata.topics.emplace();
  for (int i = 0; i < 1000; ++i) {
    BlockingClient hostile(leatd.port());
    const ApiSpec& api = kApis[random.below(std::size(kApis))];
    std::string payload{0, static_cast<char>(api.key), 0, static_cast<char>(random.below(15)), 0, 0, 0, 1, 0, 1, 'x'};
    for (uint64_t left = random.below(200); left > 0; --left)
      payload += static_cast<char>(random.one_in(2) ? 0 : random.next());
    std::string frame = frame_of(payload);
    if (random.one_in(4)) frame[random.below(4)] = static_cast<char>(random.next());
    hostile.send(frame);
    if (i % 50 == 0) REQUIRE(ask<MetadataResponse>(steady, metadata, 9).brokers.size() == 1);
  }
  leatd.signal(SIGTERM);
  REQUIRE(leatd.wait() == 0);
}

}  // namespace
}  // namespace leat
