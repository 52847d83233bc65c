// list_offsets_handler_test.cpp: ListOffsets and OffsetForLeaderEpoch through their handlers. Look-ups by time: with
// the real log, in partition_log's tests and the live ones.
#include "test/server/data_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

ListOffsetsResponse::ListOffsetsPartitionResponse ask(DataFixture& f, int64_t timestamp, int16_t version = 11,
                                                      int32_t epoch = -1, int32_t partition = 0) {
  ListOffsetsRequest request;
  request.replica_id = -1;
  ListOffsetsRequest::ListOffsetsTopic& topic = request.topics.emplace_back();
  topic.name = "t";
  ListOffsetsRequest::ListOffsetsPartition& asked = topic.partitions.emplace_back();
  asked.partition_index = partition;
  asked.current_leader_epoch = epoch;
  asked.timestamp = timestamp;
  return f.run(handle_list_offsets(f.broker, f.request(version), request))->topics.at(0).partitions.at(0);
}

}  // namespace

TEST_CASE("list offsets: the values that need no file", "[server][list_offsets]") {
  DataFixture f;
  f.add("t");
  f.append("t", 0, make_batch("a", 5));
  REQUIRE(f.table.find("t", 0)->advance_log_start(Offset(3)));
  CHECK(ask(f, -1).offset == 5);
  CHECK(ask(f, -1).leader_epoch == 3);
  CHECK(ask(f, -1).timestamp == -1);
  CHECK(ask(f, -2).offset == 3);
  CHECK(ask(f, -4).offset == 3);
  CHECK(ask(f, -5).offset == -1);
  CHECK(ask(f, -5).error_code == ErrorCode::kNone);
  CHECK(ask(f, -6).offset == -1);
  CHECK(ask(f, -1, 1).leader_epoch == -1);  // a field that version 1 does not have
}

TEST_CASE("list offsets: errors", "[server][list_offsets]") {
  DataFixture f;
  f.add("t");
  CHECK(ask(f, -7).error_code == ErrorCode::kUnsupportedVersion);
  CHECK(ask(f, -3, 6).error_code == ErrorCode::kUnsupportedVersion);
  CHECK(ask(f, -1, 11, 2).error_code == ErrorCode::kFencedLeaderEpoch);
  CHECK(ask(f, -1, 11, 4).error_code == ErrorCode::kUnknownLeaderEpoch);
  CHECK(ask(f, -1, 11, 3).error_code == ErrorCode::kNone);
  CHECK(ask(f, -1, 11, -1, 1).error_code == ErrorCode::kUnknownTopicOrPartition);
  CHECK(ask(f, -1, 11, -1, -1).error_code == ErrorCode::kUnknownTopicOrPartition);
}

TEST_CASE("list offsets: a partition named twice is refused, others are not", "[server][list_offsets]") {
  DataFixture f;
  f.add("t", 0);
  f.add("t", 1);
  ListOffsetsRequest request;
  ListOffsetsRequest::ListOffsetsTopic& topic = request.topics.emplace_back();
  topic.name = "t";
  for (const int32_t partition : {0, 1, 0})
    topic.partitions.push_back({.partition_index = partition, .current_leader_epoch = -1, .timestamp = -1});
  const auto answer = f.run(handle_list_offsets(f.broker, f.request(11), request));
  const auto& partitions = answer->topics.at(0).partitions;
  CHECK(partitions.at(0).error_code == ErrorCode::kInvalidRequest);
  CHECK(partitions.at(1).error_code == ErrorCode::kNone);
  CHECK(partitions.at(2).error_code == ErrorCode::kInvalidRequest);
}

TEST_CASE("offset for leader epoch: ends, fences, the unknown", "[server][list_offsets]") {
  DataFixture f;
  f.add("t");
  f.append("t", 0, make_batch("a", 5));
  OffsetForLeaderEpochRequest request;
  OffsetForLeaderEpochRequest::OffsetForLeaderTopic& topic = request.topics.emplace_back();
  topic.topic = "t";
  topic.partitions = {{0, -1, 3}, {0, -1, 9}, {0, 2, 3}, {0, 9, 3}, {4, -1, 3}};
  const auto answer = f.run(handle_offset_for_leader_epoch(f.broker, f.request(4), request));
  const auto& ends = answer->topics.at(0).partitions;
  CHECK(ends.at(0).end_offset == 5);
  CHECK(ends.at(0).leader_epoch == 3);
  CHECK(ends.at(1).end_offset == -1);
  CHECK(ends.at(1).error_code == ErrorCode::kNone);
  CHECK(ends.at(2).error_code == ErrorCode::kFencedLeaderEpoch);
  CHECK(ends.at(3).error_code == ErrorCode::kUnknownLeaderEpoch);
  CHECK(ends.at(4).error_code == ErrorCode::kUnknownTopicOrPartition);
}
