// metadata_record_test.cpp: records as bytes: there and back, damaged, and of a newer Leat.
#include "core/metadata/metadata_record.h"

#include "test/support/catch.h"

namespace leat {
namespace {

Uuid some_id(uint64_t seed) {
  SeededRandom random(seed);
  return Uuid::make(random);
}

std::vector<MetadataRecord> samples() {
  TopicState live{.name = "orders",
                  .id = some_id(1),
                  .partition_count = 12,
                  .created_ms = 1'700'000'000'000,
                  .phase = TopicPhase::kLive,
                  .configs = {{"retention.ms", "5000"}, {"cleanup.policy", "compact,delete"}}};
  TopicState deleting = live;
  deleting.id = some_id(2);
  deleting.phase = TopicPhase::kDeleting;
  deleting.configs.clear();
  QuotaEntity any_client_of_u;
  any_client_of_u.user = QuotaName("u");
  any_client_of_u.client_id = QuotaName();
  QuotaEntity address;
  address.ip = QuotaName("10.0.0.1");
  return {ClientQuotaRecord{
              .entity = any_client_of_u,
              .quotas = QuotaValues{{QuotaKey::kProducerByteRate, 50'000}, {QuotaKey::kRequestPercentage, 0.1}}},
          ClientQuotaRecord{.entity = address, .quotas = QuotaValues{{QuotaKey::kConnectionCreationRate, 7}}},
          ClientQuotaRecord{.entity = address, .quotas = std::nullopt},
          ClusterRecord{.cluster_id = "4L6g3nShT-eMCtK--X86sw"},
          TopicRecord{.id = live.id, .state = live},
          TopicRecord{.id = deleting.id, .state = deleting},
          TopicRecord{.id = some_id(3), .state = std::nullopt},
          BrokerConfigRecord{.broker = "", .configs = ConfigMap{{"log.retention.ms", "7"}}},
          BrokerConfigRecord{.broker = "1", .configs = std::nullopt},
          GroupConfigRecord{.group = "g", .configs = ConfigMap{{"consumer.session.timeout.ms", "46000"}}},
          GroupConfigRecord{.group = "", .configs = std::nullopt},
          ProducerIdsRecord{.next_producer_id = INT64_MAX}};
}

Result<MetadataRecord> decoded(const EncodedMetadataRecord& bytes) {
  return decode_metadata_record(bytes.key, bytes.value ? std::optional<ByteView>(*bytes.value) : std::nullopt);
}

TEST_CASE("metadata record: every kind comes back as it was", "[metadata]") {
  for (const MetadataRecord& record : samples()) {
    const Result<EncodedMetadataRecord> bytes = encode_metadata_record(record);
    REQUIRE(bytes.has_value());
    const Result<MetadataRecord> back = decoded(*bytes);
    REQUIRE(back.has_value());
    CHECK(*back == record);
  }
}

// The bytes are a format on users' disks: a change must be a decision.
TEST_CASE("metadata record: the bytes of a topic", "[metadata]") {
  TopicState topic{.name = "t",
                   .id = {},
                   .partition_count = 3,
                   .created_ms = 5,
                   .phase = TopicPhase::kLive,
                   .configs = {{"a", "b"}}};
  topic.id.bytes[15] = 9;
  const Result<EncodedMetadataRecord> bytes = encode_metadata_record(TopicRecord{.id = topic.id, .state = topic});
  REQUIRE(bytes.has_value());
  const std::vector<uint8_t> key = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0};
  const std::vector<uint8_t> value = {0, 0, 2, 't', 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 5, 0, 2, 2, 'a', 2, 'b', 0, 0};
  CHECK(bytes->key == key);
  CHECK(bytes->value == value);
}

TEST_CASE("metadata record: an unknown tagged field of a known version is passed over", "[metadata]") {
  Result<EncodedMetadataRecord> bytes = encode_metadata_record(ProducerIdsRecord{.next_producer_id = 7});
  REQUIRE(bytes.has_value());
  std::vector<uint8_t>& value = *bytes->value;
  REQUIRE(value.back() == 0);
  value.back() = 1;
  value.insert(value.end(), {5, 2, 'x', 'y'});
  const Result<MetadataRecord> back = decoded(*bytes);
  REQUIRE(back.has_value());
  CHECK(std::get<ProducerIdsRecord>(*back).next_producer_id == 7);
}

TEST_CASE("metadata record: a newer Leat's type or version is told from damage", "[metadata]") {
  Result<EncodedMetadataRecord> bytes = encode_metadata_record(ProducerIdsRecord{.next_producer_id = 7});
  REQUIRE(bytes.has_value());
  EncodedMetadataRecord newer = *bytes;
  (*newer.value)[1] = 1;
  CHECK(decoded(newer).error().code == Errc::kUnsupported);
  newer = *bytes;
  newer.key[1] = 99;
  CHECK(decoded(newer).error().code == Errc::kUnsupported);
  CHECK(decoded(newer).error().context.find("written by a newer Leat") != std::string::npos);
}

TEST_CASE("metadata record: every truncation and every flipped byte is an answer", "[metadata]") {
  for (const MetadataRecord& record : samples()) {
    const Result<EncodedMetadataRecord> bytes = encode_metadata_record(record);
    REQUIRE(bytes.has_value());
    for (size_t size = 0; size < bytes->key.size(); ++size) {
      EncodedMetadataRecord cut = *bytes;
      cut.key.resize(size);
      CHECK_FALSE(decoded(cut).has_value());
    }
    if (!bytes->value) continue;
    for (size_t size = 0; size < bytes->value->size(); ++size) {
      EncodedMetadataRecord cut = *bytes;
      cut.value->resize(size);
      CHECK_FALSE(decoded(cut).has_value());
    }
    for (size_t at = 0; at < bytes->value->size(); ++at) {
      for (const uint8_t flip : std::initializer_list<uint8_t>{0x01, 0x80, 0xff}) {
        EncodedMetadataRecord damaged = *bytes;
        (*damaged.value)[at] ^= flip;
        (void)decoded(damaged);  // whatever it says, it says it within the bytes (ASan)
      }
    }
  }
}

TEST_CASE("metadata record: a topic that cannot be is corrupt", "[metadata]") {
  TopicState topic{
      .name = "", .id = some_id(4), .partition_count = 1, .created_ms = 0, .phase = TopicPhase::kLive, .configs = {}};
  const auto code_of = [](const TopicState& state) {
    const Result<EncodedMetadataRecord> bytes = encode_metadata_record(TopicRecord{.id = state.id, .state = state});
    REQUIRE(bytes.has_value());
    const Result<MetadataRecord> back = decoded(*bytes);
    REQUIRE_FALSE(back.has_value());
    return back.error().code;
  };
  CHECK(code_of(topic) == Errc::kCorrupt);
  topic.name = "t";
  topic.partition_count = 0;
  CHECK(code_of(topic) == Errc::kCorrupt);
  topic.partition_count = 1;
  topic.phase = static_cast<TopicPhase>(5);
  CHECK(code_of(topic) == Errc::kCorrupt);
}

TEST_CASE("metadata record: the bytes of a quota", "[metadata]") {
  QuotaEntity entity;
  entity.client_id = QuotaName();
  const Result<EncodedMetadataRecord> bytes = encode_metadata_record(
      ClientQuotaRecord{.entity = entity, .quotas = QuotaValues{{QuotaKey::kRequestPercentage, 2}}});
  REQUIRE(bytes.has_value());
  std::vector<uint8_t> key = {0, 5, 2, 10};
  for (const char c : std::string_view("client-id")) key.push_back(static_cast<uint8_t>(c));
  key.insert(key.end(), {0, 0, 0});  // no name, and no tagged field of the part and of the key
  std::vector<uint8_t> value = {0, 0, 2, 19};
  for (const char c : std::string_view("request_percentage")) value.push_back(static_cast<uint8_t>(c));
  value.insert(value.end(), {0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(bytes->key == key);
  CHECK(bytes->value == value);
}

TEST_CASE("metadata record: a quota that no client could set is corrupt", "[metadata]") {
  QuotaEntity entity;
  entity.user = QuotaName("u");
  const auto code_of = [](const QuotaEntity& of, QuotaKey key, double value) {
    const Result<EncodedMetadataRecord> bytes =
        encode_metadata_record(ClientQuotaRecord{.entity = of, .quotas = QuotaValues{{key, value}}});
    REQUIRE(bytes.has_value());
    const Result<MetadataRecord> back = decoded(*bytes);
    REQUIRE_FALSE(back.has_value());
    return back.error().code;
  };
  CHECK(code_of(entity, QuotaKey::kProducerByteRate, -1) == Errc::kCorrupt);
  CHECK(code_of(entity, QuotaKey::kConnectionCreationRate, 1) == Errc::kCorrupt);
  entity.user = QuotaName("");
  CHECK(code_of(entity, QuotaKey::kProducerByteRate, 1) == Errc::kCorrupt);
  CHECK(code_of(QuotaEntity{}, QuotaKey::kProducerByteRate, 1) == Errc::kCorrupt);
}

TEST_CASE("metadata record: a quota of a type or a key that is not known is of a newer Leat, not damage",
          "[metadata]") {
  QuotaEntity entity;
  entity.client_id = QuotaName("c");
  const Result<EncodedMetadataRecord> bytes = encode_metadata_record(
      ClientQuotaRecord{.entity = entity, .quotas = QuotaValues{{QuotaKey::kRequestPercentage, 2}}});
  REQUIRE(bytes.has_value());
  REQUIRE(decoded(*bytes).has_value());
  const auto code_of = [](const EncodedMetadataRecord& record) {
    const Result<MetadataRecord> back = decoded(record);
    REQUIRE_FALSE(back.has_value());
    return back.error().code;
  };
  EncodedMetadataRecord of_type = *bytes;
  of_type.key.at(4) = 'C';  // "Client-id"
  CHECK(code_of(of_type) == Errc::kUnsupported);
  EncodedMetadataRecord of_key = *bytes;
  of_key.value->at(4) = 'R';  // "Request_percentage"
  CHECK(code_of(of_key) == Errc::kUnsupported);
}

}  // namespace
}  // namespace leat
