// call.h: one request and its answer on a blocking socket: for what happens before and after a measured loop.
#pragma once

#include "benchmarks/load/socket.h"
#include "net/protocol/frame.h"

namespace leat::bench {

template <class Response, class Request>
Result<Response> call(Socket& socket, const Request& request, int16_t version) {
  TRY(pieces, encode_request(request, version, 1, "leat-bench"));
  for (const Slice& piece : pieces) TRY(socket.send_all(piece.view()));
  uint8_t size_field[4];
  TRY(socket.receive_all(size_field));
  const auto size = from_big_endian<int32_t>(size_field);
  if (size < 0 || size > (64 << 20)) return fail(Errc::kProtocol, "an answer claims an absurd size");
  const BlockRef block = BlockRef::allocate(static_cast<size_t>(size));
  TRY(socket.receive_all({block.data(), static_cast<size_t>(size)}));
  return decode_response<Response>(Slice(block, 0, static_cast<size_t>(size)), version, 1);
}

}  // namespace leat::bench
