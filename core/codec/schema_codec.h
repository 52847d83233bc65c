// schema_codec.h: the instances of the description in schema.h that are templates: Decoder, Encoder, the least size of
// a struct, and the walk for a FieldSink. Only .cpp files that instantiate a Codec include it:
//   template struct leat::MessageCodec<LeaveGroupRequest>;
// Decoder invariants: failure is sticky; nothing is read past the end; no array reserves more than its count times the
// least size of an element could fill with bytes that have arrived; unknown tagged fields are skipped, and kept
// nowhere.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/uuid.h"
#include "core/codec/field_sink.h"
#include "core/codec/message_reader.h"
#include "core/codec/piece_writer.h"
#include "core/codec/records.h"
#include "core/codec/schema.h"
#include "core/codec/utf8.h"

namespace leat::schema_internal {

inline constexpr size_t kStringBytesMax = INT16_MAX;  // also where the length is a varint, as in Kafka

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
concept Optional = IsOptional<T>::value;
template <class T>
concept Array = IsVector<T>::value && !std::same_as<T, Bytes>;

struct AnyVisitor;  // only named, to ask whether a description is there
template <class T>
concept Struct = requires(T& m, AnyVisitor& v) {
  T::visit(m, v);
};
template <class T>
concept Tagged = requires(T& m, AnyVisitor& v) {
  T::visit_tags(m, v);
};

template <class T>
bool is_empty(const T& value) {
  if constexpr (Optional<T>) {
    return value.has_value() && is_empty(*value);
  } else if constexpr (Struct<T>) {
    return value == T{};
  } else {
    return value.empty();
  }
}

// How values of one version are written.
struct WireForm {
  int16_t version;
  bool flexible;  // compact lengths, and a tag section at the end of every struct
};

struct NoDefault {};  // zero, empty or null

template <class T, class D>
bool is_default(const T& value, const D& default_value) {
  if constexpr (std::same_as<D, EmptyDefault>) {
    return is_empty(value);
  } else if constexpr (!std::same_as<D, NoDefault>) {
    return value == T(default_value);
  } else if constexpr (Optional<T>) {
    return !value.has_value();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return value == T{};
  }
}

// The object on which visitors that look only at types and versions are run.
template <Struct T>
const T& any_object() {
  static const T object{};
  return object;
}

// The least number of bytes that a value of a type has at a version.
class LeastSize {
 public:
  explicit LeastSize(WireForm form) : form_(form) {}

  template <class T, class D = NoDefault>
  void field(const char*, const T&, FieldSpec spec = {}, const D& = {}) {
    if (spec.present(form_.version)) size_ += of<T>();
  }

  template <class T>
  size_t of() const {
    if constexpr (Struct<T>) {
      LeastSize inner(form_);
      T::visit(any_object<T>(), inner);
      return std::max<size_t>(1, inner.size_ + (form_.flexible ? 1 : 0));
    } else if constexpr (Optional<T>) {
      return Struct<typename T::value_type> ? 1 : of<typename T::value_type>();
    } else if constexpr (std::same_as<T, Uuid>) {
      return sizeof(Uuid);
    } else if constexpr (std::same_as<T, std::string>) {
      return form_.flexible ? 1 : 2;
    } else if constexpr (Array<T> || std::same_as<T, Bytes> || std::same_as<T, Records>) {
      return form_.flexible ? 1 : 4;
    } else {
      return sizeof(T);
    }
  }

 private:
  WireForm form_;
  size_t size_ = 0;
};

class Decoder {
 public:
  Decoder(MessageReader& in, WireForm form) : in_(in), form_(form) {}

  template <class T, class D = NoDefault>
  void field(const char* name, T& value, FieldSpec spec = {}, const D& = {}) {
    if (!spec.present(form_.version)) return;
    read(value, spec, Place::kBody);
    if (in_.failed()) [[unlikely]]
      in_.fail_at(name);
  }

  template <Struct T>
  void read_struct(T& value) {
    T::visit(value, *this);
    if (form_.flexible) read_tags(value);
  }

 private:
  enum class Place : uint8_t { kBody, kTagSection };

  // Reads the one tagged field that it was made for, if the struct has it.
  struct TagDecoder {
    Decoder& decoder;
    uint32_t tag;
    bool known = false;

    template <class T, class D = NoDefault>
    void tagged(uint32_t field_tag, const char* name, T& value, FieldSpec spec = {}, const D& = {}) {
      if (field_tag != tag || !spec.present(decoder.form_.version)) return;
      known = true;
      value = T{};  // the last of several wins, as in Kafka
      decoder.read(value, spec, Place::kTagSection);
      if (decoder.in_.failed()) [[unlikely]]
        decoder.in_.fail_at(name);
    }
  };

  template <class T>
  void read_tags(T& value) {
    for (uint32_t left = in_.uvarint(); left > 0 && !in_.failed(); --left) {
      const uint32_t tag = in_.uvarint();
      const uint32_t size = in_.uvarint();
      if (size > in_.remaining()) return in_.fail_at("tagged fields");
      const uint8_t* end = in_.position() + size;
      if constexpr (Tagged<T>) {
        TagDecoder one{*this, tag};
        T::visit_tags(value, one);
        if (one.known) {
          if (in_.position() != end) in_.fail_at("tagged fields");
          continue;
        }
      }
      in_.skip(static_cast<size_t>(end - in_.position()));
    }
    if (in_.failed()) in_.fail_at("tagged fields");
  }

  template <class T>
  void read(T& value, FieldSpec spec, Place place) {
    if constexpr (Optional<T>) {
      read_optional(value, spec, place);
    } else if constexpr (Struct<T>) {
      read_struct(value);
    } else if constexpr (Array<T>) {
      const int64_t count = read_length(LengthWidth::k32, spec);
      if (count < 0) return in_.fail();
      read_elements(value, static_cast<size_t>(count));
    } else if constexpr (std::same_as<T, std::string>) {
      read_content(value, read_length(LengthWidth::k16, spec));
    } else if constexpr (std::same_as<T, Bytes> || std::same_as<T, Records>) {
      read_content(value, read_length(LengthWidth::k32, spec));
    } else {
      read_fixed(value);
    }
  }

  // Null is a length of -1, or before a struct a byte below 0; a struct in a tag section has a varint, 0 or 1.
  template <class T>
  void read_optional(std::optional<T>& value, FieldSpec spec, Place place) {
    const bool nullable = spec.nullable(form_.version);
    if constexpr (Struct<T>) {
      const bool null = nullable && (place == Place::kTagSection ? in_.uvarint() == 0 : in_.i8() < 0);
      value.reset();
      // Not emplace(): clang 14 finds a nested struct with member initializers not default constructible inside its
      // outer one.
      if (!null && !in_.failed()) read_struct(value.emplace(T{}));
    } else {
      constexpr LengthWidth kWidth = std::same_as<T, std::string> ? LengthWidth::k16 : LengthWidth::k32;
      const int64_t length = read_length(kWidth, spec);
      value.reset();
      if (length == -1 && nullable) return;
      if (length < 0) return in_.fail();
      if constexpr (Array<T>) {
        read_elements(value.emplace(), static_cast<size_t>(length));
      } else {
        read_content(value.emplace(), length);
      }
    }
  }

  enum class LengthWidth : uint8_t { k16, k32 };

  int64_t read_length(LengthWidth width, FieldSpec spec) {
    if (form_.flexible && !spec.never_compact) return int64_t{in_.uvarint()} - 1;
    return width == LengthWidth::k16 ? in_.i16() : in_.i32();
  }

  template <class T>
  void read_elements(std::vector<T>& values, size_t count) {
    values.clear();
    if (in_.failed() || count == 0) return;
    const size_t least = LeastSize(form_).template of<T>();
    if (count > in_.remaining() / least || !in_.charge_array(count, sizeof(T))) return in_.fail();
    values.reserve(count);
    for (size_t i = 0; i < count && !in_.failed(); ++i) read(values.emplace_back(), FieldSpec{}, Place::kBody);
  }

  void read_content(std::string& value, int64_t length) {
    if (length < 0 || length > static_cast<int64_t>(kStringBytesMax)) return in_.fail();
    const ByteView bytes = in_.take(static_cast<size_t>(length));
    if (!is_utf8(bytes)) return in_.fail();
    value.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void read_content(Bytes& value, int64_t length) {
    if (length < 0) return in_.fail();
    const ByteView bytes = in_.take(static_cast<size_t>(length));
    value.assign(bytes.begin(), bytes.end());
  }
  void read_content(Records& value, int64_t length) {
    if (length < 0) return in_.fail();
    value = Records(in_.take_slice(static_cast<size_t>(length)));
  }

  void read_fixed(bool& value) { value = in_.boolean(); }
  void read_fixed(int8_t& value) { value = in_.i8(); }
  void read_fixed(int16_t& value) { value = in_.i16(); }
  void read_fixed(uint16_t& value) { value = in_.u16(); }
  void read_fixed(int32_t& value) { value = in_.i32(); }
  void read_fixed(int64_t& value) { value = in_.i64(); }
  void read_fixed(double& value) { value = in_.f64(); }
  void read_fixed(Uuid& value) {
    const ByteView bytes = in_.take(value.bytes.size());
    if (!bytes.empty()) std::memcpy(value.bytes.data(), bytes.data(), bytes.size());
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void read_fixed(Enum& value) {
    std::underlying_type_t<Enum> number{};
    read_fixed(number);
    value = static_cast<Enum>(number);
  }

  MessageReader& in_;
  WireForm form_;
};

class Encoder {
 public:
  Encoder(PieceWriter& out, WireForm form) : out_(out), form_(form) {}

  template <class T, class D = NoDefault>
  void field(const char* name, const T& value, FieldSpec spec = {}, const D& default_value = {}) {
    if (!spec.present(form_.version)) {
      if (!spec.ignorable && !is_default(value, default_value)) out_.fail_at(name);
      return;
    }
    if (!write(value, spec, Place::kBody)) [[unlikely]]
      out_.fail_at(name);
  }

  template <Struct T>
  void write_struct(const T& value) {
    T::visit(value, *this);
    if constexpr (Tagged<T>) {
      TagEncoder tags{*this};
      const size_t count_position = out_.position();
      if (form_.flexible) out_.i8(0);
      T::visit_tags(value, tags);
      if (form_.flexible) out_.patch_i8(count_position, tags.count);
    } else {
      if (form_.flexible) out_.i8(0);
    }
  }

 private:
  enum class Place : uint8_t { kBody, kTagSection };
  enum class LengthWidth : uint8_t { k16, k32 };

  struct TagEncoder {
    Encoder& encoder;
    int8_t count = 0;  // below 128: a varint of one byte

    template <class T, class D = NoDefault>
    void tagged(uint32_t tag, const char* name, const T& value, FieldSpec spec = {}, const D& default_value = {}) {
      if (is_default(value, default_value)) return;
      PieceWriter& out = encoder.out_;
      if (!spec.present(encoder.form_.version) || !encoder.form_.flexible) {
        if (!spec.ignorable) out.fail_at(name);
        return;
      }
      ++count;
      out.uvarint(tag);
      const size_t begin = out.position();
      if (!encoder.write(value, spec, Place::kTagSection)) out.fail_at(name);
      out.insert_uvarint(begin, static_cast<uint32_t>(out.position() - begin));
    }
  };

  template <class T>
  bool write(const T& value, FieldSpec spec, Place place) {
    if constexpr (Optional<T>) {
      return write_optional(value, spec, place);
    } else if constexpr (Struct<T>) {
      write_struct(value);
      return true;
    } else if constexpr (Array<T>) {
      if (!write_length(value.size(), LengthWidth::k32, spec)) return false;
      bool written = true;
      for (const auto& element : value) written = write(element, FieldSpec{}, Place::kBody) && written;
      return written;
    } else if constexpr (std::same_as<T, std::string>) {
      if (!write_length(value.size(), LengthWidth::k16, spec)) return false;
      out_.raw(as_bytes(value));
      return true;
    } else if constexpr (std::same_as<T, Bytes>) {
      if (!write_length(value.size(), LengthWidth::k32, spec)) return false;
      out_.raw(value);
      return true;
    } else if constexpr (std::same_as<T, Records>) {
      if (!write_length(value.size(), LengthWidth::k32, spec)) return false;
      out_.slice(value.first());
      for (const Piece& piece : value.more()) out_.piece(piece);
      return true;
    } else {
      write_fixed(value);
      return true;
    }
  }

  template <class T>
  bool write_optional(const std::optional<T>& value, FieldSpec spec, Place place) {
    const bool nullable = spec.nullable(form_.version);
    if (!value.has_value() && !nullable) return false;
    if constexpr (Struct<T>) {
      if (nullable && place == Place::kTagSection) {
        out_.uvarint(value.has_value() ? 1 : 0);
      } else if (nullable) {
        out_.i8(value.has_value() ? 1 : -1);
      }
    } else if (!value.has_value()) {
      write_null_length(std::same_as<T, std::string> ? LengthWidth::k16 : LengthWidth::k32, spec);
    }
    return !value.has_value() || write(*value, spec, place);
  }

  bool write_length(size_t length, LengthWidth width, FieldSpec spec) {
    if (length > (width == LengthWidth::k16 ? kStringBytesMax : size_t{INT32_MAX})) return false;
    if (form_.flexible && !spec.never_compact) {
      out_.uvarint(static_cast<uint32_t>(length) + 1);
    } else if (width == LengthWidth::k16) {
      out_.i16(static_cast<int16_t>(length));
    } else {
      out_.i32(static_cast<int32_t>(length));
    }
    return true;
  }
  void write_null_length(LengthWidth width, FieldSpec spec) {
    if (form_.flexible && !spec.never_compact) {
      out_.uvarint(0);
    } else if (width == LengthWidth::k16) {
      out_.i16(-1);
    } else {
      out_.i32(-1);
    }
  }

  void write_fixed(bool value) { out_.boolean(value); }
  void write_fixed(int8_t value) { out_.i8(value); }
  void write_fixed(int16_t value) { out_.i16(value); }
  void write_fixed(uint16_t value) { out_.u16(value); }
  void write_fixed(int32_t value) { out_.i32(value); }
  void write_fixed(int64_t value) { out_.i64(value); }
  void write_fixed(double value) { out_.f64(value); }
  void write_fixed(const Uuid& value) { out_.raw(value.bytes); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void write_fixed(Enum value) { write_fixed(static_cast<std::underlying_type_t<Enum>>(value)); }

  PieceWriter& out_;
  WireForm form_;
};

class Walker {
 public:
  Walker(FieldSink& sink, int16_t version) : sink_(sink), version_(version) {}

  template <class T, class D = NoDefault>
  void field(const char* name, T& value, FieldSpec spec = {}, const D& default_value = {}) {
    show({name, -1, spec.present(version_), spec.ignorable, is_default(value, default_value)}, value, spec);
  }
  template <class T, class D = NoDefault>
  void tagged(uint32_t tag, const char* name, T& value, FieldSpec spec = {}, const D& default_value = {}) {
    show({name, static_cast<int>(tag), spec.present(version_), spec.ignorable, is_default(value, default_value)}, value,
         spec);
  }

  template <Struct T>
  void walk_struct(T& value) {
    sink_.begin_struct();
    T::visit(value, *this);
    if constexpr (Tagged<T>) T::visit_tags(value, *this);
    sink_.end_struct();
  }

 private:
  template <class T>
  void show(const FieldSink::Field& field, T& value, FieldSpec spec) {
    if (!sink_.begin_field(field)) return;
    walk(value, spec);
    sink_.end_field();
  }

  template <class T>
  void walk(T& value, FieldSpec spec) {
    if constexpr (Optional<T>) {
      const bool wanted = !spec.nullable(version_) || sink_.on_nullable(value.has_value());
      if (!wanted) return value.reset();
      if (!value.has_value()) value = typename T::value_type{};
      walk(*value, spec);
    } else if constexpr (Struct<T>) {
      walk_struct(value);
    } else if constexpr (Array<T>) {
      value.resize(sink_.begin_array(value.size()));
      for (auto& element : value) walk(element, FieldSpec{});
      sink_.end_array();
    } else {
      walk_plain(value);
    }
  }

  void walk_plain(bool& value) { sink_.on_bool(value); }
  void walk_plain(int8_t& value) { sink_.on_i8(value); }
  void walk_plain(int16_t& value) { sink_.on_i16(value); }
  void walk_plain(uint16_t& value) { sink_.on_u16(value); }
  void walk_plain(int32_t& value) { sink_.on_i32(value); }
  void walk_plain(int64_t& value) { sink_.on_i64(value); }
  void walk_plain(double& value) { sink_.on_f64(value); }
  void walk_plain(Uuid& value) { sink_.on_uuid(value); }
  void walk_plain(std::string& value) { sink_.on_string(value); }
  void walk_plain(Bytes& value) { sink_.on_bytes(value); }
  void walk_plain(Records& value) { sink_.on_records(value); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void walk_plain(Enum& value) {
    auto number = static_cast<std::underlying_type_t<Enum>>(value);
    walk_plain(number);
    value = static_cast<Enum>(number);
  }

  FieldSink& sink_;
  int16_t version_;
};

}  // namespace leat::schema_internal

namespace leat {

template <class Message>
bool MessageCodec<Message>::decode(MessageReader& in, int16_t version, Message& message) {
  constexpr Versions kVersions = Message::kVersions;
  if (!kVersions.contains(version)) in.fail_at("version");
  message = Message{};
  schema_internal::Decoder decoder(in, {version, kVersions.flexible(version)});
  decoder.read_struct(message);
  return !in.failed();
}

template <class Message>
bool MessageCodec<Message>::encode(const Message& message, int16_t version, PieceWriter& out) {
  constexpr Versions kVersions = Message::kVersions;
  if (!kVersions.contains(version)) out.fail_at("version");
  schema_internal::Encoder encoder(out, {version, kVersions.flexible(version)});
  encoder.write_struct(message);
  return !out.failed();
}

template <class Message>
void MessageCodec<Message>::walk(Message& message, int16_t version, FieldSink& sink) {
  schema_internal::Walker walker(sink, version);
  walker.walk_struct(message);
}

}  // namespace leat
