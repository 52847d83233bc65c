// validator_test.cpp: rules of the topic (size, timestamps, keys, codec), bombs, and damage at every byte.
#include "core/record/validator.h"

#include "core/base/random.h"
#include "core/codec/writer.h"
#include "core/record/batch_builder.h"
#include "core/record/compression.h"
#include "core/record/record.h"
#include "test/core/record/corpus.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::test;

namespace {

constexpr int64_t kNowMs = 1'700'000'100'000;
constexpr int64_t kUnpackedMax = int64_t{16} << 20;

Slice built(const BatchOptions& options, std::initializer_list<NewRecord> records) {
  BatchBuilder builder(options);
  for (const NewRecord& record : records) builder.append(record);
  Result<Slice> batch = builder.finish();
  REQUIRE(batch.has_value());
  return *std::move(batch);
}

struct KeyValue {
  std::optional<std::string> key;
  std::optional<std::string> value;
  int64_t timestamp_ms;
  int32_t header_count;
  bool operator==(const KeyValue&) const = default;
};

std::optional<std::string> text_of(const std::optional<ByteView>& bytes) {
  return bytes ? std::optional<std::string>(as_text(*bytes)) : std::nullopt;
}

std::vector<KeyValue> contents(ByteView bytes) {
  std::vector<KeyValue> found;
  Result<BatchRecords> records = BatchRecords::open(BatchView(bytes), kUnpackedMax);
  REQUIRE(records.has_value());
  for (;;) {
    const Result<std::optional<RecordView>> record = records->next();
    REQUIRE(record.has_value());
    if (!*record) return found;
    found.push_back(
        {text_of((*record)->key), text_of((*record)->value), records->timestamp_of(**record), (*record)->header_count});
  }
}

// Damaged bytes: any answer but a crash, and what is accepted can be read.
void try_damaged(const Bytes& bytes, ValidationRules rules) {
  for (const auto codec : {std::optional<Codec>(), std::optional(Codec::kLz4)}) {
    rules.stored_codec = codec;
    const auto valid = validate_produced(Slice::copy_of(bytes), rules);
    if (!valid) continue;
    const BatchView batch(valid->bytes.view());
    REQUIRE(batch.crc_matches());
    REQUIRE(contents(valid->bytes.view()).size() == static_cast<size_t>(valid->record_count));
  }
}

}  // namespace

TEST_CASE("validator: size limit is that of the topic, before and after another codec", "[record][validator]") {
  const Bytes value(500, 'v');
  const Slice batch = built({.codec = Codec::kGzip}, {{.value = ByteView(value), .timestamp_ms = kNowMs}});
  ValidationRules rules{.message_bytes_max = static_cast<int32_t>(batch.size()), .now_ms = kNowMs};
  CHECK(validate_produced(batch, rules).has_value());
  rules.stored_codec = Codec::kNone;
  auto refused = validate_produced(batch, rules);
  REQUIRE(!refused);
  CHECK(refused.error().error.code == Errc::kMessageTooLarge);
  rules.stored_codec.reset();
  rules.message_bytes_max -= 1;
  const TopicPartition name{"orders", 3};
  rules.name = &name;
  refused = validate_produced(batch, rules);
  REQUIRE(!refused);
  CHECK(refused.error().error.code == Errc::kMessageTooLarge);
  CHECK(refused.error().error.context.find("orders-3") != std::string::npos);
}

TEST_CASE("validator: timestamps outside the topic's range are named one by one", "[record][validator]") {
  const Slice batch = built({}, {text_record("a", "1", kNowMs - 1001), text_record("b", "2", kNowMs - 1000),
                                 text_record("c", "3", kNowMs + 2000), text_record("d", "4", kNowMs + 2001),
                                 text_record("e", "5", kNoTimestamp)});
  const auto refused =
      validate_produced(batch, {.timestamp_before_ms_max = 1000, .timestamp_after_ms_max = 2000, .now_ms = kNowMs});
  REQUIRE(!refused);
  CHECK(refused.error().error.code == Errc::kInvalidTimestamp);
  REQUIRE(refused.error().records.size() == 2);
  CHECK(refused.error().records[0].index == 0);
  CHECK(refused.error().records[1].index == 3);
  CHECK(refused.error().records[1].message ==
        "Timestamp 1700000102001 of message with offset 3 is out of range. The timestamp should be within "
        "[1700000099000, 1700000102000]");
}

TEST_CASE("validator: the list of record errors is bounded, their number is told", "[record][validator]") {
  BatchBuilder builder;
  for (int i = 0; i < 5000; ++i) builder.append({.value = as_bytes("v"), .timestamp_ms = kNowMs});
  const auto refused = validate_produced(*builder.finish(), {.compacted = true, .now_ms = kNowMs});
  REQUIRE(!refused);
  CHECK(refused.error().error.code == Errc::kInvalidRecord);
  CHECK(refused.error().records.size() == kRecordErrorsMax);
  CHECK(refused.error().error.context.find("5000 record errors") != std::string::npos);
}

TEST_CASE("validator: append time needs no timestamps of the client", "[record][validator]") {
  const Slice batch = built({}, {text_record("a", "1", 0), text_record("b", "2", INT64_MAX)});
  const auto valid = validate_produced(batch, {.timestamp_type = TimestampType::kLogAppendTime,
                                               .timestamp_before_ms_max = 1,
                                               .timestamp_after_ms_max = 1,
                                               .now_ms = kNowMs});
  REQUIRE(valid.has_value());
  CHECK(valid->max_timestamp_ms == kNowMs);
  const Bytes stamped = batch_bytes("client_log_append_time");
  const auto refused =
      validate_produced(Slice::copy_of(stamped), {.timestamp_type = TimestampType::kLogAppendTime, .now_ms = kNowMs});
  REQUIRE(!refused);
  CHECK(refused.error().error.code == Errc::kInvalidTimestamp);
}

TEST_CASE("validator: reports the first record with the greatest timestamp", "[record][validator]") {
  const Slice batch =
      built({.codec = Codec::kSnappy}, {text_record("a", "1", 5), text_record("b", "2", 9), text_record("c", "3", 9)});
  const auto valid = validate_produced(batch, {.now_ms = kNowMs});
  REQUIRE(valid.has_value());
  CHECK(valid->max_timestamp_ms == 9);
  CHECK(valid->max_timestamp_delta == 1);
  CHECK(valid->record_count == 3);
  CHECK(valid->last_offset_delta == 2);
  CHECK(valid->bytes.data() == batch.data());
}

TEST_CASE("validator: another codec of the topic stores the same records", "[record][validator]") {
  const HeaderView headers[] = {{.key = "h", .value = as_bytes("x")}, {.key = "", .value = std::nullopt}};
  for (const Codec sent : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    const Slice batch = built(
        {.codec = sent, .producer_id = 7, .producer_epoch = 1, .base_sequence = 4, .kind = BatchKind::kTransactional},
        {{.key = as_bytes("k"), .value = as_bytes("v"), .timestamp_ms = 50, .headers = headers},
         {.key = std::nullopt, .value = as_bytes(""), .timestamp_ms = 20},
         {.key = as_bytes(""), .value = std::nullopt, .timestamp_ms = 70}});
    for (const Codec stored : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
      INFO(to_string(sent) << " to " << to_string(stored));
      const auto valid = validate_produced(batch, {.stored_codec = stored, .now_ms = kNowMs});
      REQUIRE(valid.has_value());
      const BatchView view(valid->bytes.view());
      CHECK(view.codec_bits() == static_cast<uint8_t>(stored));
      CHECK((valid->bytes.data() == batch.data()) == (sent == stored));
      CHECK(view.crc_matches());
      CHECK(contents(valid->bytes.view()) == contents(batch.view()));
      CHECK(view.is_transactional());
      CHECK(view.producer_id() == 7);
      CHECK(view.producer_epoch() == 1);
      CHECK(view.base_sequence() == 4);
      CHECK(view.max_timestamp() == 70);
    }
  }
}

TEST_CASE("validator: odd offset deltas are put right when a batch is rebuilt, as in Kafka", "[record][validator]") {
  for (const char* name : {"deltas_falling", "deltas_gzip_falling", "deltas_gap_last2"}) {
    INFO(name);
    const auto valid =
        validate_produced(Slice::copy_of(batch_bytes(name)), {.stored_codec = Codec::kZstd, .now_ms = kNowMs});
    REQUIRE(valid.has_value());
    Result<BatchRecords> records = BatchRecords::open(BatchView(valid->bytes.view()), kUnpackedMax);
    for (int32_t i = 0; i < 3; ++i) CHECK((**records->next()).offset_delta == i);
  }
}

TEST_CASE("validator: what follows the batch is dropped when partial, refused when not", "[record][validator]") {
  Bytes bytes = batch_bytes("one");
  const size_t size = bytes.size();
  bytes.insert(bytes.end(), 5, 0);
  const auto valid = validate_produced(Slice::copy_of(bytes), {.now_ms = kNowMs});
  REQUIRE(valid.has_value());
  CHECK(valid->bytes.size() == size);
  bytes.insert(bytes.end(), 40, 0);
  CHECK(validate_produced(Slice::copy_of(bytes), {.now_ms = kNowMs}).error().error.code == Errc::kCorruptBatch);
}

TEST_CASE("validator: bombs are refused at the limit, in every codec", "[record][validator]") {
  const Bytes zeros(size_t{32} << 20);
  for (const Codec codec : {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    INFO(to_string(codec));
    const Slice bomb =
        built({.codec = codec}, {{.key = as_bytes("k"), .value = ByteView(zeros), .timestamp_ms = kNowMs}});
    ValidationRules rules{.message_bytes_max = INT32_MAX, .decompressed_bytes_max = 1 << 20, .now_ms = kNowMs};
    for (const auto stored : {std::optional<Codec>(), std::optional(Codec::kNone)}) {
      rules.stored_codec = stored;
      const auto refused = validate_produced(bomb, rules);
      REQUIRE(!refused);
      CHECK(refused.error().error.code == Errc::kMessageTooLarge);
    }
    rules.decompressed_bytes_max = int64_t{40} << 20;
    rules.stored_codec.reset();
    CHECK(validate_produced(bomb, rules).has_value());
  }
}

TEST_CASE("validator: an internal writer may write what a client may not", "[record][validator]") {
  const Slice marker = end_marker_batch({.producer_id = 5, .producer_epoch = 0, .timestamp_ms = kNowMs});
  CHECK(!validate_produced(marker, {.now_ms = kNowMs}));
  CHECK(validate_produced(marker, {.from_client = false, .now_ms = kNowMs}).has_value());
  const Bytes empty = batch_bytes("empty");
  CHECK(validate_produced(Slice::copy_of(empty), {.stored_codec = Codec::kGzip, .from_client = false, .now_ms = kNowMs})
            .has_value());
}

TEST_CASE("validator: truncated at every byte, with length and CRC put right", "[record][validator][damage]") {
  int count = 0;
  for (const std::string& name : batch_names()) {
    INFO(name);
    const Bytes original = batch_bytes(name);
    const size_t step = 1 + original.size() / 300;
    for (size_t size = 0; size < original.size(); size += step) {
      Bytes cut(original.begin(), original.begin() + static_cast<std::ptrdiff_t>(size));
      try_damaged(cut, {.now_ms = kNowMs});
      if (size >= kBatchHeaderBytes) {
        to_big_endian(static_cast<int32_t>(size - kBatchLengthEnd), cut.data() + kBatchLengthAt);
        set_crc(cut);
        try_damaged(cut, {.now_ms = kNowMs});
      }
      ++count;
    }
  }
  CHECK(count > 10'000);
}

TEST_CASE("validator: every byte flipped, with and without a right CRC", "[record][validator][damage]") {
  SeededRandom random(11);
  int count = 0;
  for (const std::string& name : batch_names()) {
    INFO(name);
    const Bytes original = batch_bytes(name);
    const size_t step = 1 + original.size() / 300;
    for (size_t position = 0; position < original.size(); position += step) {
      Bytes damaged = original;
      damaged[position] ^= static_cast<uint8_t>(1 + random.below(255));
      try_damaged(damaged, {.decompressed_bytes_max = 1 << 20, .now_ms = kNowMs});
      if (original.size() >= kBatchHeaderBytes) {
        set_crc(damaged);
        try_damaged(damaged, {.now_ms = kNowMs});
      }
      ++count;
    }
  }
  CHECK(count > 10'000);
}
