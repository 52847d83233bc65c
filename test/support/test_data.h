// test_data.h: where the files in test/data are.
#pragma once

#include <string>
#include <string_view>

namespace leat {

// The path of `name`, as "protocol/golden", below test/data.
std::string test_data_path(std::string_view name);

}  // namespace leat
