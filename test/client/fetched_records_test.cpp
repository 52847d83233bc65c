// fetched_records_test.cpp: what is read out of batches, what is left out, and what damage costs.
#include "client/consumer/fetched_records.h"

#include <cstring>

#include "core/record/batch_builder.h"
#include "test/support/catch.h"

namespace leat::client::detail {
namespace {

Slice batch(int64_t base_offset, int count, BatchOptions options = {}) {
  options.base_offset = Offset(base_offset);
  BatchBuilder builder(options);
  for (int i = 0; i < count; ++i) {
    const std::string value = "value " + std::to_string(base_offset + i);
    builder.append(text_record("key", value, 1'000 + base_offset + i));
  }
  return *builder.finish();
}

Slice joined(const std::vector<Slice>& slices) {
  std::vector<uint8_t> bytes;
  for (const Slice& slice : slices) bytes.insert(bytes.end(), slice.view().begin(), slice.view().end());
  return Slice::copy_of(bytes);
}

ChunkOrder order(Slice records, int64_t position = 0) {
  ChunkOrder order;
  order.topic = std::make_shared<const std::string>("orders");
  order.partition = 3;
  order.records = std::move(records);
  order.position = position;
  order.unpacked_bytes_max = 1 << 20;
  return order;
}

std::vector<int64_t> offsets_of(const std::shared_ptr<FetchedChunk>& chunk) {
  auto fetched = std::make_shared<FetchedRecords>();
  fetched->add(chunk, 0, chunk->parts().size());
  std::vector<int64_t> offsets;
  for (const RecordView& record : Records(fetched)) {
    CHECK(record.topic == "orders");
    CHECK(record.partition == 3);
    CHECK(record.key == "key");
    CHECK(record.value == "value " + std::to_string(record.offset));
    CHECK(record.timestamp_ms == 1'000 + record.offset);
    offsets.push_back(record.offset);
  }
  return offsets;
}

std::shared_ptr<FetchedChunk> read(ChunkOrder what) {
  auto chunk = std::make_shared<FetchedChunk>(std::move(what));
  chunk->read();
  return chunk;
}

Slice with_offset(Slice bytes, int64_t base_offset) {
  set_base_offset(bytes.unpublished(), Offset(base_offset));
  return bytes;
}

}  // namespace

TEST_CASE("fetched records: from the position on, in every codec", "[client][consumer]") {
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    BatchOptions options;
    options.codec = codec;
    const Slice bytes = joined({batch(0, 3, options), batch(3, 3, options)});
    CHECK(offsets_of(read(order(bytes))) == std::vector<int64_t>{0, 1, 2, 3, 4, 5});
    CHECK(offsets_of(read(order(bytes, 2))) == std::vector<int64_t>{2, 3, 4, 5});
    const auto last = read(order(bytes, 4));
    CHECK(offsets_of(last) == std::vector<int64_t>{4, 5});
    CHECK(last->next_offset() == 6);
    CHECK(outline(bytes.view(), 4).next_offset == 6);
    CHECK((outline(bytes.view(), 4).compressed_bytes > 0) == (codec != Codec::kNone));
  }
}

TEST_CASE("fetched records: a cut batch at the end is for the next fetch, at every length", "[client][consumer]") {
  const Slice whole = batch(0, 2);
  const Slice bytes = joined({whole, batch(2, 2)});
  for (size_t size = whole.size(); size < bytes.size(); ++size) {
    const auto chunk = read(order(Slice::copy_of(bytes.view().first(size))));
    CHECK(!chunk->error());
    CHECK(chunk->next_offset() == 2);
    CHECK(outline(bytes.view().first(size), 0).next_offset == 2);
  }
}

TEST_CASE("fetched records: read_committed leaves out what was aborted", "[client][consumer]") {
  BatchOptions transactional;
  transactional.kind = BatchKind::kTransactional;
  transactional.producer_epoch = 0;
  transactional.base_sequence = 0;
  transactional.producer_id = 7;
  BatchOptions other = transactional;
  other.producer_id = 8;
  const EndMarker abort{.type = MarkerType::kAbort, .producer_id = 7, .producer_epoch = 0};
  const EndMarker commit{.type = MarkerType::kCommit, .producer_id = 8, .producer_epoch = 0};
  const Slice bytes = joined({batch(0, 2, transactional), batch(2, 2, other), with_offset(end_marker_batch(abort), 4),
                              with_offset(end_marker_batch(commit), 5), batch(6, 1, transactional), batch(7, 1)});
  ChunkOrder committed = order(bytes);
  committed.isolation = IsolationLevel::kReadCommitted;
  committed.aborted = {{.producer_id = 7, .first_offset = 0}};
  CHECK(offsets_of(read(std::move(committed))) == std::vector<int64_t>{2, 3, 6, 7});
  const auto all = read(order(bytes));
  CHECK(offsets_of(all) == std::vector<int64_t>{0, 1, 2, 3, 6, 7});  // control records never show
  CHECK(all->next_offset() == 8);
}

TEST_CASE("fetched records: every flipped byte is found, what stands before is given", "[client][consumer]") {
  const Slice first = batch(0, 2);
  const Slice bytes = joined({first, batch(2, 2)});
  for (size_t at = first.size() + kAttributesAt; at < bytes.size(); ++at) {
    std::vector<uint8_t> broken(bytes.view().begin(), bytes.view().end());
    broken[at] ^= 0x10;
    const auto chunk = read(order(Slice::copy_of(broken)));
    REQUIRE(chunk->error());
    CHECK(chunk->error()->message().find("orders-3: the batch at offset 2 is damaged") == 0);
    CHECK(chunk->next_offset() == 2);
    CHECK(offsets_of(chunk) == std::vector<int64_t>{0, 1});
  }
}

TEST_CASE("fetched records: without the CRC check no damage reads past the end", "[client][consumer]") {
  const Slice bytes = batch(0, 3);
  for (size_t at = kAttributesAt; at < bytes.size(); ++at) {
    for (const uint8_t flip : {uint8_t{0x01}, uint8_t{0x80}, uint8_t{0xff}}) {
      std::vector<uint8_t> broken(bytes.view().begin(), bytes.view().end());
      broken[at] ^= flip;
      ChunkOrder unchecked = order(Slice::copy_of(broken));
      unchecked.check_crcs = CrcCheck::kNo;
      auto fetched = std::make_shared<FetchedRecords>();
      const auto chunk = read(std::move(unchecked));
      fetched->add(chunk, 0, chunk->parts().size());
      size_t bytes_seen = 0;
      for (const RecordView& record : Records(fetched)) {
        bytes_seen += record.value.value_or("").size();
        for (const Header& header : record.headers) bytes_seen += header.key.size();
      }
      CHECK(bytes_seen < bytes.size());
    }
  }
}

TEST_CASE("fetched records: headers, nulls, and a bomb", "[client][consumer]") {
  BatchBuilder builder;
  const std::string_view text = "1";
  const HeaderView headers[] = {{.key = "a", .value = as_bytes(text)}, {.key = "b", .value = {}}};
  NewRecord tombstone;
  tombstone.timestamp_ms = 5;
  tombstone.headers = headers;
  builder.append(tombstone);
  auto fetched = std::make_shared<FetchedRecords>();
  const auto chunk = read(order(*builder.finish()));
  fetched->add(chunk, 0, 1);
  const Records records(fetched);
  const RecordView record = *records.begin();
  CHECK(!record.key);
  CHECK(!record.value);
  std::vector<std::string> seen;
  for (const Header& header : record.headers) {
    seen.push_back(std::string(header.key) + "=" + std::string(header.value.value_or("null")));
  }
  CHECK(seen == std::vector<std::string>{"a=1", "b=null"});
  BatchOptions zipped;
  zipped.codec = Codec::kZstd;
  ChunkOrder bomb = order(batch(0, 1'000, zipped));
  bomb.unpacked_bytes_max = 100;
  const auto refused = read(std::move(bomb));
  REQUIRE(refused->error());
  CHECK(refused->error()->cause() == Cause::kTooLarge);
}

TEST_CASE("fetched records: the budget is given back with the last copy", "[client][consumer]") {
  int told = 0;
  auto budget = std::make_shared<PrefetchBudget>(10, [&told] { ++told; });
  auto fetched = std::make_shared<FetchedRecords>();
  {
    auto chunk = read(order(batch(0, 3)));
    chunk->charge(budget);
    fetched->add(chunk, 0, 1);
  }
  CHECK(budget->room() == 0);
  Records records(std::move(fetched));
  Records copy = records;
  records = Records();
  CHECK(budget->bytes() > 0);
  copy = Records();
  CHECK(budget->bytes() == 0);
  CHECK(told == 1);
}

}  // namespace leat::client::detail
