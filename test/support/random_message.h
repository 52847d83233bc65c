// random_message.h: fills a message with random values that its version can carry: RandomSink is a FieldSink, so
// message->walk(version, sink) is all there is to do. The same seed gives the same message.
#pragma once

#include <iterator>
#include <limits>

#include "core/base/random.h"
#include "core/codec/field_sink.h"

namespace leat {

class RandomSink final : public FieldSink {
 public:
  explicit RandomSink(Random& random) : random_(random) {}

  bool on_nullable(bool) override { return !random_.one_in(4); }
  // Smaller the deeper it is, so that a message stays small.
  size_t begin_array(size_t) override {
    const size_t count_max = depth_ == 0 ? 4 : depth_ == 1 ? 3 : 2;
    ++depth_;
    return random_.below(count_max + 1);
  }
  void end_array() override { --depth_; }

  void on_bool(bool& value) override { value = random_.one_in(2); }
  void on_i8(int8_t& value) override { value = number<int8_t>(); }
  void on_i16(int16_t& value) override { value = number<int16_t>(); }
  void on_u16(uint16_t& value) override { value = number<uint16_t>(); }
  void on_i32(int32_t& value) override { value = number<int32_t>(); }
  void on_i64(int64_t& value) override { value = number<int64_t>(); }
  void on_f64(double& value) override { value = static_cast<double>(number<int32_t>()) / 8; }
  void on_uuid(Uuid& value) override {
    if (!random_.one_in(4)) value = Uuid::make(random_);
  }
  void on_string(std::string& value) override {
    static constexpr std::string_view kPieces[] = {"a", "topic-", "_", "\xc3\xa9", "\xe6\xb6\x88", "\xf0\x9f\x9a\x80",
                                                   "0"};
    value.clear();
    for (size_t left = size(); left > 0; --left) value += kPieces[random_.below(std::size(kPieces))];
  }
  void on_bytes(Bytes& value) override {
    value.resize(size());
    for (uint8_t& byte : value) byte = static_cast<uint8_t>(random_.next());
  }
  // In one to three slices, now and then large enough to be encoded by reference.
  void on_records(Records& value) override {
    value = Records();
    for (size_t left = random_.below(4); left > 0; --left) {
      Bytes bytes(random_.one_in(3) ? 1000 + size() : size());
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_.next());
      value.append(Slice::copy_of(bytes));
    }
  }

 private:
  size_t size() { return random_.one_in(8) ? random_.below(400) : random_.below(12); }

  template <class Int>
  Int number() {
    switch (random_.below(4)) {
      case 0:
        return static_cast<Int>(random_.below(3));
      case 1:
        return std::numeric_limits<Int>::min();
      case 2:
        return std::numeric_limits<Int>::max();
      default:
        return static_cast<Int>(random_.next());
    }
  }

  Random& random_;
  int depth_ = 0;
};

}  // namespace leat
