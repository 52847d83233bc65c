// delivery.h: how a producer tells what became of a record. A DeliveryCallback is any callable that takes a
// `const DeliveryReport&`; what fits in 16 bytes and can be copied bit by bit (a pointer or two) is kept where the
// batch keeps it, anything else on the heap.
#pragma once

#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include <leat/error.h>

namespace leat::client {

struct DeliveryReport {
  const Error* error = nullptr;     // null: delivered, as `acks` says
  std::string_view topic;           // valid in the callback only, as is *error
  int32_t partition = -1;           // -1: it never came to be in one
  int64_t offset = -1;              // -1: not known, as with acks = 0
  int64_t log_append_time_ms = -1;  // where the topic has LogAppendTime
  int32_t batch_index = 0;          // of the record in its batch: the first of each is 0

  bool ok() const noexcept { return error == nullptr; }
};

namespace detail {
class ProducerBatch;

struct OutcomePlace {  // where a batch keeps a callback
  ProducerBatch* batch = nullptr;
  uint32_t index = 0;
};
}  // namespace detail

class DeliveryCallback {
 public:
  DeliveryCallback() noexcept = default;
  template <class Callable, class = std::enable_if_t<std::is_invocable_v<Callable&, const DeliveryReport&>>>
  DeliveryCallback(Callable callable) {  // without a word: a lambda is what one writes
    if constexpr (fits<Callable>()) {
      new (storage_) Callable(callable);
      act_ = [](Act act, unsigned char* storage, const void* argument) {
        if (act == Act::kReport) {
          Callable called = *std::launder(reinterpret_cast<Callable*>(storage));
          called(*static_cast<const DeliveryReport*>(argument));
        }
      };
    } else {
      auto* const kept = new Callable(std::move(callable));
      std::memcpy(storage_, &kept, sizeof kept);
      act_ = [](Act act, unsigned char* storage, const void* argument) {
        Callable* called = nullptr;
        std::memcpy(&called, storage, sizeof called);
        if (act == Act::kMoved) return;
        if (act == Act::kReport) (*called)(*static_cast<const DeliveryReport*>(argument));
        delete called;
      };
    }
  }
  DeliveryCallback(DeliveryCallback&& other) noexcept : act_(std::exchange(other.act_, nullptr)) {
    std::memcpy(storage_, other.storage_, sizeof storage_);
  }
  DeliveryCallback& operator=(DeliveryCallback&& other) noexcept {
    if (this == &other) return *this;
    drop();
    act_ = std::exchange(other.act_, nullptr);
    std::memcpy(storage_, other.storage_, sizeof storage_);
    return *this;
  }
  ~DeliveryCallback() { drop(); }

  explicit operator bool() const noexcept { return act_ != nullptr; }
  void report(const DeliveryReport& delivery) {  // once: it is empty afterwards
    if (auto* const act = std::exchange(act_, nullptr)) act(Act::kReport, storage_, &delivery);
  }
  void drop() noexcept {
    if (auto* const act = std::exchange(act_, nullptr)) act(Act::kDrop, storage_, nullptr);
  }

 private:
  friend detail::ProducerBatch;
  friend class SendOperation;

  enum class Act : uint8_t { kReport, kDrop, kMoved };
  using ActOn = void (*)(Act act, unsigned char* storage, const void* argument);

  // The awaitable's: told as well when the callback moves to another batch.
  DeliveryCallback(ActOn act, void* target) noexcept : act_(act) { std::memcpy(storage_, &target, sizeof target); }
  void moved_to(const detail::OutcomePlace& place) {
    if (act_ != nullptr) act_(Act::kMoved, storage_, &place);
  }
  template <class Callable>
  static constexpr bool fits() noexcept {
    return sizeof(Callable) <= kStorageBytes && alignof(Callable) <= alignof(void*) &&
           std::is_trivially_copyable_v<Callable> && std::is_trivially_destructible_v<Callable>;
  }

  static constexpr size_t kStorageBytes = 16;
  ActOn act_ = nullptr;
  alignas(void*) unsigned char storage_[kStorageBytes];
};
static_assert(sizeof(DeliveryCallback) == 24, "a million of them are waiting");

}  // namespace leat::client
