// compaction_filter_test.cpp: what is kept of one batch.
#include "core/log/compaction_filter.h"

#include <array>
#include <string>
#include <vector>

#include "core/codec/writer.h"
#include "core/record/batch_builder.h"
#include "core/record/compression.h"
#include "test/core/log/compaction_fixture.h"

using namespace leat;
using namespace leat::test;
using Fate = FilteredBatch::Fate;

namespace {

constexpr int64_t kNowMs = kStartMs + 1'000'000;
constexpr int64_t kDeleteRetentionMs = 5000;

// A batch at offset 100, and what is known of its keys.
struct Filtering {
  CompactionMap map{Uuid(), 1 << 20};
  FilterRules rules{.first_dirty = Offset(0),
                    .end = Offset(1000),
                    .now_ms = kNowMs,
                    .delete_retention_ms = kDeleteRetentionMs,
                    .decompressed_bytes_max = 1 << 20,
                    .producers = {}};

  void know(std::string_view key, int64_t offset) { (void)map.put(as_bytes(key), Offset(offset)); }
  FilteredBatch filter(const Slice& batch) const {
    Result<FilteredBatch> filtered = BatchFilter(map, rules).filter(BatchView(batch.view()));
    if (!filtered) FAIL(filtered.error().context);
    return std::move(*filtered);
  }
};

Slice batch_of(std::vector<Keyed> records, BatchOptions options = {}) {
  options.base_offset = Offset(100);
  options.leader_epoch = 7;
  KeyedBatch batch;
  batch.records = std::move(records);
  batch.options = options;
  return make_keyed(batch).batch.bytes;
}

}  // namespace

TEST_CASE("compaction filter: a batch that keeps all its records stays as it is", "[log][compaction]") {
  Filtering f;
  f.know("a", 100);
  f.know("b", 101);
  const FilteredBatch filtered = f.filter(batch_of({{"a", "1"}, {"b", "2"}, {"unknown", "3"}}));
  CHECK(filtered.fate == Fate::kStays);
  CHECK(filtered.bytes.empty());
  CHECK(filtered.records_gone == 0);
  CHECK(filtered.delete_horizon_ms == kNoHorizon);
}

TEST_CASE("compaction filter: a batch made anew keeps what it was, but for the records", "[log][compaction]") {
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    Filtering f;
    f.know("a", 103);
    f.know("d", 200);
    const Slice original = batch_of({{"a", "old", kStartMs + 5},
                                     {"b", "1", kStartMs + 9},
                                     {std::nullopt, "no key", kStartMs + 2},
                                     {"a", "2", kStartMs + 4},
                                     {"d", "old", kStartMs + 99}},
                                    {.codec = codec, .producer_id = 77, .producer_epoch = 3, .base_sequence = 12});
    const FilteredBatch filtered = f.filter(original);
    INFO(to_string(codec));
    REQUIRE(filtered.fate == Fate::kAnew);
    CHECK(filtered.records_gone == 3);
    const BatchView before(original.view());
    const BatchView after(filtered.bytes.view());
    CHECK(after.crc_matches());
    CHECK(after.size_bytes() == static_cast<int64_t>(filtered.bytes.size()));
    CHECK(after.base_offset() == Offset(100));
    CHECK(after.last_offset() == Offset(104));
    CHECK(after.leader_epoch() == 7);
    CHECK(after.attributes() == before.attributes());
    CHECK(after.producer_id() == 77);
    CHECK(after.producer_epoch() == 3);
    CHECK(after.base_sequence() == 12);
    CHECK(after.last_sequence() == 16);
    CHECK(after.record_count() == 2);
    CHECK(after.max_timestamp() == kStartMs + 9);
    CHECK(keyed_of(after.bytes()) == std::vector<SeenKeyed>{{101, "b", "1"}, {103, "a", "2"}});
    Result<BatchRecords> records = BatchRecords::open(after, 1 << 20);
    REQUIRE(records);
    CHECK(records->timestamp_of(**records->next()) == kStartMs + 9);
    CHECK(records->timestamp_of(**records->next()) == kStartMs + 4);
  }
}

TEST_CASE("compaction filter: headers of records are copied", "[log][compaction]") {
  Filtering f;
  f.know("gone", 999);
  const std::array<HeaderView, 2> headers{HeaderView{"trace", as_bytes("17")}, HeaderView{"none", std::nullopt}};
  BatchBuilder builder({.base_offset = Offset(100)});
  builder.append(text_record("gone", "x", kStartMs));
  builder.append({.key = as_bytes("k"), .value = as_bytes("v"), .timestamp_ms = kStartMs, .headers = headers});
  const FilteredBatch filtered = f.filter(*builder.finish());
  REQUIRE(filtered.fate == Fate::kAnew);
  Result<BatchRecords> records = BatchRecords::open(BatchView(filtered.bytes.view()), 1 << 20);
  REQUIRE(records);
  const Result<std::optional<RecordView>> record = records->next();
  REQUIRE(record);
  HeaderReader reader = (*record)->headers();
  HeaderView header;
  REQUIRE(reader.next(header));
  CHECK(header.key == "trace");
  CHECK(as_text(*header.value) == "17");
  REQUIRE(reader.next(header));
  CHECK(header.key == "none");
  CHECK_FALSE(header.value);
  CHECK_FALSE(reader.next(header));
}

TEST_CASE("compaction filter: the broker's stamp is kept", "[log][compaction]") {
  Filtering f;
  f.know("a", 999);
  Slice original = batch_of({{"a", "1"}, {"b", "2"}});
  set_append_time(original.unpublished(), kStartMs + 4242);
  const FilteredBatch filtered = f.filter(original);
  REQUIRE(filtered.fate == Fate::kAnew);
  const BatchView after(filtered.bytes.view());
  CHECK(after.crc_matches());
  CHECK(after.timestamp_type() == TimestampType::kLogAppendTime);
  CHECK(after.max_timestamp() == kStartMs + 4242);
}

TEST_CASE("compaction filter: what lies behind the end of the pass stays", "[log][compaction]") {
  Filtering f;
  f.know("a", 5000);
  f.rules.end = Offset(100);
  CHECK(f.filter(batch_of({{"a", "1"}, {std::nullopt, "2"}, {"b", std::nullopt}})).fate == Fate::kStays);
  f.rules.end = Offset(101);
  CHECK(f.filter(batch_of({{"a", "1"}, {"a", "2"}})).records_gone == 1);
}

TEST_CASE("compaction filter: a tombstone gets its date from the pass that knows its key", "[log][compaction]") {
  Filtering f;
  f.know("a", 100);
  const Slice original = batch_of({{"a", std::nullopt, kStartMs}, {"b", "1", kStartMs + 7}});
  f.rules.first_dirty = Offset(500);  // another pass should have given one
  CHECK(f.filter(original).fate == Fate::kStays);
  f.rules.first_dirty = Offset(100);
  FilteredBatch filtered = f.filter(original);
  REQUIRE(filtered.fate == Fate::kAnew);
  CHECK(filtered.records_gone == 0);
  CHECK(filtered.delete_horizon_ms == kNowMs + kDeleteRetentionMs);
  const Slice dated = filtered.bytes;
  const BatchView view(dated.view());
  CHECK(view.crc_matches());
  CHECK(view.has_delete_horizon());
  CHECK(view.base_timestamp() == kNowMs + kDeleteRetentionMs);
  CHECK(view.max_timestamp() == kStartMs + 7);
  Result<BatchRecords> records = BatchRecords::open(view, 1 << 20);
  REQUIRE(records);
  CHECK(records->timestamp_of(**records->next()) == kStartMs);
  CHECK(records->timestamp_of(**records->next()) == kStartMs + 7);

  f.rules.now_ms += kDeleteRetentionMs - 1;
  filtered = f.filter(dated);
  CHECK(filtered.fate == Fate::kStays);  // the date does not move
  CHECK(filtered.delete_horizon_ms == kNowMs + kDeleteRetentionMs);
  f.rules.now_ms += 1;
  filtered = f.filter(dated);
  REQUIRE(filtered.fate == Fate::kAnew);
  CHECK(filtered.records_gone == 1);
  CHECK(filtered.delete_horizon_ms == kNoHorizon);
  CHECK_FALSE(BatchView(filtered.bytes.view()).has_delete_horizon());
  CHECK(BatchView(filtered.bytes.view()).base_timestamp() == kStartMs + 7);
}

TEST_CASE("compaction filter: a time to keep tombstones without end does not wrap", "[log][compaction]") {
  Filtering f;
  f.rules.delete_retention_ms = INT64_MAX;
  const FilteredBatch filtered = f.filter(batch_of({{"a", std::nullopt}}));
  REQUIRE(filtered.fate == Fate::kAnew);
  CHECK(filtered.delete_horizon_ms == INT64_MAX - 1);
  Result<BatchRecords> records = BatchRecords::open(BatchView(filtered.bytes.view()), 1 << 20);
  REQUIRE(records);
  CHECK(records->timestamp_of(**records->next()) == kStartMs);
}

TEST_CASE("compaction filter: of a producer's last batch the header stays", "[log][compaction]") {
  Filtering f;
  f.know("a", 999);
  const BatchOptions of_producer{.codec = Codec::kLz4, .producer_id = 5, .producer_epoch = 2, .base_sequence = 40};
  const Slice original = batch_of({{"a", "1"}, {"a", "2"}, {"a", "3"}}, of_producer);
  CHECK(f.filter(original).fate == Fate::kGoes);
  f.rules.producers = {{4, Offset(102)}, {5, Offset(101)}};
  CHECK(f.filter(original).fate == Fate::kGoes);
  f.rules.producers = {{4, Offset(101)}, {5, Offset(102)}};
  const FilteredBatch filtered = f.filter(original);
  REQUIRE(filtered.fate == Fate::kAnew);
  const BatchView view(filtered.bytes.view());
  CHECK(view.crc_matches());
  CHECK(view.size_bytes() == static_cast<int64_t>(kBatchHeaderBytes));
  CHECK(view.record_count() == 0);
  CHECK(view.codec_bits() == 0);
  CHECK(view.base_offset() == Offset(100));
  CHECK(view.last_offset() == Offset(102));
  CHECK(view.last_sequence() == 42);
  CHECK(view.producer_epoch() == 2);
  CHECK(view.max_timestamp() == kStartMs);
  CHECK(f.filter(filtered.bytes).fate == Fate::kStays);
  f.rules.producers = {{5, kNoOffset}};  // not known which is its last
  CHECK(f.filter(filtered.bytes).fate == Fate::kStays);
  f.rules.producers.clear();
  CHECK(f.filter(filtered.bytes).fate == Fate::kGoes);
}

TEST_CASE("compaction filter: batches of transactions are not looked into", "[log][compaction]") {
  Filtering f;
  f.know("a", 999);
  CHECK(f.filter(batch_of({{"a", "1"}}, {.producer_id = 1, .base_sequence = 0, .kind = BatchKind::kTransactional}))
            .fate == Fate::kStays);
  CHECK(f.filter(end_marker_batch({.producer_id = 1, .producer_epoch = 0})).fate == Fate::kStays);
}

TEST_CASE("compaction filter: offset deltas that do not rise are counted", "[log][compaction]") {
  Filtering f;
  f.know("b", 999);
  Slice original = batch_of({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  // Each record is size, attributes, timestamp delta, offset delta ...: one byte each here.
  constexpr size_t kDeltaAt = 3;
  const size_t record_bytes = (original.size() - kBatchHeaderBytes) / 3;
  for (size_t i = 0; i < 3; ++i) {
    original.unpublished()[kBatchHeaderBytes + i * record_bytes + kDeltaAt] = 2;  // 1, zigzag
  }
  set_crc(original.unpublished());
  const FilteredBatch filtered = f.filter(original);
  REQUIRE(filtered.fate == Fate::kAnew);
  CHECK(keyed_of(filtered.bytes.view()) == std::vector<SeenKeyed>{{100, "a", "1"}, {102, "c", "3"}});
}

TEST_CASE("compaction filter: what cannot be looked into is an error", "[log][compaction]") {
  Filtering f;
  const Slice large = batch_of({{"a", std::string(100'000, 'x')}}, {.codec = Codec::kZstd});
  f.rules.decompressed_bytes_max = 50'000;
  CHECK(BatchFilter(f.map, f.rules).filter(BatchView(large.view())).error().code == Errc::kLimit);
  Slice cut = batch_of({{"a", "1"}, {"b", "2"}});
  to_big_endian(int32_t{3}, cut.unpublished().data() + kRecordCountAt);
  set_crc(cut.unpublished());
  CHECK(BatchFilter(f.map, f.rules).filter(BatchView(cut.view())).error().code == Errc::kInvalidRecord);
}
