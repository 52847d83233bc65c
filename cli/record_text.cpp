// record_text.cpp: format strings are parsed once, then applied.
#include "cli/record_text.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "core/base/bytes.h"
#include "core/base/parse_int.h"
#include "core/codec/utf8.h"

namespace leat::cli {
namespace {

constexpr std::string_view kFields = "tpoTkvshKS";

// One escape behind the backslash; moves `text` behind it.
Result<char> take_escape(std::string_view& text) {
  const char kind = text.empty() ? '\0' : text[0];
  const std::string_view whole = text;
  text.remove_prefix(text.empty() ? 0 : 1);
  switch (kind) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case '0':
      return '\0';
    case '\\':
      return '\\';
    case 'x': {
      const std::optional<uint8_t> byte = parse_int<uint8_t>(text.substr(0, 2), 16);
      if (!byte || text.size() < 2) break;
      text.remove_prefix(2);
      return static_cast<char>(*byte);
    }
    default:
      break;
  }
  return fail(Errc::kInvalidArgument,
              fmt::format("unknown escape '\\{}': known are \\n \\t \\r \\0 \\\\ and \\xHH", whole.substr(0, 1)));
}

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), as_bytes(bytes).data(),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

void add_bytes(JsonObject& object, const std::string& name, const std::optional<std::string_view>& bytes) {
  if (!bytes) {
    object.add(name, nullptr);
  } else if (is_utf8(as_bytes(*bytes))) {
    object.add(name, *bytes);
  } else {
    object.add(name + "_base64", base64(*bytes));
  }
}

std::string headers_text(const client::RecordView& record) {
  std::string text;
  for (const client::Header& header : record.headers) {
    if (!text.empty()) text += ',';
    text += header.key;
    text += '=';
    text += header.value.value_or("");
  }
  return text;
}

int64_t length_of(const std::optional<std::string_view>& bytes) {
  return bytes ? static_cast<int64_t>(bytes->size()) : -1;
}

}  // namespace

Result<std::string> unescape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char next = text[0];
    text.remove_prefix(1);
    if (next != '\\') {
      out += next;
      continue;
    }
    TRY(escaped, take_escape(text));
    out += escaped;
  }
  return out;
}

Result<RecordFormat> RecordFormat::parse(std::string_view text) {
  RecordFormat format;
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) format.pieces_.push_back({'\0', std::exchange(literal, {})});
  };
  while (!text.empty()) {
    const char next = text[0];
    text.remove_prefix(1);
    if (next == '\\') {
      TRY(escaped, take_escape(text));
      literal += escaped;
    } else if (next != '%') {
      literal += next;
    } else if (text.starts_with('%')) {
      literal += '%';
      text.remove_prefix(1);
    } else if (!text.empty() && kFields.find(text[0]) != std::string_view::npos) {
      end_literal();
      format.pieces_.push_back({text[0], {}});
      text.remove_prefix(1);
    } else {
      return fail(
          Errc::kInvalidArgument,
          fmt::format("unknown '%{}' in the format: known are %t topic, %p partition, %o offset, %T timestamp, %k key, "
                      "%v value, %h headers, %K and %S lengths of key and value",
                      text.substr(0, 1)));
    }
  }
  end_literal();
  return format;
}

void RecordFormat::append_to(std::string& out, const client::RecordView& record) const {
  for (const Piece& piece : pieces_) {
    switch (piece.field) {
      case '\0':
        out += piece.literal;
        break;
      case 't':
        out += record.topic;
        break;
      case 'p':
        out += std::to_string(record.partition);
        break;
      case 'o':
        out += std::to_string(record.offset);
        break;
      case 'T':
        out += std::to_string(record.timestamp_ms);
        break;
      case 'k':
        out += record.key.value_or("");
        break;
      case 'v':
      case 's':
        out += record.value.value_or("");
        break;
      case 'h':
        out += headers_text(record);
        break;
      case 'K':
        out += std::to_string(length_of(record.key));
        break;
      case 'S':
        out += std::to_string(length_of(record.value));
        break;
      default:
        break;
    }
  }
}

JsonObject record_json(const client::RecordView& record) {
  JsonObject object{{"topic", record.topic},
                    {"partition", record.partition},
                    {"offset", record.offset},
                    {"timestamp", record.timestamp_ms}};
  add_bytes(object, "key", record.key);
  add_bytes(object, "value", record.value);
  std::vector<JsonValue> headers;
  for (const client::Header& header : record.headers) {
    JsonObject one{{"key", header.key}};
    add_bytes(one, "value", header.value);
    headers.emplace_back(one.raw());
  }
  object.add("headers", json_array(headers));
  return object;
}

}  // namespace leat::cli
