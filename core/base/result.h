// result.h: Result<T>: a value or an Error; the only way in which our functions fail. No exceptions cross our
// interfaces.
//   TRY(header, read_header(file));   names the value, or returns the Error from the enclosing function
//   TRY(sync_dir(path));              the same for Result<void>
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "core/base/error.h"

namespace leat {

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

inline tl::unexpected<Error> fail(Errc code, std::string context) {
  return tl::unexpected<Error>(Error{code, std::move(context)});
}
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace leat

#define LEAT_TRY_VALUE(name, expression)                                      \
  auto name##_result = (expression);                                          \
  if (!name##_result) [[unlikely]]                                            \
    return ::tl::unexpected<::leat::Error>(std::move(name##_result).error()); \
  auto& name = *name##_result
#define LEAT_TRY_VOID(expression)                                            \
  do {                                                                       \
    if (auto try_result = (expression); !try_result) [[unlikely]]            \
      return ::tl::unexpected<::leat::Error>(std::move(try_result).error()); \
  } while (false)
#define LEAT_TRY_PICK(a, b, picked, ...) picked
#define TRY(...) LEAT_TRY_PICK(__VA_ARGS__, LEAT_TRY_VALUE, LEAT_TRY_VOID, unused)(__VA_ARGS__)
