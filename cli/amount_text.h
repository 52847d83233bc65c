// amount_text.h: amounts as people read them: three or four figures and a unit. Pure.
#pragma once

#include <string>

namespace leat::cli {

std::string rate_text(double per_s);   // "0", "1.5", "12345", "1.23 M"; never below 0
std::string bytes_text(double bytes);  // "512 B", "1.5 kB", "23.1 MB"

}  // namespace leat::cli
