// producer_batch_test.cpp: what a producer's batch encodes is what the record format says, whatever the sizes, and its
// callbacks go with it.
#include "client/producer/producer_batch.h"

#include <string>

#include "core/record/record.h"
#include "test/support/catch.h"

namespace leat::test {
namespace {

using client::DeliveryCallback;
using client::DeliveryReport;
using client::Header;
using client::ProducerRecord;
using client::detail::ProducerBatch;
using client::detail::ProducerIdentity;

struct Model {
  std::optional<std::string> key;
  std::optional<std::string> value;
  int64_t timestamp_ms;
  int headers;
};

std::vector<Model> models() {
  std::vector<Model> all;
  const size_t sizes[] = {0, 1, 62, 63, 64, 65, 127, 128, 8191, 8192, 20'000};
  for (const size_t size : sizes) {
    all.push_back({std::nullopt, std::string(size, 'v'), 1'700'000'000'000, 0});
    all.push_back({std::string(size, 'k'), std::nullopt, 1'699'999'999'000, 1});
    all.push_back({std::string(size, 'k'), std::string(size, 'w'), 1'700'000'100'000, 3});
  }
  return all;
}

void append_all(ProducerBatch& batch, const std::vector<Model>& all) {
  const Header headers[] = {{.key = "a", .value = "1"}, {.key = "", .value = std::nullopt}, {.key = "c", .value = ""}};
  for (const Model& model : all) {
    ProducerRecord record{.topic = "t"};
    if (model.key) record.key = *model.key;
    if (model.value) record.value = *model.value;
    record.headers = std::span(headers).first(static_cast<size_t>(model.headers));
    const size_t before = batch.size_bytes();
    DeliveryCallback nobody;
    batch.append(record, model.timestamp_ms, nobody);
    REQUIRE(batch.size_bytes() - before <= ProducerBatch::record_size_max(record));
  }
}

void check_all(ByteView bytes, const std::vector<Model>& all) {
  const BatchView batch(bytes);
  REQUIRE(batch.size_bytes() == static_cast<int64_t>(bytes.size()));
  REQUIRE(batch.crc_matches());
  REQUIRE(batch.record_count() == static_cast<int32_t>(all.size()));
  REQUIRE(batch.last_offset_delta() == static_cast<int32_t>(all.size()) - 1);
  REQUIRE(batch.max_timestamp() == 1'700'000'100'000);
  Result<BatchRecords> records = BatchRecords::open(batch, 1 << 30);
  REQUIRE(records);
  for (const Model& model : all) {
    const Result<std::optional<RecordView>> record = records->next();
    REQUIRE(record);
    REQUIRE(*record);
    CHECK((*record)->key.has_value() == model.key.has_value());
    if (model.key) CHECK(as_text(*(*record)->key) == *model.key);
    CHECK((*record)->value.has_value() == model.value.has_value());
    if (model.value) CHECK(as_text(*(*record)->value) == *model.value);
    CHECK((*record)->header_count == model.headers);
    CHECK(records->timestamp_of(**record) == model.timestamp_ms);
  }
  const Result<std::optional<RecordView>> end = records->next();
  REQUIRE(end);
  CHECK(!end->has_value());
}

}  // namespace

TEST_CASE("producer batch: records of all sizes come back as they were", "[client][producer]") {
  const std::vector<Model> all = models();
  ProducerBatch batch(1, Nanos(0), {});
  append_all(batch, all);
  batch.seal_unpacked();
  check_all(batch.stamp({.producer_id = 7, .epoch = 3}, 40).view(), all);
  const BatchView view(batch.packed().view());
  CHECK(view.producer_id() == 7);
  CHECK(view.producer_epoch() == 3);
  CHECK(view.base_sequence() == 40);
  // Under another epoch, in place.
  check_all(batch.stamp({.producer_id = 7, .epoch = 4}, 0).view(), all);
  CHECK(view.producer_epoch() == 4);
}

TEST_CASE("producer batch: every codec", "[client][producer]") {
  const std::vector<Model> all = models();
  for (const Codec codec : {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    ProducerBatch batch(1, Nanos(0), {});
    append_all(batch, all);
    Result<Slice> packed = ProducerBatch::pack(codec, std::nullopt, batch.records().view());
    REQUIRE(packed);
    batch.set_packed(codec, *std::move(packed));
    CHECK(batch.packed_size_bytes() < batch.size_bytes());
    check_all(batch.stamp({}, kNoSequence).view(), all);
  }
}

TEST_CASE("producer batch: callbacks cost nothing until there is one, and each is told once", "[client][producer]") {
  ProducerBatch batch(1, Nanos(0), {});
  const ProducerRecord record{.topic = "t", .value = "v"};
  std::vector<int64_t> offsets;
  std::string large(100, 'x');
  for (int i = 0; i < 6; ++i) {
    DeliveryCallback callback;
    if (i == 2 || i == 5) callback = [&offsets](const DeliveryReport& report) { offsets.push_back(report.offset); };
    if (i == 3) {
      callback = [&offsets, large](const DeliveryReport& report) {
        offsets.push_back(report.offset + static_cast<int64_t>(large.size()));
      };
    }
    const size_t before = batch.charged_bytes();
    const client::detail::OutcomePlace place = batch.append(record, 5, callback);
    CHECK(!callback);
    CHECK(place.index == static_cast<uint32_t>(i));
    if (i < 2) CHECK(batch.charged_bytes() - before < 16);
  }
  batch.drop_callback(5);
  batch.report({.topic = "t", .partition = 0, .offset = 1000});
  CHECK(offsets == std::vector<int64_t>{1002, 1103});
  batch.report({.topic = "t", .partition = 0, .offset = 2000});
  CHECK(offsets.size() == 2);
}

TEST_CASE("producer batch: each callback is told which record of its batch it is of", "[client][producer]") {
  for (const char* value : {"one batch", "another one"}) {
    ProducerBatch batch(1, Nanos(0), {});
    std::vector<int32_t> indexes;
    for (int i = 0; i < 4; ++i) {
      DeliveryCallback callback;
      if (i != 1) {
        callback = [&indexes](const DeliveryReport& report) { indexes.push_back(report.batch_index); };
      }
      batch.append({.topic = "t", .value = value}, 5, callback);
    }
    batch.report({.topic = "t", .partition = 0, .offset = 1000});
    CHECK(indexes == std::vector<int32_t>{0, 2, 3});
  }
}

TEST_CASE("producer batch: a million records with callbacks stay far below 285 MB", "[client][producer]") {
  const std::string value(100, 'v');
  size_t charged = 0;
  int told = 0;
  for (int b = 0; b < 10; ++b) {
    ProducerBatch batch(1, Nanos(0), {});
    for (int i = 0; i < 1000; ++i) {
      DeliveryCallback callback = [&told](const DeliveryReport&) { ++told; };
      batch.append({.topic = "t", .value = value}, 5, callback);
    }
    charged += batch.charged_bytes();
  }
  CHECK(charged / 10'000 < 140);
  CHECK(told == 0);
}

TEST_CASE("delivery callback: dropped, moved, called", "[client][producer]") {
  auto counted = std::make_shared<int>(0);
  {
    DeliveryCallback callback = [counted](const DeliveryReport&) { ++*counted; };
    CHECK(counted.use_count() == 2);
    DeliveryCallback moved = std::move(callback);
    CHECK(!callback);
    moved.report({});
    CHECK(*counted == 1);
    CHECK(counted.use_count() == 1);
    moved.report({});
    CHECK(*counted == 1);
  }
  {
    DeliveryCallback callback = [counted](const DeliveryReport&) { ++*counted; };
    callback = DeliveryCallback();
    CHECK(counted.use_count() == 1);
  }
  CHECK(*counted == 1);
}

}  // namespace leat::test
