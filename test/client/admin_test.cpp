// admin_test.cpp: the admin in manual time against a FakeCluster: what it tells, and whom it asks again.
#include <map>

#include "test/client/consumer_fixture.h"
#include "test/client/fake_readers.h"

namespace leat::test {

TEST_CASE("admin: leaders that move, are being chosen or go away are looked for again", "[client][admin]") {
  ConsumerFixture f(3);
  f.cluster.add_topic("orders", 3);
  client::Admin& admin = f.client->admin();
  const std::map<client::TopicPartition, int64_t> before{{{"orders", 0}, 5}, {{"orders", 1}, 6}, {{"orders", 2}, 7}};
  f.cluster.readers().deletion_errors = {ErrorCode::kNotLeaderOrFollower, ErrorCode::kNone,
                                         ErrorCode::kRequestTimedOut};
  f.cluster.metadata_errors = {ErrorCode::kLeaderNotAvailable};
  auto deleting = admin.delete_records(before);
  f.scheduler.run_until_idle();
  f.cluster.kill(2);
  const auto starts = f.wait(std::move(deleting));
  REQUIRE(starts);
  CHECK(*starts == before);
  f.cluster.readers().deletion_errors = {ErrorCode::kOffsetOutOfRange};
  const auto refused = f.wait(admin.delete_records(before));
  REQUIRE(!refused);
  CHECK(refused.error().message().find("its records are not deleted") != std::string::npos);
  CHECK(!f.wait(admin.delete_records({{{"orders", 9}, 1}})));
}

TEST_CASE("admin: what it tells of cluster, topics and offsets", "[client][admin]") {
  ConsumerFixture f(2);
  f.cluster.add_topic("orders", 3);
  f.fill("orders", 1, 7);
  client::Admin& admin = f.client->admin();
  const auto cluster = f.wait(admin.describe_cluster());
  REQUIRE(cluster);
  CHECK(cluster->brokers.size() == 2);
  CHECK(cluster->controller_id == 1);
  const auto topics = f.wait(admin.list_topics());
  REQUIRE(topics);
  REQUIRE(topics->size() == 1);
  CHECK(topics->front().partitions.size() == 3);
  const auto missing = f.wait(admin.describe_topics({"orders", "nowhere"}));
  REQUIRE(!missing);
  CHECK(missing.error().message().find("topic 'nowhere': UNKNOWN_TOPIC_OR_PARTITION") == 0);
  const auto offsets = f.wait(admin.list_offsets({{{"orders", 1}, client::kLatestOffset}}));
  REQUIRE(offsets);
  CHECK(offsets->at({"orders", 1}).offset == 7);
  CHECK(!f.wait(admin.list_offsets({{{"orders", 9}, client::kLatestOffset}})));
  const auto altered = f.wait(admin.alter_group_offsets("g", {{{"orders", 1}, {.offset = 3}}}));
  REQUIRE(altered);
  CHECK(altered->empty());
  const auto committed = f.wait(admin.list_group_offsets("g"));
  REQUIRE(committed);
  CHECK(committed->at({"orders", 1}).offset == 3);
  const auto versions = f.wait(admin.api_versions(2));
  REQUIRE(versions);
  CHECK(!versions->empty());
  f.cluster.silent = true;
  auto waiting = admin.list_topics();
  f.client.reset();
  CHECK(waiting.is_done());
}

}  // namespace leat::test
