// metadata_machine_test.cpp: one decision at a time: what Kafka 4.4.0 allows and refuses, in its words.
#include "core/metadata/metadata_machine.h"

#include "core/metadata/topic_name.h"
#include "test/support/catch.h"

namespace leat {
namespace {

constexpr int64_t kNow = 1'700'000'000'000;

struct Fixture {
  MetadataMachine machine;
  SeededRandom random{7};
  MetadataRules rules{.node_id = 1, .num_partitions = 4};
  ConfigMap none;
  BrokerConfigs broker{.dynamic_broker = none, .dynamic_default = none, .static_broker = none};

  void apply(const MetadataStep& step) {
    for (const MetadataRecord& record : step.records) machine.apply(record);
  }
  MetadataResult<TopicStep> decide(const CreateTopicEvent& event) {
    return machine.on_create_topic(event, rules, broker, kNow, random);
  }
  TopicState create(const CreateTopicEvent& event) {
    MetadataResult<TopicStep> made = decide(event);
    INFO((made ? "" : made.error().message));
    REQUIRE(made.has_value());
    apply(made->step);
    return made->topic;
  }
  TopicState create(std::string name, int32_t partition_count = 1) {
    CreateTopicEvent event;
    event.name = std::move(name);
    event.partition_count = partition_count;
    return create(event);
  }
  MetadataError refused(const CreateTopicEvent& event) {
    const MetadataMachine before = machine;
    const MetadataResult<TopicStep> made = decide(event);
    REQUIRE_FALSE(made.has_value());
    CHECK(machine == before);
    return made.error();
  }
};

CreateTopicEvent named(std::string name) {
  CreateTopicEvent event;
  event.name = std::move(name);
  return event;
}

TEST_CASE("metadata: a created topic is there by name and id, with the defaults", "[metadata]") {
  Fixture f;
  CreateTopicEvent event = named("orders");
  event.configs = {{"retention.ms", "5000"}};
  const TopicState made = f.create(event);
  const TopicState* by_name = f.machine.topic("orders");
  REQUIRE(by_name != nullptr);
  CHECK(*by_name == made);
  CHECK(f.machine.topic(made.id) == by_name);
  CHECK(by_name->partition_count == 4);
  CHECK(by_name->created_ms == kNow);
  CHECK(by_name->configs.at("retention.ms") == "5000");
  CHECK(f.machine.topic("order") == nullptr);
}

TEST_CASE("metadata: deciding changes nothing, and the step says what is to be done", "[metadata]") {
  Fixture f;
  CreateTopicEvent event = named("t");
  event.partition_count = 3;
  const MetadataResult<TopicStep> made = f.decide(event);
  REQUIRE(made.has_value());
  CHECK(f.machine.topics().empty());
  REQUIRE(made->step.records.size() == 1);
  REQUIRE(made->step.effects.size() == 1);
  const auto& added = std::get<PartitionsAdded>(made->step.effects[0]);
  CHECK(added.topic_id == made->topic.id);
  CHECK(added.first == 0);
  CHECK(added.count == 3);
}

TEST_CASE("metadata: topic names", "[metadata]") {
  Fixture f;
  const auto fault = [&](std::string name) { return f.refused(named(std::move(name))); };
  CHECK(fault("").message == "Topic name is invalid: the empty string is not allowed");
  CHECK(fault(".").message == "Topic name is invalid: '.' is not allowed");
  CHECK(fault("..").message == "Topic name is invalid: '..' is not allowed");
  CHECK(
      fault("a/b").message ==
      "Topic name is invalid: 'a/b' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'");
  CHECK(fault(std::string(250, 'x')).message.find("is longer than the max allowed length 249") != std::string::npos);
  CHECK(fault("caf\xc3\xa9").code == MetadataErrc::kInvalidTopic);
  CHECK(fault(std::string("a\0b", 3)).code == MetadataErrc::kInvalidTopic);
  CHECK(fault(std::string(kMetadataTopic)).code == MetadataErrc::kInvalidTopic);
  f.create(std::string(249, 'x'));
  f.create("A-Z_a.z-09");
  f.create("...");
}

TEST_CASE("metadata: a name is taken once, and names that collide exclude each other", "[metadata]") {
  Fixture f;
  f.create("t");
  CHECK(f.refused(named("t")).code == MetadataErrc::kTopicAlreadyExists);
  CHECK(f.refused(named("t")).message == "Topic 't' already exists.");
  const TopicState dotted = f.create("a.b_c");
  CHECK(f.refused(named("a_b_c")).message == "Topic 'a_b_c' collides with existing topic: a.b_c");
  CHECK(f.refused(named("a.b.c")).code == MetadataErrc::kInvalidTopic);
  f.create("a-b_c");
  f.apply(f.machine.on_delete_topic(dotted.id)->step);
  f.create("a.b.c");
}

TEST_CASE("metadata: partition count and replication factor", "[metadata]") {
  Fixture f;
  CreateTopicEvent event = named("t");
  event.replication_factor = 3;
  CHECK(f.refused(event).code == MetadataErrc::kInvalidReplicationFactor);
  CHECK(f.refused(event).message.find("The largest replication factor here is 1") != std::string::npos);
  for (const int32_t factor : {0, -2, INT32_MIN}) {
    event.replication_factor = factor;
    CHECK(f.refused(event).message == "Replication factor must be larger than 0, or -1 to use the default value.");
  }
  event.replication_factor = 1;
  for (const int32_t count : {0, -2, INT32_MIN}) {
    event.partition_count = count;
    CHECK(f.refused(event).message == "Number of partitions was set to an invalid non-positive value.");
    CHECK(f.refused(event).code == MetadataErrc::kInvalidPartitions);
  }
  event.partition_count = 10'001;
  CHECK(f.refused(event).code == MetadataErrc::kPolicyViolation);
  event.partition_count = INT32_MAX;
  CHECK(f.refused(event).code == MetadataErrc::kPolicyViolation);
  event.partition_count = 2;
  CHECK(f.create(event).partition_count == 2);
}

TEST_CASE("metadata: assignments by hand name this broker, once, for partitions 0 to n", "[metadata]") {
  Fixture f;
  CreateTopicEvent event = named("t");
  const auto with = [&](std::vector<PartitionAssignment> assignments) {
    event.assignments = std::move(assignments);
    return f.refused(event).message;
  };
  CHECK(with({{0, {2}}}) == "The manual partition assignment includes broker 2, but no such broker is registered.");
  CHECK(with({{0, {}}}) == "The manual partition assignment includes an empty replica list.");
  CHECK(with({{0, {1, 1}}}) == "The manual partition assignment includes the broker 1 more than once.");
  CHECK(with({{1, {1}}}) == "partitions should be a consecutive 0-based integer sequence");
  CHECK(with({{-1, {1}}}) == "partitions should be a consecutive 0-based integer sequence");
  CHECK(with({{0, {1}}, {2, {1}}}) == "partitions should be a consecutive 0-based integer sequence");
  CHECK(with({{0, {1}}, {0, {1}}}) == "Found multiple manual partition assignments for partition 0");
  event.partition_count = 1;
  CHECK(with({{0, {1}}}).find("numPartitions was not set to -1") != std::string::npos);
  event.partition_count = -1;
  event.replication_factor = 1;
  CHECK(with({{0, {1}}}).find("replication factor was not set to -1") != std::string::npos);
  event.replication_factor = -1;
  event.assignments = {{1, {1}}, {0, {1}}, {2, {1}}};
  CHECK(f.create(event).partition_count == 3);
}

TEST_CASE("metadata: settings of a new topic are checked", "[metadata]") {
  Fixture f;
  CreateTopicEvent event = named("t");
  event.configs = {{"retention.mss", "1"}};
  CHECK(f.refused(event).code == MetadataErrc::kInvalidConfig);
  CHECK(f.refused(event).message == "Unknown topic config name: retention.mss, did you mean retention.ms?");
  event.configs = {{"retention.ms", std::nullopt}, {"flush.ms", std::nullopt}};
  CHECK(f.refused(event).message == "Null value not supported for topic configs: retention.ms,flush.ms");
  event.configs = {{"segment.bytes", "1000"}};
  CHECK(f.refused(event).message ==
        "Invalid value 1000 for configuration segment.bytes: Value must be at least 1048576");
}

TEST_CASE("metadata: partitions are only added", "[metadata]") {
  Fixture f;
  const TopicState topic = f.create("t", 3);
  CreatePartitionsEvent event;
  event.topic = "t";
  const auto fault = [&](int32_t count) {
    event.count = count;
    const MetadataResult<TopicStep> made = f.machine.on_create_partitions(event, f.rules);
    REQUIRE_FALSE(made.has_value());
    return made.error();
  };
  CHECK(fault(3).message == "Topic already has 3 partition(s).");
  CHECK(fault(2).message == "The topic t currently has 3 partition(s); 2 would not be an increase.");
  CHECK(fault(-1).code == MetadataErrc::kInvalidPartitions);
  CHECK(fault(10'004).code == MetadataErrc::kPolicyViolation);
  event.assignments = std::vector<std::vector<int32_t>>{{1}};
  CHECK(fault(5).message == "Attempted to add 2 additional partition(s), but only 1 assignment(s) were specified.");
  event.assignments = std::vector<std::vector<int32_t>>{{7}};
  CHECK(fault(4).code == MetadataErrc::kInvalidReplicaAssignment);
  event.assignments = std::vector<std::vector<int32_t>>{{1}, {1}};
  event.count = 5;
  const MetadataResult<TopicStep> made = f.machine.on_create_partitions(event, f.rules);
  REQUIRE(made.has_value());
  f.apply(made->step);
  CHECK(f.machine.topic(topic.id)->partition_count == 5);
  const auto& added = std::get<PartitionsAdded>(made->step.effects.at(0));
  CHECK(added.first == 3);
  CHECK(added.count == 2);
  event.topic = "nope";
  CHECK(f.machine.on_create_partitions(event, f.rules).error().code == MetadataErrc::kUnknownTopic);
}

TEST_CASE("metadata: a deleted topic frees its name, and its id is remembered until it is gone", "[metadata]") {
  Fixture f;
  const TopicState first = f.create("t", 2);
  const MetadataResult<TopicStep> deleted = f.machine.on_delete_topic(first.id);
  REQUIRE(deleted.has_value());
  f.apply(deleted->step);
  CHECK(f.machine.topic("t") == nullptr);
  REQUIRE(f.machine.topic(first.id) != nullptr);
  CHECK(f.machine.topic(first.id)->phase == TopicPhase::kDeleting);
  CHECK(f.machine.topic(first.id)->partition_count == 2);
  CHECK(f.machine.on_delete_topic(first.id).error().code == MetadataErrc::kUnknownTopicId);

  const TopicState second = f.create("t");
  CHECK(second.id != first.id);
  f.apply(f.machine.on_topic_gone(first.id));
  CHECK(f.machine.topic(first.id) == nullptr);
  CHECK(f.machine.topic("t")->id == second.id);
  CHECK(f.machine.on_topic_gone(second.id).records.empty());
  CHECK(f.machine.on_topic_gone(first.id).records.empty());
}

TEST_CASE("metadata: a topic is taken in with its id, more partitions later, never over another", "[metadata]") {
  Fixture f;
  SeededRandom other(9);
  AdoptTopicEvent event{.name = "old", .id = Uuid::make(other), .partition_count = 2, .configs = {}};
  f.apply(f.machine.on_adopt_topic(event, f.broker, kNow)->step);
  CHECK(f.machine.topic("old")->id == event.id);
  event.partition_count = 5;
  const MetadataResult<TopicStep> more = f.machine.on_adopt_topic(event, f.broker, kNow);
  REQUIRE(more.has_value());
  CHECK(std::get<PartitionsAdded>(more->step.effects.at(0)).first == 2);
  f.apply(more->step);
  CHECK(f.machine.topic("old")->partition_count == 5);

  event.name = "other";
  CHECK_FALSE(f.machine.on_adopt_topic(event, f.broker, kNow).has_value());
  event = {.name = "old", .id = Uuid::make(other), .partition_count = 1, .configs = {}};
  CHECK(f.machine.on_adopt_topic(event, f.broker, kNow).error().code == MetadataErrc::kTopicAlreadyExists);
  event.id = Uuid{};
  CHECK_FALSE(f.machine.on_adopt_topic(event, f.broker, kNow).has_value());
}

TEST_CASE("metadata: producer ids are never given twice", "[metadata]") {
  Fixture f;
  const ProducerIdBlock first = f.machine.on_reserve_producer_ids(1000);
  CHECK(first.first == 0);
  f.apply(first.step);
  const ProducerIdBlock second = f.machine.on_reserve_producer_ids(1000);
  CHECK(second.first == 1000);
  f.apply(second.step);
  f.machine.apply(ProducerIdsRecord{.next_producer_id = 5});
  CHECK(f.machine.next_producer_id() == 2000);
  f.machine.apply(ProducerIdsRecord{.next_producer_id = INT64_MAX - 3});
  CHECK(f.machine.on_reserve_producer_ids(1000).count == 3);
}

TEST_CASE("metadata: a record from disk that cannot follow is found before it is applied", "[metadata]") {
  Fixture f;
  const TopicState topic = f.create("t");
  TopicState twin = topic;
  twin.id = Uuid::make(f.random);
  CHECK(f.machine.contradiction(TopicRecord{.id = twin.id, .state = twin}).has_value());
  CHECK_FALSE(f.machine.contradiction(TopicRecord{.id = topic.id, .state = topic}).has_value());
  twin.phase = TopicPhase::kDeleting;
  CHECK_FALSE(f.machine.contradiction(TopicRecord{.id = twin.id, .state = twin}).has_value());
}

TEST_CASE("metadata: quotas of an entity are one record, and none when the last is gone", "[metadata]") {
  Fixture f;
  QuotaEntity entity;
  entity.client_id = QuotaName("c");
  f.apply(*f.machine.on_alter_client_quotas(entity, {{"producer_byte_rate", 10}, {"consumer_byte_rate", 20}}));
  CHECK(f.machine.client_quotas().at(entity).size() == 2);
  CHECK(f.machine.on_alter_client_quotas(entity, {{"producer_byte_rate", 10}})->records.empty());
  CHECK(f.machine.on_alter_client_quotas(entity, {{"nonsense", 1}}).error().code == MetadataErrc::kInvalidRequest);
  f.apply(*f.machine.on_alter_client_quotas(entity, {{"producer_byte_rate", std::nullopt}}));
  CHECK(f.machine.client_quotas().at(entity).size() == 1);
  const size_t live = f.machine.live_record_count();
  CHECK(f.machine.snapshot().size() == live);
  f.apply(*f.machine.on_alter_client_quotas(entity, {{"consumer_byte_rate", std::nullopt}}));
  CHECK(f.machine.client_quotas().empty());
  CHECK(f.machine.live_record_count() == live - 1);
}

}  // namespace
}  // namespace leat
