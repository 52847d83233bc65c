// request_fuzz.cpp: fuzz target: a whole request as it comes off a connection, header and message, of any API and
// version. What decodes must encode again, to the same number of bytes each time it goes round.
#include <string>

#include "core/base/check.h"
#include "core/codec/message_reader.h"
#include "core/codec/piece_writer.h"
#include "net/protocol/frame.h"
#include "net/protocol/message_types.h"

namespace leat {
namespace {

void fuzz_request(ByteView input) {
  MessageReader in(Slice::copy_of(input));
  const Result<RequestHeader> header = decode_request_header(in);
  if (!header.has_value()) return;
  const ApiSpec* api = find_api(header->request_api_key);
  ENSURE(api != nullptr, "a header of the unknown API {} was read", header->request_api_key);
  if (!api->supports(header->request_api_version)) return;
  const MessageType* type = find_message_type(std::string(api->name) + "Request");
  ENSURE(type != nullptr, "{}", api->name);
  const std::unique_ptr<AnyMessage> message = type->make();
  if (!message->decode(in, header->request_api_version)) return;
  PieceWriter out;
  ENSURE(message->encode(header->request_api_version, out), "{} at {}", api->name, out.failed_field());
  const std::vector<uint8_t> once = std::move(out).take_bytes();
  MessageReader again(ByteView{once});
  ENSURE(message->decode(again, header->request_api_version) && again.remaining() == 0, "{}", api->name);
  PieceWriter twice;
  ENSURE(message->encode(header->request_api_version, twice) && std::move(twice).take_bytes() == once, "{}", api->name);
}

}  // namespace
}  // namespace leat

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  leat::fuzz_request({data, size});
  return 0;
}
