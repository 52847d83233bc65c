// index_test.cpp: sparse indexes, leader epochs, names and checkpoint texts: the small pieces of a log.
#include <fmt/format.h>

#include "core/log/checkpoint_text.h"
#include "core/log/file_names.h"
#include "core/log/leader_epoch_cache.h"
#include "core/log/offset_index.h"
#include "core/log/recovery.h"
#include "core/log/time_index.h"
#include "test/support/catch.h"

using namespace leat;

TEST_CASE("offset index: lookup gives the last entry at or below", "[log][index]") {
  OffsetIndex index(Offset(100));
  CHECK(index.lookup(Offset(500)) == Position(0));
  index.append(Offset(110), Position(5000));
  index.append(Offset(120), Position(9500));
  CHECK(index.lookup(Offset(109)) == Position(0));
  CHECK(index.lookup(Offset(110)) == Position(5000));
  CHECK(index.lookup(Offset(119)) == Position(5000));
  CHECK(index.lookup(Offset(INT64_MAX)) == Position(9500));
  CHECK(index.encode(0) == std::vector<uint8_t>{0, 0, 0, 10, 0, 0, 0x13, 0x88, 0, 0, 0, 20, 0, 0, 0x25, 0x1c});
  const auto read = OffsetIndex::decode(Offset(100), index.encode(0), 10'000);
  REQUIRE(read);
  CHECK(read->entry_count() == 2);
  CHECK(index.encode(1).size() == 8);
  index.truncate_to_offset(Offset(120));
  CHECK(index.last_offset() == Offset(110));
}

TEST_CASE("offset index: what cannot be is refused", "[log][index]") {
  const auto decode = [](std::vector<uint8_t> bytes) {
    return OffsetIndex::decode(Offset(0), bytes, 1000).has_value();
  };
  CHECK(decode({}));
  CHECK(decode({0, 0, 0, 1, 0, 0, 0, 9}));
  CHECK(!decode({0, 0, 0, 1, 0, 0, 0}));                                                      // no multiple of 8
  CHECK(!decode({0, 0, 0, 1, 0, 0, 4, 0}));                                                   // beyond the segment
  CHECK(!decode({0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 10}));                          // same offset
  CHECK(!decode({0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 9}));                           // same position
  CHECK(decode({0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0}));                            // preallocated
  CHECK(!decode({0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 20}));  // a hole of zeros
  CHECK(!decode({0x80, 0, 0, 0, 0, 0, 0, 9}));                                                // beyond the offset range
}

TEST_CASE("time index: entries grow in both columns", "[log][index]") {
  TimeIndex index(Offset(100));
  index.append(5000, Offset(110));
  index.append(5000, Offset(111));
  index.append(4000, Offset(112));
  index.append(6000, Offset(120));
  REQUIRE(index.entry_count() == 2);
  CHECK(index.lookup(4999) == Offset(100));
  CHECK(index.lookup(5000) == Offset(110));
  CHECK(index.lookup(5999) == Offset(110));
  CHECK(index.lookup(INT64_MAX) == Offset(120));
  const auto read = TimeIndex::decode(Offset(100), index.encode(0));
  REQUIRE(read);
  CHECK(read->last()->timestamp_ms == 6000);
  std::vector<uint8_t> swapped = index.encode(1);
  const std::vector<uint8_t> first = index.encode(0);
  swapped.insert(swapped.end(), first.begin(), first.begin() + 12);
  CHECK(!TimeIndex::decode(Offset(100), swapped));
  CHECK(!TimeIndex::decode(Offset(100), ByteView(first).first(13)));
}

TEST_CASE("leader epochs: Kafka's answers", "[log][epoch]") {
  LeaderEpochCache epochs;
  CHECK(epochs.end_offset_for(0, Offset(10)).end_offset == kNoOffset);
  CHECK(epochs.assign(2, Offset(5)));
  CHECK(epochs.assign(4, Offset(8)));
  CHECK(!epochs.assign(4, Offset(9)));
  CHECK(!epochs.assign(3, Offset(9)));
  CHECK(epochs.end_offset_for(1, Offset(10)).leader_epoch == 1);
  CHECK(epochs.end_offset_for(1, Offset(10)).end_offset == Offset(5));
  CHECK(epochs.end_offset_for(2, Offset(10)).end_offset == Offset(8));
  CHECK(epochs.end_offset_for(3, Offset(10)).leader_epoch == 2);
  CHECK(epochs.end_offset_for(4, Offset(10)).end_offset == Offset(10));
  CHECK(epochs.end_offset_for(5, Offset(10)).leader_epoch == kNoLeaderEpoch);
  CHECK(epochs.encode() == "0\n2\n2 5\n4 8\n");
  const Result<LeaderEpochCache> read = LeaderEpochCache::decode(epochs.encode(), "f");
  REQUIRE(read);
  CHECK(read->starts() == epochs.starts());
  epochs.truncate_to_start(Offset(7));
  CHECK(epochs.starts().front() == LeaderEpochStart{2, Offset(7)});
  epochs.truncate_to_start(Offset(9));
  CHECK(epochs.starts() == std::vector<LeaderEpochStart>{{4, Offset(9)}});
  CHECK(epochs.assign(5, Offset(9)));  // epoch 4 has no record
  CHECK(epochs.starts() == std::vector<LeaderEpochStart>{{5, Offset(9)}});
  for (const std::string_view bad :
       {"", "0\n", "1\n0\n", "0\n1\n", "0\n2\n1 2\n", "0\n1\nx y\n", "0\n1\n5\n", "0\n2\n2 5\n1 8\n", "0\n1\n-1 5\n"}) {
    CHECK(LeaderEpochCache::decode(bad, "f").error().code == Errc::kCorrupt);
  }
}

TEST_CASE("checkpoint: offsets of partitions, and bad texts", "[log][checkpoint]") {
  const OffsetCheckpoint offsets{{{"a", 0}, Offset(5)}, {{"a", 10}, Offset(0)}, {{"b.c_d-e", 2}, Offset(INT64_MAX)}};
  const std::string text = encode_offset_checkpoint(offsets);
  CHECK(text == "0\n3\na 0 5\na 10 0\nb.c_d-e 2 9223372036854775807\n");
  CHECK(*decode_offset_checkpoint(text, "f") == offsets);
  CHECK(decode_offset_checkpoint("0\n0\n", "f")->empty());
  for (const std::string_view bad :
       {"", "0\n1\n", "0\n1\na 0\n", "0\n1\na 0 x\n", "0\n1\na 0 -4\n", "0\n2\na 0 5\n", "2\n0\n", "0\n1\n 5\n"}) {
    CHECK(decode_offset_checkpoint(bad, "f").error().code == Errc::kCorrupt);
  }
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    const Result<OffsetCheckpoint> cut = decode_offset_checkpoint(std::string_view(text).substr(0, size), "f");
    if (cut) CHECK(cut->size() == 3);  // only digits of the last number may be missing, which the head cannot tell
  }
}

TEST_CASE("names: segments and folders as Kafka's", "[log][names]") {
  CHECK(segment_file_name(Offset(42), kLogSuffix) == "00000000000000000042.log");
  CHECK(parse_segment_file_name("00000000000000000042.log.deleted")->suffix == ".log.deleted");
  CHECK(parse_segment_file_name("09223372036854775807.index")->base_offset == Offset(INT64_MAX));
  CHECK(!parse_segment_file_name("99999999999999999999.log"));
  CHECK(!parse_segment_file_name("0000000000000000042.log"));
  CHECK(!parse_segment_file_name("-0000000000000000042.log"));
  CHECK(parse_folder_name("a-b.c-12")->name == TopicPartition{"a-b.c", 12});
  CHECK(parse_folder_name("__consumer_offsets-0")->kind == FolderKind::kPartition);
  for (const std::string_view bad : {"a", "a-", "-1", "a-01", "a-x", "a-2147483648", "a/b-1", "..-0", "logs"})
    CHECK(!parse_folder_name(bad));
  Uuid unique;
  unique.bytes.fill(0xab);
  const std::string going = deletion_folder_name({"t-x", 3}, unique);
  CHECK(going == "t-x-3.abababababababababababababababab-delete");
  CHECK(parse_folder_name(going)->kind == FolderKind::kDelete);
  CHECK(parse_folder_name(going)->name == TopicPartition{"t-x", 3});
  CHECK(parse_folder_name("t-3.abababababababababababababababab-future")->kind == FolderKind::kFuture);
  CHECK(parse_folder_name("t-3.abababababababababababababababab-stray")->kind == FolderKind::kStray);
  CHECK(!parse_folder_name("t-3.abab-delete"));
  CHECK(deletion_folder_name({std::string(249, 'x'), 100}, unique).size() == 255);
}

TEST_CASE("partition metadata: text and damage", "[log][names]") {
  Uuid id;
  id.bytes.fill(7);
  CHECK(*decode_partition_metadata(encode_partition_metadata(id), "f") == id);
  for (const std::string_view bad :
       {"", "version: 1\ntopic_id: BwcHBwcHBwcHBwcHBwcHBw\n", "version: 0\n", "version: 0\ntopic_id: xyz\n"}) {
    CHECK(decode_partition_metadata(bad, "f").error().code == Errc::kCorrupt);
  }
}
