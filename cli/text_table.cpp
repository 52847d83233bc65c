// text_table.cpp: widths are counted in bytes, which is right for what Kafka's names may hold.
#include "cli/text_table.h"

#include <algorithm>

namespace leat::cli {

std::string TextTable::to_string() const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] - row[i].size() + 2, ' ');
    }
    while (text.ends_with(' ')) text.pop_back();  // of cells that are empty at the end of a row
    text += '\n';
  }
  return text;
}

}  // namespace leat::cli
