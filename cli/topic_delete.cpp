// topic_delete.cpp: leat topic delete.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

struct DeleteOptions {
  std::vector<std::string> names;
  bool if_exists = false;
};

Error refusal(Session& session, const client::Error& error, const std::string& name) {
  if (error.kafka_code() != ErrorCode::kUnknownTopicOrPartition) return session.failure(error);
  return session.failure(
      error, fmt::format("topic '{}' does not exist (UNKNOWN_TOPIC_OR_PARTITION). See: leat topic list", name));
}

// A topic that is refused does not keep the others; without a broker there is no going on.
Result<int> remove(Session& session, const DeleteOptions& options) {
  TRY(connected, session.client());
  int code = kExitOk;
  for (const std::string& name : options.names) {
    const client::Result<> deleted = connected->admin().delete_topic(name).wait();
    if (!deleted) {
      if (deleted.error().cause() != client::Cause::kBroker) return fail(session.failure(deleted.error()));
      const bool missing = deleted.error().kafka_code() == ErrorCode::kUnknownTopicOrPartition;
      if (!missing || !options.if_exists) {
        code = kExitFailed;
        session.tell(refusal(session, deleted.error(), name));
      }
    }
    if (session.options.json) session.out(json_line({{"topic", name}, {"deleted", deleted.has_value()}}));
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
