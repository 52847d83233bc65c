// group_record.h: what stands in `__consumer_offsets`, decoded: Kafka's own keys and values, so that its tools and a
// moved data directory read them. A missing value is a tombstone: the key is gone.
// Record types that other machines own (share and streams groups) decode to nullopt: they are left where they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/coordinator/classic_group_records.h"
#include "core/coordinator/consumer_group_records.h"

namespace leat {

template <class Key, class Value>
struct KeyedRecord {
  Key key;
  std::optional<Value> value;

  friend bool operator==(const KeyedRecord&, const KeyedRecord&) = default;
};

using OffsetCommitRecord = KeyedRecord<OffsetCommitKey, OffsetCommitValue>;  // type 0 is read as this, too
using ClassicGroupRecord = KeyedRecord<GroupMetadataKey, GroupMetadataValue>;
using ConsumerGroupRecord = KeyedRecord<ConsumerGroupMetadataKey, ConsumerGroupMetadataValue>;
using ConsumerMemberRecord = KeyedRecord<ConsumerGroupMemberMetadataKey, ConsumerGroupMemberMetadataValue>;
using TargetEpochRecord =
    KeyedRecord<ConsumerGroupTargetAssignmentMetadataKey, ConsumerGroupTargetAssignmentMetadataValue>;
using TargetMemberRecord =
    KeyedRecord<ConsumerGroupTargetAssignmentMemberKey, ConsumerGroupTargetAssignmentMemberValue>;
using CurrentMemberRecord =
    KeyedRecord<ConsumerGroupCurrentMemberAssignmentKey, ConsumerGroupCurrentMemberAssignmentValue>;
using RegexRecord = KeyedRecord<ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue>;

using GroupRecord = std::variant<OffsetCommitRecord, ClassicGroupRecord, ConsumerGroupRecord, ConsumerMemberRecord,
                                 TargetEpochRecord, TargetMemberRecord, CurrentMemberRecord, RegexRecord>;

// The group that a record is about.
std::string_view group_id_of(const GroupRecord& record) noexcept;

struct EncodedGroupRecord {
  std::vector<uint8_t> key;
  std::optional<std::vector<uint8_t>> value;
};
// Value versions are those that Kafka 4.4 writes.
Result<EncodedGroupRecord> encode_group_record(const GroupRecord& record);
// nullopt: a type that is not ours. Errors: kCorrupt (bytes that are no such record), kUnsupported (a newer version).
Result<std::optional<GroupRecord>> decode_group_record(ByteView key, std::optional<ByteView> value);

}  // namespace leat
