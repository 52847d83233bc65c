// batch_test.cpp: finding batches, patching them, building them.
#include "core/record/batch.h"

#include "core/record/batch_builder.h"
#include "core/record/compression.h"
#include "core/record/record_stream.h"
#include "test/core/record/corpus.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::test;

namespace {

constexpr int64_t kUnpackedMax = int64_t{16} << 20;

Bytes bytes_of(const Slice& slice) { return {slice.view().begin(), slice.view().end()}; }

// The batch built anew from its own records.
Bytes rebuilt(const Bytes& original) {
  const BatchView batch(original);
  Result<BatchRecords> records = BatchRecords::open(batch, kUnpackedMax);
  REQUIRE(records.has_value());
  BatchKind kind = batch.is_transactional() ? BatchKind::kTransactional : BatchKind::kData;
  if (batch.is_control()) kind = batch.is_transactional() ? BatchKind::kTransactionalControl : BatchKind::kControl;
  BatchBuilder builder({.codec = *codec_from_bits(batch.codec_bits()),
                        .base_offset = batch.base_offset(),
                        .leader_epoch = batch.leader_epoch(),
                        .timestamp_type = batch.timestamp_type(),
                        .append_time_ms = batch.max_timestamp(),
                        .producer_id = batch.producer_id(),
                        .producer_epoch = batch.producer_epoch(),
                        .base_sequence = batch.base_sequence(),
                        .kind = kind});
  for (;;) {
    const Result<std::optional<RecordView>> record = records->next();
    REQUIRE(record.has_value());
    if (!*record) break;
    std::vector<HeaderView> headers;
    HeaderReader reader = (*record)->headers();
    for (HeaderView header; reader.next(header);) headers.push_back(header);
    builder.append_at((*record)->offset_delta, {.key = (*record)->key,
                                                .value = (*record)->value,
                                                .timestamp_ms = batch.base_timestamp() + (*record)->timestamp_delta,
                                                .headers = headers});
  }
  const size_t uncompressed_size = builder.size_bytes();
  const Result<Slice> built = builder.finish();
  REQUIRE(built.has_value());
  if (batch.codec_bits() == 0) CHECK(built->size() == uncompressed_size);
  return bytes_of(*built);
}

}  // namespace

TEST_CASE("batch: parse wants more bytes until the batch is whole", "[record][batch]") {
  const Bytes bytes = batch_bytes("two_batches");
  for (size_t size = 0; size < 88; ++size) {
    const Result<std::optional<BatchView>> found = BatchView::parse(ByteView(bytes).first(size));
    REQUIRE(found.has_value());
    CHECK(!found->has_value());
  }
  const Result<std::optional<BatchView>> found = BatchView::parse(bytes);
  REQUIRE(found.has_value());
  REQUIRE(found->has_value());
  CHECK((*found)->bytes().size() == 88);
  CHECK((*found)->next_offset() == Offset(3));
}

TEST_CASE("batch: parse tells old formats from nonsense", "[record][batch]") {
  CHECK(BatchView::parse(batch_bytes("magic0_set")).error().code == Errc::kUnsupportedFormat);
  CHECK(BatchView::parse(batch_bytes("magic1_set")).error().code == Errc::kUnsupportedFormat);
  for (const char* name :
       {"length_negative", "length_10", "length_20", "length_huge", "magic_3", "magic_127", "magic_minus1"}) {
    INFO(name);
    CHECK(BatchView::parse(batch_bytes(name)).error().code == Errc::kCorrupt);
  }
  const Bytes zeros(100);
  CHECK(BatchView::parse(zeros).error().code == Errc::kCorrupt);
}

TEST_CASE("batch: last sequence wraps as Kafka's", "[record][batch]") {
  CHECK(BatchView(batch_bytes("idempotent")).last_sequence() == 2);
  CHECK(BatchView(batch_bytes("idempotent_wrap")).last_sequence() == 0);
  CHECK(BatchView(batch_bytes("one")).last_sequence() == kNoSequence);
  CHECK(!BatchView(batch_bytes("client_pid_minus2")).has_producer_id());
}

TEST_CASE("batch: patches keep the CRC right", "[record][batch]") {
  for (const char* name : {"one", "mixed_none", "mixed_zstd", "big_snappy", "reserved_attributes"}) {
    INFO(name);
    Bytes bytes = batch_bytes(name);
    set_base_offset(bytes, Offset(int64_t{1} << 40));
    set_leader_epoch(bytes, 12);
    CHECK(BatchView(bytes).crc_matches());
    set_append_time(bytes, 1'800'000'000'000);
    const BatchView batch(bytes);
    CHECK(batch.crc_matches());
    CHECK(batch.timestamp_type() == TimestampType::kLogAppendTime);
    CHECK(batch.max_timestamp() == 1'800'000'000'000);
    CHECK(batch.base_offset() == Offset(int64_t{1} << 40));
    CHECK(batch.leader_epoch() == 12);
    set_timestamps(bytes, TimestampType::kCreateTime, -1);
    CHECK(BatchView(bytes).crc_matches());
    CHECK(BatchView(bytes).timestamp_type() == TimestampType::kCreateTime);
  }
}

TEST_CASE("batch builder: gives Kafka's own bytes", "[record][builder]") {
  int count = 0;
  for (const char* name :
       {"mixed_none", "stored_none", "one", "no_timestamp", "wide_deltas", "idempotent", "idempotent_wrap",
        "transactional", "log_append_time", "control_commit", "control_abort", "control_leader_change"}) {
    INFO(name);
    const Bytes original = batch_bytes(name);
    CHECK(to_hex(rebuilt(original)) == to_hex(original));
    ++count;
  }
  CHECK(count == 12);
}

TEST_CASE("batch builder: compressed batches hold the same records", "[record][builder]") {
  for (const char* name :
       {"mixed_gzip", "mixed_snappy", "mixed_lz4", "mixed_zstd", "many_gzip", "big_lz4", "stored_zstd"}) {
    INFO(name);
    const Bytes original = batch_bytes(name);
    const Bytes built = rebuilt(original);
    CHECK(BatchView(built).crc_matches());
    CHECK(BatchView(built).codec_bits() == BatchView(original).codec_bits());
    CHECK(BatchView(built).max_timestamp() == BatchView(original).max_timestamp());
    const Result<Codec> codec = codec_from_bits(BatchView(built).codec_bits());
    const Result<Slice> ours = decompress(*codec, BatchView(built).records(), kUnpackedMax);
    const Result<Slice> theirs = decompress(*codec, BatchView(original).records(), kUnpackedMax);
    CHECK(bytes_of(*ours) == bytes_of(*theirs));
  }
}

TEST_CASE("batch builder: end markers are Kafka's", "[record][builder]") {
  Bytes commit = bytes_of(end_marker_batch({.type = MarkerType::kCommit,
                                            .producer_id = 1001,
                                            .producer_epoch = 2,
                                            .coordinator_epoch = 11,
                                            .timestamp_ms = 1'700'000'000'000}));
  set_base_offset(commit, Offset(77));
  set_leader_epoch(commit, 7);
  CHECK(to_hex(commit) == to_hex(batch_bytes("control_commit")));
  const Bytes abort = batch_bytes("control_abort");
  Result<BatchRecords> records = BatchRecords::open(BatchView(abort), kUnpackedMax);
  CHECK(control_record_type(**records->next()) == static_cast<int16_t>(MarkerType::kAbort));
}

TEST_CASE("batch builder: a batch with holes keeps its offsets", "[record][builder]") {
  BatchBuilder builder({.codec = Codec::kZstd, .base_offset = Offset(100)});
  builder.append_at(3, text_record("a", "1", 10));
  builder.append_at(900, text_record("b", "2", 5));
  const Result<Slice> built = builder.finish();
  REQUIRE(built.has_value());
  const BatchView batch(built->view());
  CHECK(batch.last_offset() == Offset(1000));
  CHECK(batch.record_count() == 2);
  CHECK(batch.base_timestamp() == 10);
  CHECK(batch.max_timestamp() == 10);
  Result<BatchRecords> records = BatchRecords::open(batch, kUnpackedMax);
  CHECK(records->offset_of(**records->next()) == Offset(103));
}

TEST_CASE("record stream: finds records by timestamp in every codec", "[record][stream]") {
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    INFO(to_string(codec));
    BatchBuilder builder({.codec = codec, .base_offset = Offset(50)});
    for (const int64_t timestamp_ms : {1000, 3000, 2000, 3000}) builder.append(text_record("k", "v", timestamp_ms));
    const Result<Slice> built = builder.finish();
    const BatchView batch(built->view());
    const auto offset_at = [&](int64_t timestamp_ms) {
      const Result<std::optional<FoundRecord>> found = find_by_timestamp(batch, timestamp_ms, kUnpackedMax);
      REQUIRE(found.has_value());
      return *found ? (*found)->offset : kNoOffset;
    };
    CHECK(offset_at(0) == Offset(50));
    CHECK(offset_at(1500) == Offset(51));
    CHECK(offset_at(3001) == kNoOffset);
    CHECK((*find_max_timestamp(batch, kUnpackedMax))->offset == Offset(51));
  }
  const Bytes stamped = batch_bytes("log_append_time");
  CHECK((*find_by_timestamp(BatchView(stamped), 1'700'000'100'000, kUnpackedMax))->offset == Offset(0));
}

TEST_CASE("record stream: a bomb and records larger than the window", "[record][stream]") {
  const Bytes large(400'000, 'x');
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    INFO(to_string(codec));
    BatchBuilder builder({.codec = codec});
    const HeaderView headers[] = {{.key = "h", .value = ByteView(large)}, {.key = "n", .value = std::nullopt}};
    for (int64_t i = 0; i < 3; ++i) {
      builder.append({.key = ByteView(large), .value = ByteView(large), .timestamp_ms = i, .headers = headers});
      builder.append({.key = std::nullopt, .value = ByteView(large).first(65'500), .timestamp_ms = i});
    }
    const Result<Slice> built = builder.finish();
    const BatchView batch(built->view());
    RecordStream stream(codec, batch.records(), kUnpackedMax);
    RecordMeta meta;
    for (int32_t i = 0; i < 6; ++i) {
      REQUIRE(stream.next(meta) == RecordStream::Next::kRecord);
      CHECK(meta.offset_delta == i);
      CHECK(meta.has_key == (i % 2 == 0));
    }
    CHECK(stream.next(meta) == RecordStream::Next::kEnd);
    RecordStream limited(codec, batch.records(), 1'000'000);
    RecordStream::Next next = RecordStream::Next::kRecord;
    while (next == RecordStream::Next::kRecord) next = limited.next(meta);
    CHECK(next == RecordStream::Next::kFailed);
    CHECK(limited.error().code == Errc::kLimit);
  }
}
