// schema_test.cpp: what a description means, on a message made for it: versions, nulls, tags, defaults, ignorable
// fields. That the real messages are described rightly is shown by test/net/protocol with Kafka's own bytes.
#include "core/codec/schema_codec.h"

#include "core/codec/message_json.h"
#include "core/codec/message_print.h"
#include "core/codec/schema.h"
#include "test/support/catch.h"

namespace leat {
namespace {

struct Sample {
  static constexpr std::string_view kName = "Sample";
  static constexpr Versions kVersions{.key = 1, .min = 0, .max = 3, .flexible_since = 2};

  struct Part {
    std::string name;
    int32_t weight = -1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
    }
    template <class Self, class Visitor>
    static void visit_tags(Self& m, Visitor& v) {
      v.tagged(0, "weight", m.weight, {.since = 2}, -1);
    }
    friend bool operator==(const Part&, const Part&) = default;
  };

  int16_t number = 5;
  std::string removed;
  std::optional<std::string> note = "";
  std::optional<std::vector<int32_t>> list;
  std::vector<Part> parts;
  std::optional<Part> part;
  std::optional<Records> records;
  int64_t added = -1;
  std::optional<Part> tagged_part;
  std::string tagged_text;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("number", m.number, {}, 5);
    v.field("removed", m.removed, {.until = 0});
    v.field("note", m.note, {.null_since = 1}, kEmpty);
    v.field("list", m.list);
    v.field("parts", m.parts);
    v.field("part", m.part, {.since = 1});
    v.field("records", m.records);
    v.field("added", m.added, {.since = 3, .ignorable = true}, -1);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "taggedPart", m.tagged_part, {.since = 2});
    v.tagged(5, "taggedText", m.tagged_text, {.since = 3});
  }
  friend bool operator==(const Sample&, const Sample&) = default;
};

std::optional<std::vector<uint8_t>> encoded(const Sample& sample, int16_t version) {
  PieceWriter out;
  if (!encode(sample, version, out)) return std::nullopt;
  return std::move(out).take_bytes();
}

std::string refused_field(const Sample& sample, int16_t version) {
  PieceWriter out;
  REQUIRE_FALSE(encode(sample, version, out));
  return std::string(out.failed_field());
}

Sample decoded(const std::vector<uint8_t>& bytes, int16_t version) {
  Sample sample;
  MessageReader in(Slice::copy_of(bytes));
  REQUIRE(decode(in, version, sample));
  REQUIRE(in.remaining() == 0);
  return sample;
}

std::string failed_field(const std::vector<uint8_t>& bytes, int16_t version) {
  Sample sample;
  MessageReader in(Slice::copy_of(bytes));
  REQUIRE_FALSE(decode(in, version, sample));
  return std::string(in.failed_field());
}

}  // namespace

template struct MessageCodec<Sample>;

TEST_CASE("schema: a fresh message, byte by byte", "[codec][schema]") {
  CHECK(encoded(Sample{}, 0) ==
        std::vector<uint8_t>{0, 5, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff});
  CHECK(encoded(Sample{}, 1) ==
        std::vector<uint8_t>{0, 5, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff});
  CHECK(encoded(Sample{}, 2) == std::vector<uint8_t>{0, 5, 1, 0, 1, 0xff, 0, 0});
  CHECK(encoded(Sample{}, 3) ==
        std::vector<uint8_t>{0, 5, 1, 0, 1, 0xff, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0});
  for (int16_t version = 0; version <= 3; ++version) CHECK(decoded(*encoded(Sample{}, version), version) == Sample{});
}

TEST_CASE("schema: tagged fields stand in the tag section, when they are not at their default", "[codec][schema]") {
  Sample sample;
  sample.tagged_part = Sample::Part{.name = "n", .weight = 2};
  sample.tagged_text = "t";
  const std::vector<uint8_t> bytes = *encoded(sample, 3);
  const std::vector<uint8_t> tags = {2,                                       // two of them
                                     0, 10, 1, 2,  'n', 1, 0, 4, 0, 0, 0, 2,  // tag 0: present, name, its own tag 0
                                     5, 2,  2, 't'};
  REQUIRE(bytes.size() > tags.size());
  CHECK(std::vector<uint8_t>(bytes.end() - static_cast<ptrdiff_t>(tags.size()), bytes.end()) == tags);
  CHECK(decoded(bytes, 3) == sample);
  CHECK(refused_field(sample, 2) == "taggedText");
  CHECK(refused_field(sample, 1) == "taggedPart");
}

TEST_CASE("schema: unknown tagged fields are skipped wherever they are", "[codec][schema]") {
  Sample expected;
  expected.parts.push_back({.name = "n", .weight = -1});
  const std::vector<uint8_t> bytes = {0,    5, 1,                              // number, note
                                      0,                                       // list
                                      2,    2, 'n', 1,    99,   3, 7,   7, 7,  // a part with an unknown tag
                                      0xff, 0,                                 // part, records
                                      2,    3, 0,   0xf0, 0x01, 1, 0xff};      // two unknown tags
  CHECK(decoded(bytes, 2) == expected);
  std::vector<uint8_t> of_a_later_version = bytes;
  of_a_later_version[of_a_later_version.size() - 6] = 5;  // taggedText exists from version 3 on: here it is unknown
  CHECK(decoded(of_a_later_version, 2) == expected);
}

TEST_CASE("schema: null where the version has no null is refused, both ways", "[codec][schema]") {
  Sample sample;
  sample.note = std::nullopt;
  CHECK(refused_field(sample, 0) == "note");
  CHECK(decoded(*encoded(sample, 1), 1).note == std::nullopt);
  CHECK(failed_field({0, 5, 0, 0, 0xff, 0xff}, 0) == "note");
  CHECK(failed_field({0, 5, 0xff, 0xfe}, 1) == "note");                                             // a length of -2
  CHECK(failed_field({0, 5, 0, 0, 0xff, 0xff, 0xff, 0xfe}, 1) == "list");                           // a count of -2
  CHECK(failed_field({0, 5, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 1) == "parts");  // not nullable
  CHECK(failed_field({0, 5, 1, 0, 0}, 2) == "parts");
}

TEST_CASE("schema: a value that the version lacks is refused, or dropped when ignorable", "[codec][schema]") {
  Sample sample;
  sample.removed = "r";
  CHECK(refused_field(sample, 1) == "removed");
  CHECK(decoded(*encoded(sample, 0), 0) == sample);
  sample = Sample{};
  sample.part = Sample::Part{.name = "p", .weight = -1};
  CHECK(refused_field(sample, 0) == "part");
  CHECK(decoded(*encoded(sample, 1), 1) == sample);
  sample = Sample{};
  sample.added = 9;
  CHECK(decoded(*encoded(sample, 2), 2) == Sample{});
  CHECK(decoded(*encoded(sample, 3), 3) == sample);
  sample = Sample{};
  sample.parts.push_back({.name = "n", .weight = 3});
  CHECK(refused_field(sample, 1) == "weight");
}

TEST_CASE("schema: strings that are not UTF-8, or too long, are refused", "[codec][schema]") {
  CHECK(failed_field({0, 5, 0, 1, 0xff}, 1) == "note");
  CHECK(failed_field({0, 5, 2, 0xff}, 2) == "note");
  Sample sample;
  sample.note = std::string(32767, 'x');
  for (int16_t version = 0; version <= 3; ++version) CHECK(decoded(*encoded(sample, version), version) == sample);
  sample.note->push_back('x');
  for (int16_t version = 0; version <= 3; ++version) CHECK(refused_field(sample, version) == "note");
  std::vector<uint8_t> bytes = {0, 5, 0x81, 0x80, 0x02};  // 32768 + 1 as a varint
  bytes.resize(bytes.size() + 40'000, 'x');
  CHECK(failed_field(bytes, 2) == "note");
}

TEST_CASE("schema: decoding starts from a fresh message", "[codec][schema]") {
  Sample sample;
  sample.removed = "left from before";
  sample.parts.resize(3);
  sample.tagged_text = "left too";
  const std::vector<uint8_t> bytes = *encoded(Sample{}, 2);
  MessageReader in(Slice::copy_of(bytes));
  REQUIRE(decode(in, 2, sample));
  CHECK(sample == Sample{});
}

TEST_CASE("schema: records are a part of the frame, or copied from plain bytes", "[codec][schema]") {
  Sample sample;
  sample.records.emplace(Slice::copy_of(as_bytes("some records")));
  const Slice frame = Slice::copy_of(*encoded(sample, 1));
  Sample from_frame;
  MessageReader in(frame);
  REQUIRE(decode(in, 1, from_frame));
  CHECK(from_frame == sample);
  CHECK(from_frame.records->first().data() >= frame.data());
  CHECK(from_frame.records->first().data() < frame.data() + frame.size());
  Sample from_bytes;
  MessageReader plain(frame.view());
  REQUIRE(decode(plain, 1, from_bytes));
  CHECK(from_bytes == sample);
  CHECK(from_bytes.records->first().data() != from_frame.records->first().data());
}

TEST_CASE("schema: JSON and debug print", "[codec][schema]") {
  Sample sample;
  sample.list = std::vector<int32_t>{1, -2};
  sample.parts.push_back({.name = "a\"b\n", .weight = 3});
  sample.records.emplace(Slice::copy_of(as_bytes("hello")));
  CHECK(to_json(sample, 2) == nlohmann::json::parse(R"({"number": 5, "note": "", "list": [1, -2],
    "parts": [{"name": "a\"b\n", "weight": 3}], "part": null, "records": "aGVsbG8="})"));
  CHECK(debug_text(sample, 2) ==
        R"(Sample v2 {list: [1, -2], parts: [{name: "a\"b\x0a", weight: 3}], records: 5 bytes})");
  sample.list = std::vector<int32_t>(10'000, 7);
  const std::string text = debug_text(sample, 2, 100);
  CHECK(text.size() < 130);
  CHECK(text.ends_with("..."));
}

}  // namespace leat
