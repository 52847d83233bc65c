// arguments.cpp: see arguments.h.
#include "test/client_live/arguments.h"

#include <charconv>

#include "test/client_live/require.h"

namespace leat::client_live {

Arguments::Arguments(int argc, char** argv) {
  require(argc > 1, "usage: leat_client_live COMMAND [--name value]...");
  command_ = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    require(name.starts_with("--") && i + 1 < argc, "'" + name + "' is no --name with a value behind it");
    values_[name.substr(2)] = argv[i + 1];
  }
}

std::string Arguments::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

std::string Arguments::text(const std::string& name) const {
  require(has(name), command_ + " needs --" + name);
  return values_.at(name);
}

int64_t Arguments::number(const std::string& name, int64_t otherwise) const {
  if (!has(name)) return otherwise;
  const std::string& value = values_.at(name);
  int64_t parsed = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  require(error == std::errc() && end == value.data() + value.size(), "--" + name + " '" + value + "' is no number");
  return parsed;
}

}  // namespace leat::client_live
