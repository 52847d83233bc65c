// environment.h: variables of the environment for one test, put back at its end. Thread: one; nothing else may read the
// environment meanwhile.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace leat::test {

class EnvironmentVariable {
 public:
  EnvironmentVariable(std::string name, const std::optional<std::string>& value) : name_(std::move(name)) {
    if (const char* const was = std::getenv(name_.c_str())) before_ = was;
    set(value);
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
  ~EnvironmentVariable() { set(before_); }

  void set(const std::optional<std::string>& value) {  // none: it is not there
    if (value) {
      (void)::setenv(name_.c_str(), value->c_str(), 1);
    } else {
      (void)::unsetenv(name_.c_str());
    }
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace leat::test
