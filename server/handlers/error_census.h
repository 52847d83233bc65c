// error_census.h: finds every error code in a response, wherever its description has one: another visitor of the
// schema, like encode and decode. Fields of other types, and lists that hold no error code, cost nothing. Tagged fields
// are left out: Kafka has no error code there.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

template <class Note>
class ErrorCensus {
 public:
  explicit ErrorCensus(Note note) : note_(std::move(note)) {}

  template <class T>
  void field(const char* /*name*/, const T& value, FieldSpec /*spec*/ = {}) {
    look(value);
  }
  template <class T, class D>
  void field(const char* /*name*/, const T& value, FieldSpec /*spec*/, const D& /*default_value*/) {
    look(value);
  }

 private:
  template <class T>
  void look(const T& value) {
    if constexpr (requires { T::visit(value, *this); }) T::visit(value, *this);
  }
  void look(ErrorCode code) {
    if (code != ErrorCode::kNone) note_(code);
  }
  template <class T>
  void look(const std::optional<T>& value) {
    if (value) look(*value);
  }
  template <class T>
  void look(const std::vector<T>& values) {
    if constexpr (std::is_class_v<T> || std::is_same_v<T, ErrorCode>) {
      for (const T& value : values) look(value);
    }
  }

  Note note_;
};

// note(ErrorCode) for each code that is not kNone.
template <class Response, class Note>
void for_each_error(const Response& response, Note note) {
  ErrorCensus<Note> census(std::move(note));
  Response::visit(response, census);
}

}  // namespace leat
