// test_data.cpp: the one file that knows where the checkout is.
#include "test/support/test_data.h"

namespace leat {

std::string test_data_path(std::string_view name) { return std::string(LEAT_TEST_DATA "/").append(name); }

}  // namespace leat
