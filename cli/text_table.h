// text_table.h: rows of words in aligned columns.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace leat::cli {

class TextTable {
 public:
  explicit TextTable(std::initializer_list<std::string> columns) { rows_.emplace_back(columns); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the names of the columns first
};

}  // namespace leat::cli
