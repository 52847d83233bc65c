// corpus.cpp: reads the tables; a missing file fails the test that asks for it.
#include "test/core/record/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/base/parse_int.h"
#include "test/support/catch.h"
#include "test/support/test_data.h"

namespace leat::test {
namespace {

std::filesystem::path directory() { return std::filesystem::path(test_data_path("batches")); }

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  INFO(path.string());
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    const std::optional<uint8_t> byte = parse_int<uint8_t>(hex.substr(i, 2), 16);
    if (!byte) FAIL("not hex: " << hex.substr(i, 2));
    bytes.push_back(*byte);
  }
  return bytes;
}

std::string to_hex(const Bytes& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const uint8_t byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

Bytes batch_bytes(const std::string& name) {
  std::string hex = read_text(directory() / (name + ".hex"));
  hex.erase(std::remove(hex.begin(), hex.end(), '\n'), hex.end());
  return from_hex(hex);
}

std::vector<std::string> batch_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory())) {
    if (entry.path().extension() == ".hex") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<Row> table(const std::string& file) {
  std::vector<Row> rows;
  bool names_seen = false;
  for (const std::string& line : split(read_text(directory() / file), '\n')) {
    if (line.starts_with('#') || (line.empty() && names_seen)) continue;
    if (names_seen) rows.push_back(split(line, '\t'));
    names_seen = true;
  }
  REQUIRE(!rows.empty());
  return rows;
}

}  // namespace leat::test
