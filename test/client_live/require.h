// require.h: how a live test says that something does not hold: with an exception, which ends the case that is running.
// Not for coroutines and callbacks, which no exception may leave: those note what they found.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <leat/pending.h>
#include <leat/result.h>

namespace leat::client_live {

class Failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void require(bool holds, const std::string& what) {
  if (!holds) throw Failed(what);
}

// The value of what must succeed.
template <class T>
T need(client::Result<T> result, const std::string& what) {
  if (!result) throw Failed(what + ": " + result.error().message());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}
template <class T>
T need(client::Pending<T> pending, const std::string& what) {
  return need(std::move(pending).wait(), what);
}

// The error of what must fail, with Kafka's name for it.
template <class T>
void need_error(const client::Result<T>& result, std::string_view name, const std::string& what) {
  if (result) throw Failed(what + ": succeeded, and should have failed with " + std::string(name));
  if (result.error().name() != name) {
    throw Failed(what + ": failed with " + result.error().message() + " and not with " + std::string(name));
  }
}

}  // namespace leat::client_live
