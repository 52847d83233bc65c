// message_json.h: a message in the JSON form that Kafka's own tools use: camelCase names; bytes and records in base64;
// ids as Uuid prints them; a tagged field at its default left out. Includes a heavy library: not for headers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/codec/field_sink.h"

namespace leat {

class JsonSink final : public FieldSink {
 public:
  nlohmann::json take() && { return std::move(root_); }

  bool begin_field(const Field& field) override;
  void begin_struct() override;
  void end_struct() override { open_.pop_back(); }
  bool on_nullable(bool has_value) override;
  size_t begin_array(size_t count) override;
  void end_array() override { open_.pop_back(); }

  void on_bool(bool& value) override { put() = value; }
  void on_i8(int8_t& value) override { put() = value; }
  void on_i16(int16_t& value) override { put() = value; }
  void on_u16(uint16_t& value) override { put() = value; }
  void on_i32(int32_t& value) override { put() = value; }
  void on_i64(int64_t& value) override { put() = value; }
  void on_f64(double& value) override { put() = value; }
  void on_uuid(Uuid& value) override { put() = value.to_string(); }
  void on_string(std::string& value) override { put() = value; }
  void on_bytes(Bytes& value) override;
  void on_records(Records& value) override;

 private:
  nlohmann::json& put();  // where the next value goes

  nlohmann::json root_;
  std::vector<nlohmann::json*> open_;  // objects and arrays being filled, outermost first
  std::string name_;                   // of the field being shown, when the innermost is an object
};

// By value: a sink could change the message, this one does not, and a copy costs nothing where JSON is wanted.
template <class Message>
nlohmann::json to_json(Message message, int16_t version) {
  JsonSink sink;
  MessageCodec<Message>::walk(message, version, sink);
  return std::move(sink).take();
}

}  // namespace leat
