// group_server_fixture.h: a broker with groups, on fake logs and a manual scheduler. Its parts are those of leatd but
// the files; restart_groups() is a restart of the coordinator on what the logs hold.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/group_coordinator.h"
#include "server/metadata_store.h"
#include "server/offsets_topic.h"
#include "test/server/data_fixture.h"
#include "test/server/fake_metadata_journal.h"
#include "test/server/table_host.h"

namespace leat::test {

struct GroupServerFixture : DataFixture {
  FakeMetadataJournal journal{scheduler};
  TableHost host{table};
  MetadataStore store{
      {.scheduler = scheduler, .random = random, .settings = settings, .journal = journal, .host = host}};
  std::unique_ptr<GroupCoordinator> groups;

  GroupServerFixture() {
    broker.metadata = &store;
    broker.cluster_id = "cluster";
    broker.advertised["PLAINTEXT"] = {.host = "mill", .port = 9092};
    REQUIRE((*run(store.start("cluster"))).has_value());
    start_groups();
  }
  ~GroupServerFixture() {
    stop_groups();
    spawn(store.stop());
    scheduler.run_until_idle();
  }

  void start_groups() {
    groups = std::make_unique<GroupCoordinator>(
        GroupCoordinator::Parts{.scheduler = scheduler, .random = random, .metadata = store, .partitions = table});
    broker.groups = groups.get();
    groups->start();
    scheduler.run_until_idle();
  }
  void stop_groups() {
    if (groups == nullptr) return;
    spawn(groups->stop());
    scheduler.run_until_idle();
    groups.reset();
  }
  void restart_groups() {
    stop_groups();
    start_groups();
  }

  Uuid create_topic(const std::string& name, int32_t partitions = 1) {
    CreateTopicEvent event;
    event.name = name;
    event.partition_count = partitions;
    std::vector<CreateTopicEvent> events = {event};
    const auto made = *run(store.create_topics(std::move(events), Validate::kAndDo));
    REQUIRE(made.at(0).has_value());
    return made.at(0)->id;
  }
  void delete_topic(const std::string& name) {
    REQUIRE((*run(store.delete_topic(store.find_topic(name)->state->id))).has_value());
  }
  FakePartitionLog& log_of(const std::string& topic, int32_t partition = 0) {
    Partition* found = table.find(topic, partition);
    REQUIRE(found != nullptr);
    return static_cast<FakePartitionLog&>(found->log());
  }

  // A consumer without a group commits.
  GroupErrc commit(const std::string& group, const std::string& topic, int32_t partition, int64_t offset) {
    CommitOffsets event;
    event.group_id = group;
    event.offsets.push_back({.topic = topic, .topic_id = {}, .partition = partition, .offset = offset, .metadata = ""});
    const CommitOffsetsReply reply = *run(groups->ask(std::move(event)));
    return reply.error != GroupErrc::kNone ? reply.error : reply.partitions.at(0);
  }
  int64_t committed(const std::string& group, const std::string& topic, int32_t partition) {
    FetchOffsets event;
    event.group_id = group;
    event.topics.emplace();
    event.topics->push_back({.topic = topic, .partitions = {partition}});
    const FetchOffsetsReply reply = *run(groups->ask(std::move(event)));
    REQUIRE(reply.error == GroupErrc::kNone);
    return reply.offsets.at(0).offset;
  }
};

}  // namespace leat::test
