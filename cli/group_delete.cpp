// group_delete.cpp: leat group delete (DeleteGroups).
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "client/group_admin.h"

namespace leat::cli {
namespace {

struct DeleteOptions {
  std::vector<std::string> names;
  bool if_exists = false;
};

Result<int> remove(Session& session, const DeleteOptions& options) {
  TRY(client, session.client());
  int code = kExitOk;
  for (const std::string& name : options.names) {
    const Result<void> deleted = delete_group(*client, name);
    if (!deleted) {
      const Errc reason = deleted.error().code;
      if (reason != Errc::kNotFound && reason != Errc::kPolicyViolation) return fail(deleted.error());
      if (reason != Errc::kNotFound || !options.if_exists) {
        code = kExitFailed;
        session.tell(deleted.error());
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
