// topics.cpp: what the load needs beside the load: topics and producer ids.
#include <chrono>
#include <thread>

#include "benchmarks/load/call.h"
#include "benchmarks/load/frames.h"
#include "benchmarks/load/load.h"
#include "net/protocol/messages/create_topics.h"
#include "net/protocol/messages/delete_topics.h"
#include "net/protocol/messages/init_producer_id.h"

namespace leat::bench {
namespace {

constexpr std::chrono::seconds kPatience(30);
constexpr std::chrono::milliseconds kAgainAfter(5);

// Kafka answers CreateTopics when its controller has the topic, a little before its broker serves the partitions.
Result<void> wait_until_served(Socket& socket, const TopicPlan& plan) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::vector<uint8_t> answer;
  for (int32_t partition = 0; partition < plan.partition_count;) {
    TRY(socket.send_all(fetch_frame({.topic = plan.name, .partition = partition, .wait_ms = 0})));
    uint8_t size_field[4];
    TRY(socket.receive_all(size_field));
    answer.resize(static_cast<size_t>(from_big_endian<int32_t>(size_field)));
    TRY(socket.receive_all(answer));
    if (read_fetched(answer, plan.name.size()).error == 0) {
      ++partition;
    } else if (std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kTimedOut, "topic " + plan.name + " is not served 30 s after it was created");
    } else {
      std::this_thread::sleep_for(kAgainAfter);
    }
  }
  return {};
}

}  // namespace

Result<void> create_topic(const Address& broker, const TopicPlan& plan) {
  TRY(socket, Socket::connect(broker));
  CreateTopicsRequest request;
  request.timeout_ms = 30'000;
  CreateTopicsRequest::CreatableTopic topic;
  topic.name = plan.name;
  topic.num_partitions = plan.partition_count;
  topic.replication_factor = 1;
  for (const auto& [name, value] : plan.configs) topic.configs.push_back({.name = name, .value = value});
  request.topics.push_back(std::move(topic));
  TRY(response, (call<CreateTopicsResponse>(socket, request, 4)));
  for (const auto& created : response.topics) {
    if (created.error_code == ErrorCode::kNone) continue;
    return fail(Errc::kInvalidArgument,
                "topic " + plan.name + " was not created: " + created.error_message.value_or("no reason given"));
  }
  return wait_until_served(socket, plan);
}

Result<void> delete_topic(const Address& broker, const std::string& name) {
  TRY(socket, Socket::connect(broker));
  DeleteTopicsRequest request;
  request.timeout_ms = 30'000;
  request.topic_names.push_back(name);
  TRY(response, (call<DeleteTopicsResponse>(socket, request, 3)));
  if (response.responses.empty() || response.responses[0].error_code != ErrorCode::kNone) {
    return fail(Errc::kInvalidArgument, "topic " + name + " was not deleted");
  }
  return {};
}

Result<int64_t> request_producer_id(Socket& socket) {
  InitProducerIdRequest request;
  request.transactional_id = std::nullopt;
  request.transaction_timeout_ms = 60'000;
  // Kafka's first answer is COORDINATOR_LOAD_IN_PROGRESS: it fetches ids in blocks, when the first is asked for.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    TRY(response, (call<InitProducerIdResponse>(socket, request, 1)));
    if (response.error_code == ErrorCode::kNone) return response.producer_id;
    if (std::chrono::steady_clock::now() > deadline) return fail(Errc::kIo, "the broker gave no producer id");
    std::this_thread::sleep_for(kAgainAfter);
  }
}

}  // namespace leat::bench
