// topic_list.cpp: leat topic list (Metadata).
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/text_table.h"

namespace leat::cli {
namespace {

struct ListOptions {
  bool internal = false;
};

Result<int> list(Session& session, const ListOptions& options) {
  TRY(client, session.client());
  TRY(metadata, client->metadata(std::nullopt, AutoCreate::kNo));
  std::sort(metadata.topics.begin(), metadata.topics.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  TextTable text({"TOPIC", "PARTITIONS", "ID"});
  size_t count = 0;
  for (const auto& topic : metadata.topics) {
    if (topic.is_internal && !options.internal) continue;
    ++count;
    const std::string name = topic.name.value_or("");
    if (session.options.json) {
      session.out(json_line({{"topic", name},
                             {"partitions", static_cast<int64_t>(topic.partitions.size())},
                             {"topic_id", topic.topic_id.to_string()},
                             {"internal", topic.is_internal}}));
    }
    if (session.options.quiet && !session.options.json) session.out(name + "\n");
    text.add({name, std::to_string(topic.partitions.size()), topic.topic_id.to_string()});
  }
  if (count == 0) {
    session.say("No topics. Make one with: leat topic create NAME");
  } else if (!session.options.json && !session.options.quiet) {
    session.out(text.to_string());
  }
  return kExitOk;
}

}  // namespace

Action declare_topic_list(Flags& flags) {
  const auto options = std::make_shared<ListOptions>();
  flags.on_off("--internal", options->internal, "Also the broker's own topics");
  return [options](Session& session) { return list(session, *options); };
}

}  // namespace leat::cli
