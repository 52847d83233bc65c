// message_json.cpp: the JSON sink, and base64 with padding.
#include "core/codec/message_json.h"

namespace leat {
namespace {

std::string base64(const std::vector<uint8_t>& bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? bytes[i + k] : 0);
    for (size_t k = 0; k < 4; ++k) text.push_back(k <= count ? kDigits[bits >> (18 - 6 * k) & 63] : '=');
  }
  return text;
}

void append_slice(std::vector<uint8_t>& bytes, const Slice& slice) {
  bytes.insert(bytes.end(), slice.data(), slice.data() + slice.size());
}

}  // namespace

nlohmann::json& JsonSink::put() {
  if (open_.empty()) return root_;
  nlohmann::json& inner = *open_.back();
  if (inner.is_object()) return inner[name_];
  inner.push_back(nullptr);
  return inner.back();
}

bool JsonSink::begin_field(const Field& field) {
  if (!field.present || (field.tag >= 0 && field.at_default)) return false;
  name_ = field.name;
  return true;
}

void JsonSink::begin_struct() {
  nlohmann::json& place = put();
  place = nlohmann::json::object();
  open_.push_back(&place);
}

bool JsonSink::on_nullable(bool has_value) {
  if (!has_value) put() = nullptr;
  return has_value;
}

size_t JsonSink::begin_array(size_t count) {
  nlohmann::json& place = put();
  place = nlohmann::json::array();
  open_.push_back(&place);
  return count;
}

void JsonSink::on_bytes(Bytes& value) { put() = base64(value); }

void JsonSink::on_records(Records& value) {
  std::vector<uint8_t> bytes;
  append_slice(bytes, value.first());
  for (const Piece& piece : value.more()) append_slice(bytes, piece.bytes());
  put() = base64(bytes);
}

}  // namespace leat
