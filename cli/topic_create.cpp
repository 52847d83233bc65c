// topic_create.cpp: leat topic create.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/key_value.h"
#include "cli/topic_lookup.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

struct CreateOptions {
  std::string name;
  int64_t partitions = -1;
  int64_t replication_factor = -1;
  std::vector<std::string> configs;
  bool if_not_exists = false;
};

struct Outcome {
  bool existed = false;
  client::TopicInfo topic;
};

void tell(Session& session, const Outcome& outcome) {
  const std::string& name = outcome.topic.name;
  const size_t count = outcome.topic.partitions.size();  // 0: an old broker does not say
  if (session.options.json) {
    session.out(json_line({{"topic", name},
                           {"created", !outcome.existed},
                           {"partitions", static_cast<int64_t>(count)},
                           {"topic_id", outcome.topic.topic_id}}));
  }
  std::string partitions;
  if (count > 0) partitions = fmt::format(" with {} partition{}", count, count == 1 ? "" : "s");
  session.say(outcome.existed ? fmt::format("Topic '{}' exists{}.", name, partitions)
                              : fmt::format("Created topic '{}'{}.", name, partitions));
}

Result<int> create(Session& session, const CreateOptions& options) {
  client::NewTopic topic{.name = options.name,
                         .partition_count = static_cast<int32_t>(options.partitions),
                         .replication_factor = static_cast<int16_t>(options.replication_factor)};
  TRY(configs, parse_settings(options.configs, {}, "--config"));
  for (const KeyValue& config : configs) topic.configs[config.key] = config.value;

  TRY(connected, session.client());
  client::Result<client::TopicInfo> created = connected->admin().create_topic(std::move(topic)).wait();
  Outcome outcome;
  if (created) {
    outcome.topic = *std::move(created);
  } else {
    outcome.existed = options.if_not_exists && created.error().kafka_code() == ErrorCode::kTopicAlreadyExists;
    if (!outcome.existed) return fail(session.failure(created.error()));
    TRY(found, find_topic(session, options.name));  // the refusal says nothing about it
    outcome.topic = std::move(found);
  }
  tell(session, outcome);
  return kExitOk;
}

}  // namespace

Action declare_topic_create(Flags& flags) {
  const auto options = std::make_shared<CreateOptions>();
  flags.word("topic", options->name, Need::kRequired, "Its name: letters, digits, '.', '_' and '-'");
  flags.number("-p,--partitions", options->partitions, {.least = 1, .greatest = INT32_MAX, .also = -1},
               "How many partitions; -1: what the broker takes by default");
  flags.number("-r,--replication-factor", options->replication_factor, {.least = 1, .greatest = INT16_MAX, .also = -1},
               "Copies on a cluster; one leatd has one; -1: as many as the broker makes by default");
  flags.texts("-c,--config", "NAME=VALUE", options->configs, "A setting of the topic; may be repeated");
  flags.on_off("--if-not-exists", options->if_not_exists, "A topic that exists already is no error");
  return [options](Session& session) { return create(session, *options); };
}

}  // namespace leat::cli
