// metadata_store_test.cpp: the machine over a journal that can fail, on a loop that moves when told: what is answered
// is durable and in effect, what failed leaves nothing, and the journal stays as long as what lives.
#include "server/metadata_store.h"

#include <fmt/format.h>

#include "server/countdown.h"
#include "server/settings.h"
#include "test/server/fake_metadata_journal.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat {
namespace {

class FakeHost final : public TopicHost {
 public:
  Task<Result<void>> add_partitions(TopicSpec topic, int32_t first, int32_t count) override {
    events.push_back(fmt::format("add {} {}+{}", topic.name, first, count));
    if (is_full) co_return fail(Errc::kNoSpace, "no room for a folder");
    settings[topic.id] = topic.settings;
    co_return Result<void>{};
  }
  Task<Result<void>> open_topic(TopicSpec topic, int32_t count) override {
    events.push_back(fmt::format("open {} {}", topic.name, count));
    settings[topic.id] = topic.settings;
    co_return Result<void>{};
  }
  Task<Result<void>> remove_topic(Uuid id, std::string name, int32_t count) override {
    events.push_back(fmt::format("remove {} {}", name, count));
    settings.erase(id);
    if (is_full) co_return fail(Errc::kIo, "rename failed");
    co_return Result<void>{};
  }
  void set_settings(const Uuid& id, const TopicSettings& changed) override { settings[id] = changed; }

  std::vector<std::string> events;
  std::unordered_map<Uuid, TopicSettings> settings;
  bool is_full = false;
};

template <class T>
Task<void> keep(Task<T> task, std::optional<T>& into) {
  T result = co_await std::move(task);
  into.emplace(std::move(result));
}

struct Fixture {
  ManualScheduler scheduler;
  SeededRandom random{11};
  Settings settings;
  FakeMetadataJournal journal{scheduler};
  FakeHost host;
  std::unique_ptr<MetadataStore> store;

  Fixture() { restart(); }
  ~Fixture() { stop(); }

  void stop() {
    if (store == nullptr) return;
    spawn(store->stop());
    scheduler.run_until_idle();
    store.reset();
  }
  Result<void> start_again(std::string cluster_id = "cluster") {
    stop();
    store = std::make_unique<MetadataStore>(MetadataStore::Parts{
        .scheduler = scheduler, .random = random, .settings = settings, .journal = journal, .host = host});
    return run(store->start(std::move(cluster_id)));
  }
  void restart() {
    const Result<void> started = start_again();
    INFO((started ? "" : started.error().context));
    REQUIRE(started.has_value());
  }
  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    spawn(keep(std::move(task), result));
    scheduler.run_until_idle();
    REQUIRE(result.has_value());
    return *std::move(result);
  }
  static CreateTopicEvent named(std::string name, int32_t partition_count = 1) {
    CreateTopicEvent event;
    event.name = std::move(name);
    event.partition_count = partition_count;
    return event;
  }
  MetadataResult<TopicState> create(std::string name, int32_t partition_count = 1) {
    return run(store->create_topics({named(std::move(name), partition_count)}, Validate::kAndDo)).at(0);
  }
  std::vector<ConfigChange> set(std::string name, std::string value) {
    return {{std::move(name), ConfigOperation::kSet, std::move(value)}};
  }
};

TEST_CASE("metadata store: a created topic is served, durable, and there after a restart", "[server][metadata]") {
  Fixture f;
  const MetadataResult<TopicState> made = f.create("t", 3);
  REQUIRE(made.has_value());
  CHECK(f.host.events == std::vector<std::string>{"add t 0+3"});
  const auto served = f.store->find_topic("t");
  REQUIRE(served.has_value());
  CHECK(served->partition_count == 3);
  CHECK(served->state->id == made->id);
  CHECK(*f.journal.replayed() == f.store->machine());
  f.host.events.clear();
  f.restart();
  CHECK(f.host.events == std::vector<std::string>{"open t 3"});
  CHECK(f.store->find_topic(made->id).has_value());
}

TEST_CASE("metadata store: nothing is answered or made before the record is durable", "[server][metadata]") {
  Fixture f;
  f.journal.held = true;
  std::optional<std::vector<MetadataResult<TopicState>>> answer;
  spawn(keep(f.store->create_topics({Fixture::named("t")}, Validate::kAndDo), answer));
  f.scheduler.run_until_idle();
  CHECK_FALSE(answer.has_value());
  CHECK(f.host.events.empty());
  CHECK_FALSE(f.store->find_topic("t").has_value());
  CHECK(f.store->served_topics().empty());
  f.journal.release();
  f.scheduler.run_until_idle();
  REQUIRE(answer.has_value());
  CHECK(answer->at(0).has_value());
  CHECK(f.store->served_topics().size() == 1);
}

TEST_CASE("metadata store: steps that queue leave in one append", "[server][metadata]") {
  Fixture f;
  const int before = f.journal.appends;
  std::vector<std::optional<std::vector<MetadataResult<TopicState>>>> answers(20);
  for (size_t i = 0; i < answers.size(); ++i) {
    spawn(keep(f.store->create_topics({Fixture::named(fmt::format("t{}", i))}, Validate::kAndDo), answers[i]));
  }
  f.scheduler.run_until_idle();
  for (const auto& answer : answers) CHECK(answer->at(0).has_value());
  CHECK(f.journal.appends == before + 1);
}

TEST_CASE("metadata store: topics of one request are decided one by one", "[server][metadata]") {
  Fixture f;
  REQUIRE(f.create("old").has_value());
  const auto results =
      f.run(f.store->create_topics({Fixture::named("a.b"), Fixture::named("a_b"), Fixture::named("old"),
                                    Fixture::named("c", 0), Fixture::named("d")},
                                   Validate::kAndDo));
  CHECK(results.at(0).has_value());
  CHECK(results.at(1).error().code == MetadataErrc::kInvalidTopic);
  CHECK(results.at(2).error().code == MetadataErrc::kTopicAlreadyExists);
  CHECK(results.at(3).error().code == MetadataErrc::kInvalidPartitions);
  CHECK(results.at(4).has_value());
}

TEST_CASE("metadata store: two who create the same topic at once: one wins, the other is told when it is there",
          "[server][metadata]") {
  Fixture f;
  std::optional<std::vector<MetadataResult<TopicState>>> one, two;
  spawn(keep(f.store->create_topics({Fixture::named("t")}, Validate::kAndDo), one));
  spawn(keep(f.store->create_topics({Fixture::named("t"), Fixture::named("u")}, Validate::kAndDo), two));
  f.scheduler.run_until_idle();
  CHECK(one->at(0).has_value());
  CHECK(two->at(0).error().code == MetadataErrc::kTopicAlreadyExists);
  CHECK(two->at(1).has_value());
}

TEST_CASE("metadata store: validation alone writes and makes nothing", "[server][metadata]") {
  Fixture f;
  const int before = f.journal.appends;
  CHECK(f.run(f.store->create_topics({Fixture::named("t")}, Validate::kOnly)).at(0).has_value());
  REQUIRE(f.create("u").has_value());
  CreatePartitionsEvent more;
  more.topic = "u";
  more.count = 5;
  CHECK(f.run(f.store->create_partitions(more, Validate::kOnly)).has_value());
  CHECK(f.run(f.store->alter_topic_configs("u", f.set("retention.ms", "1"), AlterMode::kIncremental, Validate::kOnly))
            .has_value());
  CHECK_FALSE(
      f.run(f.store->alter_topic_configs("u", f.set("retention.ms", "x"), AlterMode::kIncremental, Validate::kOnly))
          .has_value());
  CHECK(f.journal.appends == before + 1);
  CHECK(f.store->find_topic("u")->partition_count == 1);
  CHECK(f.store->find_topic("u")->state->configs.empty());
}

TEST_CASE("metadata store: a failed append refuses all that was decided on it, and the state is the journal's again",
          "[server][metadata]") {
  Fixture f;
  REQUIRE(f.create("kept").has_value());
  const MetadataMachine before = f.store->machine();
  f.journal.held = true;
  f.journal.failures_left = 1;
  std::optional<std::vector<MetadataResult<TopicState>>> first, second;
  std::optional<MetadataResult<TopicState>> deleted;
  spawn(keep(f.store->create_topics({Fixture::named("lost")}, Validate::kAndDo), first));
  f.scheduler.run_until_idle();  // its append is under way
  spawn(keep(f.store->create_topics({Fixture::named("after")}, Validate::kAndDo), second));
  spawn(keep(f.store->delete_topic(f.store->machine().topic("kept")->id), deleted));
  f.scheduler.run_until_idle();
  f.journal.release();
  f.scheduler.run_until_idle();
  CHECK(first->at(0).error().code == MetadataErrc::kStorage);
  CHECK(first->at(0).error().message == "no space left on the device");
  CHECK(second->at(0).error().code == MetadataErrc::kStorage);
  CHECK(deleted->error().code == MetadataErrc::kStorage);
  CHECK(f.store->machine() == before);
  CHECK(f.store->find_topic("kept").has_value());
  CHECK(f.host.events == std::vector<std::string>{"add kept 0+1"});
  // The disk has room again.
  CHECK(f.create("lost").has_value());
  CHECK(*f.journal.replayed() == f.store->machine());
}

TEST_CASE("metadata store: when the journal cannot be read again nothing more is promised", "[server][metadata]") {
  Fixture f;
  f.journal.failures_left = 1;
  f.journal.is_unreadable = true;
  CHECK(f.create("t").error().code == MetadataErrc::kStorage);
  f.journal.is_unreadable = false;
  CHECK(f.create("t").error().code == MetadataErrc::kStorage);
  f.restart();
  CHECK(f.create("t").has_value());
}

TEST_CASE("metadata store: a topic whose folders cannot be made is taken back", "[server][metadata]") {
  Fixture f;
  f.host.is_full = true;
  const MetadataResult<TopicState> made = f.create("t");
  CHECK(made.error().code == MetadataErrc::kStorage);
  CHECK(made.error().message == "no room for a folder");
  CHECK_FALSE(f.store->find_topic("t").has_value());
  CHECK(f.store->machine().topic("t") == nullptr);
  f.host.is_full = false;
  CHECK(f.create("t").has_value());
  // What was left of the first attempt goes at the next start.
  f.host.events.clear();
  f.restart();
  CHECK(f.host.events == std::vector<std::string>{"remove t 1", "open t 1"});
  CHECK(f.store->machine().all_topics().size() == 1);
}

TEST_CASE("metadata store: a deleted topic leaves at once, its id when its folders are gone", "[server][metadata]") {
  Fixture f;
  const Uuid id = f.create("t", 2)->id;
  CHECK(f.run(f.store->delete_topic(id)).has_value());
  CHECK(f.host.events.back() == "remove t 2");
  CHECK(f.store->machine().all_topics().empty());
  CHECK(f.run(f.store->delete_topic(id)).error().code == MetadataErrc::kUnknownTopicId);

  const Uuid second = f.create("t", 1)->id;
  CHECK(second != id);
  f.host.is_full = true;  // renaming fails: the topic is gone for clients, the id remembered
  CHECK(f.run(f.store->delete_topic(second)).has_value());
  CHECK_FALSE(f.store->find_topic("t").has_value());
  CHECK(f.store->machine().topic(second)->phase == TopicPhase::kDeleting);
  f.host.is_full = false;
  f.restart();
  CHECK(f.store->machine().all_topics().empty());
}

TEST_CASE("metadata store: deletion and creation of one name follow one another", "[server][metadata]") {
  Fixture f;
  const Uuid id = f.create("t", 2)->id;
  f.host.events.clear();
  std::optional<MetadataResult<TopicState>> deleted;
  std::optional<std::vector<MetadataResult<TopicState>>> made;
  spawn(keep(f.store->delete_topic(id), deleted));
  spawn(keep(f.store->create_topics({Fixture::named("t", 3)}, Validate::kAndDo), made));
  f.scheduler.run_until_idle();
  CHECK(deleted->has_value());
  CHECK(made->at(0).has_value());
  CHECK(f.host.events == std::vector<std::string>{"remove t 2", "add t 0+3"});
}

TEST_CASE("metadata store: partitions are added to what is served", "[server][metadata]") {
  Fixture f;
  REQUIRE(f.create("t", 2).has_value());
  CreatePartitionsEvent more;
  more.topic = "t";
  more.count = 5;
  CHECK(f.run(f.store->create_partitions(more, Validate::kAndDo)).has_value());
  CHECK(f.host.events.back() == "add t 2+3");
  CHECK(f.store->find_topic("t")->partition_count == 5);
  CHECK(f.run(f.store->create_partitions(more, Validate::kAndDo)).error().code == MetadataErrc::kInvalidPartitions);
}

TEST_CASE("metadata store: settings take effect when they are durable, and survive", "[server][metadata]") {
  Fixture f;
  const Uuid id = f.create("t")->id;
  CHECK(f.run(f.store->alter_topic_configs("t", f.set("segment.bytes", "2000000"), AlterMode::kIncremental,
                                           Validate::kAndDo))
            .has_value());
  CHECK(f.host.settings.at(id).log.segment_bytes == 2'000'000);
  CHECK(f.run(f.store->alter_broker_configs("1", f.set("log.retention.ms", "77"), AlterMode::kIncremental,
                                            Validate::kAndDo))
            .has_value());
  CHECK(f.host.settings.at(id).log.retention_ms == 77);
  CHECK(f.run(f.store->alter_broker_configs("", f.set("message.max.bytes", "99"), AlterMode::kIncremental,
                                            Validate::kAndDo))
            .has_value());
  CHECK(f.host.settings.at(id).produce.message_bytes_max == 99);
  f.host.settings.clear();
  f.restart();
  CHECK(f.host.settings.at(id).log.segment_bytes == 2'000'000);
  CHECK(f.host.settings.at(id).log.retention_ms == 77);
  CHECK(f.host.settings.at(id).produce.message_bytes_max == 99);
}

TEST_CASE("metadata store: no producer id comes twice, over crashes and failures", "[server][metadata]") {
  Fixture f;
  int64_t last = -1;
  for (int round = 0; round < 3; ++round) {
    for (int64_t i = 0; i < MetadataStore::kProducerIdBlock + 5; ++i) {
      const MetadataResult<int64_t> id = f.run(f.store->next_producer_id());
      REQUIRE(id.has_value());
      CHECK(*id > last);
      last = *id;
    }
    f.restart();
  }
  std::vector<std::optional<MetadataResult<int64_t>>> ids(50);
  for (auto& id : ids) spawn(keep(f.store->next_producer_id(), id));
  f.scheduler.run_until_idle();
  for (const auto& id : ids) {
    REQUIRE(id->has_value());
    CHECK(**id > last);
    last = **id;
  }
  f.restart();
  f.journal.failures_left = 1;
  CHECK(f.run(f.store->next_producer_id()).error().code == MetadataErrc::kStorage);
  CHECK(*f.run(f.store->next_producer_id()) > last);
  CHECK(f.run(f.store->keep_producer_ids_from(1'000'000)).has_value());
  CHECK(*f.run(f.store->next_producer_id()) >= 1'000'000);
}

TEST_CASE("metadata store: the journal stays in proportion to what lives", "[server][metadata]") {
  Fixture f;
  REQUIRE(f.create("t").has_value());
  for (int i = 0; i < 3000; ++i) {
    REQUIRE(f.run(f.store->alter_topic_configs("t", f.set("retention.ms", std::to_string(i)), AlterMode::kIncremental,
                                               Validate::kAndDo))
                .has_value());
  }
  CHECK(f.journal.stored_record_count() <= MetadataStore::kSnapshotRecordsMin + 20);
  CHECK(*f.journal.replayed() == f.store->machine());
  f.restart();
  CHECK(f.store->find_topic("t")->state->configs.at("retention.ms") == "2999");
}

TEST_CASE("metadata store: a journal that a crash made long again is cut at the next change", "[server][metadata]") {
  Fixture f;
  REQUIRE(f.create("t").has_value());
  f.journal.forgets_nothing = true;
  const auto alter = [&](int value) {
    return f
        .run(f.store->alter_topic_configs("t", f.set("retention.ms", std::to_string(value)), AlterMode::kIncremental,
                                          Validate::kAndDo))
        .has_value();
  };
  for (int i = 0; i < 2500; ++i) REQUIRE(alter(i));
  CHECK(f.journal.stored_record_count() > 2500);
  f.journal.forgets_nothing = false;
  f.restart();
  REQUIRE(alter(-1));
  CHECK(f.journal.stored_record_count() < 20);
  CHECK(*f.journal.replayed() == f.store->machine());
}

TEST_CASE("metadata store: what room a full disk has is not for snapshots", "[server][metadata]") {
  Fixture f;
  REQUIRE(f.create("t").has_value());
  const auto alter = [&f](int count) {
    for (int i = 0; i < count; ++i) {
      REQUIRE(f.run(f.store->alter_topic_configs("t", f.set("retention.ms", std::to_string(i)), AlterMode::kIncremental,
                                                 Validate::kAndDo))
                  .has_value());
    }
  };
  f.journal.is_short = true;
  alter(1500);
  CHECK(f.journal.stored_record_count() >= 1500);
  f.journal.is_short = false;
  alter(1);
  CHECK(f.journal.stored_record_count() < 20);
  CHECK(*f.journal.replayed() == f.store->machine());
}

TEST_CASE("metadata store: a snapshot of many topics takes several appends and loses none", "[server][metadata]") {
  Fixture f;
  std::vector<CreateTopicEvent> events;
  for (int i = 0; i < 4500; ++i) events.push_back(Fixture::named(fmt::format("t{}", i)));
  const auto made = f.run(f.store->create_topics(std::move(events), Validate::kAndDo));
  for (int round = 0; round < 5; ++round) {
    std::vector<std::optional<MetadataResult<void>>> altered(4500);
    for (size_t i = 0; i < altered.size(); ++i) {
      spawn(keep(f.store->alter_topic_configs(fmt::format("t{}", i), f.set("retention.ms", std::to_string(round)),
                                              AlterMode::kIncremental, Validate::kAndDo),
                 altered[i]));
    }
    f.scheduler.run_until_idle();
    for (const auto& one : altered) CHECK(one->has_value());
  }
  CHECK(f.journal.batches.front().first > Offset(0));
  CHECK(*f.journal.replayed() == f.store->machine());
  CHECK(f.store->served_topics().size() == 4500);
}

TEST_CASE("metadata store: a journal of another cluster stops the start", "[server][metadata]") {
  Fixture f;
  const Result<void> started = f.start_again("another");
  REQUIRE_FALSE(started.has_value());
  CHECK(started.error().context.find("belongs to cluster cluster") != std::string::npos);
}

TEST_CASE("metadata store: after stop changes are refused", "[server][metadata]") {
  Fixture f;
  spawn(f.store->stop());
  f.scheduler.run_until_idle();
  CHECK(f.create("t").error().code == MetadataErrc::kStopping);
  CHECK(f.run(f.store->alter_broker_configs("", f.set("log.retention.ms", "1"), AlterMode::kIncremental,
                                            Validate::kAndDo))
            .error()
            .code == MetadataErrc::kStopping);
  CHECK(f.run(f.store->next_producer_id()).error().code == MetadataErrc::kStopping);
}

TEST_CASE("metadata journal: damaged batches are told with their offset", "[server][metadata]") {
  const std::vector<MetadataRecord> records = {ClusterRecord{.cluster_id = "c"},
                                               ProducerIdsRecord{.next_producer_id = 9}};
  Result<Slice> batch = encode_metadata_batch(records, 5);
  REQUIRE(batch.has_value());
  MetadataMachine machine;
  REQUIRE(apply_metadata_batches(batch->view(), machine).has_value());
  CHECK(machine.next_producer_id() == 9);
  for (size_t size = 1; size < batch->size(); ++size) {
    MetadataMachine other;
    CHECK(apply_metadata_batches(batch->view().first(size), other).error().code == Errc::kCorrupt);
  }
  for (size_t at = kAttributesAt; at < batch->size(); ++at) {
    const Slice damaged = Slice::copy_of(batch->view());
    damaged.unpublished()[at] ^= 0x10;
    MetadataMachine other;
    const Result<void> applied = apply_metadata_batches(damaged.view(), other);
    REQUIRE_FALSE(applied.has_value());
    CHECK(applied.error().context.find("metadata journal, offset 0") == 0);
  }
}

}  // namespace
}  // namespace leat
