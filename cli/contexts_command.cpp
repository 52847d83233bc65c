// contexts_command.cpp: leat context list, show, add, use, remove: they keep the file of contexts (contexts.h) and ask
// no broker.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/contexts.h"
#include "cli/contexts_address.h"
#include "cli/json_text.h"
#include "cli/text_table.h"
#include "core/storage/posix_file_system.h"

namespace leat::cli {
namespace {

struct AddOptions {
  std::string name;
  std::string address;
  bool replace = false;
  bool use = false;
};

struct UseOptions {
  std::string name;  // empty: not given
  bool none = false;
};

struct RemoveOptions {
  std::vector<std::string> names;
};

Result<int> list(Session& session) {
  PosixFileSystem files;
  TRY(path, context_file_path());
  TRY(file, load_contexts(files, path));
  const std::optional<std::string> current = file.current();
  const std::vector<Context> contexts = file.contexts();
  TextTable table({"CURRENT", "CONTEXT", "ADDRESS"});
  for (const Context& context : contexts) {
    const bool is_current = current == context.name;
    if (session.options.json) {
      session.out(json_line(
          {{"context", context.name}, {"bootstrap_server", context.bootstrap_servers}, {"current", is_current}}));
    } else if (session.options.quiet) {
      session.out(context.name + "\n");
    }
    table.add({is_current ? "*" : "", context.name, context.bootstrap_servers});
  }
  if (contexts.empty()) {
    session.say("No contexts. Make one with: leat context add NAME HOST:PORT");
  } else if (!session.options.json && !session.options.quiet) {
    session.out(table.to_string());
  }
  return kExitOk;
}

// The address that a command would ask now, and why that one.
Result<int> show(Session& session) {
  PosixFileSystem files;
  TRY(chosen, choose_address(session.options.address, files));
  const Result<std::string> path = context_file_path();
  if (session.options.json) {
    session.out(json_line({{"bootstrap_server", chosen.bootstrap_servers},
                           {"source", to_string(chosen.source)},
                           {"context", chosen.context.empty() ? JsonValue(nullptr) : JsonValue(chosen.context)},
                           {"file", path ? JsonValue(*path) : JsonValue(nullptr)}}));
    return kExitOk;
  }
  if (session.options.quiet) {
    session.out(chosen.bootstrap_servers + "\n");
    return kExitOk;
  }
  const std::string whose = chosen.context.empty() ? "" : fmt::format("context '{}', ", chosen.context);
  session.out(fmt::format("Address  {}\nFrom     {}{}\nFile     {}\n", chosen.bootstrap_servers, whose,
                          to_string(chosen.source), path ? *path : "none"));
  return kExitOk;
}

Result<int> add(Session& session, const AddOptions& options) {
  PosixFileSystem files;
  TRY(path, context_file_path());
  bool was_there = false;
  const auto change = [&options, &was_there](ContextFile& file) -> Result<void> {
    was_there = file.contains(options.name);
    if (was_there && !options.replace) {
      return fail(Errc::kAlreadyExists,
                  fmt::format("context '{}' exists in {}: --replace changes its address", options.name, file.path()));
    }
    TRY(file.put({.name = options.name, .bootstrap_servers = options.address}));
    if (options.use) TRY(file.set_current(options.name));
    return {};
  };
  TRY(change_contexts(files, path, change));
  if (session.options.json) {
    session.out(json_line({{"context", options.name},
                           {"bootstrap_server", options.address},
                           {"created", !was_there},
                           {"current", options.use}}));
  }
  const std::string_view done = was_there ? "Changed" : "Added";
  session.say(options.use
                  ? fmt::format("{} context '{}', {}; it is used from now on.", done, options.name, options.address)
                  : fmt::format("{} context '{}', {}. To use it: leat context use {}", done, options.name,
                                options.address, options.name));
  return kExitOk;
}

Result<int> use(Session& session, const UseOptions& options) {
  if (options.name.empty() != options.none) {
    return fail(Errc::kInvalidArgument, "which context? Give its name, or --none for no context at all");
  }
  PosixFileSystem files;
  TRY(path, context_file_path());
  std::optional<std::string> name;
  if (!options.none) name = options.name;
  TRY(change_contexts(files, path, [&name](ContextFile& file) { return file.set_current(name); }));
  if (session.options.json) {
    session.out(json_line({{"current", or_null(name)}}));
  }
  session.say(name ? fmt::format("Context '{}' is used from now on.", *name)
                   : fmt::format("No context is used from now on: the address is {} again.", kDefaultAddress));
  return kExitOk;
}

// All or none: a name that is not there changes nothing.
Result<int> remove(Session& session, const RemoveOptions& options) {
  PosixFileSystem files;
  TRY(path, context_file_path());
  bool took_current = false;
  const auto change = [&options, &took_current](ContextFile& file) -> Result<void> {
    for (const std::string& name : options.names) {
      took_current = took_current || file.current() == name;
      TRY(file.remove(name));
    }
    return {};
  };
  TRY(change_contexts(files, path, change));
  for (const std::string& name : options.names) {
    if (session.options.json) session.out(json_line({{"context", name}, {"removed", true}}));
    session.say(fmt::format("Removed context '{}'.", name));
  }
  if (took_current) session.say("It was the one in use. Choose another with: leat context use NAME");
  return kExitOk;
}

}  // namespace

Action declare_context_list(Flags& /*flags*/) {
  return [](Session& session) { return list(session); };
}

Action declare_context_show(Flags& /*flags*/) {
  return [](Session& session) { return show(session); };
}

Action declare_context_add(Flags& flags) {
  const auto options = std::make_shared<AddOptions>();
  flags.word("name", options->name, Need::kRequired, "Its name: letters, digits, '.', '_' and '-'");
  flags.word("address", options->address, Need::kRequired, "Broker to ask, host:port (several: separated by commas)");
  flags.on_off("--replace", options->replace, "A context of this name gets the new address");
  flags.on_off("--use", options->use, "And use it from now on");
  return [options](Session& session) { return add(session, *options); };
}

Action declare_context_use(Flags& flags) {
  const auto options = std::make_shared<UseOptions>();
  flags.word("context", options->name, Need::kOptional, "The context that commands use from now on");
  flags.on_off("--none", options->none, "Use none from now on");
  return [options](Session& session) { return use(session, *options); };
}

Action declare_context_remove(Flags& flags) {
  const auto options = std::make_shared<RemoveOptions>();
  flags.words("context", options->names, Need::kRequired, "One or more contexts");
  return [options](Session& session) { return remove(session, *options); };
}

}  // namespace leat::cli
