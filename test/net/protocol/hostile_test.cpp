// hostile_test.cpp: bytes that no honest peer sends, against every decoder: truncated, flipped, mutated, huge claims.
// Each must be refused, or give a message that can be encoded again; and memory must stay within a bound by the bytes
// given.
#include <cstdlib>
#include <limits>

#include "core/base/random.h"
#include "core/codec/message_reader.h"
#include "core/codec/piece_writer.h"
#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/metadata.h"
#include "test/net/protocol/allocation_meter.h"
#include "test/net/protocol/golden.h"
#include "test/support/catch.h"
#include "test/support/sanitizers.h"

namespace leat {
namespace {

// The most that a decoded message may take for each byte of its frame, and in all for the smallest. The worst is an
// array of structs of many optional strings, a byte each on the wire and 40 here.
constexpr size_t kBytesForEachByteMax = 48;
constexpr size_t kBytesAlways = 1024;

struct Outcome {
  bool decoded = false;
  size_t allocated = 0;
};

Outcome decode_hostile(const MessageType& type, int16_t version, const Slice& frame) {
  Outcome outcome;
  const std::unique_ptr<AnyMessage> message = type.make();
  MessageReader in(frame);
  const size_t before = allocated_bytes();
  outcome.decoded = message->decode(in, version);
  outcome.allocated = allocated_bytes() - before;
  if (!outcome.decoded) {
    CHECK_FALSE(in.failed_field().empty());
    return outcome;
  }
  PieceWriter out;
  const bool encoded = message->encode(version, out);
  if (!encoded) FAIL_CHECK(type.name << " v" << version << " decoded what it cannot encode: " << out.failed_field());
  const std::vector<uint8_t> once = std::move(out).take_bytes();
  MessageReader again(ByteView{once});
  PieceWriter twice;
  const bool stable =
      message->decode(again, version) && message->encode(version, twice) && std::move(twice).take_bytes() == once;
  if (!stable)
    FAIL_CHECK(type.name << " v" << version << " is another message after encode and decode: " << to_hex(once));
  return outcome;
}

bool within_bound(const Outcome& outcome, size_t frame_size) {
  return outcome.allocated <= kBytesAlways + kBytesForEachByteMax * frame_size;
}

uint64_t environment_number(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// One to four changes of the kinds that upset decoders: flipped bits, ends of ranges in place of bytes, lengths and
// varints, pieces cut out, doubled, and cut off.
void mutate(std::vector<uint8_t>& bytes, Random& random) {
  static constexpr uint8_t kEnds[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0xfe};
  for (uint64_t left = 1 + random.below(4); left > 0; --left) {
    if (bytes.empty()) bytes.push_back(static_cast<uint8_t>(random.next()));
    const size_t at = random.below(bytes.size());
    const size_t size = std::min<size_t>(bytes.size() - at, 1 + random.below(8));
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(at);
    const auto end = begin + static_cast<ptrdiff_t>(size);
    switch (random.below(7)) {
      case 0:
        bytes[at] ^= static_cast<uint8_t>(1u << random.below(8));
        break;
      case 1:
        bytes[at] = kEnds[random.below(std::size(kEnds))];
        break;
      case 2:
        bytes[at] = static_cast<uint8_t>(random.next());
        break;
      case 3:
        std::fill(begin, end, kEnds[random.below(std::size(kEnds))]);
        break;
      case 4:
        bytes.erase(begin, end);
        break;
      case 5: {
        const std::vector<uint8_t> piece(begin, end);
        bytes.insert(begin, piece.begin(), piece.end());
        break;
      }
      default:
        bytes.resize(at);
        break;
    }
  }
}

}  // namespace

TEST_CASE("hostile: every truncation of every golden line is refused", "[protocol][hostile]") {
  for (const GoldenLine& line : golden_lines()) {
    for (size_t size = 0; size < line.bytes.size(); ++size) {
      const Outcome outcome = decode_hostile(*line.type, line.version, exact_slice(ByteView(line.bytes).first(size)));
      if (outcome.decoded) FAIL_CHECK(line.label() << " cut to " << size << " of " << line.bytes.size() << " bytes");
      if (!within_bound(outcome, size)) FAIL_CHECK(line.label() << " cut to " << size << " took " << outcome.allocated);
    }
  }
}

TEST_CASE("hostile: any byte of any golden line changed", "[protocol][hostile]") {
  // Whatever is a length is among them. Long lines are long by their strings: a sample of their bytes will do.
  const size_t bytes_of_line_max = kSanitized ? 40 : 400;
  size_t refused = 0;
  size_t decoded = 0;
  for (const GoldenLine& line : golden_lines()) {
    const size_t step = 1 + line.bytes.size() / bytes_of_line_max;
    std::vector<uint8_t> bytes = line.bytes;
    for (size_t at = 0; at < bytes.size(); at += step) {
      const uint8_t honest = bytes[at];
      for (const int value : {0x00, 0x7f, 0x80, 0xff, honest + 1, honest - 1, honest ^ 0x80}) {
        bytes[at] = static_cast<uint8_t>(value);
        const Outcome outcome = decode_hostile(*line.type, line.version, exact_slice(bytes));
        ++(outcome.decoded ? decoded : refused);
        if (!within_bound(outcome, bytes.size())) {
          FAIL_CHECK(line.label() << " byte " << at << " set to " << value << " took " << outcome.allocated);
        }
      }
      bytes[at] = honest;
    }
  }
  CHECK(refused > 10'000);  // both ends are reached: the changes are neither harmless nor all fatal
  CHECK(decoded > 10'000);
}

TEST_CASE("hostile: a million mutated frames", "[protocol][hostile]") {
  const uint64_t seed = environment_number("LEAT_FUZZ_SEED", 1);
  const uint64_t frames = environment_number("LEAT_FUZZ_FRAMES", kSanitized ? 50'000 : 1'000'000);
  SeededRandom random(seed);
  const std::vector<GoldenLine>& lines = golden_lines();
  uint64_t decoded = 0;
  for (uint64_t i = 0; i < frames; ++i) {
    const GoldenLine& line = lines[random.below(lines.size())];
    std::vector<uint8_t> bytes = line.bytes;
    mutate(bytes, random);
    const Outcome outcome = decode_hostile(*line.type, line.version, exact_slice(bytes));
    decoded += outcome.decoded ? 1 : 0;
    if (!within_bound(outcome, bytes.size())) {
      FAIL_CHECK(line.label() << " seed " << seed << " frame " << i << " took " << outcome.allocated << ": "
                              << to_hex(bytes));
    }
  }
  CHECK(decoded > frames / 20);
  CHECK(decoded < frames);
}

TEST_CASE("hostile: a count is a claim", "[protocol][hostile]") {
  for (const int32_t claim :
       {2, 100, 1'000'000, std::numeric_limits<int32_t>::max(), -2, std::numeric_limits<int32_t>::min()}) {
    PieceWriter out;
    out.i32(claim);  // of topics, Metadata v1
    out.i16(1);
    out.i8('a');
    MetadataRequest request;
    MessageReader in(exact_slice(std::move(out).take_bytes()));
    const size_t before = allocated_bytes();
    CHECK_FALSE(decode(in, 1, request));
    CHECK(allocated_bytes() - before < 1024);
    CHECK(in.failed_field() == "topics");
  }
}

TEST_CASE("hostile: an array that would take far more memory than bytes is refused", "[protocol][hostile]") {
  // Metadata v9: topics of one empty name and one empty tag section each, two bytes on the wire.
  const uint32_t count = kDecodedArrayBytesMax / sizeof(MetadataRequest::MetadataRequestTopic) + 1;
  PieceWriter out;
  out.uvarint(count + 1);
  for (uint32_t i = 0; i < count; ++i) out.u16(0x0100);
  out.u16(0);
  out.u16(0);
  MetadataRequest request;
  MessageReader in(exact_slice(std::move(out).take_bytes()));
  const size_t before = allocated_bytes();
  CHECK_FALSE(decode(in, 9, request));
  CHECK(allocated_bytes() - before < 1024);
}

TEST_CASE("hostile: the last of a repeated tagged field wins, and one that lies about its size is refused",
          "[protocol][hostile]") {
  const auto frame = [](uint32_t second_size) {
    PieceWriter out;
    for (int i = 0; i < 3; ++i) out.i32(0);  // max wait, min bytes, max bytes
    out.i8(0);
    out.i32(0);  // session
    out.i32(0);
    out.uvarint(1);  // no topics
    out.uvarint(1);  // none forgotten
    out.uvarint(1);  // rack
    out.uvarint(2);  // two tagged fields
    for (const char id : {'a', 'b'}) {
      out.uvarint(0);  // the cluster id
      out.uvarint(id == 'a' ? 2 : second_size);
      out.uvarint(2);
      out.i8(id);
    }
    return exact_slice(std::move(out).take_bytes());
  };
  FetchRequest request;
  MessageReader honest(frame(2));
  CHECK(decode(honest, 17, request));
  CHECK(request.cluster_id == "b");
  for (const uint32_t size : {0u, 1u, 3u, 100u, std::numeric_limits<uint32_t>::max()}) {
    MessageReader lying(frame(size));
    CHECK_FALSE(decode(lying, 17, request));
    CHECK(lying.failed_field() == "tagged fields");
  }
}

}  // namespace leat
