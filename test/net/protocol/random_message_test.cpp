// random_message_test.cpp: random values of every message at every version survive encode and decode; values that a
// version cannot carry are refused.
#include "test/support/random_message.h"
#include "core/codec/message_reader.h"
#include "core/codec/piece_writer.h"
#include "core/coordinator/record_types.h"
#include "net/protocol/message_types.h"
#include "test/net/protocol/golden.h"
#include "test/support/catch.h"
#include "test/support/sanitizers.h"

namespace leat {
namespace {

template <class Check>
void for_each_version(Check check) {
  for (const auto& types : {message_types(), record_types()}) {
    for (const MessageType& type : types) {
      for (int16_t version = type.versions.min; version <= type.versions.max; ++version) check(type, version);
    }
  }
}

std::string round_trip(const MessageType& type, int16_t version, Random& random) {
  RandomSink sink(random);
  const std::unique_ptr<AnyMessage> message = type.make();
  message->walk(version, sink);
  PieceWriter out;
  if (!message->encode(version, out)) return "cannot be encoded: " + std::string(out.failed_field());
  const size_t size = out.size();
  const std::vector<uint8_t> bytes = std::move(out).take_bytes();
  if (bytes.size() != size) return "size() is not the size";
  const std::unique_ptr<AnyMessage> copy = type.make();
  MessageReader in(exact_slice(bytes));
  if (!copy->decode(in, version)) return "cannot be decoded: " + std::string(in.failed_field());
  if (in.remaining() != 0) return "bytes left over";
  return copy->equals(*message) ? "" : "another message came back";
}

// Gives the one field of that number, in the order of the walk, a value that is not its default if this version lacks
// it.
class SetAbsentField final : public FieldSink {
 public:
  SetAbsentField(int wanted, Random& random) : wanted_(wanted), random_(random) {}

  bool begin_field(const Field& field) override {
    if (depth_ > 1) return setting_;
    if (count_++ != wanted_) return false;
    name = field.name;
    ignorable = field.ignorable;
    setting_ = !field.present;
    return setting_;
  }
  void end_field() override { setting_ = setting_ && depth_ > 1; }
  void begin_struct() override { ++depth_; }
  void end_struct() override { --depth_; }
  bool on_nullable(bool has_value) override { return setting_ && !has_value; }
  size_t begin_array(size_t) override { return setting_ ? 1 : 0; }
  void on_bool(bool& value) override { value = !value; }
  void on_i8(int8_t& value) override { value = 77; }
  void on_i16(int16_t& value) override { value = 77; }
  void on_u16(uint16_t& value) override { value = 77; }
  void on_i32(int32_t& value) override { value = 77; }
  void on_i64(int64_t& value) override { value = 77; }
  void on_f64(double& value) override { value = 77; }
  void on_uuid(Uuid& value) override { value = Uuid::make(random_); }
  void on_string(std::string& value) override { value = "77"; }
  void on_bytes(Bytes& value) override { value = {7, 7}; }
  void on_records(Records& value) override { value = Records(Slice::copy_of(as_bytes("77"))); }

  bool beyond() const { return count_ <= wanted_; }

  std::string name;
  bool ignorable = false;

 private:
  int wanted_;
  Random& random_;
  int count_ = 0;
  int depth_ = 0;
  bool setting_ = false;
};

}  // namespace

TEST_CASE("random: every message at every version comes back as it was", "[protocol][random]") {
  SeededRandom random(7);
  const int rounds = kSanitized ? 5 : 40;
  size_t versions = 0;
  for_each_version([&](const MessageType& type, int16_t version) {
    ++versions;
    for (int round = 0; round < rounds; ++round) {
      const std::string failure = round_trip(type, version, random);
      if (!failure.empty()) FAIL_CHECK(type.name << " v" << version << " " << failure);
    }
  });
  CHECK(versions == 594);  // 590, and two of each header
}

TEST_CASE("random: a value that a version lacks is refused, or dropped where it is ignorable", "[protocol][random]") {
  SeededRandom random(8);
  size_t refused = 0;
  size_t dropped = 0;
  for_each_version([&](const MessageType& type, int16_t version) {
    for (int field = 0;; ++field) {
      SetAbsentField sink(field, random);
      const std::unique_ptr<AnyMessage> message = type.make();
      message->walk(version, sink);
      if (sink.beyond()) break;
      if (message->equals(*type.make())) continue;  // the version has this field
      PieceWriter out;
      const bool encoded = message->encode(version, out);
      INFO(type.name << " v" << version << " " << sink.name);
      CHECK(encoded == sink.ignorable);
      if (!encoded) CHECK(out.failed_field() == sink.name);
      ++(encoded ? dropped : refused);
    }
  });
  CHECK(refused > 100);
  CHECK(dropped > 100);
}

TEST_CASE("random: versions outside the range are refused", "[protocol][random]") {
  for_each_version([&](const MessageType& type, int16_t) {
    for (const int version : {type.versions.min - 1, type.versions.max + 1}) {
      const std::unique_ptr<AnyMessage> message = type.make();
      MessageReader in(exact_slice(std::vector<uint8_t>(4096)));
      CHECK_FALSE(message->decode(in, static_cast<int16_t>(version)));
      CHECK(in.failed_field() == "version");
      PieceWriter out;
      CHECK_FALSE(message->encode(static_cast<int16_t>(version), out));
    }
  });
}

}  // namespace leat
