// golden.cpp: reads the golden files.
#include "test/net/protocol/golden.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "core/base/check.h"
#include "core/coordinator/record_types.h"
#include "net/protocol/message_types.h"
#include "test/support/test_data.h"

namespace leat {
namespace {

const MessageType* find_type(std::string_view name) {
  if (const MessageType* type = find_message_type(name)) return type;
  for (const MessageType& type : record_types()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

// "18-ApiVersions" and "request": ApiVersionsRequest. "R-embedded" and "EndTxnMarker": EndTxnMarker.
std::string message_name(const std::string& file, const std::string& kind) {
  if (file.starts_with("R-")) return kind;
  return file.substr(file.find('-') + 1) + (kind == "request" ? "Request" : "Response");
}

std::vector<GoldenLine> read_file(const std::filesystem::path& path) {
  const std::string file = path.stem();
  std::map<std::tuple<std::string, int, std::string>, nlohmann::json> values;
  for (const std::string& text : lines_of("protocol/golden/" + file + ".jsonl")) {
    nlohmann::json line = nlohmann::json::parse(text);
    values[{line["kind"], line["version"], line["variant"]}] = std::move(line["json"]);
  }
  std::vector<GoldenLine> lines;
  for (const std::string& text : lines_of("protocol/golden/" + file + ".txt")) {
    std::istringstream words(text);
    GoldenLine line;
    std::string kind;
    std::string hex;
    words >> kind >> line.version >> line.variant >> hex;
    line.type = find_type(message_name(file, kind));
    ENSURE(line.type != nullptr, "no message for {} {}", file, kind);
    line.bytes = hex == "-" ? std::vector<uint8_t>{} : from_hex(hex);
    line.values = values.at({kind, line.version, line.variant == "utag" ? "full" : line.variant});
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::string GoldenLine::label() const {
  return std::string(type->name) + " v" + std::to_string(version) + " " + variant;
}

const std::vector<GoldenLine>& golden_lines() {
  static const std::vector<GoldenLine> all = [] {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(test_data_path("protocol/golden"))) {
      if (entry.path().extension() == ".txt" && entry.path().stem() != "headers") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<GoldenLine> lines;
    for (const std::filesystem::path& path : paths) {
      for (GoldenLine& line : read_file(path)) lines.push_back(std::move(line));
    }
    return lines;
  }();
  return all;
}

std::vector<uint8_t> from_hex(std::string_view hex) {
  const auto digit = [](char c) { return static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  }
  return bytes;
}

std::string to_hex(ByteView bytes) {
  std::string hex;
  for (const uint8_t byte : bytes) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

std::vector<std::string> lines_of(const std::string& path_in_test_data) {
  std::ifstream in(test_data_path(path_in_test_data));
  ENSURE(in.is_open(), "{}", path_in_test_data);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

Slice exact_slice(ByteView bytes) { return Slice::copy_of(bytes); }

}  // namespace leat
