// offset_store_test.cpp: committed offsets by group, topic and partition; incarnations of a topic told apart.
#include "core/coordinator/group/offset_store.h"

#include <map>
#include <tuple>

#include "core/base/random.h"
#include "test/support/catch.h"

namespace leat {
namespace {

const Uuid kOldId = *Uuid::parse("AAECAwQFBgcICQoLDA0ODw");
const Uuid kNewId = *Uuid::parse("DwECAwQFBgcICQoLDA0ODw");

OffsetCommitRecord commit(std::string group, std::string topic, int32_t partition, int64_t offset,
                          const Uuid& id = kOldId) {
  OffsetCommitRecord record;
  record.key.group = std::move(group);
  record.key.topic = std::move(topic);
  record.key.partition = partition;
  OffsetCommitValue& value = record.value.emplace();
  value.offset = offset;
  value.commit_timestamp = 1000 + offset;
  value.topic_id = id;
  return record;
}

OffsetCommitRecord tombstone(std::string group, std::string topic, int32_t partition) {
  OffsetCommitRecord record = commit(std::move(group), std::move(topic), partition, 0);
  record.value.reset();
  return record;
}

std::vector<GroupRecord> snapshot(const OffsetStore& store) {
  std::vector<GroupRecord> records;
  store.append_snapshot(records);
  return records;
}

TEST_CASE("offset store: the last commit of a partition stands", "[coordinator][offsets]") {
  OffsetStore store;
  CHECK_FALSE(store.find("g", "t", 0).has_value());
  store.apply(commit("g", "t", 0, 5));
  store.apply(commit("g", "t", 1, 6));
  store.apply(commit("g", "t", 0, 7));
  CHECK(store.size() == 2);
  const auto found = store.find("g", "t", 0);
  REQUIRE(found.has_value());
  CHECK(found->offset == 7);
  CHECK(found->commit_ms == 1007);
  CHECK(found->expire_ms == -1);
  CHECK(found->metadata.empty());
  CHECK(found->topic_id == kOldId);
  CHECK_FALSE(store.find("g", "t", 2).has_value());
  CHECK_FALSE(store.find("g", "u", 0).has_value());
  CHECK_FALSE(store.find("h", "t", 0).has_value());
}

TEST_CASE("offset store: metadata and an expiry of its own come and go", "[coordinator][offsets]") {
  OffsetStore store;
  OffsetCommitRecord record = commit("g", "t", 0, 5);
  record.value->metadata = "note";
  record.value->expire_timestamp = 2000;
  store.apply(record);
  CHECK(store.find("g", "t", 0)->metadata == "note");
  CHECK(store.find("g", "t", 0)->expire_ms == 2000);
  record.value->metadata = "other";
  store.apply(record);
  CHECK(store.find("g", "t", 0)->metadata == "other");
  store.apply(commit("g", "t", 0, 6));
  CHECK(store.find("g", "t", 0)->metadata.empty());
  CHECK(store.find("g", "t", 0)->expire_ms == -1);
}

TEST_CASE("offset store: a tombstone takes one, and the last takes the group", "[coordinator][offsets]") {
  OffsetStore store;
  store.apply(tombstone("g", "t", 0));
  store.apply(commit("g", "t", 0, 5));
  store.apply(commit("g", "u", 0, 6));
  store.apply(tombstone("g", "t", 1));
  CHECK(store.size() == 2);
  store.apply(tombstone("g", "t", 0));
  CHECK_FALSE(store.find("g", "t", 0).has_value());
  CHECK(store.find("g", "u", 0)->offset == 6);
  CHECK(store.has_offsets("g"));
  store.apply(tombstone("g", "u", 0));
  CHECK_FALSE(store.has_offsets("g"));
  CHECK(store.size() == 0);
  CHECK(snapshot(store).empty());
}

TEST_CASE("offset store: a partition stands under one incarnation only", "[coordinator][offsets]") {
  OffsetStore store;
  store.apply(commit("g", "t", 0, 5, kOldId));
  store.apply(commit("g", "t", 0, 9, kNewId));
  CHECK(store.size() == 1);
  CHECK(store.find("g", "t", 0)->topic_id == kNewId);
  store.apply(commit("g", "t", 1, 1, kOldId));
  store.apply(commit("g", "t", 2, 2, Uuid{}));
  store.apply(commit("g", "t", 0, 3, Uuid{}));
  CHECK(store.size() == 3);
  CHECK(store.find("g", "t", 0)->topic_id.is_zero());
  store.apply(tombstone("g", "t", 0));
  store.apply(tombstone("g", "t", 1));
  store.apply(tombstone("g", "t", 2));
  CHECK(store.size() == 0);
}

TEST_CASE("offset store: with a topic go its incarnation's, and those without an id", "[coordinator][offsets]") {
  OffsetStore store;
  store.apply(commit("a", "t", 0, 1, kOldId));
  store.apply(commit("a", "t", 1, 2, kNewId));
  store.apply(commit("b", "t", 2, 3, Uuid{}));
  store.apply(commit("b", "tt", 0, 4, kOldId));
  CHECK(store.keys_of_topic("u", kOldId).empty());
  const auto keys = store.keys_of_topic("t", kOldId);
  REQUIRE(keys.size() == 2);
  CHECK(keys[0] == commit("a", "t", 0, 0).key);
  CHECK(keys[1] == commit("b", "t", 2, 0).key);
}

TEST_CASE("offset store: incarnations that are gone, each asked about once", "[coordinator][offsets]") {
  OffsetStore store;
  store.apply(commit("a", "t", 0, 1, kOldId));
  store.apply(commit("a", "t", 1, 2, kNewId));
  store.apply(commit("a", "u", 0, 3, Uuid{}));
  store.apply(commit("b", "t", 7, 4, kOldId));
  store.apply(commit("b", "u", 1, 5, Uuid{}));
  int asked = 0;
  const auto keys = store.keys_of_gone([&asked](std::string_view topic, const Uuid& id) {
    ++asked;
    return id == kOldId || topic == "u";
  });
  CHECK(asked == 3);
  REQUIRE(keys.size() == 4);
  CHECK(keys[0] == commit("a", "t", 0, 0).key);
  CHECK(keys[1] == commit("a", "u", 0, 0).key);
  CHECK(keys[2] == commit("b", "t", 7, 0).key);
  CHECK(keys[3] == commit("b", "u", 1, 0).key);
  CHECK(store.keys_of_gone([](std::string_view, const Uuid&) { return false; }).empty());
}

TEST_CASE("offset store: all of a group, in order", "[coordinator][offsets]") {
  OffsetStore store;
  store.apply(commit("g", "u", 0, 1));
  store.apply(commit("g", "t", 10, 2));
  store.apply(commit("g", "t", 9, 3));
  store.apply(commit("h", "t", 0, 4));
  std::vector<std::pair<std::string, int32_t>> seen;
  store.for_each_of("g", [&](const StoredOffset& one) { seen.emplace_back(one.topic, one.partition); });
  CHECK(seen == std::vector<std::pair<std::string, int32_t>>{{"t", 9}, {"t", 10}, {"u", 0}});
  store.for_each_of("i", [&](const StoredOffset&) { FAIL("there is no such group"); });
}

// Against a plain map; the snapshot of each state rebuilds it.
TEST_CASE("offset store: any history", "[coordinator][offsets]") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SeededRandom random(seed);
    OffsetStore store;
    std::map<std::tuple<std::string, std::string, int32_t>, OffsetCommitValue> model;
    const Uuid ids[] = {Uuid{}, kOldId, kNewId};
    for (int64_t step = 0; step < 1000; ++step) {
      OffsetCommitRecord record = commit(std::string(1, static_cast<char>('a' + random.below(3))),
                                         std::string(1, static_cast<char>('t' + random.below(3))),
                                         static_cast<int32_t>(random.below(5)), step, ids[random.below(3)]);
      if (random.one_in(3)) record.value->metadata = "m";
      if (random.one_in(5)) record.value->expire_timestamp = step;
      const std::tuple key(record.key.group, record.key.topic, record.key.partition);
      if (random.one_in(3)) {
        record.value.reset();
        model.erase(key);
      } else {
        model[key] = *record.value;
      }
      store.apply(record);
      REQUIRE(store.size() == model.size());
    }
    OffsetStore rebuilt;
    for (const GroupRecord& record : snapshot(store)) rebuilt.apply(std::get<OffsetCommitRecord>(record));
    CHECK(snapshot(rebuilt) == snapshot(store));
    for (const auto& [key, value] : model) {
      const auto found = store.find(std::get<0>(key), std::get<1>(key), std::get<2>(key));
      REQUIRE(found.has_value());
      CHECK(found->offset == value.offset);
      CHECK(found->topic_id == value.topic_id);
      CHECK(found->metadata == value.metadata);
      CHECK(found->expire_ms == value.expire_timestamp);
    }
  }
}

}  // namespace
}  // namespace leat
