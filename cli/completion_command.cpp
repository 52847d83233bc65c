// completion_command.cpp: leat completion, which prints a shell's script, and the hidden request that the scripts make.
#include <memory>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/completion_scripts.h"
#include "cli/contexts.h"
#include "cli/json_text.h"
#include "core/storage/posix_file_system.h"

namespace leat::cli {
namespace {

constexpr int64_t kPatienceMs = 500;  // somebody waits with a finger on the key

struct CompletionOptions {
  std::string shell;
};

std::vector<std::string> topic_names(client::Admin& admin) {
  std::vector<std::string> names;
  const client::Result<std::vector<client::TopicInfo>> topics = admin.list_topics().wait();
  if (!topics) return names;
  for (const client::TopicInfo& topic : *topics) {
    if (topic.internal == client::Internal::kNo) names.push_back(topic.name);
  }
  return names;
}

std::vector<std::string> group_names(client::Admin& admin) {
  std::vector<std::string> names;
  const client::Result<std::vector<client::GroupSummary>> groups = admin.list_groups().wait();
  if (!groups) return names;
  for (const client::GroupSummary& group : *groups) names.push_back(group.group_id);
  return names;
}

// `words` as config get and set take them, up to the names of settings.
std::vector<std::string> setting_names(client::Admin& admin, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  client::ConfigResource resource;
  if (words.size() > 1 && (words[0] == "topic" || words[0] == "group")) {
    resource.type = words[0] == "topic" ? client::ResourceType::kTopic : client::ResourceType::kGroup;
    resource.name = words[1];
  } else {
    const client::Result<client::ClusterInfo> cluster = admin.describe_cluster().wait();
    if (!cluster) return names;
    resource = {.type = client::ResourceType::kBroker, .name = std::to_string(cluster->controller_id)};
  }
  const client::Result<std::vector<client::ConfigEntry>> entries = admin.describe_configs(resource).wait();
  if (!entries) return names;
  for (const client::ConfigEntry& entry : *entries) names.push_back(entry.name);
  return names;
}

std::vector<std::string> context_names() {
  PosixFileSystem files;
  const Result<std::string> path = context_file_path();
  if (!path) return {};
  const Result<ContextFile> file = load_contexts(files, *path);
  return file ? file->names() : std::vector<std::string>();
}

// Whoever does not answer has no names.
std::vector<std::string> names_of(Session& session, WordKind kind, const std::vector<std::string>& words) {
  if (kind == WordKind::kContexts) return context_names();
  Result<client::Client*> connected = session.client();
  if (!connected) return {};
  client::Admin& admin = (*connected)->admin();
  switch (kind) {
    case WordKind::kTopics:
      return topic_names(admin);
    case WordKind::kGroups:
      return group_names(admin);
    case WordKind::kConfigWords:
      return setting_names(admin, words);
    case WordKind::kAnything:
    case WordKind::kChoices:
    case WordKind::kQuotas:
    case WordKind::kFiles:
    case WordKind::kContexts:
      break;
  }
  return {};
}

std::string_view to_string(CompletionKind kind) noexcept {
  switch (kind) {
    case CompletionKind::kWords:
      return "words";
    case CompletionKind::kOpenWords:
      return "open";
    case CompletionKind::kFiles:
      break;
  }
  return "files";
}

// The line's own flags say whom to ask.
void take_address(Session& session, const TypedLine& line) {
  session.options.wait_ms = 0;
  session.options.timeout_ms = kPatienceMs;
  for (const auto& [name, value] : line.flag_values) {
    if (name == "--bootstrap-server") session.options.address.bootstrap_servers = value;
    if (name == "--context") session.options.address.context = value;
  }
}

}  // namespace

int answer_completion(const CommandGrammar& root, std::span<const std::string> arguments, Session& session) {
  if (!arguments.empty() && arguments.front() == "--") arguments = arguments.subspan(1);
  const TypedLine line = read_typed(root, arguments);
  take_address(session, line);
  const NameSource names = [&session](WordKind kind, const std::vector<std::string>& words) {
    return names_of(session, kind, words);
  };
  const Completion completion = complete(line, names);
  session.out(std::string(to_string(completion.kind)) + "\n");
  for (const Candidate& candidate : completion.candidates) {
    session.out(candidate.word + "\t" + candidate.help + "\n");
  }
  return kExitOk;
}

Action declare_completion(Flags& flags) {
  const auto options = std::make_shared<CompletionOptions>();
  flags.choice_word("shell", options->shell, kCompletionShells, Need::kRequired, "Whose script is printed");
  return [options](Session& session) -> Result<int> {
    const std::string script(completion_script(options->shell));
    session.out(session.options.json ? json_line({{"shell", options->shell}, {"script", script}}) : script);
    return kExitOk;
  };
}

}  // namespace leat::cli
