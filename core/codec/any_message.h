// any_message.h: a message whose type is known at run time only: for tests, fuzzers and tools that go through all of
// them. Handlers and machines use the message structs themselves.
#pragma once

#include <memory>

#include "core/codec/schema.h"

namespace leat {

class AnyMessage {
 public:
  virtual ~AnyMessage() = default;
  virtual bool decode(MessageReader& in, int16_t version) = 0;
  virtual bool encode(int16_t version, PieceWriter& out) const = 0;
  virtual void walk(int16_t version, FieldSink& sink) = 0;
  virtual bool equals(const AnyMessage& other) const = 0;  // of the same type
};

template <class Message>
class AnyMessageOf final : public AnyMessage {
 public:
  bool decode(MessageReader& in, int16_t version) override {
    return MessageCodec<Message>::decode(in, version, message_);
  }
  bool encode(int16_t version, PieceWriter& out) const override {
    return MessageCodec<Message>::encode(message_, version, out);
  }
  void walk(int16_t version, FieldSink& sink) override { MessageCodec<Message>::walk(message_, version, sink); }
  bool equals(const AnyMessage& other) const override {
    return message_ == static_cast<const AnyMessageOf&>(other).message_;
  }

 private:
  Message message_;
};

struct MessageType {
  std::string_view name;
  Versions versions;
  std::unique_ptr<AnyMessage> (*make)();  // fresh: every field at its default
};

template <class Message>
constexpr MessageType message_type() {
  return {Message::kName, Message::kVersions,
          []() -> std::unique_ptr<AnyMessage> { return std::make_unique<AnyMessageOf<Message>>(); }};
}

}  // namespace leat
