// group_record_test.cpp: bytes of `__consumer_offsets`: the versions Kafka 4.4 writes, those it reads, and what is
// nobody's.
#include "core/coordinator/group/group_record.h"

#include <initializer_list>

#include "core/codec/byte_order.h"
#include "core/codec/prefixed.h"
#include "test/support/catch.h"

namespace leat {
namespace {

const Uuid kTopicId = *Uuid::parse("AAECAwQFBgcICQoLDA0ODw");

OffsetCommitRecord commit() {
  OffsetCommitRecord record;
  record.key.group = "g";
  record.key.topic = "t";
  record.key.partition = 3;
  OffsetCommitValue& value = record.value.emplace();
  value.offset = 42;
  value.leader_epoch = 7;
  value.metadata = "m";
  value.commit_timestamp = 1'700'000'000'000;
  value.topic_id = kTopicId;
  return record;
}

ClassicGroupRecord classic() {
  ClassicGroupRecord record;
  record.key.group = "g";
  GroupMetadataValue& value = record.value.emplace();
  value.protocol_type = "consumer";
  value.generation = 5;
  value.protocol = "range";
  value.leader = "m1";
  value.current_state_timestamp = 99;
  GroupMetadataValue::MemberMetadata& member = value.members.emplace_back();
  member.member_id = "m1";
  member.group_instance_id = "i1";
  member.client_id = "c";
  member.client_host = "/127.0.0.1";
  member.rebalance_timeout = 300'000;
  member.session_timeout = 45'000;
  member.subscription = {1, 2, 3};
  member.assignment = {4};
  return record;
}

ConsumerMemberRecord member() {
  ConsumerMemberRecord record;
  record.key.group_id = "g";
  record.key.member_id = "m1";
  ConsumerGroupMemberMetadataValue& value = record.value.emplace();
  value.instance_id = std::nullopt;
  value.client_id = "c";
  value.subscribed_topic_names = {"t"};
  value.classic_member_metadata = std::nullopt;
  return record;
}

TargetMemberRecord target() {
  TargetMemberRecord record;
  record.key.group_id = "g";
  record.key.member_id = "m1";
  auto& topic = record.value.emplace().topic_partitions.emplace_back();
  topic.topic_id = kTopicId;
  topic.partitions = {0, 2};
  return record;
}

CurrentMemberRecord current() {
  CurrentMemberRecord record;
  record.key.group_id = "g";
  record.key.member_id = "m1";
  auto& topic = record.value.emplace().assigned_partitions.emplace_back();
  topic.topic_id = kTopicId;
  topic.partitions = {0};
  topic.assignment_epochs = std::vector<int32_t>{5};
  return record;
}

std::vector<GroupRecord> one_of_each() {
  ConsumerGroupRecord group;
  group.key.group_id = "g";
  group.value.emplace().epoch = 6;
  TargetEpochRecord target_epoch;
  target_epoch.key.group_id = "g";
  target_epoch.value.emplace().assignment_epoch = 6;
  RegexRecord regex;
  regex.key.group_id = "g";
  regex.key.regular_expression = "t.*";
  regex.value.emplace().topics = {"t"};
  return {commit(), classic(), group, member(), target_epoch, target(), current(), regex};
}

EncodedGroupRecord encoded(const GroupRecord& record) {
  Result<EncodedGroupRecord> bytes = encode_group_record(record);
  REQUIRE(bytes.has_value());
  return *bytes;
}

std::optional<ByteView> value_view(const EncodedGroupRecord& bytes) {
  return bytes.value ? std::optional<ByteView>(*bytes.value) : std::nullopt;
}

int16_t value_version(const EncodedGroupRecord& bytes) { return Reader(*bytes.value).i16(); }

Errc decode_error(ByteView key, std::optional<ByteView> value) {
  const auto record = decode_group_record(key, value);
  REQUIRE_FALSE(record.has_value());
  return record.error().code;
}

TEST_CASE("group record: what is written is read again, tombstones too", "[coordinator][group_record]") {
  for (const GroupRecord& record : one_of_each()) {
    GroupRecord tombstone = record;
    std::visit([](auto& one) { one.value.reset(); }, tombstone);
    for (const GroupRecord& written : {record, tombstone}) {
      const EncodedGroupRecord bytes = encoded(written);
      const auto read = decode_group_record(bytes.key, value_view(bytes));
      REQUIRE(read.has_value());
      REQUIRE(read->has_value());
      CHECK(**read == written);
      CHECK(group_id_of(**read) == "g");
    }
    CHECK_FALSE(encoded(tombstone).value.has_value());
  }
}

TEST_CASE("group record: values have the versions of Kafka 4.4", "[coordinator][group_record]") {
  const std::vector<GroupRecord> records = one_of_each();
  const std::vector<int16_t> key_types = {1, 2, 3, 5, 6, 7, 8, 16};
  const std::vector<int16_t> versions = {4, 3, 0, 0, 0, 0, 0, 0};
  for (size_t i = 0; i < records.size(); ++i) {
    const EncodedGroupRecord bytes = encoded(records[i]);
    CHECK(Reader(bytes.key).i16() == key_types[i]);
    CHECK(value_version(bytes) == versions[i]);
  }
}

TEST_CASE("group record: a commit with an expiry of its own is version 1", "[coordinator][group_record]") {
  OffsetCommitRecord record = commit();
  record.value->expire_timestamp = 1'700'000'060'000;
  const EncodedGroupRecord bytes = encoded(record);
  CHECK(value_version(bytes) == 1);
  const auto read = decode_group_record(bytes.key, value_view(bytes));
  REQUIRE(read.has_value());
  record.value->leader_epoch = -1;  // which has no place for these
  record.value->topic_id = Uuid{};
  CHECK(std::get<OffsetCommitRecord>(**read) == record);
}

TEST_CASE("group record: commits of the oldest brokers are read", "[coordinator][group_record]") {
  const std::vector<uint8_t> key = {0, 0, 0, 1, 'g', 0, 1, 't', 0, 0, 0, 3};
  const std::vector<uint8_t> value = {0, 0, 0, 0, 0, 0, 0, 0, 0, 42, 0, 1, 'm', 0, 0, 0, 0, 0, 0, 0, 9};
  const auto read = decode_group_record(key, ByteView(value));
  REQUIRE(read.has_value());
  const auto& record = std::get<OffsetCommitRecord>(**read);
  CHECK(record.key.group == "g");
  CHECK(record.key.topic == "t");
  CHECK(record.key.partition == 3);
  REQUIRE(record.value.has_value());
  CHECK(record.value->offset == 42);
  CHECK(record.value->metadata == "m");
  CHECK(record.value->commit_timestamp == 9);
  CHECK(record.value->leader_epoch == -1);
  CHECK(record.value->topic_id.is_zero());
  const auto tombstone = decode_group_record(key, std::nullopt);
  REQUIRE(tombstone.has_value());
  CHECK_FALSE(std::get<OffsetCommitRecord>(**tombstone).value.has_value());
}

TEST_CASE("group record: every version of a commit's value is read", "[coordinator][group_record]") {
  const EncodedGroupRecord bytes = encoded(commit());
  for (int16_t version = 0; version <= OffsetCommitValue::kVersions.max; ++version) {
    const auto value = encode_value(*commit().value, version);
    REQUIRE(value.has_value());
    const auto read = decode_group_record(bytes.key, ByteView(*value));
    REQUIRE(read.has_value());
    CHECK(std::get<OffsetCommitRecord>(**read).value->offset == 42);
    CHECK(std::get<OffsetCommitRecord>(**read).value->leader_epoch == (version >= 3 ? 7 : -1));
  }
}

TEST_CASE("group record: types of other machines are left alone", "[coordinator][group_record]") {
  for (const int type : {4, 9, 10, 15, 17, 1000, -1}) {
    std::vector<uint8_t> key = {0, 0, 0, 1, 'g'};
    to_big_endian(static_cast<int16_t>(type), key.data());
    const auto read = decode_group_record(key, std::nullopt);
    REQUIRE(read.has_value());
    CHECK_FALSE(read->has_value());
  }
}

TEST_CASE("group record: a newer version is told from damage", "[coordinator][group_record]") {
  for (const GroupRecord& record : one_of_each()) {
    EncodedGroupRecord bytes = encoded(record);
    to_big_endian(int16_t{100}, bytes.value->data());
    CHECK(decode_error(bytes.key, value_view(bytes)) == Errc::kUnsupported);
    to_big_endian(int16_t{-1}, bytes.value->data());
    CHECK(decode_error(bytes.key, value_view(bytes)) == Errc::kCorrupt);
  }
}

TEST_CASE("group record: every truncation is corrupt", "[coordinator][group_record]") {
  for (const GroupRecord& record : one_of_each()) {
    const EncodedGroupRecord bytes = encoded(record);
    for (size_t size = 0; size < bytes.key.size(); ++size) {
      CHECK(decode_error(ByteView(bytes.key).first(size), std::nullopt) == Errc::kCorrupt);
    }
    for (size_t size = 0; size < bytes.value->size(); ++size) {
      CHECK(decode_error(bytes.key, ByteView(*bytes.value).first(size)) == Errc::kCorrupt);
    }
  }
}

}  // namespace
}  // namespace leat
