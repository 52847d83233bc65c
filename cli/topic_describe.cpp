// topic_describe.cpp: leat topic describe: partitions with leaders and offsets, and the settings that are not defaults.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/text_table.h"
#include "cli/topic_lookup.h"

namespace leat::cli {
namespace {

struct DescribeOptions {
  std::vector<std::string> names;
};

struct Description {
  client::TopicInfo topic;
  OffsetsFound earliest;
  OffsetsFound latest;
  std::vector<client::ConfigEntry> overrides;
};

Result<Description> ask(Session& session, const std::string& name) {
  Description found;
  TRY(topic, find_topic(session, name));
  TRY(partitions, chosen_partitions(session, topic, {}));
  TRY(earliest, list_offsets(session, name, partitions, client::kEarliestOffset));
  TRY(latest, list_offsets(session, name, partitions, client::kLatestOffset));
  TRY(connected, session.client());
  client::ConfigResource resource{.type = client::ResourceType::kTopic, .name = name};
  TRY(configs, session.wait(connected->admin().describe_configs(std::move(resource))));
  for (client::ConfigEntry& config : configs) {
    if (config.source == client::ConfigSource::kDynamicTopic) found.overrides.push_back(std::move(config));
  }
  found.topic = std::move(topic);
  found.earliest = std::move(earliest);
  found.latest = std::move(latest);
  return found;
}

JsonRaw json_ids(const std::vector<int32_t>& ids) { return json_array({ids.begin(), ids.end()}); }

void print_json(Session& session, Description& found) {
  std::vector<JsonValue> partitions;
  for (const client::PartitionInfo& partition : found.topic.partitions) {
    const int32_t index = partition.partition;
    partitions.emplace_back(JsonObject({{"partition", index},
                                        {"leader", partition.leader},
                                        {"replicas", json_ids(partition.replicas)},
                                        {"isr", json_ids(partition.in_sync_replicas)},
                                        {"earliest_offset", found.earliest[index].offset},
                                        {"latest_offset", found.latest[index].offset}})
                                .raw());
  }
  JsonObject configs;
  for (const client::ConfigEntry& config : found.overrides) configs.add(config.name, config.value.value_or(""));
  session.out(json_line({{"topic", found.topic.name},
                         {"topic_id", found.topic.topic_id},
                         {"partitions", json_array(partitions)},
                         {"configs", configs.raw()}}));
}

void print_text(Session& session, Description& found) {
  session.out(fmt::format("Topic {}  id {}  partitions {}\n", found.topic.name, found.topic.topic_id,
                          found.topic.partitions.size()));
  for (const client::ConfigEntry& config : found.overrides) {
    session.out(fmt::format("  {} = {}\n", config.name, config.value.value_or("")));
  }
  // SPAN counts offsets, not records: see `leat offsets`.
  TextTable table({"PARTITION", "LEADER", "REPLICAS", "IN-SYNC", "EARLIEST", "LATEST", "SPAN"});
  for (const client::PartitionInfo& partition : found.topic.partitions) {
    const int64_t earliest = found.earliest[partition.partition].offset;
    const int64_t latest = found.latest[partition.partition].offset;
    table.add({std::to_string(partition.partition), std::to_string(partition.leader),
               fmt::format("{}", fmt::join(partition.replicas, ",")),
               fmt::format("{}", fmt::join(partition.in_sync_replicas, ",")), std::to_string(earliest),
               std::to_string(latest), std::to_string(latest - earliest)});
  }
  session.out(table.to_string());
}

// A topic that is refused does not keep the others; without a broker there is no going on.
Result<int> describe(Session& session, const DescribeOptions& options) {
  int code = kExitOk;
  for (const std::string& name : options.names) {
    Result<Description> found = ask(session, name);
    if (!found && !session.is_refusal(found.error())) return fail(found.error());
    if (!found) {
      code = kExitFailed;
      session.tell(found.error());
    } else if (session.options.json) {
      print_json(session, *found);
    } else {
      print_text(session, *found);
    }
  }
  return code;
}

}  // namespace

Action declare_topic_describe(Flags& flags) {
  const auto options = std::make_shared<DescribeOptions>();
  flags.words("topic", options->names, Need::kRequired, "One or more topics");
  return [options](Session& session) { return describe(session, *options); };
}

}  // namespace leat::cli
