// metrics_page.h: a snapshot as Prometheus text (format 0.0.4), by prometheus-cpp's own serializer. Every family is
// there from the first page on, also those without a value yet. docs/operations.md lists them; a test compares. Pure.
#pragma once

#include <string>

#include "server/metrics_snapshot.h"
#include "server/process_figures.h"

namespace leat {

inline constexpr const char* kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

std::string metrics_page(const MetricsSnapshot& snapshot, const ProcessFigures& process);

}  // namespace leat
