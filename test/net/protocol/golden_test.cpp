// golden_test.cpp: Kafka's own bytes and values, both ways, all of them.
#include <set>

#include "core/codec/field_sink.h"
#include "core/codec/message_json.h"
#include "core/codec/message_reader.h"
#include "core/codec/piece_writer.h"
#include "core/coordinator/record_types.h"
#include "net/protocol/message_types.h"
#include "test/net/protocol/golden.h"
#include "test/support/catch.h"

namespace leat {
namespace {

// What test/data/protocol/golden holds: a file that is lost or a message that is skipped must not go unseen.
constexpr size_t kGoldenLineCount = 2220;
constexpr size_t kGoldenMessageCount = 185;  // 65 APIs, two each, and 55 schemas of records

std::string decode_and_compare(const GoldenLine& line) {
  const std::unique_ptr<AnyMessage> message = line.type->make();
  MessageReader in(exact_slice(line.bytes));
  if (!message->decode(in, line.version)) return "malformed at " + std::string(in.failed_field());
  if (in.remaining() != 0) return std::to_string(in.remaining()) + " bytes left over";
  JsonSink sink;
  message->walk(line.version, sink);
  const nlohmann::json values = std::move(sink).take();
  if (values != line.values) return "values " + values.dump() + " where Kafka reads " + line.values.dump();
  if (line.variant == "utag") return {};
  PieceWriter out;
  if (!message->encode(line.version, out)) return "cannot be encoded: " + std::string(out.failed_field());
  const std::vector<uint8_t> bytes = std::move(out).take_bytes();
  return bytes == line.bytes ? "" : "encoded " + to_hex(bytes) + " where Kafka writes " + to_hex(line.bytes);
}

// Kafka's default of a nullable message text is the empty string, ours is null: what a handler forgets must not hide
// the client's own words for an error code.
class EmptyErrorMessages final : public FieldSink {
 public:
  bool begin_field(const Field& field) override {
    of_error_message_ = field.name == "errorMessage";
    return field.present;
  }
  bool on_nullable(bool has_value) override { return has_value || of_error_message_; }

 private:
  bool of_error_message_ = false;
};

std::vector<uint8_t> encode_fresh(const MessageType& type, int16_t version, FieldSink* change) {
  const std::unique_ptr<AnyMessage> message = type.make();
  if (change != nullptr) message->walk(version, *change);
  PieceWriter out;
  INFO(type.name << " v" << version << " " << out.failed_field());
  CHECK(message->encode(version, out));
  return std::move(out).take_bytes();
}

}  // namespace

TEST_CASE("golden: every line has Kafka's values and bytes", "[protocol][golden]") {
  std::set<std::string_view> messages;
  size_t failures = 0;
  for (const GoldenLine& line : golden_lines()) {
    messages.insert(line.type->name);
    const std::string difference = decode_and_compare(line);
    if (difference.empty()) continue;
    INFO(line.label());
    if (++failures < 10) FAIL_CHECK(difference);
  }
  CHECK(failures == 0);
  CHECK(golden_lines().size() == kGoldenLineCount);
  CHECK(messages.size() == kGoldenMessageCount);
}

TEST_CASE("golden: a fresh message is Kafka's fresh message", "[protocol][golden]") {
  size_t compared = 0;
  for (const GoldenLine& line : golden_lines()) {
    if (line.variant != "def") continue;
    ++compared;
    if (encode_fresh(*line.type, line.version, nullptr) == line.bytes) continue;
    EmptyErrorMessages empty_error_messages;
    INFO(line.label());
    CHECK(to_hex(encode_fresh(*line.type, line.version, &empty_error_messages)) == to_hex(line.bytes));
  }
  CHECK(compared == 590);
}

TEST_CASE("golden: every version of every message has its line", "[protocol][golden]") {
  std::set<std::pair<std::string_view, int16_t>> covered;
  for (const GoldenLine& line : golden_lines()) covered.insert({line.type->name, line.version});
  size_t versions = 0;
  const auto visit = [&](const MessageType& type) {
    for (int16_t version = type.versions.min; version <= type.versions.max; ++version, ++versions) {
      INFO(type.name << " v" << version);
      CHECK(covered.count({type.name, version}) == 1);
    }
  };
  for (const MessageType& type : message_types()) {
    if (type.versions.key >= 0) visit(type);  // the two headers have lines of their own in headers.txt
  }
  for (const MessageType& type : record_types()) visit(type);
  CHECK(versions == covered.size());
  CHECK(versions == 590);
}

}  // namespace leat
