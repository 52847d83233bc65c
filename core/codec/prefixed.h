// prefixed.h: keys and values of internal topics, and data embedded in other fields: int16 prefix, then the body.
//   key   := record_type:i16be body          the body's version is 0 always
//   value := version:i16be body              embedded data (consumer protocol, control records) the same
// decode_value leaves bytes beyond the body alone, as Kafka does.
#pragma once

#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/codec/message_reader.h"
#include "core/codec/piece_writer.h"
#include "core/codec/schema.h"

namespace leat {

namespace prefixed_internal {
Error cannot_encode(const PieceWriter& out, std::string_view name, int16_t version);
Error cannot_decode(const MessageReader& in, std::string_view name, int16_t version);
}  // namespace prefixed_internal

template <class Body>
Result<std::vector<uint8_t>> encode_prefixed(int16_t prefix, const Body& body, int16_t version) {
  PieceWriter out;
  out.i16(prefix);
  if (!encode(body, version, out)) return fail(prefixed_internal::cannot_encode(out, Body::kName, version));
  return std::move(out).take_bytes();
}
template <class Key>
Result<std::vector<uint8_t>> encode_key(const Key& key) {
  return encode_prefixed(Key::kVersions.key, key, 0);
}
template <class Value>
Result<std::vector<uint8_t>> encode_value(const Value& value, int16_t version) {
  return encode_prefixed(version, value, version);
}

// The record type of a key, to choose the struct by.
inline int16_t key_type(ByteView key) noexcept { return Reader(key).i16(); }

template <class Key>
Result<Key> decode_key(ByteView bytes) {
  MessageReader in(bytes);
  Key key;
  if (in.i16() != Key::kVersions.key) in.fail_at("record type");
  if (!decode(in, 0, key)) return fail(prefixed_internal::cannot_decode(in, Key::kName, 0));
  return key;
}
template <class Value>
Result<Value> decode_value(ByteView bytes) {
  MessageReader in(bytes);
  Value value;
  const int16_t version = in.i16();
  if (!decode(in, version, value)) return fail(prefixed_internal::cannot_decode(in, Value::kName, version));
  return value;
}

}  // namespace leat
