// schema_fuzz.cpp: fuzz target: any described message, also responses (the client decodes them) and records of internal
// topics
// (recovery decodes them). input := type:u8 version:u8 body; type counts through message_types(), then record_types().
#include "core/base/check.h"
#include "core/codec/message_reader.h"
#include "core/codec/piece_writer.h"
#include "core/coordinator/record_types.h"
#include "net/protocol/message_types.h"

namespace leat {
namespace {

void fuzz_schema(ByteView input) {
  if (input.size() < 2) return;
  const size_t index = input[0] % (message_types().size() + record_types().size());
  const MessageType& type =
      index < message_types().size() ? message_types()[index] : record_types()[index - message_types().size()];
  const int span = type.versions.max - type.versions.min + 1;
  const auto version = static_cast<int16_t>(type.versions.min + input[1] % span);
  const std::unique_ptr<AnyMessage> message = type.make();
  MessageReader in(Slice::copy_of(input.subspan(2)));
  if (!message->decode(in, version)) return;
  PieceWriter out;
  ENSURE(message->encode(version, out), "{} v{} at {}", type.name, version, out.failed_field());
}

}  // namespace
}  // namespace leat

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  leat::fuzz_schema({data, size});
  return 0;
}
