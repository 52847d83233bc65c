// properties.h: the text of a Kafka-style properties file (java.util.Properties) as name and value with their lines.
//   line      := blank | ('#' | '!') comment | name separator value
//   separator := blanks, '=' or ':' with blanks round it
// A backslash at the end of a line continues it; \t \n \r \f \uXXXX \\ \= \: and the like are escapes. CRLF, a byte
// order mark and blanks at the end of a line are no part of it. Stricter than Java: a name with no separator is an
// error. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace leat {

struct Property {
  std::string name;
  std::string value;
  int line = 0;  // where it begins, from 1
};

// In the order of the file; a name may come twice. Errors say "line N: ...".
Result<std::vector<Property>> parse_properties(std::string_view text);

}  // namespace leat
