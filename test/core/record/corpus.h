// corpus.h: the golden batches and tables in test/data/batches, made by Apache Kafka 4.4.0's own classes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace leat::test {

using Bytes = std::vector<uint8_t>;

Bytes from_hex(std::string_view hex);
std::string to_hex(const Bytes& bytes);
Bytes batch_bytes(const std::string& name);  // test/data/batches/<name>.hex
std::vector<std::string> batch_names();      // all of them, sorted

using Row = std::vector<std::string>;
std::vector<std::string> split(std::string_view text, char separator);
// Rows without comments and the line of column names.
std::vector<Row> table(const std::string& file);

}  // namespace leat::test
