// admin_cases.cpp: what an admin changes, it finds changed.
#include <algorithm>
#include <array>

#include "test/client_live/case.h"

namespace leat::client_live {
namespace {

using client::Admin;
using client::ConfigResource;
using client::ResourceType;

constexpr seconds kPatience{30};

void topics(const Place& place) {
  const auto client = connect(place);
  Admin& admin = client->admin();
  const std::string topic = make_topic(place, *client, "topics", 3, {{"retention.ms", "3600000"}});
  need_error(admin.create_topic({.name = topic, .partition_count = 1}).wait(), "TOPIC_ALREADY_EXISTS", "made twice");
  need_error(admin.create_topic({.name = "not/a/name", .partition_count = 1}).wait(), "INVALID_TOPIC_EXCEPTION",
             "a name that cannot be");
  const auto listed = need(admin.list_topics(), "list_topics()");
  const bool is_listed = std::any_of(listed.begin(), listed.end(), [&](const auto& one) { return one.name == topic; });
  require(is_listed, "the topic is not in the list");
  need_error(admin.describe_topics({topic, place.prefix + "-nowhere"}).wait(), "UNKNOWN_TOPIC_OR_PARTITION",
             "a topic that is not there");

  need(admin.create_partitions(topic, 5), "create_partitions()");
  eventually(kPatience, "five partitions", [&] {
    const auto told = admin.describe_topics({topic}).wait();
    return told && told->front().partitions.size() == 5;
  });
  need_error(admin.create_partitions(topic, 2).wait(), "INVALID_PARTITIONS", "fewer partitions");

  need(admin.delete_topic(topic), "delete_topic()");
  eventually(kPatience, "the topic is gone", [&] {
    const auto told = admin.describe_topics({topic}).wait();
    return !told && told.error().name() == "UNKNOWN_TOPIC_OR_PARTITION";
  });
  need_error(admin.delete_topic(topic).wait(), "UNKNOWN_TOPIC_OR_PARTITION", "deleted twice");
}

void configs(const Place& place) {
  const auto client = connect(place);
  Admin& admin = client->admin();
  const ConfigResource resource{.type = ResourceType::kTopic,
                                .name = make_topic(place, *client, "configs", 1, {{"retention.ms", "3600000"}})};
  const auto retention = [&]() -> client::ConfigEntry {
    const auto entries = need(admin.describe_configs(resource, {"retention.ms"}), "describe_configs()");
    require(entries.size() == 1, "one setting was asked for");
    return entries.front();
  };
  require(retention().value == "3600000", "the setting of the topic's making is not there");
  require(retention().source == client::ConfigSource::kDynamicTopic, "it is the topic's own");
  need(admin.alter_configs(resource, {{.name = "retention.ms", .value = "7200000"}}), "alter_configs()");
  eventually(kPatience, "a setting is altered", [&] { return retention().value == "7200000"; });
  need(admin.alter_configs(resource, {{.name = "retention.ms", .value = std::nullopt}}), "alter_configs()");
  eventually(kPatience, "a setting is back to its default",
             [&] { return retention().source != client::ConfigSource::kDynamicTopic; });
  const auto refused = admin.alter_configs(resource, {{.name = "retention.ms", .value = "soon"}}).wait();
  require(!refused && !refused.error().is_retriable(), "a value that is no number was taken");
  require(need(admin.describe_configs(resource), "describe_configs()").size() > 10, "all settings were asked for");
}

void offsets(const Place& place) {
  constexpr int64_t kBaseMs = 1'600'000'000'000;
  const auto client = connect(place);
  Admin& admin = client->admin();
  const std::string topic = make_topic(place, *client, "offsets", 2, {{"retention.ms", "-1"}});
  const auto producer = need(client->producer(), "a producer");
  for (int64_t i = 0; i < 10; ++i) {
    need(producer->send({.topic = topic, .value = "v", .partition = 0, .timestamp_ms = kBaseMs + i * 1'000}, {}),
         "send()");
    need(producer->flush(10'000), "flush()");
  }
  const client::TopicPartition name{.topic = topic, .partition = 0};
  const client::TopicPartition empty{.topic = topic, .partition = 1};
  const auto at = [&](const client::TopicPartition& of, int64_t time) {
    return need(admin.list_offsets({{of, time}}), "list_offsets()").at(of);
  };
  require(at(name, client::kEarliestOffset).offset == 0, "the earliest");
  require(at(name, client::kLatestOffset).offset == 10, "the latest");
  require(at(empty, client::kLatestOffset).offset == 0, "the latest of an empty partition");
  require(at(name, kBaseMs + 3'500).offset == 4, "the first at or after a time");
  require(at(name, kBaseMs + 3'500).timestamp_ms == kBaseMs + 4'000, "its timestamp");
  require(at(name, kBaseMs + 60'000).offset == -1, "none is as late");
  require(at(name, client::kMaxTimestampOffset).offset == 9, "the one with the largest timestamp");
  const client::TopicPartition missing{.topic = topic, .partition = 7};
  need_error(admin.list_offsets({{missing, client::kLatestOffset}}).wait(), "UNKNOWN_TOPIC_OR_PARTITION",
             "a partition that is not there");

  const auto starts = need(admin.delete_records({{name, 4}}), "delete_records()");
  require(starts.at(name) == 4, "the log begins at another offset than was asked for");
  require(at(name, client::kEarliestOffset).offset == 4, "the earliest after a deletion");
}

void brokers(const Place& place) {
  const auto client = connect(place);
  Admin& admin = client->admin();
  const std::string topic = make_topic(place, *client, "brokers", 1);
  fill(*client, topic, 1, 10);
  const auto cluster = need(admin.describe_cluster(), "describe_cluster()");
  require(!cluster.brokers.empty() && !cluster.cluster_id.empty(), "a cluster has brokers and an id");
  const auto versions = need(admin.api_versions(cluster.brokers.front().node_id), "api_versions()");
  const auto produce = std::find_if(versions.begin(), versions.end(), [](const auto& api) { return api.api_key == 0; });
  require(produce != versions.end() && produce->name == "Produce" && produce->max >= 3, "it serves Produce");

  const client::TopicPartition name{.topic = topic, .partition = 0};
  bool has_size = false;
  for (const client::LogDirInfo& dir : need(admin.describe_log_dirs(), "describe_log_dirs()")) {
    for (const client::LogDirPartition& partition : dir.partitions) {
      has_size = has_size || (partition.partition == name && partition.size_bytes > 0);
    }
  }
  require(has_size, "the partition is in no log directory");
  const auto producers = need(admin.describe_producers({name}), "describe_producers()").at(name);
  require(producers.size() == 1 && producers.front().last_sequence == 9, "one producer, whose last sequence is 9");
}

bool is_listed(Admin& admin, const std::string& group, const std::string& type) {
  const auto listed = need(admin.list_groups({.types = {type}}), "list_groups()");
  return std::any_of(listed.begin(), listed.end(), [&](const auto& one) { return one.group_id == group; });
}

void check_members(Admin& admin, const std::string& group, const std::string& type, const std::string& topic) {
  eventually(kPatience, "the group is stable and listed",
             [&] { return need(admin.describe_group(group), "describe_group()").state == "Stable"; });
  require(is_listed(admin, group, type), "the group is not in the list");
  const client::GroupInfo told = need(admin.describe_group(group), "describe_group()");
  require(told.type == type && told.members.size() == 1, "one member of the group's type");
  require(told.members.front().assigned == partitions_of(topic, 2), "it has both partitions");
  require(need(admin.list_group_offsets(group), "list_group_offsets()").at({topic, 1}).offset == 10, "its commit");
  need_error(admin.delete_group(group).wait(), "NON_EMPTY_GROUP", "a group with a member was deleted");
}

void check_offsets(Admin& admin, const std::string& group, const std::string& topic) {
  const client::TopicPartition first{.topic = topic, .partition = 0};
  const client::TopicPartition second{.topic = topic, .partition = 1};
  client::Offsets altered;
  altered[first] = {.offset = 3, .leader_epoch = -1, .metadata = "by hand"};
  require(need(admin.alter_group_offsets(group, altered), "alter_group_offsets()").empty(), "an offset was refused");
  const auto one = need(admin.list_group_offsets(group, {first}), "list_group_offsets()");
  require(one.size() == 1 && one.at(first).offset == 3 && one.at(first).metadata == "by hand", "an altered offset");
  require(need(admin.delete_group_offsets(group, {second}), "delete_group_offsets()").empty(), "it was refused");
  const auto left = need(admin.list_group_offsets(group), "list_group_offsets()");
  require(left.size() == 1 && left.contains(first), "a deleted offset is still there");
}

void groups(const Place& place) {
  const auto client = connect(place);
  Admin& admin = client->admin();
  constexpr std::array kProtocols{client::GroupProtocol::kClassic, client::GroupProtocol::kConsumer};
  for (const client::GroupProtocol protocol : kProtocols) {
    const std::string type = protocol == client::GroupProtocol::kClassic ? "classic" : "consumer";
    const std::string topic = make_topic(place, *client, "groups-" + type, 2);
    const std::string group = topic + "-readers";
    fill(*client, topic, 2, 20);
    client::ConsumerSettings settings;
    settings.group_id = group;
    settings.group_protocol = protocol;
    settings.auto_offset_reset = client::OffsetReset::kEarliest;
    const auto consumer = need(client->consumer(settings), "a consumer");
    need(consumer->subscribe({topic}), "subscribe()");
    (void)read(*consumer, 20);
    need(consumer->commit(), "commit()");
    check_members(admin, group, type, topic);
    need(consumer->close(10'000), "close()");
    eventually(kPatience, "the group is empty",
               [&] { return need(admin.describe_group(group), "describe_group()").state == "Empty"; });
    check_offsets(admin, group, topic);
    need(admin.delete_group(group), "delete_group()");
    require(!is_listed(admin, group, type), "a deleted group is listed");
    need_error(admin.describe_group(group).wait(), "GROUP_ID_NOT_FOUND", "a group that is gone");
  }
}

constexpr std::array kCases{
    Case{"admin_topics", topics},   Case{"admin_configs", configs}, Case{"admin_offsets", offsets},
    Case{"admin_brokers", brokers}, Case{"admin_groups", groups},
};

}  // namespace

std::span<const Case> admin_cases() { return kCases; }

}  // namespace leat::client_live
