// throttle_time_test.cpp: the time is found in every answer that has one, in every version of it.
#include "net/protocol/throttle_time.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/codec/field_sink.h"
#include "core/codec/message_reader.h"
#include "net/protocol/frame.h"
#include "net/protocol/message_types.h"
#include "test/support/catch.h"

namespace leat {
namespace {

constexpr int32_t kTimeMs = 0x01020304;

// Since when Kafka's clients heed it; APIs that are not here: always.
const std::map<std::string, int16_t> kSince{
    {"Produce", 6},         {"Fetch", 8},           {"ListOffsets", 3},     {"Metadata", 6},
    {"OffsetCommit", 4},    {"OffsetFetch", 4},     {"FindCoordinator", 2}, {"JoinGroup", 3},
    {"Heartbeat", 2},       {"LeaveGroup", 2},      {"SyncGroup", 2},       {"DescribeGroups", 2},
    {"ListGroups", 2},      {"ApiVersions", 2},     {"CreateTopics", 3},    {"DeleteTopics", 2},
    {"DeleteRecords", 1},   {"EndTxn", 1},          {"InitProducerId", 1},  {"AddPartitionsToTxn", 1},
    {"AddOffsetsToTxn", 1}, {"DescribeAcls", 1},    {"TxnOffsetCommit", 1}, {"CreateAcls", 1},
    {"DeleteAcls", 1},      {"AlterConfigs", 1},    {"DescribeConfigs", 2}, {"DescribeLogDirs", 1},
    {"DeleteGroups", 1},    {"CreatePartitions", 1}};

// Sets the one field, and gives each array an element: what stands before the time must be walked over.
class SetThrottle final : public FieldSink {
 public:
  explicit SetThrottle(int32_t time_ms) : time_ms_(time_ms) {}
  bool begin_field(const Field& field) override {
    is_it_ = field.name == "throttleTimeMs" && field.present;
    was_there = was_there || is_it_;
    return field.present;
  }
  void on_i32(int32_t& value) override {
    if (is_it_) value = time_ms_;
  }
  size_t begin_array(size_t) override { return 1; }
  bool was_there = false;

 private:
  const int32_t time_ms_;
  bool is_it_ = false;
};

struct Answer {
  bool has_time;
  std::vector<uint8_t> bytes;
};

Answer answer_of(const MessageType& type, int16_t version, int32_t time_ms) {
  const auto message = type.make();
  SetThrottle sink(time_ms);
  message->walk(version, sink);
  const ApiSpec& api = api_spec(static_cast<ApiKey>(type.versions.key));
  PieceWriter out;
  ResponseHeader header;
  header.correlation_id = 7;
  REQUIRE(encode(header, api.response_header_version(version), out));
  REQUIRE(message->encode(version, out));
  return {sink.was_there, std::move(out).take_bytes()};
}

}  // namespace

TEST_CASE("throttle time: of every API and version, from KIP-219 on", "[protocol][throttle]") {
  size_t found = 0;
  for (const MessageType& type : message_types()) {
    if (!type.name.ends_with("Response")) continue;
    const auto key = static_cast<ApiKey>(type.versions.key);
    const auto row = kSince.find(std::string(api_spec(key).name));
    const int16_t since = row == kSince.end() ? int16_t{0} : row->second;
    for (int16_t version = type.versions.min; version <= type.versions.max; ++version) {
      INFO(type.name << " version " << version);
      const Answer answer = answer_of(type, version, kTimeMs);
      const bool counts = answer.has_time && version >= since;
      CHECK(throttle_time_ms(key, version, Slice::copy_of(answer.bytes)) == (counts ? kTimeMs : 0));
      if (counts) ++found;
    }
  }
  CHECK(found > 100);
}

TEST_CASE("throttle time: of bytes that are no answer there is none", "[protocol][throttle]") {
  for (const MessageType& type : message_types()) {
    if (!type.name.ends_with("Response")) continue;
    const auto key = static_cast<ApiKey>(type.versions.key);
    const int16_t version = type.versions.max;
    const Answer negative = answer_of(type, version, -5);
    CHECK(throttle_time_ms(key, version, Slice::copy_of(negative.bytes)) == 0);
    const Answer whole = answer_of(type, version, kTimeMs);
    for (size_t size = 0; size < std::min<size_t>(8, whole.bytes.size()); ++size) {
      INFO(type.name << " cut at " << size);
      CHECK(throttle_time_ms(key, version, Slice::copy_of(ByteView(whole.bytes).first(size))) == 0);
    }
  }
}

}  // namespace leat
