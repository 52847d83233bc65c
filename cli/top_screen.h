// top_screen.h: a report of `leat top` as lines of text: on a terminal no more and no longer than it has room for,
// where there is none all of them. Names come from others: what a terminal could take for a command is replaced. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/top_report.h"

namespace leat::cli {

struct ScreenSize {
  size_t columns = 0;  // 0, as for rows: there is no end
  size_t rows = 0;
};

enum class LineStyle : uint8_t { kPlain, kTitle, kHeading, kTrouble, kHelp };

struct ScreenLine {
  std::string text;  // UTF-8, without control characters or line end
  LineStyle style = LineStyle::kPlain;
};

struct ScreenTexts {
  std::string address;  // whom we ask
  std::string status;   // what is wrong or awaited; "" where all is well
  TopOrder order = TopOrder::kLag;
};

// With an end to the rows the last one tells the keys, and the tables share the rows between: each keeps what it needs
// as long as the others have theirs, and says how many rows are left out.
std::vector<ScreenLine> render_screen(const Report& report, const ScreenTexts& texts, const ScreenSize& size);

// `text` without control characters, and with '?' for what is no UTF-8.
std::string printable(std::string_view text);
// Its first columns; '~' is the last where something is missing. A character counts as one column.
std::string cut_to(std::string_view text, size_t columns);

}  // namespace leat::cli
