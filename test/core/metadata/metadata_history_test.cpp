// metadata_history_test.cpp: random histories from a seed. After every step: what replay makes of the records so far is
// what is live, and no invariant is broken; a crash after any record, and a start from any snapshot, gives the same.
#include <algorithm>

#include "core/metadata/metadata_machine.h"
#include "core/metadata/topic_name.h"
#include "test/support/catch.h"

namespace leat {
namespace {

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {}

  void step() {
    switch (random_.below(11)) {
      case 0:
      case 1:
      case 2:
        return create();
      case 3:
        return grow();
      case 4:
        return drop();
      case 5:
        return forget();
      case 6:
        return alter_topic();
      case 7:
        return alter_broker();
      case 8:
        return take(machine_.on_reserve_producer_ids(static_cast<int64_t>(1 + random_.below(1000))).step);
      case 9:
        return alter_group();
      case 10:
        return alter_quota();
    }
  }
  const MetadataMachine& machine() const { return machine_; }
  const std::vector<MetadataRecord>& journal() const { return journal_; }
  size_t refused() const { return refused_; }
  size_t accepted() const { return accepted_; }

 private:
  // Few names, so that they meet: some collide, some are no names at all.
  std::string some_name() {
    static const char* const kNames[] = {"a", "b", "a.b", "a_b", "a.b.c", "a_b.c", "x-y", "", "a/b", ".."};
    return kNames[random_.below(std::size(kNames))];
  }
  std::optional<TopicState> some_topic() {
    if (machine_.all_topics().empty()) return std::nullopt;
    auto at = machine_.all_topics().begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(machine_.all_topics().size())));
    return at->second;
  }
  template <class Decided>
  void take_if(const Decided& decided) {
    if (decided) {
      take(decided->step);
    } else {
      ++refused_;
    }
  }
  void take(const MetadataStep& step) {
    ++accepted_;
    for (const MetadataRecord& record : step.records) {
      CHECK_FALSE(machine_.contradiction(record).has_value());
      machine_.apply(record);
      journal_.push_back(record);
    }
  }
  void create() {
    CreateTopicEvent event;
    event.name = some_name();
    event.partition_count = static_cast<int32_t>(random_.below(5)) - 1;
    if (random_.one_in(4)) event.configs = {{"retention.ms", std::to_string(random_.below(5))}};
    take_if(machine_.on_create_topic(event, rules_, layers(), static_cast<int64_t>(journal_.size()), random_));
  }
  void grow() {
    const std::optional<TopicState> topic = some_topic();
    if (!topic) return;
    CreatePartitionsEvent event;
    event.topic = topic->name;
    event.count = static_cast<int32_t>(random_.below(10));
    take_if(machine_.on_create_partitions(event, rules_));
  }
  void drop() {
    const std::optional<TopicState> topic = some_topic();
    if (topic) take_if(machine_.on_delete_topic(topic->id));
  }
  void forget() {
    const std::optional<TopicState> topic = some_topic();
    if (topic) take(machine_.on_topic_gone(topic->id));
  }
  std::vector<ConfigChange> some_change(std::string name) {
    const auto operation = static_cast<ConfigOperation>(random_.below(4));
    return {{std::move(name), operation, random_.one_in(5) ? std::nullopt : std::optional<std::string>("compact")}};
  }
  void alter_topic() {
    const std::optional<TopicState> topic = some_topic();
    if (!topic) return;
    const auto mode = random_.one_in(3) ? AlterMode::kReplace : AlterMode::kIncremental;
    const auto step = machine_.on_alter_topic_configs(topic->name, some_change("cleanup.policy"), mode, layers());
    if (step)
      take(*step);
    else
      ++refused_;
  }
  void alter_broker() {
    const std::string broker = random_.one_in(2) ? "" : "1";
    const auto step = machine_.on_alter_broker_configs(broker, some_change("log.cleanup.policy"),
                                                       AlterMode::kIncremental, rules_, layers());
    if (step)
      take(*step);
    else
      ++refused_;
  }
  void alter_group() {
    const std::string group = random_.one_in(2) ? "g" : "h";
    std::vector<ConfigChange> changes = {{"consumer.session.timeout.ms", ConfigOperation::kSet, "46000"}};
    if (random_.one_in(3)) changes[0].operation = ConfigOperation::kDelete;
    if (random_.one_in(5)) changes[0].value = "1";
    const auto step = machine_.on_alter_group_configs(group, changes, AlterMode::kIncremental, layers());
    if (step)
      take(*step);
    else
      ++refused_;
  }
  void alter_quota() {
    QuotaEntity entity;
    if (random_.one_in(2)) entity.user = random_.one_in(2) ? QuotaName() : QuotaName("u");
    if (random_.one_in(2) || !entity.user) entity.client_id = random_.one_in(2) ? QuotaName() : QuotaName("c");
    std::vector<QuotaChange> changes = {{"producer_byte_rate", static_cast<double>(random_.below(4))}};
    if (random_.one_in(3)) changes[0].value = std::nullopt;
    if (random_.one_in(3)) changes.push_back({"request_percentage", 5.0});
    const auto step = machine_.on_alter_client_quotas(entity, changes);
    if (step)
      take(*step);
    else
      ++refused_;
  }
  BrokerConfigs layers() const {
    return {.dynamic_broker = machine_.broker_configs("1"),
            .dynamic_default = machine_.broker_configs(""),
            .static_broker = none_};
  }

  SeededRandom random_;
  MetadataRules rules_{.node_id = 1, .num_partitions = 2};
  ConfigMap none_;
  MetadataMachine machine_;
  std::vector<MetadataRecord> journal_;
  size_t refused_ = 0;
  size_t accepted_ = 0;
};

MetadataMachine replayed(std::span<const MetadataRecord> records) {
  MetadataMachine machine;
  for (const MetadataRecord& record : records) {
    // Through bytes, as a start reads them.
    const Result<EncodedMetadataRecord> bytes = encode_metadata_record(record);
    REQUIRE(bytes.has_value());
    const Result<MetadataRecord> back =
        decode_metadata_record(bytes->key, bytes->value ? std::optional<ByteView>(*bytes->value) : std::nullopt);
    REQUIRE(back.has_value());
    REQUIRE_FALSE(machine.contradiction(*back).has_value());
    machine.apply(*back);
  }
  return machine;
}

void check_invariants(const MetadataMachine& machine) {
  std::map<std::string, int> forms;
  size_t live = 0;
  for (const auto& [id, topic] : machine.all_topics()) {
    CHECK(topic.id == id);
    CHECK(topic.partition_count >= 1);
    if (topic.phase != TopicPhase::kLive) continue;
    ++live;
    CHECK(machine.topic(topic.name) == &topic);
    CHECK(++forms[colliding_form(topic.name)] == 1);
  }
  CHECK(machine.topics().size() == live);
  for (const auto& [broker, configs] : machine.all_broker_configs()) CHECK_FALSE(configs.empty());
  for (const auto& [entity, quotas] : machine.client_quotas()) CHECK_FALSE(quotas.empty());
}

TEST_CASE("metadata: replay gives what was live, through random histories", "[metadata]") {
  size_t accepted = 0;
  size_t refused = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    History history(seed);
    int64_t producer_id = 0;
    for (int i = 0; i < 120; ++i) {
      history.step();
      check_invariants(history.machine());
      CHECK(history.machine().next_producer_id() >= producer_id);
      producer_id = history.machine().next_producer_id();
    }
    CHECK(replayed(history.journal()) == history.machine());
    accepted += history.accepted();
    refused += history.refused();
  }
  CHECK(accepted > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("metadata: a crash after any record leaves a state that is whole", "[metadata]") {
  History history(4242);
  for (int i = 0; i < 150; ++i) history.step();
  const std::span<const MetadataRecord> journal(history.journal());
  for (size_t count = 0; count <= journal.size(); ++count) check_invariants(replayed(journal.first(count)));
}

TEST_CASE("metadata: a snapshot at any moment stands for all before it", "[metadata]") {
  for (uint64_t seed = 100; seed < 110; ++seed) {
    INFO("seed " << seed);
    History history(seed);
    for (int i = 0; i < 60; ++i) history.step();
    std::vector<MetadataRecord> from_snapshot = history.machine().snapshot();
    CHECK(replayed(from_snapshot) == history.machine());
    // Behind the records that it repeats it changes nothing, so a crash before the old ones are dropped is harmless.
    std::vector<MetadataRecord> both = history.journal();
    both.insert(both.end(), from_snapshot.begin(), from_snapshot.end());
    CHECK(replayed(both) == history.machine());
    const size_t before = history.journal().size();
    for (int i = 0; i < 60; ++i) history.step();
    from_snapshot.insert(from_snapshot.end(), history.journal().begin() + static_cast<std::ptrdiff_t>(before),
                         history.journal().end());
    CHECK(replayed(from_snapshot) == history.machine());
  }
}

}  // namespace
}  // namespace leat
