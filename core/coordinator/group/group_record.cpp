// group_record.cpp: between the bytes of `__consumer_offsets` and records: which type a key has, and which version of
// its value Kafka 4.4 writes.
#include "core/coordinator/group/group_record.h"

#include <fmt/format.h>

#include <utility>

#include "core/codec/prefixed.h"

namespace leat {
namespace {

// Only version 1 has a place for the moment of expiry that old clients ask for, and it has none for the leader epoch
// and the topic's id.
int16_t written_version(const OffsetCommitValue& value) { return value.expire_timestamp == -1 ? 4 : 1; }
// The last that is not flexible: Kafka's own readers of other versions get along with it.
int16_t written_version(const GroupMetadataValue&) { return 3; }
template <class Value>
int16_t written_version(const Value&) {
  return 0;
}

template <class Key, class Value>
Result<EncodedGroupRecord> encode_one(const KeyedRecord<Key, Value>& record) {
  EncodedGroupRecord out;
  TRY(key, encode_key(record.key));
  out.key = std::move(key);
  if (record.value) {
    TRY(value, encode_value(*record.value, written_version(*record.value)));
    out.value = std::move(value);
  }
  return out;
}

template <class Value>
Result<Value> decode_supported(ByteView bytes) {
  const bool has_version = bytes.size() >= sizeof(int16_t);
  if (const int16_t version = has_version ? Reader(bytes).i16() : int16_t{0}; version > Value::kVersions.max) {
    return fail(Errc::kUnsupported, fmt::format("{} of version {}: written by a newer broker", Value::kName, version));
  }
  return decode_value<Value>(bytes);
}

template <class Record>
struct PartsOf;
template <class Key, class Value>
struct PartsOf<KeyedRecord<Key, Value>> {
  using KeyType = Key;
  using ValueType = Value;
};

using DecodedRecord = Result<std::optional<GroupRecord>>;

template <class Record>
Result<Record> with_value(typename PartsOf<Record>::KeyType key, std::optional<ByteView> value_bytes) {
  Record record;
  record.key = std::move(key);
  if (value_bytes) {
    TRY(value, decode_supported<typename PartsOf<Record>::ValueType>(*value_bytes));
    record.value = std::move(value);
  }
  return record;
}

template <class Record>
DecodedRecord decode_as(ByteView key_bytes, std::optional<ByteView> value_bytes) {
  TRY(key, decode_key<typename PartsOf<Record>::KeyType>(key_bytes));
  TRY(record, with_value<Record>(std::move(key), value_bytes));
  return std::optional<GroupRecord>(std::move(record));
}

// Type 0 is what brokers before 0.8.3 wrote: the fields are those of type 1, and so are the values.
DecodedRecord decode_legacy_commit(ByteView key_bytes, std::optional<ByteView> value_bytes) {
  TRY(legacy, decode_key<LegacyOffsetCommitKey>(key_bytes));
  OffsetCommitKey key;
  key.group = std::move(legacy.group);
  key.topic = std::move(legacy.topic);
  key.partition = legacy.partition;
  TRY(record, with_value<OffsetCommitRecord>(std::move(key), value_bytes));
  return std::optional<GroupRecord>(std::move(record));
}

}  // namespace

std::string_view group_id_of(const GroupRecord& record) noexcept {
  return std::visit(
      [](const auto& one) -> std::string_view {
        if constexpr (requires { one.key.group; }) {
          return one.key.group;
        } else {
          return one.key.group_id;
        }
      },
      record);
}

Result<EncodedGroupRecord> encode_group_record(const GroupRecord& record) {
  return std::visit([](const auto& one) { return encode_one(one); }, record);
}

DecodedRecord decode_group_record(ByteView key, std::optional<ByteView> value) {
  if (key.size() < sizeof(int16_t)) return fail(Errc::kCorrupt, "group record whose key has no type");
  switch (key_type(key)) {
    case LegacyOffsetCommitKey::kVersions.key:
      return decode_legacy_commit(key, value);
    case OffsetCommitKey::kVersions.key:
      return decode_as<OffsetCommitRecord>(key, value);
    case GroupMetadataKey::kVersions.key:
      return decode_as<ClassicGroupRecord>(key, value);
    case ConsumerGroupMetadataKey::kVersions.key:
      return decode_as<ConsumerGroupRecord>(key, value);
    case ConsumerGroupMemberMetadataKey::kVersions.key:
      return decode_as<ConsumerMemberRecord>(key, value);
    case ConsumerGroupTargetAssignmentMetadataKey::kVersions.key:
      return decode_as<TargetEpochRecord>(key, value);
    case ConsumerGroupTargetAssignmentMemberKey::kVersions.key:
      return decode_as<TargetMemberRecord>(key, value);
    case ConsumerGroupCurrentMemberAssignmentKey::kVersions.key:
      return decode_as<CurrentMemberRecord>(key, value);
    case ConsumerGroupRegularExpressionKey::kVersions.key:
      return decode_as<RegexRecord>(key, value);
    default:  // share and streams groups, the partition metadata of brokers before 4.1, and what is yet to come
      return std::optional<GroupRecord>();
  }
}

}  // namespace leat
