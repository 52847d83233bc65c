// topic_describe.cpp: leat topic describe: partitions with leaders and offsets, and the settings that are not defaults
// (Metadata, ListOffsets, DescribeConfigs).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/text_table.h"
#include "client/topic_configs.h"
#include "client/topic_offsets.h"

namespace leat::cli {
namespace {

struct DescribeOptions {
  std::vector<std::string> names;
};

struct Description {
  Topic topic;
  std::map<int32_t, PartitionOffset> earliest;
  std::map<int32_t, PartitionOffset> latest;
  std::vector<ConfigEntry> overrides;
};

Result<Description> ask(SimpleClient& client, const std::string& name) {
  Description found;
  TRY(topic, client.topic(name, AutoCreate::kNo));
  TRY(earliest, list_offsets(client, topic, kEarliestOffset));
  TRY(latest, list_offsets(client, topic, kLatestOffset));
  TRY(configs, describe_configs(client, {.type = ResourceType::kTopic, .name = name}, {}));
  for (ConfigEntry& config : configs) {
    if (config.source == kDynamicTopicConfig) found.overrides.push_back(std::move(config));
  }
  found.topic = std::move(topic);
  found.earliest = std::move(earliest);
  found.latest = std::move(latest);
  return found;
}

JsonRaw json_ids(const std::vector<int32_t>& ids) { return json_array({ids.begin(), ids.end()}); }

void print_json(Session& session, Description& found) {
  std::vector<JsonValue> partitions;
  for (const auto& partition : found.topic.partitions) {
    const int32_t index = partition.partition_index;
    partitions.emplace_back(JsonObject({{"partition", index},
                                        {"leader", partition.leader_id},
                                        {"replicas", json_ids(partition.replica_nodes)},
                                        {"isr", json_ids(partition.isr_nodes)},
                                        {"earliest_offset", found.earliest[index].offset},
                                        {"latest_offset", found.latest[index].offset}})
                                .raw());
  }
  JsonObject configs;
  for (const ConfigEntry& config : found.overrides) configs.add(config.name, config.value.value_or(""));
  session.out(json_line({{"topic", found.topic.name.value_or("")},
                         {"topic_id", found.topic.topic_id.to_string()},
                         {"partitions", json_array(partitions)},
                         {"configs", configs.raw()}}));
}

void print_text(Session& session, Description& found) {
  session.out(fmt::format("Topic {}  id {}  partitions {}\n", found.topic.name.value_or(""),
                          found.topic.topic_id.to_string(), found.topic.partitions.size()));
  for (const ConfigEntry& config : found.overrides) {
    session.out(fmt::format("  {} = {}\n", config.name, config.value.value_or("")));
  }
  // SPAN counts offsets, not records: see `leat offsets`.
  TextTable table({"PARTITION", "LEADER", "REPLICAS", "IN-SYNC", "EARLIEST", "LATEST", "SPAN"});
  for (const auto& partition : found.topic.partitions) {
    const int64_t earliest = found.earliest[partition.partition_index].offset;
    const int64_t latest = found.latest[partition.partition_index].offset;
    table.add({std::to_string(partition.partition_index), std::to_string(partition.leader_id),
               fmt::format("{}", fmt::join(partition.replica_nodes, ",")),
               fmt::format("{}", fmt::join(partition.isr_nodes, ",")), std::to_string(earliest), std::to_string(latest),
               std::to_string(latest - earliest)});
  }
  session.out(table.to_string());
}

}  // namespace

Action declare_topic_describe(Flags& flags) {
  const auto options = std::make_shared<DescribeOptions>();
  flags.words("topic", options->names, Need::kRequired, "One or more topics");
  return [options](Session& session) -> Result<int> {
    TRY(client, session.client());
    for (const std::string& name : options->names) {
      TRY(found, ask(*client, name));
      if (session.options.json) {
        print_json(session, found);
      } else {
        print_text(session, found);
      }
    }
    return kExitOk;
  };
}

}  // namespace leat::cli
