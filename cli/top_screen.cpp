// top_screen.cpp: three tables, of brokers, topics and groups, under a head of three lines.
#include "cli/top_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "cli/amount_text.h"
#include "cli/moment.h"
#include "core/codec/utf8.h"

namespace leat::cli {
namespace {

constexpr size_t kNameColumnsMin = 12;
constexpr std::string_view kFirstPrintable = "\xC2\xA0";  // behind the control characters beyond ASCII
constexpr std::string_view kKeys = "q quit   sort: l lag  r records/s  b bytes/s  s size  n name";

bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

size_t columns_of(std::string_view text) noexcept {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

// Columns of words: the first of them on the left, the figures behind on the right.
struct Table {
  size_t left_count;
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
};

std::vector<size_t> widths_of(const Table& table) {
  std::vector<size_t> widths;
  for (const std::string& cell : table.heading) widths.push_back(columns_of(cell));
  for (const auto& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
}

std::string laid_out(const std::vector<std::string>& row, const std::vector<size_t>& widths, size_t left_count) {
  std::string text;
  for (size_t i = 0; i < row.size(); ++i) {
    const std::string cell = cut_to(row[i], widths[i]);
    const std::string blanks(widths[i] - columns_of(cell), ' ');
    if (i > 0) text += "  ";
    text += i < left_count ? cell + blanks : blanks + cell;
  }
  return text;
}

// Names give way when there is not room for all; what is still too long is cut.
std::vector<ScreenLine> lines_of(const Table& table, size_t columns) {
  std::vector<size_t> widths = widths_of(table);
  const size_t all = std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
  if (columns > 0 && all > columns) {
    const size_t excess = all - columns;
    widths[0] = widths[0] > excess + kNameColumnsMin ? widths[0] - excess : std::min(widths[0], kNameColumnsMin);
  }
  std::vector<ScreenLine> lines;
  lines.push_back({.text = laid_out(table.heading, widths, table.left_count), .style = LineStyle::kHeading});
  for (const auto& row : table.rows) {
    lines.push_back({.text = laid_out(row, widths, table.left_count), .style = LineStyle::kPlain});
  }
  return lines;
}

std::string or_dash(const std::optional<double>& per_s) { return per_s ? rate_text(*per_s) : "-"; }

std::string change_text(const std::optional<double>& per_s) {
  if (!per_s) return "-";
  const std::string text = rate_text(std::abs(*per_s));
  return text == "0" ? text : (*per_s < 0 ? "-" : "+") + text;
}

std::string bytes_or_dash(const std::optional<int64_t>& bytes) {
  return bytes ? bytes_text(static_cast<double>(*bytes)) : "-";
}

std::string bytes_rate_or_dash(const std::optional<double>& per_s) { return per_s ? bytes_text(*per_s) : "-"; }

Table brokers_table(const Report& report) {
  const bool has_sizes = std::any_of(report.brokers.begin(), report.brokers.end(),
                                     [](const BrokerRow& row) { return row.log_bytes.has_value(); });
  Table table{.left_count = 2, .heading = {"BROKER", "ADDRESS", "LEADERS"}, .rows = {}};
  if (has_sizes) table.heading.emplace_back("LOGS");
  for (const BrokerRow& row : report.brokers) {
    std::vector<std::string> cells{fmt::format("{}{}", row.node_id, row.is_controller ? " (controller)" : ""),
                                   printable(row.address), std::to_string(row.leader_count)};
    if (has_sizes) cells.push_back(bytes_or_dash(row.log_bytes));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table topics_table(const Report& report) {
  const bool has_sizes = report.total.size_bytes.has_value();
  Table table{.left_count = 1, .heading = {"TOPIC", "PARTITIONS", "RECORDS/S"}, .rows = {}};
  if (has_sizes) table.heading.emplace_back("BYTES/S");
  if (has_sizes) table.heading.emplace_back("SIZE");
  for (const TopicRow& row : report.topics) {
    std::vector<std::string> cells{printable(row.name), std::to_string(row.partition_count),
                                   or_dash(row.records_per_s)};
    if (has_sizes) cells.push_back(bytes_rate_or_dash(row.bytes_per_s));
    if (has_sizes) cells.push_back(bytes_or_dash(row.size_bytes));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table groups_table(const Report& report) {
  Table table{.left_count = 2, .heading = {"GROUP", "STATE", "LAG", "LAG/S", "COMMITTED/S"}, .rows = {}};
  for (const GroupRow& row : report.groups) {
    table.rows.push_back({printable(row.name), row.state.empty() ? "-" : printable(row.state), std::to_string(row.lag),
                          change_text(row.lag_per_s), or_dash(row.committed_per_s)});
  }
  return table;
}

std::string counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::vector<ScreenLine> head_of(const Report& report, const ScreenTexts& texts) {
  constexpr size_t kTimeBegin = 11;  // of 2026-01-31T12:00:00.000Z
  constexpr size_t kTimeSize = 8;
  std::string title = fmt::format("leat top  {}  {} UTC", printable(texts.address),
                                  format_moment(report.wall_ms).substr(kTimeBegin, kTimeSize));
  if (!report.cluster_id.empty()) title += fmt::format("  cluster {}", printable(report.cluster_id));
  std::string counts = fmt::format(
      "{}, {}, {}, {}", counted(report.brokers.size(), "broker"), counted(report.topics.size(), "topic"),
      counted(static_cast<size_t>(report.total.partition_count), "partition"), counted(report.groups.size(), "group"));
  if (report.connections) counts += ", " + counted(static_cast<size_t>(*report.connections), "connection");
  std::string sums = fmt::format("records/s {}", or_dash(report.total.records_per_s));
  if (report.total.size_bytes) {
    sums += fmt::format("  bytes/s {}  size {}", bytes_rate_or_dash(report.total.bytes_per_s),
                        bytes_or_dash(report.total.size_bytes));
  }
  sums += fmt::format("  lag {}", report.lag);
  if (report.lag_per_s) sums += fmt::format(" ({}/s)", change_text(report.lag_per_s));
  std::vector<ScreenLine> lines;
  lines.push_back({.text = std::move(title), .style = LineStyle::kTitle});
  lines.push_back({.text = std::move(counts), .style = LineStyle::kPlain});
  lines.push_back({.text = std::move(sums), .style = LineStyle::kPlain});
  if (!texts.status.empty()) lines.push_back({.text = printable(texts.status), .style = LineStyle::kTrouble});
  for (const std::string& trouble : report.troubles) {
    lines.push_back({.text = printable(trouble), .style = LineStyle::kTrouble});
  }
  return lines;
}

// How many lines each gets: the shortest first, so that what it leaves goes to the others.
std::array<size_t, 3> shared_out(const std::array<size_t, 3>& wanted, size_t room) {
  std::array<size_t, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&wanted](size_t a, size_t b) { return wanted[a] < wanted[b]; });
  std::array<size_t, 3> given{};
  size_t left = order.size();
  for (const size_t i : order) {
    given[i] = std::min(wanted[i], room / left);
    room -= given[i];
    --left;
  }
  return given;
}

// The last line of a table that is too long says how much is missing.
void append_cut(std::vector<ScreenLine>& screen, std::vector<ScreenLine> lines, size_t room) {
  if (lines.size() > room && room > 1) {
    const size_t hidden = lines.size() - (room - 1);
    lines.resize(room - 1);
    lines.push_back({.text = fmt::format("... {} more", hidden), .style = LineStyle::kHelp});
  }
  lines.resize(std::min(lines.size(), room));
  for (ScreenLine& line : lines) screen.push_back(std::move(line));
}

void append_tables(std::vector<ScreenLine>& screen, const Report& report, const ScreenSize& size) {
  std::array<std::vector<ScreenLine>, 3> tables;
  tables[0] = lines_of(brokers_table(report), size.columns);
  tables[1] = lines_of(topics_table(report), size.columns);
  tables[2] = lines_of(groups_table(report), size.columns);
  constexpr size_t kAround = 4;  // an empty line before each table, and the keys
  std::array<size_t, 3> room{};
  for (size_t i = 0; i < tables.size(); ++i) {
    if (tables[i].size() == 1) tables[i].clear();  // nothing but the heading: no groups, say
    room[i] = tables[i].size();
  }
  if (size.rows > 0) {
    const size_t taken = screen.size() + kAround;
    room = shared_out(room, size.rows > taken ? size.rows - taken : 0);
  }
  for (size_t i = 0; i < tables.size(); ++i) {
    if (room[i] == 0) continue;
    screen.emplace_back();
    append_cut(screen, std::move(tables[i]), room[i]);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  for (size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    size_t size = 1;
    while (first >= 0x80 && at + size < text.size() && size < 4 && continues(text[at + size])) ++size;
    const std::string_view character = text.substr(at, size);
    const bool is_control = first < 0x20 || first == 0x7F || (first == 0xC2 && size > 1 && character < kFirstPrintable);
    if (!is_control && is_utf8(as_bytes(character))) {
      clean += character;
    } else {
      clean += '?';
    }
    at += size;
  }
  return clean;
}

std::string cut_to(std::string_view text, size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  size_t end = 0;
  for (size_t seen = 0; end < text.size(); ++end) {
    if (!continues(text[end]) && ++seen == columns) break;
  }
  return std::string(text.substr(0, end)) + "~";
}

std::vector<ScreenLine> render_screen(const Report& report, const ScreenTexts& texts, const ScreenSize& size) {
  std::vector<ScreenLine> screen = head_of(report, texts);
  append_tables(screen, report, size);
  if (size.rows > 0) {
    screen.resize(std::min(screen.size(), size.rows - 1));
    while (screen.size() + 1 < size.rows) screen.emplace_back();
    screen.push_back({.text = fmt::format("{}   now by {}", kKeys, to_string(texts.order)), .style = LineStyle::kHelp});
  }
  for (ScreenLine& line : screen) {
    if (size.columns > 0) line.text = cut_to(line.text, size.columns);
    while (line.text.ends_with(' ')) line.text.pop_back();
  }
  return screen;
}

}  // namespace leat::cli
