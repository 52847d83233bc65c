// top_json.h: a report of `leat top` as one JSON object: what could not be had, and rates without a sample before, are
// null. Pure.
#pragma once

#include <string>

#include "cli/top_report.h"

namespace leat::cli {

std::string report_json(const Report& report);  // with a line end

}  // namespace leat::cli
