// topic_list.cpp: leat topic list.
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
  TRY(connected, session.client());
  TRY(topics, session.wait(connected->admin().list_topics()));
  TextTable text({"TOPIC", "PARTITIONS", "ID"});
  size_t count = 0;
  for (const client::TopicInfo& topic : topics) {
    const bool internal = topic.internal == client::Internal::kYes;
    if (internal && !options.internal) continue;
    ++count;
    if (session.options.json) {
      session.out(json_line({{"topic", topic.name},
                             {"partitions", static_cast<int64_t>(topic.partitions.size())},
                             {"topic_id", topic.topic_id},
                             {"internal", internal}}));
    }
    if (session.options.quiet && !session.options.json) session.out(topic.name + "\n");
    text.add({topic.name, std::to_string(topic.partitions.size()), topic.topic_id});
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
