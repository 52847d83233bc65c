// commit_load.cpp: offset commits: one frame for each connection, encoded once.
#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/load/call.h"
#include "benchmarks/load/frames.h"
#include "benchmarks/load/group_load.h"
#include "benchmarks/load/request_stream.h"
#include "net/protocol/messages/find_coordinator.h"
#include "net/protocol/messages/incremental_alter_configs.h"
#include "net/protocol/messages/offset_commit.h"

namespace leat::bench {
namespace {

constexpr std::chrono::seconds kPatience(60);
constexpr std::chrono::milliseconds kAgainAfter(20);
constexpr int8_t kTopicResource = 2;
constexpr int8_t kSetOperation = 0;
constexpr int8_t kDeleteOperation = 1;

OffsetCommitRequest commit_request(const std::string& topic, int group) {
  OffsetCommitRequest request;
  request.group_id = fmt::format("{}-group-{}", topic, group);
  OffsetCommitRequest::OffsetCommitRequestTopic& committed = request.topics.emplace_back();
  committed.name = topic;
  committed.partitions.push_back({.partition_index = 0, .committed_offset = 4711});
  return request;
}

Result<std::vector<uint8_t>> commit_frame(const std::string& topic, int group) {
  TRY(pieces, encode_request(commit_request(topic, group), kCommitVersion, 7, "leat-bench"));
  std::vector<uint8_t> frame;
  for (const Slice& piece : pieces) frame.insert(frame.end(), piece.view().begin(), piece.view().end());
  return frame;
}

Result<void> commit_once(Socket& socket, const std::string& topic, int group) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  const OffsetCommitRequest request = commit_request(topic, group);
  while (true) {
    TRY(response, (call<OffsetCommitResponse>(socket, request, kCommitVersion)));
    const ErrorCode error = response.topics.at(0).partitions.at(0).error_code;
    if (error == ErrorCode::kNone) return {};
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kTimedOut, fmt::format("group {} cannot commit: {}", request.group_id, error_name(error)));
    }
    std::this_thread::sleep_for(kAgainAfter);
  }
}

}  // namespace

Result<void> wait_for_coordinator(Socket& socket, const std::string& group) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  FindCoordinatorRequest request;
  request.key = group;
  while (true) {
    TRY(response, (call<FindCoordinatorResponse>(socket, request, 2)));
    if (response.error_code == ErrorCode::kNone) return {};
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kTimedOut,
                  fmt::format("group {} has no coordinator: {}", group, error_name(response.error_code)));
    }
    std::this_thread::sleep_for(kAgainAfter);
  }
}

Result<void> prepare_commits(const CommitLoad& load) {
  TRY(socket, Socket::connect(load.broker));
  for (int group = 0; group < load.groups; ++group) {
    TRY(wait_for_coordinator(socket, commit_request(load.topic, group).group_id));
    TRY(commit_once(socket, load.topic, group));
  }
  return {};
}

Result<LoadResult> run_commits(const CommitLoad& load) {
  std::vector<RequestStream> streams;
  for (int i = 0; i < load.connections; ++i) {
    TRY(socket, Socket::connect(load.broker));
    TRY(socket.set_nonblocking());
    TRY(frame, commit_frame(load.topic, i % load.groups));
    StreamPlan plan;
    plan.frame = std::move(frame);
    plan.in_flight = load.in_flight;
    plan.request_count = load.request_count / static_cast<uint64_t>(load.connections);
    plan.what = "commit";
    plan.error_of = [topic_size = load.topic.size()](ByteView answer) { return commit_error(answer, topic_size); };
    streams.emplace_back(std::move(socket), std::move(plan));
  }
  return run_streams(streams, load.seconds_max);
}

Result<void> set_offsets_flush(const Address& broker, OffsetsFlush flush) {
  TRY(socket, Socket::connect(broker));
  TRY(wait_for_coordinator(socket, "leat-bench"));
  IncrementalAlterConfigsRequest request;
  IncrementalAlterConfigsRequest::AlterConfigsResource& topic = request.resources.emplace_back();
  topic.resource_type = kTopicResource;
  topic.resource_name = "__consumer_offsets";
  if (flush == OffsetsFlush::kEach) {
    topic.configs.push_back({.name = "flush.messages", .config_operation = kSetOperation, .value = "1"});
  } else {
    topic.configs.push_back({.name = "flush.messages", .config_operation = kDeleteOperation, .value = std::nullopt});
  }
  TRY(response, (call<IncrementalAlterConfigsResponse>(socket, request, 0)));
  const ErrorCode error = response.responses.at(0).error_code;
  if (error == ErrorCode::kNone) return {};
  return fail(Errc::kInvalidArgument, fmt::format("flush.messages of __consumer_offsets: {}: {}", error_name(error),
                                                  response.responses.at(0).error_message.value_or("")));
}

}  // namespace leat::bench
