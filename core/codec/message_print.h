// message_print.h: a message in one line for the debug log, cut where it gets long: {groupId: "g", members: [{...},
// ...]}. Bytes and records show only their size; fields at their default are left out.
#pragma once

#include <string>
#include <string_view>

#include "core/codec/field_sink.h"

namespace leat {

class PrintSink final : public FieldSink {
 public:
  explicit PrintSink(size_t size_max) : size_max_(size_max) {}
  std::string take() &&;

  bool begin_field(const Field& field) override;
  void begin_struct() override;
  void end_struct() override { close('}'); }
  bool on_nullable(bool has_value) override;
  size_t begin_array(size_t count) override;
  void end_array() override { close(']'); }

  void on_bool(bool& value) override { put(value ? "true" : "false"); }
  void on_i8(int8_t& value) override { put(std::to_string(value)); }
  void on_i16(int16_t& value) override { put(std::to_string(value)); }
  void on_u16(uint16_t& value) override { put(std::to_string(value)); }
  void on_i32(int32_t& value) override { put(std::to_string(value)); }
  void on_i64(int64_t& value) override { put(std::to_string(value)); }
  void on_f64(double& value) override { put(std::to_string(value)); }
  void on_uuid(Uuid& value) override { put(value.to_string()); }
  void on_string(std::string& value) override;
  void on_bytes(Bytes& value) override { put(std::to_string(value.size()) + " bytes"); }
  void on_records(Records& value) override { put(std::to_string(value.size()) + " bytes"); }

 private:
  bool full() const noexcept { return text_.size() >= size_max_; }
  void put(std::string_view value);
  void separate();
  void close(char bracket);

  size_t size_max_;
  std::string text_;
};

template <class Message>
std::string debug_text(Message message, int16_t version, size_t size_max = 500) {
  PrintSink sink(size_max);
  MessageCodec<Message>::walk(message, version, sink);
  return std::string(Message::kName) + " v" + std::to_string(version) + " " + std::move(sink).take();
}

}  // namespace leat
