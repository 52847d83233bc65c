// quota_handlers_test.cpp: client quotas as clients alter and describe them, and what the handlers of topics and Fetch
// make of them; over a journal in memory, partitions of fake logs and a simulated clock.
#include "server/handlers/quota_handlers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/codec/utf8.h"
#include "server/handlers/metadata_handlers.h"
#include "server/metadata_store.h"
#include "test/server/data_fixture.h"
#include "test/server/fake_metadata_journal.h"
#include "test/server/table_host.h"

namespace leat::test {
namespace {

using Parts = std::vector<std::pair<std::string, QuotaName>>;
using Ops = std::vector<std::pair<std::string, std::optional<double>>>;

AlterClientQuotasRequest::EntryData entry(const Parts& parts, const Ops& ops) {
  AlterClientQuotasRequest::EntryData made;
  for (const auto& [type, name] : parts) made.entity.push_back({.entity_type = type, .entity_name = name});
  for (const auto& [key, value] : ops)
    made.ops.push_back({.key = key, .value = value.value_or(0), .remove = !value.has_value()});
  return made;
}

struct Fixture : DataFixture {
  FakeMetadataJournal journal{scheduler};
  TableHost host{table};
  MetadataStore store{
      {.scheduler = scheduler, .random = random, .settings = settings, .journal = journal, .host = host}};

  Fixture() {
    broker.metadata = &store;
    REQUIRE((*run(store.start("cluster"))).has_value());
  }
  ~Fixture() {
    spawn(store.stop());
    scheduler.run_until_idle();
  }
  AlterClientQuotasResponse alter(std::vector<AlterClientQuotasRequest::EntryData> entries,
                                  bool validate_only = false) {
    AlterClientQuotasRequest message;
    message.entries = std::move(entries);
    message.validate_only = validate_only;
    return *run(handle_alter_client_quotas(broker, request(1), std::move(message)));
  }
  ErrorCode set(const Parts& parts, const Ops& ops) { return alter({entry(parts, ops)}).entries.at(0).error_code; }
  DescribeClientQuotasResponse describe(std::vector<DescribeClientQuotasRequest::ComponentData> components,
                                        bool strict = false) {
    DescribeClientQuotasRequest message;
    message.components = std::move(components);
    message.strict = strict;
    return *run(handle_describe_client_quotas(broker, request(1), std::move(message)));
  }
  // "client-id=c user=<default>: producer_byte_rate=5", sorted.
  std::vector<std::string> shown(std::vector<DescribeClientQuotasRequest::ComponentData> components,
                                 bool strict = false) {
    const DescribeClientQuotasResponse response = describe(std::move(components), strict);
    REQUIRE(response.error_code == ErrorCode::kNone);
    std::vector<std::string> lines;
    for (const auto& each : *response.entries) {
      std::string line;
      for (const auto& part : each.entity)
        line += fmt::format("{}={} ", part.entity_type, part.entity_name.value_or("<default>"));
      for (const auto& value : each.values) line += fmt::format("{}={} ", value.key, value.value);
      lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
};

using Component = DescribeClientQuotasRequest::ComponentData;
Component exact(const std::string& type, const std::string& name) {
  return {.entity_type = type, .match_type = 0, .match = name};
}
Component the_default(const std::string& type) { return {.entity_type = type, .match_type = 1, .match = std::nullopt}; }
Component any(const std::string& type) { return {.entity_type = type, .match_type = 2, .match = std::nullopt}; }

using Lines = std::vector<std::string>;

TEST_CASE("handler AlterClientQuotas: set, changed, taken away, and read again from the journal", "[server][quota]") {
  Fixture f;
  CHECK(f.set({{"client-id", "c"}}, {{"producer_byte_rate", 50'000.0}, {"request_percentage", 12.5}}) ==
        ErrorCode::kNone);
  CHECK(f.shown({}) == Lines{"client-id=c producer_byte_rate=50000 request_percentage=12.5 "});
  CHECK(f.broker.quotas.limits(QuotaKey::kProducerByteRate));
  CHECK(f.set({{"client-id", "c"}}, {{"producer_byte_rate", std::nullopt}, {"consumer_byte_rate", 7.0}}) ==
        ErrorCode::kNone);
  CHECK(f.shown({}) == Lines{"client-id=c consumer_byte_rate=7 request_percentage=12.5 "});
  CHECK_FALSE(f.broker.quotas.limits(QuotaKey::kProducerByteRate));
  const Result<MetadataMachine> replayed = f.journal.replayed();
  REQUIRE(replayed.has_value());
  CHECK(replayed->client_quotas() == f.store.machine().client_quotas());
  CHECK(f.set({{"client-id", "c"}}, {{"consumer_byte_rate", std::nullopt}, {"request_percentage", std::nullopt}}) ==
        ErrorCode::kNone);
  CHECK(f.shown({}).empty());
  CHECK(f.set({{"client-id", "c"}}, {{"consumer_byte_rate", std::nullopt}}) == ErrorCode::kNone);
}

TEST_CASE("handler AlterClientQuotas: validate_only says what would be, and does nothing", "[server][quota]") {
  Fixture f;
  const AlterClientQuotasResponse response = f.alter(
      {entry({{"user", "u"}}, {{"producer_byte_rate", 1.0}}), entry({{"user", "v"}}, {{"producer_byte_rate", 0.0}})},
      true);
  REQUIRE(response.entries.size() == 2);
  CHECK(response.entries[0].error_code == ErrorCode::kNone);
  CHECK(response.entries[1].error_code == ErrorCode::kInvalidRequest);
  CHECK(response.entries[1].error_message == "Quota producer_byte_rate must be greater than 0");
  CHECK(f.shown({}).empty());
  CHECK_FALSE(f.broker.quotas.limits(QuotaKey::kProducerByteRate));
}

TEST_CASE("handler AlterClientQuotas: each entity by itself, and one that is there twice not at all",
          "[server][quota]") {
  Fixture f;
  const AlterClientQuotasResponse response = f.alter(
      {entry({{"user", "a"}}, {{"producer_byte_rate", 1.0}}), entry({{"user", "b"}}, {{"nonsense", 1.0}}),
       entry({{"user", "c"}}, {{"producer_byte_rate", 1.0}}), entry({{"user", "c"}}, {{"consumer_byte_rate", 1.0}}),
       entry({}, {{"producer_byte_rate", 1.0}}), entry({{"ip", "nowhere"}}, {{"connection_creation_rate", 1.0}})});
  REQUIRE(response.entries.size() == 5);
  CHECK(response.entries[0].error_code == ErrorCode::kNone);
  for (size_t i = 1; i < 5; ++i) CHECK(response.entries[i].error_code == ErrorCode::kInvalidRequest);
  CHECK(response.entries[2].entity.at(0).entity_name == "c");
  CHECK(f.shown({}) == Lines{"user=a producer_byte_rate=1 "});
}

TEST_CASE("handler AlterClientQuotas: what the journal cannot take does not hold", "[server][quota]") {
  Fixture f;
  CHECK(f.set({{"user", "a"}}, {{"producer_byte_rate", 1.0}}) == ErrorCode::kNone);
  f.journal.failures_left = 1;
  CHECK(f.set({{"user", "b"}}, {{"consumer_byte_rate", 1.0}}) == ErrorCode::kKafkaStorageError);
  CHECK(f.shown({}) == Lines{"user=a producer_byte_rate=1 "});
  CHECK_FALSE(f.broker.quotas.limits(QuotaKey::kConsumerByteRate));
  CHECK(f.broker.quotas.limits(QuotaKey::kProducerByteRate));
}

std::vector<AlterClientQuotasRequest::EntryData> entries_of_users(size_t count) {
  std::vector<AlterClientQuotasRequest::EntryData> entries;
  for (size_t i = 0; i < count; ++i)
    entries.push_back(entry({{"user", fmt::format("u{}", i)}}, {{"producer_byte_rate", 1.0}}));
  return entries;
}

size_t count_of(const AlterClientQuotasResponse& response, ErrorCode code) {
  return static_cast<size_t>(std::count_if(response.entries.begin(), response.entries.end(),
                                           [code](const auto& each) { return each.error_code == code; }));
}

TEST_CASE("handler AlterClientQuotas: thousands of entities leave in one append, and are lost together",
          "[server][quota]") {
  Fixture f;
  const int appends_before = f.journal.appends;
  CHECK(count_of(f.alter(entries_of_users(1'500)), ErrorCode::kNone) == 1'500);
  CHECK(f.journal.appends == appends_before + 1);
  CHECK(f.store.machine().client_quotas().size() == 1'500);

  f.journal.failures_left = 1;
  std::vector<AlterClientQuotasRequest::EntryData> more = entries_of_users(1'700);
  more.push_back(entry({{"user", "v"}}, {{"nonsense", 1.0}}));
  const AlterClientQuotasResponse response = f.alter(std::move(more));
  CHECK(count_of(response, ErrorCode::kNone) == 1'500);  // they are as they were
  CHECK(count_of(response, ErrorCode::kKafkaStorageError) == 200);
  CHECK(response.entries.back().error_code == ErrorCode::kInvalidRequest);
  CHECK(f.store.machine().client_quotas().size() == 1'500);
}

TEST_CASE("handler AlterClientQuotas: so many entities have quotas and no more", "[server][quota]") {
  constexpr size_t kMax = MetadataMachine::kQuotaEntitiesMax;
  Fixture f;
  const AlterClientQuotasResponse response = f.alter(entries_of_users(kMax + 3));
  CHECK(count_of(response, ErrorCode::kNone) == kMax);
  CHECK(count_of(response, ErrorCode::kPolicyViolation) == 3);
  CHECK(f.set({{"user", "u7"}}, {{"consumer_byte_rate", 2.0}}) == ErrorCode::kNone);
  CHECK(f.set({{"user", "new"}}, {{"consumer_byte_rate", 2.0}}) == ErrorCode::kPolicyViolation);
  CHECK(f.set({{"user", "u8"}}, {{"producer_byte_rate", std::nullopt}}) == ErrorCode::kNone);
  CHECK(f.set({{"user", "new"}}, {{"consumer_byte_rate", 2.0}}) == ErrorCode::kNone);
}

// Each pair of them compared, these would be 10^9 comparisons on the loop.
TEST_CASE("handler AlterClientQuotas: a request of very many entries is looked at once", "[server][quota]") {
  Fixture f;
  std::vector<AlterClientQuotasRequest::EntryData> entries = entries_of_users(30'000);
  entries.push_back(entries.front());
  const AlterClientQuotasResponse response = f.alter(std::move(entries), true);
  REQUIRE(response.entries.size() == 30'000);
  CHECK(response.entries[0].error_code == ErrorCode::kInvalidRequest);
  CHECK(count_of(response, ErrorCode::kNone) == 29'999);
}

TEST_CASE("handlers of quotas: whatever is quoted, the answer can be sent", "[server][quota]") {
  Fixture f;
  std::string odd;
  while (odd.size() < 32'000) odd += "\u00e9";
  const auto check_sendable = [](const std::optional<std::string>& message) {
    REQUIRE(message.has_value());
    CHECK(message->size() < 1'100);
    CHECK(is_utf8(as_bytes(*message)));
  };
  check_sendable(f.alter({entry({{odd, "x"}}, {{"producer_byte_rate", 1.0}})}).entries.at(0).error_message);
  check_sendable(f.alter({entry({{"user", "x"}}, {{odd, 1.0}})}).entries.at(0).error_message);
  check_sendable(f.describe({any(odd)}).error_message);
}

TEST_CASE("handler DescribeClientQuotas: exact, default and any; strict has no other types", "[server][quota]") {
  Fixture f;
  const Ops ops = {{"producer_byte_rate", 1.0}};
  for (const Parts& parts :
       {Parts{{"user", "u"}}, Parts{{"user", std::nullopt}}, Parts{{"user", "u"}, {"client-id", "c"}},
        Parts{{"client-id", "c"}}, Parts{{"client-id", std::nullopt}}}) {
    REQUIRE(f.set(parts, ops) == ErrorCode::kNone);
  }
  REQUIRE(f.set({{"ip", std::nullopt}}, {{"connection_creation_rate", 3.0}}) == ErrorCode::kNone);
  CHECK(f.shown({}).size() == 6);
  CHECK(f.shown({}, true).empty());
  CHECK(f.shown({exact("user", "u")}).size() == 2);
  CHECK(f.shown({exact("user", "u")}, true) == Lines{"user=u producer_byte_rate=1 "});
  CHECK(f.shown({the_default("user")}) == Lines{"user=<default> producer_byte_rate=1 "});
  CHECK(f.shown({any("client-id")}).size() == 3);
  CHECK(f.shown({any("client-id")}, true).size() == 2);
  CHECK(f.shown({any("user"), exact("client-id", "c")}) == Lines{"user=u client-id=c producer_byte_rate=1 "});
  CHECK(f.shown({any("ip")}) == Lines{"ip=<default> connection_creation_rate=3 "});
  CHECK(f.shown({exact("user", "nobody")}).empty());
}

TEST_CASE("handler DescribeClientQuotas: filters that mean nothing", "[server][quota]") {
  Fixture f;
  const auto code_of = [&](std::vector<Component> components) {
    const DescribeClientQuotasResponse response = f.describe(std::move(components));
    CHECK_FALSE(response.entries.has_value());
    CHECK(response.error_message.has_value());
    return response.error_code;
  };
  Component odd = any("user");
  odd.match = "name";
  Component nameless = exact("user", "u");
  nameless.match = std::nullopt;
  Component unknown_match = any("user");
  unknown_match.match_type = 3;
  CHECK(code_of({any("")}) == ErrorCode::kInvalidRequest);
  CHECK(code_of({any("user"), exact("user", "u")}) == ErrorCode::kInvalidRequest);
  CHECK(code_of({odd}) == ErrorCode::kInvalidRequest);
  CHECK(code_of({nameless}) == ErrorCode::kInvalidRequest);
  CHECK(code_of({unknown_match}) == ErrorCode::kInvalidRequest);
  CHECK(code_of({any("ip"), any("user")}) == ErrorCode::kInvalidRequest);
  CHECK(code_of({any("group")}) == ErrorCode::kUnsupportedVersion);
}

CreateTopicsRequest create_request(const std::string& name, int32_t partitions) {
  CreateTopicsRequest message;
  auto& topic = message.topics.emplace_back();
  topic.name = name;
  topic.num_partitions = partitions;
  topic.replication_factor = -1;
  return message;
}

TEST_CASE("controller_mutation_rate: newer versions are refused when it is used up, older ones wait",
          "[server][quota]") {
  Fixture f;
  REQUIRE(f.set({{"user", std::nullopt}}, {{"controller_mutation_rate", 1.0}}) == ErrorCode::kNone);
  const auto create = [&](const std::string& name, int32_t partitions, int16_t version) {
    return *f.run(handle_create_topics(f.broker, f.request(version), create_request(name, partitions)));
  };
  const CreateTopicsResponse first = create("a", 31, 7);  // 11 are there at once; the last taker may overdraw
  CHECK(first.topics.at(0).error_code == ErrorCode::kNone);
  CHECK(first.throttle_time_ms == 0);
  const CreateTopicsResponse refused = create("b", 1, 7);
  CHECK(refused.topics.at(0).error_code == ErrorCode::kThrottlingQuotaExceeded);
  CHECK(refused.throttle_time_ms == 20'000);
  CHECK(f.table.find("b", 0) == nullptr);
  const ClientQuotas::Throttled& throttled =
      f.broker.quotas.throttled()[static_cast<size_t>(QuotaKey::kControllerMutationRate)];
  CHECK(throttled.count == 1);
  CHECK(throttled.time == Millis(20'000));

  CreatePartitionsRequest more;
  more.topics.push_back({.name = "a", .count = 32, .assignments = std::nullopt});
  const CreatePartitionsResponse grown = *f.run(handle_create_partitions(f.broker, f.request(3), more));
  CHECK(grown.results.at(0).error_code == ErrorCode::kThrottlingQuotaExceeded);
  DeleteTopicsRequest gone;
  gone.topics.push_back({.name = "a", .topic_id = {}});
  const DeleteTopicsResponse kept = *f.run(handle_delete_topics(f.broker, f.request(6), gone));
  CHECK(kept.responses.at(0).error_code == ErrorCode::kThrottlingQuotaExceeded);
  CHECK(f.table.find("a", 0) != nullptr);

  const CreateTopicsResponse old = create("c", 5, 5);
  CHECK(old.topics.at(0).error_code == ErrorCode::kNone);
  CHECK(old.throttle_time_ms == 25'000);
  f.scheduler.advance(Millis(25'000));
  const DeleteTopicsResponse deleted = *f.run(handle_delete_topics(f.broker, f.request(6), gone));
  CHECK(deleted.responses.at(0).error_code == ErrorCode::kNone);
}

TEST_CASE("controller_mutation_rate: topics that are made because somebody asks for them count", "[server][quota]") {
  Fixture f;
  REQUIRE(f.set({{"user", std::nullopt}}, {{"controller_mutation_rate", 1.0}}) == ErrorCode::kNone);
  const auto ask_for = [&](size_t begin, size_t count) {
    MetadataRequest message;
    message.topics.emplace();
    message.allow_auto_topic_creation = true;
    for (size_t i = begin; i < begin + count; ++i) message.topics->emplace_back().name = fmt::format("t{}", i);
    return *f.run(handle_metadata(f.broker, f.request(9), std::move(message)));
  };
  const MetadataResponse first = ask_for(0, 30);
  const auto made = std::count_if(first.topics.begin(), first.topics.end(),
                                  [](const auto& topic) { return topic.error_code == ErrorCode::kNone; });
  CHECK(made == 12);  // 11 are there at once, and the last one may overdraw
  CHECK(first.throttle_time_ms == 0);
  CHECK(ask_for(29, 1).topics.at(0).error_code == ErrorCode::kLeaderNotAvailable);
  CHECK(ask_for(0, 1).topics.at(0).error_code == ErrorCode::kNone);  // to ask for what is there costs nothing
  f.scheduler.advance(Millis(2'000));
  CHECK(ask_for(29, 1).topics.at(0).error_code == ErrorCode::kNone);
}

TEST_CASE("controller_mutation_rate: what is refused for another reason costs nothing", "[server][quota]") {
  Fixture f;
  REQUIRE(f.set({{"user", "ANONYMOUS"}}, {{"controller_mutation_rate", 1.0}}) == ErrorCode::kNone);
  for (int i = 0; i < 50; ++i) {
    const CreateTopicsResponse response =
        *f.run(handle_create_topics(f.broker, f.request(7), create_request("a/b", 10)));
    REQUIRE(response.topics.at(0).error_code == ErrorCode::kInvalidTopicException);
    REQUIRE(response.throttle_time_ms == 0);
  }
}

FetchRequest fetch_from(const std::string& topic, int64_t offset, int32_t session_id, int32_t session_epoch) {
  FetchRequest message;
  message.max_wait_ms = 0;
  message.min_bytes = 1;
  message.max_bytes = 50 << 20;
  message.session_id = session_id;
  message.session_epoch = session_epoch;
  if (offset < 0) return message;
  auto& asked = message.topics.emplace_back();
  asked.topic = topic;
  auto& partition = asked.partitions.emplace_back();
  partition.fetch_offset = offset;
  partition.partition_max_bytes = 1 << 20;
  return message;
}

size_t record_bytes(const FetchResponse& response) {
  size_t bytes = 0;
  for (const auto& topic : response.responses) {
    for (const auto& partition : topic.partitions) bytes += partition.records ? partition.records->size() : 0;
  }
  return bytes;
}

TEST_CASE("consumer_byte_rate: above it the answer is empty, the session goes on, and the bytes come later",
          "[server][quota][fetch]") {
  Fixture f;
  f.add("t");
  for (int i = 0; i < 4; ++i) f.append("t", 0, make_batch(std::string(1000, 'x')));
  REQUIRE(f.set({{"user", "ANONYMOUS"}}, {{"consumer_byte_rate", 250.0}}) == ErrorCode::kNone);
  const auto fetch = [&](int64_t offset, int32_t session_id, int32_t epoch) {
    return *f.run(handle_fetch(f.broker, f.request(11), fetch_from("t", offset, session_id, epoch)));
  };
  const FetchResponse first = fetch(0, 0, 0);
  REQUIRE(first.session_id != 0);
  CHECK(first.throttle_time_ms == 0);
  CHECK(record_bytes(first) > 2000);
  CHECK(record_bytes(first) <= 2500);  // no more than the quota lets through at once

  int64_t waited_ms = 0;
  FetchResponse next;
  int32_t epoch = 1;
  for (; epoch < 20; ++epoch) {
    next = fetch(epoch == 1 ? 2 : -1, first.session_id, epoch);
    CHECK(next.error_code == ErrorCode::kNone);
    CHECK(next.session_id == first.session_id);
    if (next.throttle_time_ms == 0) break;
    CHECK(next.responses.empty());
    waited_ms += next.throttle_time_ms;
    f.scheduler.advance(Millis(next.throttle_time_ms));
  }
  CHECK(epoch > 1);
  CHECK(record_bytes(next) > 2000);
  CHECK(waited_ms >= 8'000);  // 4 KB at 250 bytes a second, the first 2,500 at once
  CHECK(waited_ms <= 20'000);
}

TEST_CASE("consumer_byte_rate: an answer that is withheld makes no session", "[server][quota][fetch]") {
  Fixture f;
  f.add("t");
  for (int i = 0; i < 4; ++i) f.append("t", 0, make_batch(std::string(1000, 'x')));
  REQUIRE(f.set({{"user", "ANONYMOUS"}}, {{"consumer_byte_rate", 250.0}}) == ErrorCode::kNone);
  REQUIRE(record_bytes(*f.run(handle_fetch(f.broker, f.request(11), fetch_from("t", 0, 0, -1)))) > 2000);
  const FetchResponse withheld = *f.run(handle_fetch(f.broker, f.request(11), fetch_from("t", 0, 0, 0)));
  CHECK(withheld.throttle_time_ms > 0);
  CHECK(withheld.session_id == 0);
  CHECK(withheld.responses.empty());
}

}  // namespace
}  // namespace leat::test
