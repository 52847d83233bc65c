// frame_test.cpp: headers against Kafka's bytes, whole frames, and headers that no client of ours would send.
#include "net/protocol/frame.h"

#include <sstream>

#include "net/protocol/messages/api_versions.h"
#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/metadata.h"
#include "net/protocol/messages/produce.h"
#include "test/net/protocol/golden.h"
#include "test/support/catch.h"

namespace leat {
namespace {

template <class PieceOrSlice>
std::vector<uint8_t> joined(const std::vector<PieceOrSlice>& pieces) {
  std::vector<uint8_t> bytes;
  for (const PieceOrSlice& piece : pieces) bytes.insert(bytes.end(), piece.view().begin(), piece.view().end());
  return bytes;
}

template <class PieceOrSlice>
Slice payload_of(const std::vector<PieceOrSlice>& pieces) {
  const std::vector<uint8_t> frame = joined(pieces);
  REQUIRE(from_big_endian<int32_t>(frame.data()) == static_cast<int32_t>(frame.size() - kFrameSizeBytes));
  return exact_slice(ByteView(frame).subspan(kFrameSizeBytes));
}

// "key=18,version=3,correlation=7,client='client-1'" as a map.
std::string note_value(const std::string& note, const std::string& name) {
  const size_t begin = note.find(name + "=") + name.size() + 1;
  return note.substr(begin, note.find(',', begin) - begin);
}

}  // namespace

TEST_CASE("frame: Kafka's header bytes", "[protocol][frame]") {
  size_t compared = 0;
  for (const std::string& text : lines_of("protocol/golden/headers.txt")) {
    std::istringstream words(text);
    std::string kind;
    std::string note;
    std::string hex;
    int16_t version = 0;
    words >> kind >> version >> note >> hex;
    INFO(text);
    MessageReader in(exact_slice(from_hex(hex)));
    PieceWriter out;
    if (kind == "request") {
      RequestHeader header;
      REQUIRE(decode(in, version, header));
      CHECK(std::to_string(header.request_api_key) == note_value(note, "key"));
      CHECK(std::to_string(header.request_api_version) == note_value(note, "version"));
      CHECK(std::to_string(header.correlation_id) == note_value(note, "correlation"));
      const std::string client = header.client_id.has_value() ? "'" + *header.client_id + "'" : "null";
      CHECK(client == note_value(note, "client"));
      REQUIRE(encode(header, version, out));
    } else {
      ResponseHeader header;
      REQUIRE(decode(in, version, header));
      CHECK(std::to_string(header.correlation_id) == note_value(note, "correlation"));
      REQUIRE(encode(header, version, out));
    }
    CHECK(in.remaining() == 0);
    if (note.find("unknown-tag") == std::string::npos) CHECK(to_hex(std::move(out).take_bytes()) == hex);
    ++compared;
  }
  CHECK(compared == 17);
}

TEST_CASE("frame: a request comes through whole", "[protocol][frame]") {
  FetchRequest request;
  request.max_wait_ms = 500;
  FetchRequest::FetchPartition partition;
  partition.partition = 3;
  partition.fetch_offset = 42;
  request.topics.push_back({.topic = "t", .topic_id = {}, .partitions = {partition}});
  for (int16_t version = FetchRequest::kVersions.min; version <= 12; ++version) {
    const auto frame = encode_request(request, version, 17, "me");
    REQUIRE(frame.has_value());
    MessageReader in(payload_of(*frame));
    const auto header = decode_request_header(in);
    REQUIRE(header.has_value());
    CHECK(*header == RequestHeader{1, version, 17, "me"});
    FetchRequest copy;
    REQUIRE(decode(in, version, copy));
    CHECK(copy == request);
    CHECK(in.remaining() == 0);
  }
}

TEST_CASE("frame: large records leave by reference and come back as a part of the frame", "[protocol][frame]") {
  const Slice batch = Slice::copy_of(std::vector<uint8_t>(100'000, 0x5a));
  FetchResponse response;
  response.responses.resize(1);
  response.responses[0].partitions.resize(2);
  Records& records = response.responses[0].partitions[0].records.emplace();
  records.append(batch.sub(0, 60'000));
  records.append(batch.sub(60'000, 40'000));
  response.responses[0].partitions[1].records.emplace(Slice::copy_of(as_bytes("few bytes")));
  const auto frame = encode_response(response, 16, 5);
  REQUIRE(frame.has_value());
  size_t referenced = 0;
  for (const Piece& piece : *frame) {
    const uint8_t* at = piece.view().data();
    if (at >= batch.data() && at < batch.data() + batch.size()) referenced += piece.size();
  }
  CHECK(referenced == batch.size());

  const Slice payload = payload_of(*frame);
  const auto copy = decode_response<FetchResponse>(payload, 16, 5);
  REQUIRE(copy.has_value());
  CHECK(*copy == response);
  const Slice& came = copy->responses[0].partitions[0].records->first();
  CHECK(came.size() == batch.size());
  CHECK(came.data() >= payload.data());
  CHECK(came.data() + came.size() <= payload.data() + payload.size());
}

TEST_CASE("frame: ApiVersions is answered with header 0 at every version", "[protocol][frame]") {
  ApiVersionsResponse response;
  response.api_keys.push_back({.api_key = 18, .min_version = 0, .max_version = 5});
  for (int16_t version = 0; version <= 5; ++version) {
    const auto frame = encode_response(response, version, 9);
    REQUIRE(frame.has_value());
    const Slice payload = payload_of(*frame);
    MessageReader in(payload);
    CHECK(in.i32() == 9);
    CHECK(in.i16() == 0);  // the body's error code: no tag section stands before it
    const auto copy = decode_response<ApiVersionsResponse>(payload, version, 9);
    REQUIRE(copy.has_value());
    CHECK(*copy == response);
  }
}

TEST_CASE("frame: a request of an unknown version of a known API still has its header read", "[protocol][frame]") {
  MessageReader in(exact_slice(from_hex("001200630000002a000570726f6265000278023100")));
  const auto header = decode_request_header(in);
  REQUIRE(header.has_value());
  CHECK(header->request_api_version == 99);
  CHECK(header->correlation_id == 42);
}

TEST_CASE("frame: malformed headers are refused", "[protocol][frame]") {
  const auto refused_with = [](std::string_view hex) {
    MessageReader in(exact_slice(from_hex(hex)));
    const auto header = decode_request_header(in);
    REQUIRE_FALSE(header.has_value());
    return header.error().code;
  };
  CHECK(refused_with("") == Errc::kProtocol);
  CHECK(refused_with("000300") == Errc::kProtocol);
  CHECK(refused_with("00030000") == Errc::kProtocol);
  CHECK(refused_with("000300000000002a") == Errc::kProtocol);                // no client id
  CHECK(refused_with("000300000000002a7fff61") == Errc::kProtocol);          // longer than the frame
  CHECK(refused_with("000300000000002afffe") == Errc::kProtocol);            // length -2
  CHECK(refused_with("000300000000002a0001ff") == Errc::kProtocol);          // not UTF-8
  CHECK(refused_with("001200630000002a000570726f6265") == Errc::kProtocol);  // header 2 without its tag section
  CHECK(refused_with("03e700000000002a000570726f626500000000") == Errc::kUnsupported);
  CHECK(refused_with("003400000000002a000570726f62650000000000") == Errc::kUnsupported);
  CHECK(refused_with("ffff00000000002a0000") == Errc::kUnsupported);
}

TEST_CASE("frame: an answer to something else, or cut short, is refused", "[protocol][frame]") {
  const auto frame = encode_response(MetadataResponse{}, 9, 5);
  REQUIRE(frame.has_value());
  const Slice payload = payload_of(*frame);
  CHECK(decode_response<MetadataResponse>(payload, 9, 5).has_value());
  const auto other = decode_response<MetadataResponse>(payload, 9, 6);
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == Errc::kProtocol);
  for (size_t size = 0; size < payload.size(); ++size) {
    CHECK_FALSE(decode_response<MetadataResponse>(exact_slice(payload.view().first(size)), 9, 5).has_value());
  }
}

TEST_CASE("frame: what a version cannot carry is named", "[protocol][frame]") {
  ProduceResponse response;
  response.node_endpoints.push_back({.node_id = 1, .host = "h", .port = 1, .rack = {}});
  const auto frame = encode_response(response, 9, 1);
  REQUIRE_FALSE(frame.has_value());
  CHECK(frame.error().code == Errc::kInvalidArgument);
  CHECK(frame.error().context.find("nodeEndpoints") != std::string::npos);
  CHECK(encode_response(response, 10, 1).has_value());
  CHECK_FALSE(encode_request(MetadataRequest{}, 1, 1, std::string(40'000, 'x')).has_value());
}

}  // namespace leat
