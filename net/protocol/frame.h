// frame.h: what stands around a message on a connection.
//   frame    := size:i32be payload            size counts the payload
//   request  := RequestHeader message         header version 1, or 2 where the API's version is flexible
//   response := ResponseHeader message        header version 0, or 1 where flexible; ApiVersions always 0
// For the broker: decode_request_header, then decode(in, version, message), then encode_response. For clients:
//   TRY(pieces, encode_request(request, version, correlation_id, "my-client"));    one frame, ready for one writev
//   TRY(response, decode_response<MetadataResponse>(payload, version, correlation_id));
// The version of a response is the version of its request. Produce with acks=0 has no response.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/codec/message_reader.h"
#include "core/codec/piece_writer.h"
#include "core/codec/schema.h"
#include "net/protocol/api_table.h"

namespace leat {

inline constexpr size_t kFrameSizeBytes = 4;
// Key, version, correlation id and the length of the client id: no request is shorter.
inline constexpr size_t kRequestHeaderBytesMin = 10;

struct RequestHeader {
  static constexpr std::string_view kName = "RequestHeader";
  static constexpr Versions kVersions{.min = 1, .max = 2, .flexible_since = 2};

  int16_t request_api_key = 0;  // as it came: it may be unknown
  int16_t request_api_version = 0;
  int32_t correlation_id = 0;
  std::optional<std::string> client_id = "";

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("requestApiKey", m.request_api_key);
    v.field("requestApiVersion", m.request_api_version);
    v.field("correlationId", m.correlation_id);
    v.field("clientId", m.client_id, {.never_compact = true}, kEmpty);
  }
  friend bool operator==(const RequestHeader&, const RequestHeader&) = default;
};

struct ResponseHeader {
  static constexpr std::string_view kName = "ResponseHeader";
  static constexpr Versions kVersions{.min = 0, .max = 1, .flexible_since = 1};

  int32_t correlation_id = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("correlationId", m.correlation_id);
  }
  friend bool operator==(const ResponseHeader&, const ResponseHeader&) = default;
};

// Reads the header of a request and leaves `in` at the message. kUnsupported: no such API, so that not even the header
// can be read whole; kProtocol: malformed. A version that we do not support is no error here: the caller answers
// ApiVersions with UNSUPPORTED_VERSION and closes the connection otherwise, as Kafka does.
Result<RequestHeader> decode_request_header(MessageReader& in);

// The whole frame with its size field first; kInvalidArgument names the field that the version cannot carry.
template <class Response>
Result<std::vector<Piece>> encode_response(const Response& response, int16_t version, int32_t correlation_id);
template <class Request>
Result<std::vector<Slice>> encode_request(const Request& request, int16_t version, int32_t correlation_id,
                                          std::optional<std::string> client_id);

// `payload` is a frame without its size field. kProtocol: malformed, or the answer to another request.
template <class Response>
Result<Response> decode_response(Slice payload, int16_t version, int32_t correlation_id);

// What the templates above need.
namespace frame_internal {

PieceWriter begin_response(const ApiSpec& api, int16_t version, int32_t correlation_id);
Result<PieceWriter> begin_request(const ApiSpec& api, int16_t version, int32_t correlation_id,
                                  std::optional<std::string> client_id);
Result<void> finish(PieceWriter& out, std::string_view message, int16_t version);
Result<MessageReader> open_response(const ApiSpec& api, Slice payload, int16_t version, int32_t correlation_id);
Error malformed(const MessageReader& in, std::string_view message, int16_t version);

}  // namespace frame_internal

template <class Response>
Result<std::vector<Piece>> encode_response(const Response& response, int16_t version, int32_t correlation_id) {
  const ApiSpec& api = api_spec(static_cast<ApiKey>(Response::kVersions.key));
  PieceWriter out = frame_internal::begin_response(api, version, correlation_id);
  (void)encode(response, version, out);  // finish() asks whether it failed
  TRY(frame_internal::finish(out, Response::kName, version));
  return std::move(out).take_pieces();
}

template <class Request>
Result<std::vector<Slice>> encode_request(const Request& request, int16_t version, int32_t correlation_id,
                                          std::optional<std::string> client_id) {
  const ApiSpec& api = api_spec(static_cast<ApiKey>(Request::kVersions.key));
  TRY(out, frame_internal::begin_request(api, version, correlation_id, std::move(client_id)));
  (void)encode(request, version, out);  // finish() asks whether it failed
  TRY(frame_internal::finish(out, Request::kName, version));
  return std::move(out).take();
}

template <class Response>
Result<Response> decode_response(Slice payload, int16_t version, int32_t correlation_id) {
  const ApiSpec& api = api_spec(static_cast<ApiKey>(Response::kVersions.key));
  TRY(in, frame_internal::open_response(api, std::move(payload), version, correlation_id));
  Response response;
  if (!decode(in, version, response)) return fail(frame_internal::malformed(in, Response::kName, version));
  return response;
}

}  // namespace leat
