// api_table_test.cpp: the API table against the descriptions of the messages, and the table of error codes.
#include "net/protocol/api_table.h"

#include <set>

#include "net/protocol/error_code.h"
#include "net/protocol/message_types.h"
#include "test/support/catch.h"

namespace leat {

TEST_CASE("api table: agrees with the messages", "[protocol][api_table]") {
  std::set<std::string_view> names;
  for (const ApiSpec& api : kApis) {
    INFO(api.name);
    CHECK(names.insert(api.name).second);
    CHECK(find_api(static_cast<int16_t>(api.key)) == &api);
    for (const char* kind : {"Request", "Response"}) {
      const MessageType* type = find_message_type(std::string(api.name) + kind);
      REQUIRE(type != nullptr);
      CHECK(type->versions.key == static_cast<int16_t>(api.key));
      CHECK(type->versions.min == api.min);
      CHECK(type->versions.max == api.max);
      for (int16_t version = api.min; version <= api.max; ++version) {
        CHECK(type->versions.flexible(version) == api.flexible(version));
      }
    }
  }
  CHECK(names.size() == 65);
  CHECK(message_types().size() == 2 * 65 + 2);
}

TEST_CASE("api table: only Produce is advertised below what is read", "[protocol][api_table]") {
  for (const ApiSpec& api : kApis) {
    INFO(api.name);
    CHECK(api.advertised_min == (api.key == ApiKey::kProduce ? 0 : api.min));
  }
  CHECK(api_spec(ApiKey::kProduce).supports(3));
  CHECK_FALSE(api_spec(ApiKey::kProduce).supports(2));
}

TEST_CASE("api table: keys that are not there", "[protocol][api_table]") {
  for (const int key : {-1, 4, 5, 6, 7, 34, 52, 999, 32767, -32768})
    CHECK(find_api(static_cast<int16_t>(key)) == nullptr);
}

TEST_CASE("error codes: names, sentences, kinds", "[protocol][error_code]") {
  CHECK(error_name(ErrorCode::kNone) == "NONE");
  CHECK(error_name(ErrorCode::kUnknownServerError) == "UNKNOWN_SERVER_ERROR");
  CHECK(error_name(ErrorCode::kUnknownTopicId) == "UNKNOWN_TOPIC_ID");
  CHECK(error_message(ErrorCode::kNone).empty());
  for (int code = -1; code <= 136; ++code) {
    INFO(code);
    const ErrorCode error = static_cast<ErrorCode>(code);
    CHECK(error_name(error) != "UNKNOWN_ERROR_CODE");
    CHECK(error_message(error).empty() == (code == 0));
    CHECK((is_retriable(error) || !is_stale_metadata(error)));
  }
  for (const int code : {-2, 137, 32767, -32768}) {
    CHECK(error_name(static_cast<ErrorCode>(code)) == "UNKNOWN_ERROR_CODE");
    CHECK_FALSE(is_retriable(static_cast<ErrorCode>(code)));
  }
  CHECK(is_retriable(ErrorCode::kNotLeaderOrFollower));
  CHECK(is_stale_metadata(ErrorCode::kNotLeaderOrFollower));
  CHECK(is_retriable(ErrorCode::kCoordinatorNotAvailable));
  CHECK_FALSE(is_stale_metadata(ErrorCode::kCoordinatorNotAvailable));
  CHECK_FALSE(is_retriable(ErrorCode::kInvalidRecord));
}

}  // namespace leat
