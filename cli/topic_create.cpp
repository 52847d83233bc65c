// topic_create.cpp: leat topic create (CreateTopics).
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/key_value.h"
#include "net/protocol/messages/create_topics.h"

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
  int32_t partition_count = 0;
  Uuid topic_id;
};

void tell(Session& session, const std::string& name, const Outcome& outcome) {
  if (session.options.json) {
    session.out(json_line({{"topic", name},
                           {"created", !outcome.existed},
                           {"partitions", outcome.partition_count},
                           {"topic_id", outcome.topic_id.to_string()}}));
  }
  std::string partitions;
  if (outcome.partition_count > 0) {
    partitions = fmt::format(" with {} partition{}", outcome.partition_count, outcome.partition_count == 1 ? "" : "s");
  }
  session.say(outcome.existed ? fmt::format("Topic '{}' exists{}.", name, partitions)
                              : fmt::format("Created topic '{}'{}.", name, partitions));
}

Result<int> create(Session& session, const CreateOptions& options) {
  CreateTopicsRequest request;
  auto& topic = request.topics.emplace_back();
  topic.name = options.name;
  topic.num_partitions = static_cast<int32_t>(options.partitions);
  topic.replication_factor = static_cast<int16_t>(options.replication_factor);
  TRY(configs, parse_key_values(options.configs, "--config"));
  for (const KeyValue& config : configs) topic.configs.push_back({.name = config.key, .value = config.value});

  TRY(client, session.client());
  TRY(controller, client->controller());
  TRY(response, controller->call<CreateTopicsResponse>(request));
  if (response.topics.empty()) return fail(Errc::kProtocol, "the broker did not answer about the topic");
  const auto& result = response.topics.front();
  const bool existed = result.error_code == ErrorCode::kTopicAlreadyExists && options.if_not_exists;
  if (result.error_code != ErrorCode::kNone && !existed) {
    return fail(
        to_error(result.error_code, fmt::format("topic '{}' was not created", options.name), result.error_message));
  }
  Outcome outcome{.existed = existed, .partition_count = result.num_partitions, .topic_id = result.topic_id};
  if (existed) {  // the refusal says nothing about it
    TRY(found, client->topic(options.name, AutoCreate::kNo));
    outcome.partition_count = static_cast<int32_t>(found.partitions.size());
    outcome.topic_id = found.topic_id;
  }
  tell(session, options.name, outcome);
  return kExitOk;
}

}  // namespace

Action declare_topic_create(Flags& flags) {
  const auto options = std::make_shared<CreateOptions>();
  flags.word("topic", options->name, Need::kRequired, "Its name: letters, digits, '.', '_' and '-'");
  flags.number("-p,--partitions", options->partitions, {.least = -1, .greatest = INT32_MAX},
               "How many partitions; -1: what the broker takes by default");
  flags.number("-r,--replication-factor", options->replication_factor, {.least = -1, .greatest = INT16_MAX},
               "Copies on a cluster; one leatd has one");
  flags.texts("-c,--config", "NAME=VALUE", options->configs, "A setting of the topic; may be repeated");
  flags.on_off("--if-not-exists", options->if_not_exists, "A topic that exists already is no error");
  return [options](Session& session) { return create(session, *options); };
}

}  // namespace leat::cli
