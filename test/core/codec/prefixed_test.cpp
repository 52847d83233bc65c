// prefixed_test.cpp: keys and values of internal topics with their int16 before them.
#include "core/codec/prefixed.h"

#include "core/coordinator/classic_group_records.h"
#include "core/coordinator/transaction_records.h"
#include "test/support/catch.h"

namespace leat {

TEST_CASE("prefixed: a key begins with its record type", "[codec][prefixed]") {
  const OffsetCommitKey key{.group = "g", .topic = "t", .partition = 3};
  const auto bytes = encode_key(key);
  REQUIRE(bytes.has_value());
  CHECK(*bytes == std::vector<uint8_t>{0, 1, 0, 1, 'g', 0, 1, 't', 0, 0, 0, 3});
  CHECK(key_type(*bytes) == OffsetCommitKey::kVersions.key);
  const auto copy = decode_key<OffsetCommitKey>(*bytes);
  REQUIRE(copy.has_value());
  CHECK(*copy == key);
}

TEST_CASE("prefixed: a value begins with its version", "[codec][prefixed]") {
  TransactionLogValue value{.producer_id = 7, .transaction_timeout_ms = 60'000};
  for (const int16_t version : {int16_t{0}, int16_t{1}}) {
    const auto bytes = encode_value(value, version);
    REQUIRE(bytes.has_value());
    CHECK(key_type(*bytes) == version);
    const auto copy = decode_value<TransactionLogValue>(*bytes);
    REQUIRE(copy.has_value());
    CHECK(*copy == value);
  }
  value.next_producer_id = 8;  // only version 1 has a place for it
  const auto refused = encode_value(value, 0);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == Errc::kInvalidArgument);
  CHECK(refused.error().context.find("nextProducerId") != std::string::npos);
  CHECK(encode_value(value, 1).has_value());
}

TEST_CASE("prefixed: wrong types, unknown versions and truncations are corrupt", "[codec][prefixed]") {
  const auto key = encode_key(OffsetCommitKey{.group = "g", .topic = "t", .partition = 3});
  const auto wrong_type = decode_key<GroupMetadataKey>(*key);
  REQUIRE_FALSE(wrong_type.has_value());
  CHECK(wrong_type.error().code == Errc::kCorrupt);
  for (size_t size = 0; size < key->size(); ++size) {
    CHECK_FALSE(decode_key<OffsetCommitKey>(ByteView(*key).first(size)).has_value());
  }
  std::vector<uint8_t> value = *encode_value(OffsetCommitValue{}, 4);
  CHECK(decode_value<OffsetCommitValue>(value).has_value());
  for (const int version : {5, 127, -1}) {
    to_big_endian(static_cast<int16_t>(version), value.data());
    CHECK_FALSE(decode_value<OffsetCommitValue>(value).has_value());
  }
}

}  // namespace leat
