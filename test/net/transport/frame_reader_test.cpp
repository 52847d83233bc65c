// frame_reader_test.cpp: frames out of any cut of the stream, growth by arrival only, what pins what.
#include "net/transport/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "test/support/blocking_client.h"
#include "test/support/catch.h"

namespace leat {
namespace {

// Feeds `stream` in pieces of at most `piece` bytes (never more than the reader offers), takes frames after each.
std::vector<std::string> feed(FrameReader& reader, std::string_view stream, size_t piece) {
  std::vector<std::string> frames;
  while (!stream.empty() && !reader.refusal()) {
    const MutableByteView space = reader.space();
    const size_t size = std::min({space.size(), piece, stream.size()});
    std::memcpy(space.data(), stream.data(), size);
    stream.remove_prefix(size);
    reader.on_bytes(size);
    while (auto frame = reader.take_frame()) frames.emplace_back(as_text(frame->view()));
    reader.release_when_empty();
  }
  return frames;
}

std::string bytes_of(size_t size, uint64_t seed) {
  SeededRandom random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  return bytes;
}

TEST_CASE("frame reader: any cut of the stream gives the same frames", "[transport]") {
  std::vector<std::string> payloads;
  std::string stream;
  for (const size_t size : {0, 1, 3, 4, 5, 100, 4091, 4092, 4093, 8192, 65532, 65536, 65537, 300'000, 2, 0, 17}) {
    payloads.push_back(bytes_of(size, size + 1));
    stream += frame_of(payloads.back());
  }
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{7}, size_t{4096}, size_t{65536}, size_t{1} << 20}) {
    FrameReader reader(1 << 20);
    INFO("pieces of " << piece);
    REQUIRE(feed(reader, stream, piece) == payloads);
    REQUIRE(reader.held_bytes() == 0);
  }
}

TEST_CASE("frame reader: random cuts and sizes", "[transport]") {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SeededRandom random(seed);
    FrameReader reader(1 << 20);
    std::vector<std::string> payloads;
    std::string stream;
    for (int i = 0; i < 40; ++i) {
      payloads.push_back(
          bytes_of(random.below(random.one_in(5) ? 200'000 : 300), seed * 1000 + static_cast<uint64_t>(i)));
      stream += frame_of(payloads.back());
    }
    std::vector<std::string> got;
    std::string_view left = stream;
    while (!left.empty()) {
      const size_t size = std::min<size_t>(left.size(), 1 + random.below(100'000));
      for (std::string& frame : feed(reader, left.substr(0, size), 1 + random.below(70'000)))
        got.push_back(std::move(frame));
      left.remove_prefix(size);
    }
    INFO("seed " << seed);
    REQUIRE(got == payloads);
  }
}

TEST_CASE("frame reader: a claim reserves in proportion to the bytes that came", "[transport]") {
  FrameReader reader(size_t{1} << 31);
  std::string claim = frame_of("");
  const uint32_t size = 0x7fffffff;
  for (int i = 0; i < 4; ++i) claim[static_cast<size_t>(i)] = static_cast<char>(size >> (24 - 8 * i));
  feed(reader, claim, 4);
  REQUIRE(reader.held_bytes() <= 4096);
  size_t fed = 4;
  for (const size_t more : {5'000, 60'000, 500'000}) {
    feed(reader, std::string(more, 'x'), 1 << 16);
    fed += more;
    REQUIRE(reader.pending_bytes() == fed);
    REQUIRE(reader.held_bytes() <= 32 * fed);  // 16 times, rounded up to a power of two
  }
}

TEST_CASE("frame reader: sizes below zero and above the limit are refused for good", "[transport]") {
  for (const std::string& head : {std::string("\xff\xff\xff\xff", 4), std::string("\0\0\x04\x01", 4)}) {
    FrameReader reader(1024);
    REQUIRE(feed(reader, frame_of("fine") + head + "abc", 1 << 16) == std::vector<std::string>{"fine"});
    REQUIRE(reader.refusal());
    REQUIRE(reader.refusal()->find("socket.request.max.bytes") != std::string::npos);
    REQUIRE_FALSE(reader.take_frame());
  }
  FrameReader reader(1024);
  REQUIRE(feed(reader, frame_of(std::string(1024, 'x')), 100).size() == 1);  // the limit itself is allowed
}

TEST_CASE("frame reader: what begins like HTTP or TLS is called so", "[transport]") {
  struct Peer {
    std::string says;
    std::string_view looks_like;
  };
  const std::vector<Peer> peers{{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP"},
                                {"POST /topics HTTP/1.1\r\n\r\n", "HTTP"},
                                {"PUT /x HTTP/1.0\r\n\r\n", "HTTP"},
                                {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP"},
                                {std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8), "TLS"},
                                {std::string("\x16\x04\x01\x02\x00\x01", 6), ""},
                                {std::string("\xff\xff\xff\xff", 4), ""},
                                {"SSH-2.0-x\r\n", ""}};
  for (const Peer& peer : peers) {
    for (const size_t piece : {size_t{1}, size_t{100}}) {
      FrameReader reader(100 << 20);
      REQUIRE(feed(reader, peer.says, piece).empty());
      REQUIRE(reader.refusal());
      INFO(*reader.refusal());
      for (const std::string_view protocol : {"HTTP", "TLS"}) {
        const bool is_named = reader.refusal()->find(protocol) != std::string::npos;
        CHECK(is_named == (protocol == peer.looks_like));
      }
    }
  }
}

TEST_CASE("frame reader: steady large frames are not copied and share no block", "[transport]") {
  FrameReader reader(10 << 20);
  const std::string payload = bytes_of(1'000'000, 3);
  const std::string stream = frame_of(payload) + frame_of(payload);
  feed(reader, frame_of(payload), 1 << 20);  // it learns
  std::string_view left = stream;
  std::vector<Slice> frames;
  const uint8_t* first_byte = nullptr;
  while (frames.size() < 2) {
    const MutableByteView space = reader.space();
    if (reader.pending_bytes() == 0) first_byte = space.data();
    const size_t size = std::min(space.size(), left.size());
    std::memcpy(space.data(), left.data(), size);
    left.remove_prefix(size);
    reader.on_bytes(size);
    while (auto frame = reader.take_frame()) {
      REQUIRE(frame->data() == first_byte + 4);  // where it arrived
      frames.push_back(std::move(*frame));
    }
    reader.release_when_empty();
  }
  REQUIRE(as_text(frames[0].view()) == payload);
  REQUIRE(as_text(frames[1].view()) == payload);
  REQUIRE(frames[1].pinned_bytes() <= 2 * 1'048'576);
}

TEST_CASE("frame reader: blocks shrink again when frames are small", "[transport]") {
  FrameReader reader(10 << 20);
  feed(reader, frame_of(std::string(1'000'000, 'x')), 1 << 20);
  size_t held = 0;
  for (int i = 0; i < 200; ++i) {
    (void)reader.space();
    held = reader.held_bytes();
    feed(reader, frame_of("small"), 1 << 20);
  }
  REQUIRE(held <= 4096);
}

}  // namespace
}  // namespace leat
