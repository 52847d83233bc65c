// flags.h: how a command declares its flags: a narrow face of CLI11, so that three files include it. Targets must
// outlive the parse; a command keeps them in a struct that its action shares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace leat::cli {

enum class Need : uint8_t { kOptional, kRequired };

struct NumberRange {
  int64_t least = INT64_MIN;
  int64_t greatest = INT64_MAX;
  std::optional<int64_t> also = std::nullopt;  // a number beside the range, with a meaning of its own
};

class Flags {
 public:
  explicit Flags(CLI::App& app) noexcept : app_(app) {}

  // `names` as in "-p,--partitions"; `value` is the word that help shows for the value.
  void on_off(const std::string& names, bool& target, const std::string& help);
  void text(const std::string& names, const std::string& value, std::string& target, const std::string& help);
  void text(const std::string& names, const std::string& value, std::optional<std::string>& target,
            const std::string& help);
  void texts(const std::string& names, const std::string& value, std::vector<std::string>& target,
             const std::string& help);
  void number(const std::string& names, int64_t& target, NumberRange range, const std::string& help);
  void number(const std::string& names, std::optional<int64_t>& target, NumberRange range, const std::string& help);
  void numbers(const std::string& names, std::vector<int64_t>& target, NumberRange range, const std::string& help);
  void choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
              const std::string& help);

  // By their place; none is empty.
  void word(const std::string& name, std::string& target, Need need, const std::string& help);
  void choice_word(const std::string& name, std::string& target, const std::vector<std::string>& choices, Need need,
                   const std::string& help);
  void words(const std::string& name, std::vector<std::string>& target, Need need, const std::string& help);

 private:
  CLI::App& app_;
};

}  // namespace leat::cli
