// frame.cpp: headers and size field.
#include "net/protocol/frame.h"

#include <fmt/format.h>

#include "core/codec/schema_codec.h"

namespace leat {

template struct MessageCodec<RequestHeader>;
template struct MessageCodec<ResponseHeader>;

Result<RequestHeader> decode_request_header(MessageReader& in) {
  MessageReader ahead = in;
  const int16_t key = ahead.i16();
  const int16_t version = ahead.i16();
  if (ahead.failed()) return fail(Errc::kProtocol, fmt::format("request of {} bytes", in.remaining()));
  const ApiSpec* api = find_api(key);
  if (api == nullptr)
    return fail(Errc::kUnsupported, fmt::format("request of the unknown API {}, version {}", key, version));
  RequestHeader header;
  if (!decode(in, api->request_header_version(version), header)) {
    return fail(frame_internal::malformed(in, fmt::format("header of {}", api->name), version));
  }
  return header;
}

namespace frame_internal {

PieceWriter begin_response(const ApiSpec& api, int16_t version, int32_t correlation_id) {
  PieceWriter out;
  out.i32(0);  // the size, patched by finish()
  const ResponseHeader header{.correlation_id = correlation_id};
  (void)encode(header, api.response_header_version(version), out);  // has nothing that could fail
  return out;
}

Result<PieceWriter> begin_request(const ApiSpec& api, int16_t version, int32_t correlation_id,
                                  std::optional<std::string> client_id) {
  PieceWriter out;
  out.i32(0);  // the size, patched by finish()
  const RequestHeader header{static_cast<int16_t>(api.key), version, correlation_id, std::move(client_id)};
  if (!encode(header, api.request_header_version(version), out)) {
    return fail(Errc::kInvalidArgument, fmt::format("client id of {} bytes", header.client_id->size()));
  }
  return out;
}

Result<void> finish(PieceWriter& out, std::string_view message, int16_t version) {
  if (out.failed()) {
    return fail(Errc::kInvalidArgument,
                fmt::format("{} version {} cannot carry the value of {}", message, version, out.failed_field()));
  }
  const size_t payload_size = out.size() - kFrameSizeBytes;
  if (payload_size > INT32_MAX) return fail(Errc::kLimit, fmt::format("{} of {} bytes", message, payload_size));
  out.patch_i32(0, static_cast<int32_t>(payload_size));
  return {};
}

Result<MessageReader> open_response(const ApiSpec& api, Slice payload, int16_t version, int32_t correlation_id) {
  MessageReader in(std::move(payload));
  ResponseHeader header;
  if (!decode(in, api.response_header_version(version), header)) {
    return fail(malformed(in, fmt::format("header of the answer to {}", api.name), version));
  }
  if (header.correlation_id != correlation_id) {
    return fail(Errc::kProtocol, fmt::format("answer {} where the answer to {} {} was expected", header.correlation_id,
                                             api.name, correlation_id));
  }
  return in;
}

Error malformed(const MessageReader& in, std::string_view message, int16_t version) {
  return {Errc::kProtocol, fmt::format("malformed {} version {} at {}", message, version, in.failed_field())};
}

}  // namespace frame_internal
}  // namespace leat
