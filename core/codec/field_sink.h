// field_sink.h: the one interface through which everything that is not hot sees a message: JSON, debug print, random
// values, the tests. MessageCodec<Message>::walk shows each field of a version to a FieldSink; a sink may also change
// values and sizes, so that one walk serves those who read and those who write. Being virtual it keeps the templates of
// each message few.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/uuid.h"
#include "core/codec/records.h"
#include "core/codec/schema.h"

namespace leat {

class FieldSink {
 public:
  struct Field {
    std::string_view name;  // as in Kafka's JSON
    int tag = -1;           // -1: not tagged
    bool present = true;    // on the wire at this version
    bool ignorable = false;
    bool at_default = false;
  };

  virtual ~FieldSink() = default;
  // Before each field, also those that this version lacks. False: its value is not shown.
  virtual bool begin_field(const Field& field) { return field.present; }
  virtual void end_field() {}
  virtual void begin_struct() {}
  virtual void end_struct() {}
  // Of a field that may be null at this version: is it there? The answer says whether it shall be.
  virtual bool on_nullable(bool has_value) { return has_value; }
  // The count of elements; the answer is the count that there shall be. Each element is a value.
  virtual size_t begin_array(size_t count) { return count; }
  virtual void end_array() {}

  virtual void on_bool(bool&) {}
  virtual void on_i8(int8_t&) {}
  virtual void on_i16(int16_t&) {}
  virtual void on_u16(uint16_t&) {}
  virtual void on_i32(int32_t&) {}
  virtual void on_i64(int64_t&) {}
  virtual void on_f64(double&) {}
  virtual void on_uuid(Uuid&) {}
  virtual void on_string(std::string&) {}
  virtual void on_bytes(Bytes&) {}
  virtual void on_records(Records&) {}
};

}  // namespace leat
