// golden.h: test/data/protocol/golden, made by Apache Kafka 4.4.0's own classes: bytes of every message at every
// version in several variants, and the values that Kafka reads from them. The README of that folder says what the
// variants are.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/codec/any_message.h"

namespace leat {

struct GoldenLine {
  const MessageType* type = nullptr;
  int16_t version = 0;
  std::string variant;  // def, full, null, nullin, edge, utag
  std::vector<uint8_t> bytes;
  nlohmann::json values;  // of a utag line: those of the full line, for unknown tagged fields are not kept

  std::string label() const;
};

const std::vector<GoldenLine>& golden_lines();  // all of them; read once

std::vector<uint8_t> from_hex(std::string_view hex);
std::string to_hex(ByteView bytes);
std::vector<std::string> lines_of(const std::string& path_in_test_data);

// A block of its own, so that ASan sees each step beyond the end of what was given.
Slice exact_slice(ByteView bytes);

}  // namespace leat
