// flags.cpp: flags as CLI11's options, with checks that say in our words what is wrong with a value.
#include "cli/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string_view>

#include "cli/suggest.h"
#include "core/base/parse_int.h"

namespace leat::cli {
namespace {

using Check = std::function<std::string(const std::string&)>;  // what is wrong with a word; empty: nothing

std::string range_text(const NumberRange& range) {
  if (range.also) return fmt::format("{}, or {}", range_text({range.least, range.greatest}), *range.also);
  if (range.greatest != INT64_MAX) return fmt::format("a whole number from {} to {}", range.least, range.greatest);
  return range.least == INT64_MIN ? "a whole number" : fmt::format("a whole number, {} or more", range.least);
}

// Written as people write it: CLI11 would read 010 as 8.
Check number_in(const NumberRange& range) {
  return [range](const std::string& word) -> std::string {
    const bool has_plus = word.starts_with('+') && !word.starts_with("+-");
    const std::string_view text = std::string_view(word).substr(has_plus ? 1 : 0);
    const std::optional<int64_t> number = parse_int<int64_t>(text);
    const bool is_number = number && std::to_string(*number) == text;
    if (is_number && ((*number >= range.least && *number <= range.greatest) || range.also == number)) return {};
    return fmt::format("'{}' is not {}", word, range_text(range));
  };
}

// As a shell gives for a variable that is not set.
std::string not_empty(const std::string& word) { return word.empty() ? "an empty word names nothing" : ""; }

Check one_of(const std::vector<std::string>& choices) {
  return [choices](const std::string& word) -> std::string {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return {};
    return fmt::format("'{}' is none of {}{}", word, fmt::join(choices, ", "), did_you_mean(word, choices));
  };
}

}  // namespace

void Flags::on_off(const std::string& names, bool& target, const std::string& help) {
  app_.add_flag(names, target, help);
}

void Flags::text(const std::string& names, const std::string& value, std::string& target, const std::string& help) {
  app_.add_option(names, target, help)->type_name(value);
}
void Flags::text(const std::string& names, const std::string& value, std::optional<std::string>& target,
                 const std::string& help) {
  app_.add_option(names, target, help)->type_name(value);
}
void Flags::texts(const std::string& names, const std::string& value, std::vector<std::string>& target,
                  const std::string& help) {
  app_.add_option(names, target, help)->type_name(value)->take_all()->allow_extra_args(false);
}
void Flags::number(const std::string& names, int64_t& target, NumberRange range, const std::string& help) {
  app_.add_option(names, target, help)->type_name("N")->check(number_in(range))->capture_default_str();
}
void Flags::number(const std::string& names, std::optional<int64_t>& target, NumberRange range,
                   const std::string& help) {
  app_.add_option(names, target, help)->type_name("N")->check(number_in(range));
}
void Flags::numbers(const std::string& names, std::vector<int64_t>& target, NumberRange range,
                    const std::string& help) {
  app_.add_option(names, target, help)
      ->type_name("N")
      ->check(number_in(range))
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
}
void Flags::choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
                   const std::string& help) {
  app_.add_option(names, target, help)
      ->type_name(fmt::format("{}", fmt::join(choices, "|")))
      ->check(one_of(choices))
      ->capture_default_str();
}

void Flags::word(const std::string& name, std::string& target, Need need, const std::string& help) {
  app_.add_option(name, target, help)->type_name("")->check(not_empty)->required(need == Need::kRequired);
}
void Flags::choice_word(const std::string& name, std::string& target, const std::vector<std::string>& choices,
                        Need need, const std::string& help) {
  app_.add_option(name, target, help)
      ->type_name(fmt::format("{}", fmt::join(choices, "|")))
      ->check(one_of(choices))
      ->required(need == Need::kRequired);
}
void Flags::words(const std::string& name, std::vector<std::string>& target, Need need, const std::string& help) {
  app_.add_option(name, target, help)->type_name("")->check(not_empty)->required(need == Need::kRequired);
}

}  // namespace leat::cli
