// running_broker_upkeep_test.cpp: what a broker does by itself: checkpoints, retention, the check of what was read,
// compaction.
#include <vector>

#include "core/log/partition_log.h"
#include "server/partition_table.h"
#include "test/server/running_broker_fixture.h"

using namespace leat;
using namespace leat::test;

TEST_CASE("running broker: upkeep moves recovery points and forgets old segments", "[server][broker]") {
  World world;
  world.settings.checkpoint_interval_ms = 5000;
  world.settings.retention_check_interval_ms = 5000;
  REQUIRE(world.start());
  world.create_topic("t", 1);
  for (int i = 0; i < 5; ++i) REQUIRE(world.produce("t", 0, "v"));
  world.scheduler.advance(Millis(6000));
  CHECK(world.find("t", 0)->log().recovery_point() == Offset(5));
  CHECK(world.find("t", 0)->offsets().log_start == Offset(0));
  const int64_t week_and_more_ms = int64_t{8} * 24 * 3600 * 1000;
  world.scheduler.manual_clock().step_wall(Millis(week_and_more_ms));
  world.scheduler.advance(Millis(6000));
  CHECK(world.find("t", 0)->offsets().log_start == Offset(5));
  CHECK(world.find("t", 0)->offsets().high_watermark == Offset(5));
  CHECK(world.produce("t", 0, "v") == Offset(5));
}

TEST_CASE("running broker: upkeep checks what was read of closed segments", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  CreateTopicEvent event;
  event.name = "r";
  event.partition_count = 1;
  event.configs = {{"internal.segment.bytes", "100"}};
  std::vector<CreateTopicEvent> events = {event};
  const auto created = world.run(world.broker->broker().metadata->create_topics(std::move(events), Validate::kAndDo));
  REQUIRE(created.at(0).has_value());
  for (int i = 0; i < 20; ++i) REQUIRE(world.produce("r", 0, "v") == Offset(i));
  for (const bool deleted : {false, true}) {
    REQUIRE(world.stop());
    REQUIRE(world.start());  // what was in memory is in files only
    PartitionLog& log = world.find("r", 0)->log();
    CHECK_FALSE(log.may_audit());
    for (int i = 0; i < 10; ++i) {
      const Result<ReadPlan> plan = log.plan_read(Offset(i), {.bytes_max = 1});
      REQUIRE(plan);
      REQUIRE(plan->read);
      const Result<FetchedBatches> fetched = plan->read->execute();
      REQUIRE(fetched);
      REQUIRE(fetched->end);
      log.note_read_end(*fetched->end);
    }
    CHECK(log.may_audit());
    if (deleted) {
      const auto gone = world.run(world.broker->broker().metadata->delete_topic(world.id_of("r")));
      CHECK(gone.has_value());
      world.scheduler.advance(Millis(5000));
      CHECK(world.find("r", 0) == nullptr);
    } else {
      world.scheduler.advance(Millis(5000));
      CHECK_FALSE(log.may_audit());
    }
  }
}

TEST_CASE("running broker: a partition of which much was read does not keep others from being checked",
          "[server][broker]") {
  World world;
  REQUIRE(world.start());
  CreateTopicEvent event;
  event.name = "r";
  event.partition_count = 2;
  event.configs = {{"internal.segment.bytes", "100"}};
  std::vector<CreateTopicEvent> events = {event};
  const auto created = world.run(world.broker->broker().metadata->create_topics(std::move(events), Validate::kAndDo));
  REQUIRE(created.at(0).has_value());
  for (int i = 0; i < 40; ++i) REQUIRE(world.produce("r", 0, "v") == Offset(i));
  for (int i = 0; i < 3; ++i) REQUIRE(world.produce("r", 1, "v") == Offset(i));
  REQUIRE(world.stop());
  REQUIRE(world.start());  // what was in memory is in files only
  PartitionLog& much = world.find("r", 0)->log();
  PartitionLog& little = world.find("r", 1)->log();
  for (int i = 0; i < 39; ++i) REQUIRE(much.plan_read(Offset(i), {.bytes_max = 1}));
  REQUIRE(little.plan_read(Offset(0), {.bytes_max = 1}));
  REQUIRE(much.may_audit());
  REQUIRE(little.may_audit());
  for (int i = 0; i < 1000 && little.may_audit(); ++i) world.scheduler.advance(Millis(5));
  CHECK_FALSE(little.may_audit());
  CHECK(much.may_audit());
  world.scheduler.advance(Millis(5000));
  CHECK_FALSE(much.may_audit());
}

TEST_CASE("running broker: upkeep compacts, and a restart knows how far", "[server][broker]") {
  World world;
  REQUIRE(world.start());
  CreateTopicEvent event;
  event.name = "c";
  event.partition_count = 1;
  event.configs = {
      {"cleanup.policy", "compact"}, {"internal.segment.bytes", "100"}, {"min.cleanable.dirty.ratio", "0"}};
  std::vector<CreateTopicEvent> events = {event};
  const auto created = world.run(world.broker->broker().metadata->create_topics(std::move(events), Validate::kAndDo));
  REQUIRE(created.at(0).has_value());
  for (int i = 0; i < 6; ++i) REQUIRE(world.produce("c", 0, "v") == Offset(i));
  CHECK(world.find("c", 0)->log().segment_count() == 6);
  const int64_t size_before = world.find("c", 0)->log().size_bytes();
  world.scheduler.advance(Millis(5000));
  // Segments become one by their sizes before a pass: this one empties four, the next one finds them small.
  CHECK(world.find("c", 0)->log().cleaned_offset() == Offset(5));
  CHECK(world.find("c", 0)->log().size_bytes() == size_before / 3);
  CHECK(world.find("c", 0)->log().segment_count() == 6);
  CHECK(world.produce("c", 0, "v") == Offset(6));
  world.scheduler.advance(Millis(5000));
  CHECK(world.find("c", 0)->log().cleaned_offset() == Offset(6));
  CHECK(world.find("c", 0)->log().segment_count() == 3);
  CHECK(world.find("c", 0)->offsets().log_start == Offset(0));
  REQUIRE(world.stop());
  CHECK(world.exists("/data/cleaner-offset-checkpoint"));
  REQUIRE(world.start());
  CHECK(world.find("c", 0)->log().cleaned_offset() == Offset(6));
  CHECK(world.produce("c", 0, "v") == Offset(7));
}
