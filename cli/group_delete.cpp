// group_delete.cpp: leat group delete.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/group_words.h"
#include "cli/json_text.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

struct DeleteOptions {
  std::vector<std::string> names;
  bool if_exists = false;
};

Error refusal(Session& session, const client::Error& error, const std::string& name) {
  if (error.kafka_code() == ErrorCode::kGroupIdNotFound) return no_group(session, error, name);
  return session.failure(error,
                         fmt::format("group '{}' has members (NON_EMPTY_GROUP): stop its consumers first. Who they "
                                     "are: leat group describe {}",
                                     name, name));
}

Result<int> remove(Session& session, const DeleteOptions& options) {
  TRY(connected, session.client());
  int code = kExitOk;
  for (const std::string& name : options.names) {
    const client::Result<> deleted = connected->admin().delete_group(name).wait();
    if (!deleted) {
      const ErrorCode reason = deleted.error().kafka_code();
      const bool missing = reason == ErrorCode::kGroupIdNotFound;
      if (!missing && reason != ErrorCode::kNonEmptyGroup) return fail(session.failure(deleted.error()));
      if (!missing || !options.if_exists) {
        code = kExitFailed;
        session.tell(refusal(session, deleted.error(), name));
      }
    }
    if (session.options.json) session.out(json_line({{"group", name}, {"deleted", deleted.has_value()}}));
    if (deleted) session.say(fmt::format("Deleted group '{}' and its committed offsets.", name));
  }
  return code;
}

}  // namespace

Action declare_group_delete(Flags& flags) {
  const auto options = std::make_shared<DeleteOptions>();
  flags.words("group", options->names, Need::kRequired, "One or more groups without members; their offsets go, too");
  flags.on_off("--if-exists", options->if_exists, "A group that does not exist is no error");
  return [options](Session& session) { return remove(session, *options); };
}

}  // namespace leat::cli
