// tree.h: reads our own tree for the tidy rules: sources, build files, scripts and documents; no build trees, no test
// data.
#pragma once

#include <filesystem>
#include <vector>

#include "test/tidy/source_text.h"

namespace leat::tidy {

std::vector<SourceText> read_tree(const std::filesystem::path& top);  // sorted by path

}  // namespace leat::tidy
