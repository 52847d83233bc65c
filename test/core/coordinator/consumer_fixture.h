// consumer_fixture.h: a consumer group under test, and clients of both protocols that do what they are told. A client
// keeps what it believes: its epoch and what it owns.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "core/coordinator/group/consumer_group.h"
#include "test/core/coordinator/group_fixture.h"
#include "test/support/catch.h"

namespace leat {

using PartitionSet = std::set<std::pair<Uuid, int32_t>>;

inline PartitionSet flat(const std::vector<TopicPartitions>& topics) {
  PartitionSet partitions;
  for (const TopicPartitions& topic : topics) {
    for (const int32_t partition : topic.partitions) partitions.emplace(topic.topic_id, partition);
  }
  return partitions;
}
inline std::vector<TopicPartitions> by_topic(const PartitionSet& partitions) {
  std::vector<TopicPartitions> topics;
  for (const auto& [topic, partition] : partitions) {
    if (topics.empty() || topics.back().topic_id != topic) topics.push_back({.topic_id = topic, .partitions = {}});
    topics.back().partitions.push_back(partition);
  }
  return topics;
}

// Speaks the consumer protocol.
struct ConsumerClient {
  std::string member_id;
  std::vector<std::string> topics;
  std::optional<std::string> regex = {};
  std::optional<std::string> instance_id = {};
  std::optional<std::string> assignor = {};
  int32_t rebalance_timeout_ms = 20'000;
  int32_t epoch = 0;
  PartitionSet owned = {};

  ConsumerHeartbeat bare(int32_t member_epoch) const {
    ConsumerHeartbeat event;
    event.group_id = "g";
    event.member_id = member_id;
    event.member_epoch = member_epoch;
    event.instance_id = instance_id;
    event.client = {.id = "client-" + member_id, .host = "/127.0.0.1"};
    return event;
  }
  ConsumerHeartbeat full() const {  // what a join says, and what is sent after a lost answer
    ConsumerHeartbeat event = bare(epoch);
    event.rebalance_timeout_ms = rebalance_timeout_ms;
    event.subscribed_topic_names = topics;
    event.subscribed_topic_regex = regex;
    event.server_assignor = assignor;
    event.owned_partitions = by_topic(owned);
    return event;
  }
  ConsumerHeartbeat brief() const {
    ConsumerHeartbeat event = bare(epoch);
    event.owned_partitions = by_topic(owned);
    return event;
  }
  void hear(const ConsumerHeartbeatReply& reply) {
    if (reply.fault.code != GroupErrc::kNone) {  // all of them mean: begin anew
      epoch = 0;
      owned.clear();
      return;
    }
    epoch = reply.member_epoch;
    if (reply.assignment) owned = flat(*reply.assignment);
  }
};

struct ConsumerFixture {
  GroupDriver<ConsumerGroup> driver;
  CatalogTopic foo;
  CatalogTopic bar;

  ConsumerFixture() {
    foo = driver.catalog.add("foo", 6);
    bar = driver.catalog.add("bar", 3);
  }

  const ConsumerGroup& group() const { return driver.group(); }
  std::string state() const { return std::string(group().state_name()); }

  ConsumerHeartbeatReply send(const ConsumerHeartbeat& event) {
    return driver.answer<ConsumerHeartbeatReply>(&ConsumerGroup::heartbeat, event);
  }
  // A refusal that must have written nothing.
  GroupFault refused(const ConsumerHeartbeat& event) {
    const size_t record_count = driver.records.size();
    const ConsumerHeartbeatReply reply = send(event);
    CHECK(reply.fault.code != GroupErrc::kNone);
    CHECK(driver.records.size() == record_count);
    return reply.fault;
  }
  ConsumerHeartbeatReply beat(ConsumerClient& client) {
    const ConsumerHeartbeatReply reply = send(client.epoch == 0 ? client.full() : client.brief());
    INFO(reply.fault.message);
    REQUIRE(reply.fault.code == GroupErrc::kNone);
    client.hear(reply);
    return reply;
  }
  ConsumerClient join(std::string member_id, std::vector<std::string> topics = {"foo"}) {
    ConsumerClient client{.member_id = std::move(member_id), .topics = std::move(topics)};
    beat(client);
    return client;
  }
  // Everybody sends heartbeats until nothing is left to be done.
  void settle(std::vector<ConsumerClient*> clients) {
    for (int round = 0; round < 10; ++round) {
      for (ConsumerClient* client : clients) beat(*client);
      if (state() == "Stable") return;
    }
    FAIL("the group does not settle: " << state());
  }
  // Members a and b of topic foo, with three partitions each.
  std::pair<ConsumerClient, ConsumerClient> stable_pair() {
    ConsumerClient a = join("a");
    ConsumerClient b = join("b");
    settle({&a, &b});
    return {a, b};
  }

  const CurrentAssignment& current(const std::string& member_id) const {
    const ConsumerMember* member = group().member(member_id);
    REQUIRE(member != nullptr);
    return member->current;
  }
  MemberState member_state(const std::string& member_id) const { return current(member_id).state; }

  void topics_changed() { driver.group().catalog_changed(); }
  void check_replay() const { CHECK((driver.replayed()->snapshot() == group().snapshot())); }
};

inline PartitionSet held_by(const CurrentAssignment& current) {
  PartitionSet held = flat(to_topic_partitions(current.assigned));
  held.merge(flat(to_topic_partitions(current.pending_revocation)));
  return held;
}

// Speaks the classic protocol: eagerly (gives everything up before it joins) or cooperatively.
struct ClassicClient {
  std::string member_id = {};
  std::vector<std::string> topics;
  bool is_eager = true;
  std::optional<std::string> instance_id = {};
  int32_t session_timeout_ms = 10'000;
  int32_t rebalance_timeout_ms = 20'000;
  int32_t generation = -1;
  PartitionSet owned = {};

  JoinGroup joining(const TopicCatalog& catalog) {
    if (is_eager) owned.clear();
    ConsumerProtocolSubscription subscription;
    subscription.topics = topics;
    for (const TopicPartitions& topic : by_topic(owned)) {
      const std::optional<CatalogTopic> found = catalog.find(topic.topic_id);
      if (found) subscription.owned_partitions.push_back({.topic = found->name, .partitions = topic.partitions});
    }
    JoinGroup event;
    event.group_id = "g";
    event.member_id = member_id;
    event.instance_id = instance_id;
    event.protocol_type = "consumer";
    const Result<Bytes> metadata = encode_value(subscription, 3);
    REQUIRE(metadata.has_value());
    event.protocols = {{.name = is_eager ? "range" : "cooperative-sticky", .metadata = *metadata}};
    event.session_timeout_ms = session_timeout_ms;
    event.rebalance_timeout_ms = rebalance_timeout_ms;
    event.client = {.id = "classic", .host = "/127.0.0.1"};
    return event;
  }
  SyncGroup syncing() const {
    SyncGroup event;
    event.group_id = "g";
    event.generation = generation;
    event.member_id = member_id;
    event.instance_id = instance_id;
    event.protocol_type = "consumer";
    event.protocol = is_eager ? "range" : "cooperative-sticky";
    return event;
  }
  GroupHeartbeat beating() const {
    return {.group_id = "g", .generation = generation, .member_id = member_id, .instance_id = instance_id};
  }
  void hear_sync(const SyncGroupReply& reply, const TopicCatalog& catalog) {
    const Result<ConsumerProtocolAssignment> assignment = decode_value<ConsumerProtocolAssignment>(reply.assignment);
    REQUIRE(assignment.has_value());
    owned.clear();
    for (const auto& topic : assignment->assigned_partitions) {
      const std::optional<CatalogTopic> found = catalog.find(topic.topic);
      if (!found) continue;
      for (const int32_t partition : topic.partitions) owned.emplace(found->id, partition);
    }
  }
};

}  // namespace leat
