// table.cpp: see table.h.
#include "benchmarks/client/table.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "benchmarks/report/row_report.h"

namespace leat::bench {
namespace {

std::string padded(std::string text, size_t columns) {
  if (text.size() < columns) text.resize(columns, ' ');
  return text;
}

double median_of(const std::map<std::string, std::vector<double>>& values, const std::string& figure) {
  const auto found = values.find(figure);
  if (found == values.end()) return 0;
  std::vector<double> sorted = found->second;
  std::sort(sorted.begin(), sorted.end());
  return median(sorted);
}

std::string two_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

bool reaches(const Asked& asked, double ratio, double bound) {
  return asked.better == Asked::Better::kMore ? ratio >= bound : ratio <= bound;
}

std::string verdict(const Asked& asked, double ratio) {
  const std::string sign = asked.better == Asked::Better::kMore ? ">= " : "<= ";
  std::string text;
  if (asked.goal > 0) text += "  goal " + sign + two_digits(asked.goal);
  if (asked.least > 0) text += "  least " + sign + two_digits(asked.least);
  if (text.empty()) return text;
  if (asked.goal > 0 && reaches(asked, ratio, asked.goal)) return text + "  goal reached";
  if (asked.least > 0) return text + (reaches(asked, ratio, asked.least) ? "  done" : "  NOT DONE");
  return text + "  goal not reached";
}

}  // namespace

void ContenderTable::add(const std::string& row, const std::vector<Asked>& asked, const std::string& contender,
                         const std::string& figure, double value) {
  auto found = std::find_if(rows_.begin(), rows_.end(), [&row](const Row& known) { return known.name == row; });
  if (found == rows_.end()) found = rows_.insert(rows_.end(), Row{.name = row, .asked = asked, .values = {}});
  found->values[contender][figure].push_back(value);
}

std::string ContenderTable::line(const Row& row, const Asked& asked, const std::string& contender) {
  const auto found = row.values.find(contender);
  if (found == row.values.end()) return "";
  const auto figures = found->second.find(asked.figure);
  if (figures == found->second.end()) return "";
  const auto [least, most] = std::minmax_element(figures->second.begin(), figures->second.end());
  const double value = median_of(found->second, asked.figure);
  std::string text = "  " + padded(asked.words, 30) + padded(contender, 14) + padded(readable(value), 12);
  text += padded("[" + readable(*least) + " " + readable(*most) + "]", 26);
  const auto peer = row.values.find(kPeer);
  if (contender == kPeer || peer == row.values.end()) return text + "\n";
  const double peer_value = median_of(peer->second, asked.figure);
  if (peer_value <= 0) return text + "\n";
  const double ratio = value / peer_value;
  return text + two_digits(ratio) + " x" + verdict(asked, ratio) + "\n";
}

std::string ContenderTable::to_text() const {
  std::string text;
  for (const Row& row : rows_) {
    text += row.name + "\n";
    for (const Asked& asked : row.asked) {
      for (const std::string& contender : contenders_) text += line(row, asked, contender);
    }
  }
  return text;
}

}  // namespace leat::bench
