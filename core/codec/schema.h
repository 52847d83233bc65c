// schema.h: how a message is described, once, and what can be done with a described message.
//   struct LeaveGroupRequest {
//     static constexpr std::string_view kName = "LeaveGroupRequest";
//     static constexpr Versions kVersions{.key = 13, .min = 0, .max = 5, .flexible_since = 4};
//     std::string group_id;
//     std::string member_id;
//     std::vector<MemberIdentity> members;
//     template <class Self, class Visitor>
//     static void visit(Self& m, Visitor& v) {      // Self is const when encoding
//       v.field("groupId", m.group_id);             // in wire order, with the name that Kafka's JSON form has
//       v.field("memberId", m.member_id, {.until = 2});
//       v.field("members", m.members, {.since = 3});
//     }
//   };
// A field's type says what is on the wire: integers, bool, double, Uuid, std::string, Bytes, Records, a described
// struct, a std::vector of these, and std::optional around what may be null (only in the versions from null_since to
// null_until). The default, where it is not zero, empty or null, is the last argument and the member's initialiser;
// kEmpty says "not null, but empty". Tagged fields stand in a second function, visit_tags(Self&, Visitor&), by
// ascending tag:
//       v.tagged(0, "nodeEndpoints", m.node_endpoints, {.since = 10});
// At versions that lack a field, decoding leaves the default, and encoding a value that is not the default fails,
// unless the field is ignorable. Encode, decode, JSON, random values and debug print are instances of this one
// description; the heavy templates are in schema_codec.h, included only by the .cpp files that say `template struct
// MessageCodec<LeaveGroupRequest>;`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat {

class MessageReader;
class PieceWriter;
class FieldSink;

inline constexpr int16_t kNeverFlexible = INT16_MAX;

struct Versions {
  int16_t key = -1;  // API key or record type; -1 where there is none
  int16_t min = 0;
  int16_t max = 0;
  int16_t flexible_since = kNeverFlexible;  // compact lengths and tagged fields

  constexpr bool contains(int16_t version) const noexcept { return version >= min && version <= max; }
  constexpr bool flexible(int16_t version) const noexcept { return version >= flexible_since; }
};

struct FieldSpec {
  int16_t since = 0;
  int16_t until = INT16_MAX;
  int16_t null_since = 0;
  int16_t null_until = INT16_MAX;
  bool ignorable = false;      // silently dropped at versions without it
  bool never_compact = false;  // an int16 length also in flexible versions (the client id of a request header)

  constexpr bool present(int16_t version) const noexcept { return version >= since && version <= until; }
  constexpr bool nullable(int16_t version) const noexcept { return version >= null_since && version <= null_until; }
};

struct EmptyDefault {};
inline constexpr EmptyDefault kEmpty{};

using Bytes = std::vector<uint8_t>;

// The instances for one message. Defined in schema_codec.h.
template <class Message>
struct MessageCodec {
  // False: the bytes cannot be a `Message` of that version; in.failed_field() says where. Bytes left over are no
  // failure, as in Kafka: ask in.remaining().
  static bool decode(MessageReader& in, int16_t version, Message& message);
  // False: a value that this version cannot carry; out.failed_field() names it. What was written is then of no use.
  static bool encode(const Message& message, int16_t version, PieceWriter& out);
  // Shows every field to `sink`, which may change it; see field_sink.h.
  static void walk(Message& message, int16_t version, FieldSink& sink);
};

template <class Message>
[[nodiscard]] bool decode(MessageReader& in, int16_t version, Message& message) {
  return MessageCodec<Message>::decode(in, version, message);
}
template <class Message>
[[nodiscard]] bool encode(const Message& message, int16_t version, PieceWriter& out) {
  return MessageCodec<Message>::encode(message, version, out);
}

}  // namespace leat
