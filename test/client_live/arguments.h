// arguments.h: the command line of leat_client_live: a command, then pairs of --name and value. The script that gives
// them is run.py; what each command takes stands at its function in commands.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace leat::client_live {

class Arguments {
 public:
  Arguments(int argc, char** argv);  // throws Failed with what is wrong

  const std::string& command() const noexcept { return command_; }
  bool has(const std::string& name) const { return values_.contains(name); }
  std::string text(const std::string& name, const std::string& otherwise) const;
  std::string text(const std::string& name) const;  // throws Failed where it is missing
  int64_t number(const std::string& name, int64_t otherwise) const;

 private:
  std::string command_;
  std::map<std::string, std::string> values_;
};

}  // namespace leat::client_live
