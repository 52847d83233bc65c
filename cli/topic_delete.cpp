// topic_delete.cpp: leat topic delete (DeleteTopics).
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "net/protocol/messages/delete_topics.h"

namespace leat::cli {
namespace {

struct DeleteOptions {
  std::vector<std::string> names;
  bool if_exists = false;
};

Error refusal(const std::string& name, const DeleteTopicsResponse::DeletableTopicResult& result) {
  if (result.error_code != ErrorCode::kUnknownTopicOrPartition) {
    return to_error(result.error_code, fmt::format("topic '{}' was not deleted", name), result.error_message);
  }
  return {Errc::kNotFound,
          fmt::format("topic '{}' does not exist (UNKNOWN_TOPIC_OR_PARTITION). See: leat topic list", name)};
}

Result<int> remove(Session& session, const DeleteOptions& options) {
  constexpr int16_t kVersionWithNames = 5;  // later ones want each topic by name or id
  TRY(client, session.client());
  TRY(controller, client->controller());
  DeleteTopicsRequest request;
  request.topic_names = options.names;
  request.timeout_ms = static_cast<int32_t>(std::min<int64_t>(session.options.timeout_ms, INT32_MAX));
  TRY(response, controller->call<DeleteTopicsResponse>(request, kVersionWithNames));
  int code = kExitOk;
  for (const auto& result : response.responses) {
    const std::string name = result.name.value_or("");
    const bool missing = result.error_code == ErrorCode::kUnknownTopicOrPartition;
    const bool deleted = result.error_code == ErrorCode::kNone;
    if (!deleted && !(missing && options.if_exists)) {
      code = kExitFailed;
      session.tell(refusal(name, result));
    }
    if (session.options.json) session.out(json_line({{"topic", name}, {"deleted", deleted}}));
    if (deleted) session.say(fmt::format("Deleted topic '{}'.", name));
  }
  return code;
}

}  // namespace

Action declare_topic_delete(Flags& flags) {
  const auto options = std::make_shared<DeleteOptions>();
  flags.words("topic", options->names, Need::kRequired, "One or more topics; their records are gone for good");
  flags.on_off("--if-exists", options->if_exists, "A topic that does not exist is no error");
  return [options](Session& session) { return remove(session, *options); };
}

}  // namespace leat::cli
