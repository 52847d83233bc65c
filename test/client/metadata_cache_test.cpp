// metadata_cache_test.cpp: what the client believes of the cluster, and pauses between attempts.
#include "client/cluster/metadata_cache.h"

#include "client/cluster/backoff.h"
#include "test/support/catch.h"

namespace leat::test {
namespace {

using client::AutoCreate;
using client::detail::backoff_delay;
using client::detail::BackoffSettings;
using client::detail::KnownTopic;
using client::detail::MetadataCache;

MetadataResponse answer(const std::string& topic, std::vector<std::pair<int32_t, int32_t>> leaders_and_epochs,
                        uint8_t topic_id = 1) {
  MetadataResponse response;
  response.brokers.push_back({.node_id = 1, .host = "one", .port = 9092, .rack = {}});
  response.controller_id = 1;
  auto& told = response.topics.emplace_back();
  told.name = topic;
  told.topic_id.bytes[0] = topic_id;
  for (size_t i = 0; i < leaders_and_epochs.size(); ++i) {
    auto& partition = told.partitions.emplace_back();
    partition.partition_index = static_cast<int32_t>(i);
    partition.leader_id = leaders_and_epochs[i].first;
    partition.leader_epoch = leaders_and_epochs[i].second;
  }
  return response;
}

}  // namespace

TEST_CASE("metadata cache: only what is wanted", "[client][metadata]") {
  MetadataCache cache;
  CHECK(cache.want("a", AutoCreate::kNo));
  CHECK(!cache.want("a", AutoCreate::kNo));
  CHECK(cache.is_incomplete());
  cache.apply(answer("b", {{1, 0}}));
  CHECK(cache.find("b") == nullptr);
  REQUIRE(cache.find("a") != nullptr);
  CHECK(!cache.find("a")->answered);
  cache.apply(answer("a", {{1, 0}, {1, 0}}));
  CHECK(cache.find("a")->partitions.size() == 2);
  CHECK(!cache.is_incomplete());
  CHECK(cache.brokers().at(1).to_string() == "one:9092");
  cache.forget("a");
  CHECK(cache.wanted().empty());
}

TEST_CASE("metadata cache: brokers make what is missing and somebody lets them make", "[client][metadata]") {
  using Names = std::vector<std::string>;
  MetadataCache cache;
  CHECK(cache.want("read", AutoCreate::kNo));
  CHECK(cache.want("written", AutoCreate::kYes));
  CHECK(cache.wanted(AutoCreate::kNo) == Names{"read"});
  CHECK(cache.wanted(AutoCreate::kYes) == Names{"written"});
  cache.apply(answer("written", {{1, 0}}));
  CHECK(cache.wanted(AutoCreate::kNo) == Names{"read", "written"});
  CHECK(cache.wanted(AutoCreate::kYes).empty());
  CHECK(!cache.want("written", AutoCreate::kNo));
  CHECK(cache.want("read", AutoCreate::kYes));  // a producer came: asked for once more
  CHECK(!cache.want("read", AutoCreate::kYes));
  CHECK(cache.wanted(AutoCreate::kYes) == Names{"read"});
  CHECK(cache.wanted() == Names{"read", "written"});
}

TEST_CASE("metadata cache: an older leader epoch is no news, unless the topic is another one", "[client][metadata]") {
  MetadataCache cache;
  cache.want("a", AutoCreate::kNo);
  cache.apply(answer("a", {{1, 5}}));
  cache.apply(answer("a", {{2, 4}}));
  CHECK(cache.find("a")->partitions[0].leader == 1);
  cache.apply(answer("a", {{2, 6}}));
  CHECK(cache.find("a")->partitions[0].leader == 2);
  CHECK(!cache.move_leader("a", 0, 3, 6));
  CHECK(cache.move_leader("a", 0, 3, 7));
  CHECK(!cache.move_leader("a", 1, 3, 7));
  CHECK(!cache.move_leader("a", -1, 3, 7));
  CHECK(!cache.move_leader("b", 0, 3, 7));
  cache.apply(answer("a", {{1, 0}}, 2));
  CHECK(cache.find("a")->partitions[0].leader == 1);
}

TEST_CASE("metadata cache: a topic's error does not take away what was known", "[client][metadata]") {
  MetadataCache cache;
  cache.want("a", AutoCreate::kNo);
  cache.apply(answer("a", {{1, 5}}));
  MetadataResponse failed = answer("a", {});
  failed.topics[0].error_code = ErrorCode::kUnknownTopicOrPartition;
  cache.apply(failed);
  CHECK(cache.find("a")->partitions.size() == 1);
  CHECK(cache.find("a")->error == ErrorCode::kUnknownTopicOrPartition);
  CHECK(cache.is_incomplete());
}

TEST_CASE("metadata cache: nonsense of a broker's costs nothing", "[client][metadata]") {
  MetadataCache cache;
  cache.want("a", AutoCreate::kNo);
  MetadataResponse odd = answer("a", {{1, 0}, {1, 0}});
  odd.topics[0].partitions[0].partition_index = INT32_MAX;
  odd.topics[0].partitions[1].partition_index = -3;
  cache.apply(odd);
  CHECK(cache.find("a")->partitions.empty());
}

TEST_CASE("backoff: doubles up to its maximum, with jitter", "[client]") {
  SeededRandom random(3);
  const BackoffSettings settings{.base = Millis(100), .max = Millis(1'000)};
  bool differs = false;
  for (int failures = 1; failures < 100; ++failures) {
    const int64_t full = std::min<int64_t>(int64_t{100} << std::min(failures - 1, 10), 1'000);
    const Millis delay = backoff_delay(settings, failures, random);
    CHECK(delay.count() >= full * 80 / 100);
    CHECK(delay.count() <= full * 120 / 100);
    differs = differs || delay.count() != full;
  }
  CHECK(differs);
  CHECK(backoff_delay({.base = Millis(0), .max = Millis(0)}, 1, random) == Millis(1));
}

}  // namespace leat::test
