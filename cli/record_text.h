// record_text.h: a consumed record as text or JSON. Format strings are kcat's, and %v for the value:
//   %t topic  %p partition  %o offset  %T timestamp (ms)  %k key  %v or %s value  %h headers  %K %S their lengths (-1:
//   null)  %% \n \t \r \0 \\ \xHH
#pragma once

#include <leat/record.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/json_text.h"
#include "core/base/result.h"

namespace leat::cli {

class RecordFormat {
 public:
  static Result<RecordFormat> parse(std::string_view text);
  void append_to(std::string& out, const client::RecordView& record) const;

 private:
  struct Piece {
    char field;  // 0: literal
    std::string literal;
  };
  std::vector<Piece> pieces_;
};

// The escapes alone, for separators.
Result<std::string> unescape(std::string_view text);

// Key, value and header values as text, or under "..._base64" when they are no UTF-8.
JsonObject record_json(const client::RecordView& record);

}  // namespace leat::cli
