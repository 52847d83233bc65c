// topic_lookup.cpp: see topic_lookup.h.
#include "cli/topic_lookup.h"

#include <fmt/format.h>
#include <poll.h>

#include <set>

#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

constexpr int kTries = 50;  // a broker that makes no topics answers as one does that is about to
constexpr Millis kPause{100};

void pause_for(Millis duration) noexcept { (void)::poll(nullptr, 0, static_cast<int>(duration.count())); }

bool is_unknown(const client::Error& error) noexcept {
  return error.kafka_code() == ErrorCode::kUnknownTopicOrPartition;
}

Error no_topic(Session& session, const client::Error& error, const std::string& name) {
  if (!is_unknown(error)) return session.failure(error);
  return session.failure(error, fmt::format("topic '{}' does not exist (UNKNOWN_TOPIC_OR_PARTITION). Make it with: "
                                            "leat topic create {}",
                                            name, name));
}

}  // namespace

Result<client::TopicInfo> find_topic(Session& session, const std::string& name) {
  TRY(connected, session.client());
  client::Result<std::vector<client::TopicInfo>> topics = connected->admin().describe_topics({name}).wait();
  if (!topics) return fail(no_topic(session, topics.error(), name));
  return std::move(topics->front());
}

Result<client::TopicInfo> find_or_make_topic(Session& session, const std::string& name) {
  TRY(connected, session.client());
  for (int tries_left = kTries;; --tries_left) {
    client::Result<std::vector<client::TopicInfo>> topics =
        connected->admin().describe_topics({name}, client::AutoCreate::kYes).wait();
    if (topics) return std::move(topics->front());
    if (tries_left == 0 || !is_unknown(topics.error())) return fail(no_topic(session, topics.error(), name));
    pause_for(kPause);
  }
}

Result<void> reach_leaders(Session& session, const client::TopicInfo& topic) {
  TRY(connected, session.client());
  std::set<int32_t> leaders;
  for (const client::PartitionInfo& partition : topic.partitions) leaders.insert(partition.leader);
  for (const int32_t leader : leaders) {
    if (leader >= 0) TRY(session.wait(connected->admin().api_versions(leader)));
  }
  return {};
}

Result<std::vector<int32_t>> chosen_partitions(Session& session, const client::TopicInfo& topic,
                                               const std::vector<int64_t>& chosen) {
  std::set<int32_t> there;
  for (const client::PartitionInfo& partition : topic.partitions) there.insert(partition.partition);
  if (chosen.empty()) return std::vector<int32_t>(there.begin(), there.end());
  std::set<int32_t> partitions;
  for (const int64_t index : chosen) {
    const auto partition = static_cast<int32_t>(index);
    if (!there.contains(partition)) {
      return fail(session.refusal(ErrorCode::kUnknownTopicOrPartition,
                                  fmt::format("topic '{}' has no partition {} (UNKNOWN_TOPIC_OR_PARTITION): it has 0 "
                                              "to {}",
                                              topic.name, partition, static_cast<int64_t>(there.size()) - 1)));
    }
    partitions.insert(partition);
  }
  return std::vector<int32_t>(partitions.begin(), partitions.end());
}

Result<OffsetsFound> list_offsets(Session& session, const std::string& topic, const std::vector<int32_t>& partitions,
                                  int64_t time, client::IsolationLevel isolation) {
  TRY(connected, session.client());
  std::map<client::TopicPartition, int64_t> times;
  for (const int32_t partition : partitions) times[{.topic = topic, .partition = partition}] = time;
  TRY(offsets, session.wait(connected->admin().list_offsets(std::move(times), isolation)));
  OffsetsFound found;
  for (const auto& [name, offset] : offsets) found[name.partition] = offset;
  return found;
}

Error offset_outside(Session& session, const client::TopicPartition& partition, int64_t offset, int64_t log_start,
                     int64_t log_end) {
  return session.refusal(
      ErrorCode::kOffsetOutOfRange,
      fmt::format("{}-{} has no offset {} (OFFSET_OUT_OF_RANGE): its log begins at {} and ends at {}, where the next "
                  "record will be. Begin there, in between, at --from-beginning or at --since TIME",
                  partition.topic, partition.partition, offset, log_start, log_end));
}

}  // namespace leat::cli
