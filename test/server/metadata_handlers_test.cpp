// metadata_handlers_test.cpp: topics and settings as clients ask for them, version by version, over a journal in memory
// and partitions of fake logs.
#include "server/handlers/metadata_handlers.h"

#include <fmt/format.h>

#include "core/metadata/topic_configs.h"
#include "server/metadata_store.h"
#include "test/server/data_fixture.h"
#include "test/server/fake_metadata_journal.h"
#include "test/server/table_host.h"

namespace leat::test {
namespace {

struct Fixture : DataFixture {
  FakeMetadataJournal journal{scheduler};
  TableHost host{table};
  MetadataStore store{
      {.scheduler = scheduler, .random = random, .settings = settings, .journal = journal, .host = host}};

  Fixture() {
    broker.metadata = &store;
    broker.cluster_id = "cluster";
    broker.advertised["PLAINTEXT"] = {.host = "mill", .port = 9092};
    broker.advertised["EXTERNAL"] = {.host = "example.org", .port = 19092};
    REQUIRE((*run(store.start("cluster"))).has_value());
  }
  ~Fixture() {
    spawn(store.stop());
    scheduler.run_until_idle();
  }
  CreateTopicsResponse create(CreateTopicsRequest message, int16_t version = 7) {
    return *run(handle_create_topics(broker, request(version), std::move(message)));
  }
  void create(const std::string& name, int32_t partitions = 1, std::map<std::string, std::string> configs = {}) {
    CreateTopicsRequest message;
    auto& topic = message.topics.emplace_back();
    topic.name = name;
    topic.num_partitions = partitions;
    topic.replication_factor = -1;
    for (const auto& [key, value] : configs) topic.configs.push_back({.name = key, .value = value});
    const CreateTopicsResponse made = create(std::move(message));
    REQUIRE(made.topics.at(0).error_code == ErrorCode::kNone);
  }
  MetadataResponse metadata(MetadataRequest message, int16_t version = 12) {
    return *run(handle_metadata(broker, request(version), std::move(message)));
  }
  MetadataResponse metadata_of(std::vector<std::string> names, int16_t version = 12, bool may_create = true) {
    MetadataRequest message;
    for (std::string& name : names) message.topics->push_back({.topic_id = {}, .name = std::move(name)});
    message.allow_auto_topic_creation = may_create;
    return metadata(std::move(message), version);
  }
};

TEST_CASE("handler Metadata: the broker, by the listener through which it is asked", "[server][metadata]") {
  Fixture f;
  const MetadataResponse plain = f.metadata_of({});
  REQUIRE(plain.brokers.size() == 1);
  CHECK(plain.brokers[0].host == "mill");
  CHECK(plain.brokers[0].port == 9092);
  CHECK(plain.controller_id == 1);
  CHECK(plain.cluster_id == "cluster");
  Request external = f.request(12);
  external.origin =
      std::make_shared<const RequestOrigin>(RequestOrigin{.peer = "", .listener_name = "EXTERNAL", .client_id = ""});
  CHECK((*f.run(handle_metadata(f.broker, external, MetadataRequest{}))).brokers.at(0).host == "example.org");
}

TEST_CASE("handler Metadata: all topics are null, at version 0 an empty list; else an empty list is none",
          "[server][metadata]") {
  Fixture f;
  f.create("b", 2);
  f.create("a");
  MetadataRequest all;
  all.topics = std::nullopt;
  const MetadataResponse answer = f.metadata(all);
  REQUIRE(answer.topics.size() == 2);
  CHECK(answer.topics[0].name == "a");
  CHECK(answer.topics[1].partitions.size() == 2);
  CHECK(answer.topics[1].partitions[1].partition_index == 1);
  CHECK(answer.topics[1].partitions[1].leader_id == 1);
  CHECK(answer.topics[1].partitions[1].isr_nodes == std::vector<int32_t>{1});
  CHECK(f.metadata_of({}, 0).topics.size() == 2);
  CHECK(f.metadata_of({}, 1).topics.empty());
}

TEST_CASE("handler Metadata: a topic that is not there is made, and answered at once", "[server][metadata]") {
  Fixture f;
  f.settings.num_partitions = 3;
  const MetadataResponse answer = f.metadata_of({"fresh", "fresh", "a/b"});
  REQUIRE(answer.topics.size() == 2);
  CHECK(answer.topics[0].error_code == ErrorCode::kNone);
  CHECK(answer.topics[0].partitions.size() == 3);
  CHECK_FALSE(answer.topics[0].topic_id.is_zero());
  CHECK(answer.topics[1].error_code == ErrorCode::kInvalidTopicException);
  CHECK(f.table.find("fresh", 2) != nullptr);
}

TEST_CASE("handler Metadata: nothing is made when client or broker forbids it", "[server][metadata]") {
  Fixture f;
  CHECK(f.metadata_of({"t", "a/b"}, 12, false).topics.at(0).error_code == ErrorCode::kUnknownTopicOrPartition);
  CHECK(f.metadata_of({"t", "a/b"}, 12, false).topics.at(1).error_code == ErrorCode::kInvalidTopicException);
  f.settings.auto_create_topics = false;
  CHECK(f.metadata_of({"t"}).topics.at(0).error_code == ErrorCode::kUnknownTopicOrPartition);
  CHECK(f.store.served_topics().empty());
}

TEST_CASE("handler Metadata: a journal that cannot be written makes clients ask again", "[server][metadata]") {
  Fixture f;
  f.journal.failures_left = 1;
  CHECK(f.metadata_of({"t"}).topics.at(0).error_code == ErrorCode::kLeaderNotAvailable);
  CHECK(f.metadata_of({"t"}).topics.at(0).error_code == ErrorCode::kNone);
  f.create("a.b");
  CHECK(f.metadata_of({"a_b"}).topics.at(0).error_code == ErrorCode::kInvalidTopicException);
}

TEST_CASE("handler Metadata: by id, and what older versions may not ask", "[server][metadata]") {
  Fixture f;
  f.create("t");
  const Uuid id = f.store.find_topic("t")->state->id;
  MetadataRequest message;
  message.topics->push_back({.topic_id = id, .name = std::nullopt});
  message.topics->push_back({.topic_id = DataFixture::id_of("other"), .name = std::nullopt});
  const MetadataResponse answer = f.metadata(message);
  REQUIRE(answer.topics.size() == 2);
  CHECK(answer.topics[0].name == "t");
  CHECK(answer.topics[1].error_code == ErrorCode::kUnknownTopicId);
  CHECK_FALSE(answer.topics[1].name.has_value());
  CHECK(f.metadata(message, 11).topics.at(0).error_code == ErrorCode::kInvalidRequest);
}

TEST_CASE("handler Metadata: a partition that could not be opened has no leader", "[server][metadata]") {
  Fixture f;
  f.host.unopened = 1;
  f.create("t", 2);
  const MetadataResponse answer = f.metadata_of({"t"});
  CHECK(answer.topics.at(0).partitions.at(0).error_code == ErrorCode::kNone);
  CHECK(answer.topics.at(0).partitions.at(1).error_code == ErrorCode::kLeaderNotAvailable);
  CHECK(answer.topics.at(0).partitions.at(1).leader_id == -1);
  CHECK(answer.topics.at(0).partitions.at(1).offline_replicas == std::vector<int32_t>{1});
}

TEST_CASE("handler Metadata: operations only for who asks", "[server][metadata]") {
  Fixture f;
  f.create("t");
  MetadataRequest message;
  message.topics = std::nullopt;
  CHECK(f.metadata(message, 8).topics.at(0).topic_authorized_operations == INT32_MIN);
  message.include_topic_authorized_operations = true;
  message.include_cluster_authorized_operations = true;
  const MetadataResponse answer = f.metadata(message, 8);
  CHECK(answer.topics.at(0).topic_authorized_operations == 3576);
  CHECK(answer.cluster_authorized_operations == 8096);
}

TEST_CASE("handler DescribeTopicPartitions: pages by a cursor", "[server][metadata]") {
  Fixture f;
  f.create("a", 3);
  f.create("b", 2);
  f.create("c", 1);
  DescribeTopicPartitionsRequest message;
  message.response_partition_limit = 2;
  std::vector<std::string> seen;
  int pages = 0;
  for (bool more = true; more && pages < 10; ++pages) {
    const DescribeTopicPartitionsResponse page =
        *f.run(handle_describe_topic_partitions(f.broker, f.request(0), message));
    for (const auto& topic : page.topics) {
      for (const auto& partition : topic.partitions)
        seen.push_back(fmt::format("{}-{}", *topic.name, partition.partition_index));
    }
    more = page.next_cursor.has_value();
    if (more)
      message.cursor =
          DescribeTopicPartitionsRequest::Cursor{page.next_cursor->topic_name, page.next_cursor->partition_index};
  }
  CHECK(seen == std::vector<std::string>{"a-0", "a-1", "a-2", "b-0", "b-1", "c-0"});
  CHECK(pages == 3);
  message.cursor = std::nullopt;
  message.response_partition_limit = -5;
  message.topics = {{.name = "nope"}, {.name = "a/b"}, {.name = "b"}};
  const DescribeTopicPartitionsResponse named =
      *f.run(handle_describe_topic_partitions(f.broker, f.request(0), message));
  REQUIRE(named.topics.size() == 2);
  CHECK(named.topics[0].error_code == ErrorCode::kInvalidTopicException);
  CHECK(named.topics[1].name == "b");
  CHECK(named.next_cursor->topic_name == "b");
  CHECK(named.next_cursor->partition_index == 1);
}

TEST_CASE("handler CreateTopics: the answer shows what was made", "[server][metadata]") {
  Fixture f;
  CreateTopicsRequest message;
  auto& topic = message.topics.emplace_back();
  topic.name = "t";
  topic.num_partitions = -1;
  topic.replication_factor = -1;
  topic.configs.push_back({.name = "cleanup.policy", .value = "compact"});
  const CreateTopicsResponse made = f.create(message);
  REQUIRE(made.topics.size() == 1);
  CHECK(made.topics[0].error_code == ErrorCode::kNone);
  CHECK(made.topics[0].num_partitions == 1);
  CHECK(made.topics[0].replication_factor == 1);
  CHECK(made.topics[0].topic_id == f.store.find_topic("t")->state->id);
  REQUIRE(made.topics[0].configs.has_value());
  CHECK(made.topics[0].configs->size() == topic_configs().keys().size() - 1);  // but the hidden one
  for (const auto& config : *made.topics[0].configs) {
    if (config.name != "cleanup.policy") continue;
    CHECK(config.value == "compact");
    CHECK(config.config_source == 1);
  }
  CHECK(f.create(message).topics.at(0).error_code == ErrorCode::kTopicAlreadyExists);
}

TEST_CASE("handler CreateTopics: one bad topic does not stop the others; twice is refused", "[server][metadata]") {
  Fixture f;
  CreateTopicsRequest message;
  for (const char* name : {"good", "twice", "b/d", "twice"}) {
    auto& topic = message.topics.emplace_back();
    topic.name = name;
    topic.num_partitions = 1;
    topic.replication_factor = 1;
  }
  std::map<std::string, ErrorCode> codes;
  for (const auto& result : f.create(message).topics) codes[result.name] = result.error_code;
  CHECK(codes == std::map<std::string, ErrorCode>{{"good", ErrorCode::kNone},
                                                  {"b/d", ErrorCode::kInvalidTopicException},
                                                  {"twice", ErrorCode::kInvalidRequest}});
  message.validate_only = true;
  message.topics.resize(1);
  message.topics[0].name = "only";
  CHECK(f.create(message).topics.at(0).error_code == ErrorCode::kNone);
  CHECK_FALSE(f.store.find_topic("only").has_value());
}

TEST_CASE("handler DeleteTopics: by name and by id", "[server][metadata]") {
  Fixture f;
  f.create("a");
  f.create("b");
  const Uuid id = f.store.find_topic("b")->state->id;
  DeleteTopicsRequest message;
  message.topic_names = {"a", "nope"};
  DeleteTopicsResponse gone = *f.run(handle_delete_topics(f.broker, f.request(5), message));
  CHECK(gone.responses.at(0).error_code == ErrorCode::kNone);
  CHECK(gone.responses.at(1).error_code == ErrorCode::kUnknownTopicOrPartition);
  CHECK(f.table.find("a", 0) == nullptr);

  message.topic_names.clear();
  message.topics = {{.name = std::nullopt, .topic_id = id},
                    {.name = std::nullopt, .topic_id = DataFixture::id_of("x")},
                    {.name = std::nullopt, .topic_id = {}},
                    {.name = "b", .topic_id = id}};
  gone = *f.run(handle_delete_topics(f.broker, f.request(6), message));
  REQUIRE(gone.responses.size() == 4);
  CHECK(gone.responses[0].name == "b");
  CHECK(gone.responses[0].error_code == ErrorCode::kNone);
  CHECK(gone.responses[1].error_code == ErrorCode::kUnknownTopicId);
  CHECK(gone.responses[2].error_code == ErrorCode::kInvalidRequest);
  CHECK(gone.responses[3].error_code == ErrorCode::kInvalidRequest);
  CHECK(f.store.served_topics().empty());
}

TEST_CASE("handler DeleteTopics: can be disabled", "[server][metadata]") {
  Fixture f;
  f.create("a");
  f.settings.delete_topics = false;
  DeleteTopicsRequest message;
  message.topic_names = {"a"};
  CHECK((*f.run(handle_delete_topics(f.broker, f.request(5), message))).responses.at(0).error_code ==
        ErrorCode::kTopicDeletionDisabled);
  CHECK((*f.run(handle_delete_topics(f.broker, f.request(2), message))).responses.at(0).error_code ==
        ErrorCode::kInvalidRequest);
  CHECK(f.store.find_topic("a").has_value());
}

TEST_CASE("handler CreatePartitions: adds, and refuses in the order of the request", "[server][metadata]") {
  Fixture f;
  f.create("a", 2);
  f.create("b", 2);
  CreatePartitionsRequest message;
  message.topics = {{.name = "a", .count = 4, .assignments = std::nullopt},
                    {.name = "b", .count = 1, .assignments = std::nullopt},
                    {.name = "c", .count = 3, .assignments = std::nullopt},
                    {.name = "c", .count = 3, .assignments = std::nullopt}};
  const CreatePartitionsResponse made = *f.run(handle_create_partitions(f.broker, f.request(3), message));
  REQUIRE(made.results.size() == 3);
  CHECK(made.results[0].error_code == ErrorCode::kNone);
  CHECK(made.results[1].error_code == ErrorCode::kInvalidPartitions);
  CHECK(made.results[2].error_code == ErrorCode::kInvalidRequest);
  CHECK(f.table.find("a", 3) != nullptr);
}

DescribeConfigsResponse::DescribeConfigsResult described(Fixture& f, int8_t type, std::string name,
                                                         std::optional<std::vector<std::string>> keys = std::nullopt) {
  DescribeConfigsRequest message;
  message.resources.push_back(
      {.resource_type = type, .resource_name = std::move(name), .configuration_keys = std::move(keys)});
  message.include_synonyms = true;
  return (*f.run(handle_describe_configs(f.broker, f.request(4), message))).results.at(0);
}

TEST_CASE("handler DescribeConfigs: topics and the broker, filtered and with synonyms", "[server][metadata][config]") {
  Fixture f;
  f.settings.given["log.segment.bytes"] = "2000000";
  f.create("t", 1, {{"retention.ms", "5000"}});
  const auto topic = described(f, 2, "t", std::vector<std::string>{"retention.ms", "segment.bytes", "nothing"});
  REQUIRE(topic.configs.size() == 2);
  CHECK(topic.configs[0].name == "retention.ms");
  CHECK(topic.configs[0].value == "5000");
  CHECK(topic.configs[0].config_source == 1);
  CHECK(topic.configs[0].config_type == 5);
  CHECK_FALSE(topic.configs[0].documentation.has_value());
  REQUIRE(topic.configs[0].synonyms.size() == 1);
  CHECK(topic.configs[1].value == "2000000");
  CHECK(topic.configs[1].config_source == 4);
  const auto broker = described(f, 4, "1", std::vector<std::string>{"log.segment.bytes", "node.id"});
  REQUIRE(broker.configs.size() == 2);
  CHECK_FALSE(broker.configs[0].read_only);
  CHECK(broker.configs[1].read_only);
  CHECK(described(f, 4, "").configs.empty());
  CHECK(described(f, 2, "t", std::vector<std::string>{}).configs.size() == topic_configs().keys().size() - 1);
}

TEST_CASE("handler DescribeConfigs: what is not there", "[server][metadata][config]") {
  Fixture f;
  CHECK(described(f, 2, "nope").error_code == ErrorCode::kUnknownTopicOrPartition);
  CHECK(described(f, 2, "a/b").error_code == ErrorCode::kInvalidTopicException);
  CHECK(described(f, 2, "").error_code == ErrorCode::kInvalidTopicException);
  CHECK(described(f, 4, "2").error_code == ErrorCode::kInvalidRequest);
  CHECK(described(f, 4, "abc").error_code == ErrorCode::kInvalidRequest);
  CHECK(described(f, 32, "").error_code == ErrorCode::kInvalidRequest);
  for (const int8_t type : std::initializer_list<int8_t>{0, 1, 8, 16, 99, -1})
    CHECK(described(f, type, "x").error_code == ErrorCode::kInvalidRequest);
}

TEST_CASE("handler IncrementalAlterConfigs: all or nothing for each resource", "[server][metadata][config]") {
  Fixture f;
  f.create("good");
  f.create("bad");
  IncrementalAlterConfigsRequest message;
  message.resources.resize(5);
  message.resources[0] = {.resource_type = 2,
                          .resource_name = "good",
                          .configs = {{"retention.ms", 0, "1"}, {"segment.bytes", 0, "2000000"}}};
  message.resources[1] = {
      .resource_type = 2, .resource_name = "bad", .configs = {{"retention.ms", 0, "1"}, {"segment.bytes", 0, "3"}}};
  message.resources[2] = {.resource_type = 4, .resource_name = "1", .configs = {{"node.id", 0, "3"}}};
  message.resources[3] = {.resource_type = 4, .resource_name = "", .configs = {{"log.retention.mss", 0, "3"}}};
  message.resources[4] = {.resource_type = 16, .resource_name = "metrics", .configs = {}};
  const IncrementalAlterConfigsResponse altered =
      *f.run(handle_incremental_alter_configs(f.broker, f.request(1), message));
  REQUIRE(altered.responses.size() == 5);
  CHECK(altered.responses[0].error_code == ErrorCode::kNone);
  CHECK(altered.responses[1].error_code == ErrorCode::kInvalidConfig);
  CHECK(altered.responses[2].error_code == ErrorCode::kInvalidRequest);
  CHECK(altered.responses[3].error_code == ErrorCode::kInvalidConfig);
  CHECK(altered.responses[3].error_message ==
        "Unknown broker config name: log.retention.mss, did you mean log.retention.ms?");
  CHECK(altered.responses[4].error_code == ErrorCode::kInvalidRequest);
  CHECK(f.store.find_topic("good")->state->configs.size() == 2);
  CHECK(f.store.find_topic("bad")->state->configs.empty());
  CHECK(f.table.find("good", 0)->settings().log.segment_bytes == 2'000'000);
}

TEST_CASE("handlers of configs: a group has settings of its own, within the broker's limits",
          "[server][metadata][config]") {
  Fixture f;
  const auto alter = [&f](std::string group, std::string name, std::string value) {
    IncrementalAlterConfigsRequest message;
    message.resources.push_back(
        {.resource_type = 32, .resource_name = std::move(group), .configs = {{std::move(name), 0, std::move(value)}}});
    return (*f.run(handle_incremental_alter_configs(f.broker, f.request(1), message))).responses.at(0);
  };
  const std::vector<std::string> session = {"consumer.session.timeout.ms"};
  const auto before = described(f, 32, "g", session);
  REQUIRE(before.configs.size() == 1);
  CHECK(before.configs[0].value == "45000");
  CHECK(before.configs[0].config_source == 5);
  REQUIRE(alter("g", "consumer.session.timeout.ms", "50000").error_code == ErrorCode::kNone);
  const auto after = described(f, 32, "g", session);
  CHECK(after.configs.at(0).value == "50000");
  CHECK(after.configs.at(0).config_source == 8);
  REQUIRE(after.configs.at(0).synonyms.size() == 2);
  CHECK(after.configs.at(0).synonyms[0].name == "consumer.session.timeout.ms");
  CHECK(after.configs.at(0).synonyms[1].name == "group.consumer.session.timeout.ms");
  CHECK(f.store.machine().group_configs("g") == ConfigMap{{"consumer.session.timeout.ms", "50000"}});
  const auto refused = alter("g", "consumer.session.timeout.ms", "70000");
  CHECK(refused.error_code == ErrorCode::kInvalidConfig);
  CHECK(refused.error_message == "consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.");
  CHECK(alter("", "consumer.session.timeout.ms", "50000").error_code == ErrorCode::kInvalidRequest);
  CHECK(alter("h", "consumer.session.timeouts", "1").error_code == ErrorCode::kInvalidConfig);
  ListConfigResourcesRequest list;
  list.resource_types = {32};
  const auto listed = *f.run(handle_list_config_resources(f.broker, f.request(1), list));
  REQUIRE(listed.config_resources.size() == 1);
  CHECK(listed.config_resources[0].resource_name == "g");
}

TEST_CASE("handler AlterConfigs: replaces; a resource named twice is refused", "[server][metadata][config]") {
  Fixture f;
  f.create("t", 1, {{"retention.ms", "5000"}});
  AlterConfigsRequest message;
  message.resources.resize(1);
  message.resources[0] = {.resource_type = 2, .resource_name = "t", .configs = {{"flush.ms", "9"}}};
  CHECK((*f.run(handle_alter_configs(f.broker, f.request(2), message))).responses.at(0).error_code == ErrorCode::kNone);
  CHECK(f.store.find_topic("t")->state->configs == ConfigMap{{"flush.ms", "9"}});
  message.resources.push_back(message.resources[0]);
  const AlterConfigsResponse twice = *f.run(handle_alter_configs(f.broker, f.request(2), message));
  CHECK(twice.responses.at(0).error_code == ErrorCode::kInvalidRequest);
  CHECK(twice.responses.at(1).error_code == ErrorCode::kInvalidRequest);
}

// Many resources in one request must cost no stack: g++ below -O2 nests each task that ends without a wait.
TEST_CASE("handlers: thousands of topics and resources in one request", "[server][metadata]") {
  Fixture f;
  CreateTopicsRequest create;
  IncrementalAlterConfigsRequest alter;
  DeleteTopicsRequest remove;
  for (int i = 0; i < 3000; ++i) {
    auto& topic = create.topics.emplace_back();
    topic.name = fmt::format("t{}", i);
    topic.num_partitions = i % 2 == 0 ? 1 : 0;
    topic.replication_factor = 1;
    alter.resources.push_back({.resource_type = 2, .resource_name = topic.name, .configs = {{"retention.ms", 0, "x"}}});
    remove.topic_names.push_back(topic.name);
  }
  CHECK(f.create(create).topics.size() == 3000);
  CHECK(f.store.served_topics().size() == 1500);
  CHECK((*f.run(handle_incremental_alter_configs(f.broker, f.request(1), alter))).responses.size() == 3000);
  CHECK((*f.run(handle_delete_topics(f.broker, f.request(5), remove))).responses.size() == 3000);
  CHECK(f.store.served_topics().empty());
}

TEST_CASE("handler ListConfigResources: topics and the broker; unknown types are refused",
          "[server][metadata][config]") {
  Fixture f;
  f.create("t");
  ListConfigResourcesRequest message;
  CHECK((*f.run(handle_list_config_resources(f.broker, f.request(0), message))).config_resources.empty());
  CHECK((*f.run(handle_list_config_resources(f.broker, f.request(1), message))).config_resources.size() == 2);
  message.resource_types = {2};
  CHECK((*f.run(handle_list_config_resources(f.broker, f.request(1), message))).config_resources.at(0).resource_name ==
        "t");
  message.resource_types = {2, 7};
  CHECK((*f.run(handle_list_config_resources(f.broker, f.request(1), message))).error_code ==
        ErrorCode::kUnsupportedVersion);
}

}  // namespace
}  // namespace leat::test
