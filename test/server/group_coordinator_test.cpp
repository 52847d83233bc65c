// group_coordinator_test.cpp: the topic of the groups and its shards: made at first need, found by Kafka's hash, told
// of what changes in topics and settings, and gone with their topic.
#include "server/group_coordinator.h"

#include <fmt/format.h>

#include "core/record/partitioner.h"
#include "test/server/group_server_fixture.h"

namespace leat::test {
namespace {

using Fixture = GroupServerFixture;

TEST_CASE("group log: an append goes ahead of the sync before it, never of a write", "[server][groups]") {
  ManualScheduler scheduler(JobMode::kOnDemand);
  InlineWrites inline_writes(scheduler.clock(), size_t{1} << 20);
  PartitionTable table({.scheduler = scheduler, .lane = {.inline_writes = &inline_writes}});
  const Uuid id = DataFixture::id_of("offsets");
  auto owned = std::make_unique<FakePartitionLog>(TopicPartition{"offsets", 0}, FlushPolicy::kCommit, id);
  FakePartitionLog& disk = *owned;
  table.add({.name = "offsets", .id = id, .settings = {}}, 0, std::move(owned));
  PartitionGroupLog log(scheduler, table, TopicPartition{"offsets", 0}, id);
  const auto append = [&] {
    Answer<Result<void>> answer;
    spawn(answer.fill(log.append(make_batch("v", 2), 2, 1'700'000'000'000)));
    scheduler.run_until_idle();
    return answer;
  };
  CHECK(log.is_written());
  const auto first = append();
  CHECK_FALSE(first.there());
  CHECK(log.is_written());         // only its sync is out
  disk.appends_are_plain = false;  // a new segment, perhaps: a worker writes it, once the first is durable
  const auto second = append();
  CHECK_FALSE(log.is_written());
  scheduler.run_jobs();
  CHECK(first->has_value());
  CHECK(second->has_value());
  CHECK(log.is_written());

  disk.appends_are_plain = true;
  const auto third = append();
  disk.fault = FakePartitionLog::Fault::kWriteFails;
  const auto failing = append();
  CHECK_FALSE(failing->has_value());
  CHECK_FALSE(log.is_written());  // what was decided on it must not be appended
  scheduler.run_jobs();
  CHECK(third->has_value());
  CHECK(log.is_written());
  CHECK(disk.offsets().high_watermark == Offset(6));
}

TEST_CASE("group coordinator: the topic is made when it is first needed, once for all who ask", "[server][groups]") {
  Fixture f;
  f.create_topic("t");
  CHECK((*f.run(f.groups->list_groups({}))).groups.empty());
  CHECK_FALSE(f.store.find_topic(kOffsetsTopic).has_value());
  const int appends = f.journal.appends;
  std::vector<Answer<GroupErrc>> answers(5);
  for (const Answer<GroupErrc>& answer : answers) spawn(answer.fill(f.groups->prepare()));
  f.scheduler.run_until_idle();
  for (const Answer<GroupErrc>& answer : answers) CHECK(*answer == GroupErrc::kNone);
  CHECK(f.journal.appends == appends + 1);
  const auto topic = f.store.find_topic(kOffsetsTopic);
  REQUIRE(topic.has_value());
  CHECK(topic->partition_count == 1);
  CHECK(topic->state->configs ==
        ConfigMap{{"cleanup.policy", "compact"}, {"compression.type", "producer"}, {"segment.bytes", "104857600"}});
  CHECK(f.table.find(kOffsetsTopic, 0)->settings().log.compact);
  CHECK_FALSE(f.table.find(kOffsetsTopic, 0)->settings().log.delete_old);
  CHECK(f.groups->is_ready());
}

TEST_CASE("group coordinator: a topic that cannot be made is no coordinator, until it can", "[server][groups]") {
  Fixture f;
  f.create_topic("t");
  f.journal.failures_left = 1;
  CHECK(f.commit("g", "t", 0, 5) == GroupErrc::kCoordinatorNotAvailable);
  CHECK(f.commit("g", "t", 0, 5) == GroupErrc::kNone);
}

TEST_CASE("group coordinator: as many shards as settings say; each group has one, lists have all", "[server][groups]") {
  Fixture f;
  f.settings.given["offsets.topic.num.partitions"] = "7";
  f.settings.given["offsets.topic.segment.bytes"] = "4096";
  f.create_topic("t");
  for (int i = 0; i < 40; ++i) REQUIRE(f.commit(fmt::format("group-{}", i), "t", 0, i) == GroupErrc::kNone);
  CHECK(f.groups->shard_count() == 7);
  CHECK(f.table.find(kOffsetsTopic, 0)->settings().log.segment_bytes == 4096);
  CHECK((*f.run(f.groups->list_groups({}))).groups.size() == 40);
  CHECK(f.groups->group_count() == 40);
  for (int32_t partition = 0; partition < 7; ++partition) {
    int64_t expected = 0;
    for (int i = 0; i < 40; ++i) {
      if (coordinator_partition(fmt::format("group-{}", i), 7) == partition) ++expected;
    }
    CHECK(f.table.find(kOffsetsTopic, partition)->offsets().log_end == Offset(expected));
  }
  f.restart_groups();
  CHECK(f.groups->shard_count() == 7);
  for (int i = 0; i < 40; ++i) CHECK(f.committed(fmt::format("group-{}", i), "t", 0) == i);
}

TEST_CASE("group coordinator: what was committed of a topic goes with it, for good", "[server][groups]") {
  Fixture f;
  f.create_topic("t");
  f.create_topic("u");
  REQUIRE(f.commit("g", "t", 0, 10) == GroupErrc::kNone);
  REQUIRE(f.commit("g", "u", 0, 20) == GroupErrc::kNone);
  f.delete_topic("t");
  f.create_topic("t");
  CHECK(f.committed("g", "t", 0) == -1);
  CHECK(f.committed("g", "u", 0) == 20);
  f.restart_groups();
  CHECK(f.committed("g", "t", 0) == -1);
  CHECK(f.committed("g", "u", 0) == 20);
}

TEST_CASE("group coordinator: of a topic that went unheard of, as in a crash, nothing is left after the start",
          "[server][groups]") {
  Fixture f;
  f.create_topic("t");
  f.create_topic("u");
  f.create_topic("v");
  for (const char* topic : {"t", "u", "v"}) REQUIRE(f.commit("g", topic, 0, 10) == GroupErrc::kNone);
  REQUIRE(f.commit("h", "t", 0, 20) == GroupErrc::kNone);
  f.stop_groups();
  f.delete_topic("t");
  f.create_topic("t");
  f.delete_topic("u");
  f.start_groups();
  CHECK(f.committed("g", "t", 0) == -1);
  CHECK(f.committed("h", "t", 0) == -1);
  CHECK(f.committed("g", "u", 0) == -1);
  CHECK(f.committed("g", "v", 0) == 10);
  CHECK(f.table.find(kOffsetsTopic, 0)->offsets().log_end == Offset(4 + 3));
  f.restart_groups();  // once and for all
  CHECK(f.table.find(kOffsetsTopic, 0)->offsets().log_end == Offset(4 + 3));
  CHECK(f.committed("g", "v", 0) == 10);
}

TEST_CASE("group coordinator: deleting its own topic ends all groups, and the next need begins anew",
          "[server][groups]") {
  Fixture f;
  f.create_topic("t");
  REQUIRE(f.commit("g", "t", 0, 10) == GroupErrc::kNone);
  JoinGroup join;
  join.group_id = "g";
  join.protocol_type = "consumer";
  join.protocols.push_back({"range", {}});
  join.session_timeout_ms = 10'000;
  join.rebalance_timeout_ms = 10'000;
  const Answer<JoinGroupReply> parked = f.run(f.groups->ask(std::move(join)));
  REQUIRE_FALSE(parked.there());
  f.delete_topic(std::string(kOffsetsTopic));
  CHECK(parked->error == GroupErrc::kNotCoordinator);
  CHECK(f.groups->shard_count() == 0);
  CHECK(f.committed("g", "t", 0) == -1);
  CHECK(f.groups->shard_count() == 1);
  CHECK(f.commit("g", "t", 0, 11) == GroupErrc::kNone);
}

TEST_CASE("group coordinator: a failed write of one shard leaves the others alone", "[server][groups]") {
  Fixture f;
  f.settings.given["offsets.topic.num.partitions"] = "4";
  f.create_topic("t");
  REQUIRE(f.commit("g", "t", 0, 1) == GroupErrc::kNone);  // partition 3
  REQUIRE(f.commit("h", "t", 0, 1) == GroupErrc::kNone);  // partition 0
  f.log_of(std::string(kOffsetsTopic), 3).fault = FakePartitionLog::Fault::kWriteFails;
  CHECK(f.commit("g", "t", 0, 2) == GroupErrc::kCoordinatorNotAvailable);  // there was no space
  CHECK(f.commit("h", "t", 0, 2) == GroupErrc::kNone);
  CHECK(f.committed("g", "t", 0) == 1);
  CHECK(f.commit("g", "t", 0, 3) == GroupErrc::kNone);
  // After a failed sync nothing is taken any more, and what there is can be read.
  f.log_of(std::string(kOffsetsTopic), 3).fault = FakePartitionLog::Fault::kSyncFails;
  CHECK(f.commit("g", "t", 0, 4) == GroupErrc::kNotCoordinator);
  CHECK(f.commit("g", "t", 0, 5) == GroupErrc::kNotCoordinator);
  CHECK(f.committed("g", "t", 0) == 3);
}

TEST_CASE("group coordinator: a partition that could not be opened is no coordinator of its groups",
          "[server][groups]") {
  Fixture f;
  f.settings.given["offsets.topic.num.partitions"] = "4";
  f.create_topic("t");
  f.host.unopened = 3;
  CHECK(f.commit("g", "t", 0, 1) == GroupErrc::kCoordinatorNotAvailable);
  CHECK(f.commit("h", "t", 0, 1) == GroupErrc::kNone);
  CHECK_FALSE(f.groups->is_ready());
}

TEST_CASE("group coordinator: rules follow the settings, of the broker and of groups", "[server][groups]") {
  Fixture f;
  f.settings.given["group.min.session.timeout.ms"] = "100";
  f.settings.given["group.consumer.migration.policy"] = "UPGRADE";
  f.settings.given["offsets.retention.minutes"] = "2";
  f.restart_groups();
  CHECK(f.groups->rules().min_session_timeout_ms == 100);
  CHECK(f.groups->rules().migration_policy == MigrationPolicy::kUpgrade);
  CHECK(f.groups->rules().offsets_retention_ms == 120'000);
  CHECK(f.groups->rules().session_timeout_ms("g") == 45'000);
  std::vector<ConfigChange> changes = {{"consumer.session.timeout.ms", ConfigOperation::kSet, "60000"}};
  REQUIRE((*f.run(f.store.alter_group_configs("g", changes, AlterMode::kIncremental, Validate::kAndDo))).has_value());
  CHECK(f.groups->rules().session_timeout_ms("g") == 60'000);
  CHECK(f.groups->rules().session_timeout_ms("h") == 45'000);
  f.settings.given["group.consumer.max.session.timeout.ms"] = "50000";  // as after a restart
  f.restart_groups();
  CHECK(f.groups->rules().session_timeout_ms("g") == 50'000);
}

TEST_CASE("group coordinator: how far groups are behind", "[server][groups]") {
  Fixture f;
  f.create_topic("t", 2);
  f.append("t", 0, make_batch("v", 10));
  REQUIRE(f.commit("b", "t", 0, 4) == GroupErrc::kNone);
  REQUIRE(f.commit("b", "t", 1, 0) == GroupErrc::kNone);
  REQUIRE(f.commit("a", "t", 0, 10) == GroupErrc::kNone);
  const std::vector<GroupLag> lags = *f.run(f.groups->lags(100));
  REQUIRE(lags.size() == 2);
  CHECK(lags[0].group.group_id == "a");
  CHECK(lags[0].partitions.at(0).lag == 0);
  REQUIRE(lags[1].partitions.size() == 2);
  CHECK(lags[1].partitions[0].committed == 4);
  CHECK(lags[1].partitions[0].log_end == 10);
  CHECK(lags[1].partitions[0].lag == 6);
  CHECK(lags[1].partitions[1].lag == 0);
  const std::vector<GroupLag> cut = *f.run(f.groups->lags(2));
  REQUIRE(cut.size() == 2);
  CHECK(cut[1].partitions.size() == 1);
}

TEST_CASE("group coordinator: stopping answers everybody, also those who come too late", "[server][groups]") {
  Fixture f;
  f.create_topic("t");
  REQUIRE(f.commit("g", "t", 0, 1) == GroupErrc::kNone);
  spawn(f.groups->stop());
  f.scheduler.run_until_idle();
  CHECK(f.commit("g", "t", 0, 2) == GroupErrc::kCoordinatorNotAvailable);
  CHECK(*f.run(f.groups->prepare()) == GroupErrc::kCoordinatorNotAvailable);
  f.groups.reset();
}

}  // namespace
}  // namespace leat::test
