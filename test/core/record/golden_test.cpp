// golden_test.cpp: every batch of test/data/batches, valid or not, against what Kafka's own classes and a real 4.4.0
// broker made of it. Where Kafka crashes (UNKNOWN_SERVER_ERROR) the table kLeatInstead says what Leat answers.
#include <map>
#include <string>

#include "core/record/compression.h"
#include "core/record/record_stream.h"
#include "core/record/validator.h"
#include "test/core/record/corpus.h"
#include "test/support/catch.h"

#include <openssl/sha.h>

using namespace leat;
using namespace leat::test;

namespace {

constexpr int64_t kUnpackedMax = int64_t{64} << 20;
constexpr int64_t kNowMs = 1'700'000'100'000;
constexpr int64_t kHourMs = 3'600'000;

std::string error_name(Errc code) {
  switch (code) {
    case Errc::kCorruptBatch:
      return "CORRUPT_MESSAGE";
    case Errc::kInvalidRecord:
      return "INVALID_RECORD";
    case Errc::kInvalidTimestamp:
      return "INVALID_TIMESTAMP";
    case Errc::kMessageTooLarge:
      return "MESSAGE_TOO_LARGE";
    case Errc::kUnsupportedCodec:
      return "UNSUPPORTED_COMPRESSION_TYPE";
    default:
      return "unexpected " + std::string(to_string(code));
  }
}

// "ok", or the error's name and the indexes of the records in error.
std::string reaction(const std::string& name, const ValidationRules& rules) {
  const auto valid = validate_produced(Slice::copy_of(batch_bytes(name)), rules);
  if (valid) return "ok";
  std::string text = error_name(valid.error().error.code);
  std::string indexes;
  for (const RecordError& record : valid.error().records) {
    indexes += (indexes.empty() ? "" : ",") + std::to_string(record.index);
  }
  return indexes.empty() ? text : text + " records[" + indexes + "]";
}

const std::map<std::string, std::string> kLeatInstead{
    {"length_huge", "CORRUPT_MESSAGE"},      {"deltas_gzip_falling", "INVALID_RECORD"},
    {"deltas_gzip_gap", "INVALID_RECORD"},   {"varint_size_overlong", "INVALID_RECORD"},
    {"codec_5", "CORRUPT_MESSAGE"},          {"codec_6", "CORRUPT_MESSAGE"},
    {"codec_7", "CORRUPT_MESSAGE"},          {"gzip_garbage", "CORRUPT_MESSAGE"},
    {"gzip_short", "CORRUPT_MESSAGE"},       {"snappy_garbage", "CORRUPT_MESSAGE"},
    {"snappy_short", "CORRUPT_MESSAGE"},     {"lz4_garbage", "CORRUPT_MESSAGE"},
    {"lz4_short", "CORRUPT_MESSAGE"},        {"zstd_garbage", "CORRUPT_MESSAGE"},
    {"zstd_short", "CORRUPT_MESSAGE"},       {"zstd_trailing", "CORRUPT_MESSAGE"},
    {"codec_mislabelled", "CORRUPT_MESSAGE"}};

std::string without_crash(const std::string& name, const std::string& kafka) {
  if (kafka.find("UNKNOWN_SERVER_ERROR") == std::string::npos) return kafka;
  const auto found = kLeatInstead.find(name);
  REQUIRE(found != kLeatInstead.end());
  return found->second;
}

// "InvalidRecordException<Cause/INVALID_RECORD records[1]" -> "INVALID_RECORD records[1]".
std::string error_part(const std::string& cell) {
  const size_t slash = cell.find('/');
  return slash == std::string::npos ? cell : cell.substr(slash + 1);
}

int64_t base_offset_of(const Bytes& bytes) { return bytes.size() < 8 ? 0 : from_big_endian<int64_t>(bytes.data()); }

// The steps of a Kafka broker, each with its column: request, base offset, CRC, LogValidator.
std::string kafka_reaction(const Row& row, size_t request_column, size_t validator_column) {
  const std::string& name = row[0];
  if (row[request_column] != "ok") return without_crash(name, error_part(row[request_column]));
  if (base_offset_of(batch_bytes(name)) != 0) return "INVALID_RECORD";
  if (row[3] != "ok") return without_crash(name, error_part(row[3]));
  return without_crash(name, error_part(row[validator_column]));
}

std::string described(const std::optional<ByteView>& bytes) {
  if (!bytes) return "-";
  if (bytes->size() <= 256) return to_hex(Bytes(bytes->begin(), bytes->end()));
  Bytes digest(SHA256_DIGEST_LENGTH);
  SHA256(bytes->data(), bytes->size(), digest.data());
  return "#" + std::to_string(bytes->size()) + ":" + to_hex(digest);
}

std::string described_records(const BatchView& batch) {
  std::string text;
  Result<BatchRecords> records = BatchRecords::open(batch, kUnpackedMax);
  REQUIRE(records.has_value());
  for (;;) {
    const Result<std::optional<RecordView>> next = records->next();
    REQUIRE(next.has_value());
    if (!*next) return text;
    const RecordView& record = **next;
    const int64_t sequence = batch.base_sequence() < 0
                                 ? -1
                                 : (int64_t{batch.base_sequence()} + record.offset_delta) % (int64_t{INT32_MAX} + 1);
    if (!text.empty()) text += ';';
    text += std::to_string(records->offset_of(record).v) + "|" + std::to_string(records->timestamp_of(record)) + "|" +
            std::to_string(sequence) + "|" + described(record.key) + "|" + described(record.value) + "|";
    HeaderReader headers = record.headers();
    HeaderView header;
    for (bool first = true; headers.next(header); first = false) {
      text += (first ? "" : ",") + described(as_bytes(header.key)) + "=" + described(header.value);
    }
  }
}

Row described_batch(const std::string& name, size_t number, const BatchView& batch, const std::string& what) {
  const auto yes_no = [](bool yes) { return std::string(yes ? "true" : "false"); };
  char crc[9];
  (void)snprintf(crc, sizeof crc, "%08x", batch.crc());
  return {name,
          std::to_string(number),
          std::to_string(batch.size_bytes()),
          std::to_string(batch.magic()),
          std::to_string(batch.base_offset().v),
          std::to_string(batch.last_offset().v),
          std::to_string(batch.record_count()),
          std::to_string(batch.leader_epoch()),
          std::string(to_string(*codec_from_bits(batch.codec_bits()))),
          batch.timestamp_type() == TimestampType::kCreateTime ? "CreateTime" : "LogAppendTime",
          batch.has_delete_horizon() || batch.record_count() == 0 ? "any" : std::to_string(batch.base_timestamp()),
          std::to_string(batch.max_timestamp()),
          std::to_string(batch.producer_id()),
          std::to_string(batch.producer_epoch()),
          std::to_string(batch.base_sequence()),
          yes_no(batch.is_transactional()),
          yes_no(batch.is_control()),
          batch.has_delete_horizon() ? std::to_string(batch.base_timestamp()) : "-",
          crc,
          what,
          described_records(batch)};
}

}  // namespace

TEST_CASE("golden: well-formed batches give Kafka's values", "[record][golden]") {
  int count = 0;
  std::map<std::string, size_t> positions;
  for (Row row : table("index.tsv")) {
    const std::string& name = row[0];
    INFO(name << " " << row[1]);
    const Bytes bytes = batch_bytes(name);
    const Result<std::optional<BatchView>> batch = BatchView::parse(ByteView(bytes).subspan(positions[name]));
    REQUIRE(batch.has_value());
    REQUIRE(batch->has_value());
    positions[name] += (*batch)->bytes().size();
    CHECK((*batch)->crc_matches());
    Row found = described_batch(name, std::stoul(row[1]), **batch, row[19]);
    if (found[10] == "any") row[10] = "any";  // the field holds the delete horizon, or nothing
    CHECK(found == row);
    ++count;
  }
  CHECK(count == 37);
}

TEST_CASE("golden: a client's batches meet Kafka's reaction", "[record][golden]") {
  int count = 0;
  for (const Row& row : table("reactions.tsv")) {
    INFO(row[0] << ": " << row[9]);
    ValidationRules rules{.produce_version = 12,
                          .message_bytes_max = 2'000'000,
                          .timestamp_before_ms_max = 24 * kHourMs,
                          .timestamp_after_ms_max = kHourMs,
                          .now_ms = kNowMs};
    CHECK(reaction(row[0], rules) == kafka_reaction(row, 6, 7));
    rules.compacted = true;
    CHECK(reaction(row[0], rules) == kafka_reaction(row, 6, 8));
    rules.produce_version = 6;
    rules.compacted = false;
    CHECK(reaction(row[0], rules) == kafka_reaction(row, 5, 7));
    count += 3;
  }
  CHECK(count == 3 * 133);
}

TEST_CASE("golden: a client's batches meet a real broker's answer", "[record][golden]") {
  constexpr int64_t kBrokerNowMs = 1'790'000'000'000;
  const ValidationRules rules{.produce_version = 12, .timestamp_after_ms_max = kHourMs, .now_ms = kBrokerNowMs};
  int count = 0;
  for (const Row& row : table("broker.tsv")) {
    if (!row[0].starts_with("produce:")) continue;
    const std::string name = row[0].substr(row[0].find(':') + 1);
    const auto names = batch_names();
    if (std::find(names.begin(), names.end(), name) == names.end())
      continue;  // about acks and topics, not about batches
    INFO(name);
    ++count;
    if (row[1] == "TRANSACTIONAL_ID_AUTHORIZATION_FAILED") {  // the handler's answer, before it looks at the batch
      CHECK(BatchView(batch_bytes(name)).is_transactional());
      continue;
    }
    CHECK(reaction(name, rules) == (row[1] == "NONE base=0" ? "ok" : without_crash(name, row[1])));
  }
  CHECK(count == 133);
}

TEST_CASE("golden: stored bytes are those of Kafka's LogValidator", "[record][golden]") {
  int count = 0;
  for (const Row& row : table("append.tsv")) {
    INFO(row[0] << " " << row[1]);
    Bytes sent = batch_bytes(row[0]);
    set_base_offset(sent, Offset(0));  // LogValidator takes what the broker refuses
    ValidationRules rules{.now_ms = kNowMs};
    if (row[1] == "LogAppendTime") rules.timestamp_type = TimestampType::kLogAppendTime;
    const auto valid = validate_produced(Slice::copy_of(sent), rules);
    REQUIRE(valid.has_value());
    CHECK(std::to_string(valid->max_timestamp_ms) == row[2]);
    const MutableByteView stored = valid->bytes.unpublished();
    set_base_offset(stored, Offset(1000));
    set_leader_epoch(stored, 7);
    if (row[1] == "LogAppendTime") set_append_time(stored, kNowMs);
    CHECK(BatchView(stored).crc_matches());
    CHECK(to_hex(Bytes(stored.begin(), stored.end())) == row[4]);
    CHECK(row[3] == "yes");
    ++count;
  }
  CHECK(count == 40);
}

TEST_CASE("golden: streaming finds the same records as unpacking", "[record][golden]") {
  int count = 0;
  for (const std::string& name : batch_names()) {
    const Bytes bytes = batch_bytes(name);
    const Result<std::optional<BatchView>> batch = BatchView::parse(bytes);
    if (!batch || !*batch) continue;
    INFO(name);
    const Result<Codec> codec = codec_from_bits((*batch)->codec_bits());
    if (!codec) continue;
    Result<BatchRecords> records = BatchRecords::open(**batch, kUnpackedMax);
    RecordStream stream(*codec, (*batch)->records(), kUnpackedMax);
    RecordMeta meta;
    for (int32_t index = 0; records && index < (*batch)->record_count(); ++index) {
      const Result<std::optional<RecordView>> record = records->next();
      const RecordStream::Next next = stream.next(meta);
      CHECK((next == RecordStream::Next::kRecord) == (record && record->has_value()));
      if (next != RecordStream::Next::kRecord) break;
      CHECK(meta.offset_delta == (*record)->offset_delta);
      CHECK(meta.timestamp_delta == (*record)->timestamp_delta);
      CHECK(meta.has_key == (*record)->key.has_value());
      ++count;
    }
  }
  CHECK(count > 1000);
}
