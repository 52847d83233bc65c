// result.h: a value or an Error. To look at the wrong one of the two ends the program with the error's words: test
// first.
//   if (!topics) return report(topics.error());
//   for (const TopicInfo& topic : *topics) ...
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <leat/error.h>

namespace leat::client {

namespace detail {
[[noreturn]] void no_value(const Error& error) noexcept;
[[noreturn]] void no_error() noexcept;
}  // namespace detail

template <class T = void>
class [[nodiscard]] Result {
 public:
  // From a value or an error, without a word, so that functions can return either.
  template <class U = T,
            class = std::enable_if_t<std::is_constructible_v<T, U&&> && !std::is_same_v<std::decay_t<U>, Result> &&
                                     !std::is_same_v<std::decay_t<U>, Error>>>
  Result(U&& value) : content_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& operator*() & noexcept { return *get(); }
  const T& operator*() const& noexcept { return *const_cast<Result*>(this)->get(); }
  T&& operator*() && noexcept { return std::move(*get()); }
  T* operator->() noexcept { return get(); }
  const T* operator->() const noexcept { return const_cast<Result*>(this)->get(); }
  Error& error() & noexcept { return *get_error(); }
  const Error& error() const& noexcept { return *const_cast<Result*>(this)->get_error(); }
  Error&& error() && noexcept { return std::move(*get_error()); }

 private:
  T* get() noexcept {
    if (T* const value = std::get_if<0>(&content_)) return value;
    detail::no_value(*std::get_if<1>(&content_));
  }
  Error* get_error() noexcept {
    if (Error* const error = std::get_if<1>(&content_)) return error;
    detail::no_error();
  }

  std::variant<T, Error> content_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  const Error& error() const& noexcept {
    if (!error_) detail::no_error();
    return *error_;
  }
  Error&& error() && noexcept {
    if (!error_) detail::no_error();
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace leat::client
