// fake_readers.h: what a FakeCluster answers consumers and admins: records as batches, offsets, new topics, and groups:
// a coordinator on node 1 for the consumer protocol with any number of members (shares of "orders" in turn, a partition
// only when nobody else owns it), and for the classic one with a single member, who leads. Thread: the cluster's.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/codec/message_reader.h"
#include "net/protocol/api_key.h"
#include "net/protocol/error_code.h"
#include "net/protocol/messages/consumer_group_heartbeat.h"
#include "net/protocol/messages/create_topics.h"
#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/offset_commit.h"
#include "net/protocol/messages/offset_fetch.h"

namespace leat::test {

class FakeCluster;

class FakeReaders {
 public:
  explicit FakeReaders(FakeCluster& cluster) : cluster_(cluster) {}

  enum class Found : uint8_t { kSomething, kNothing };
  Found fetch(int32_t node, const FetchRequest& request, FetchResponse& response);
  // none: no API of readers.
  std::optional<std::vector<Piece>> answer(int32_t node, ApiKey key, int16_t version, int32_t id, MessageReader& in);

  int records_in_batch = 10;
  std::map<std::pair<std::string, int32_t>, int64_t> committed;
  std::deque<ErrorCode> commit_errors;     // the next partitions
  std::deque<ErrorCode> heartbeat_errors;  // of both protocols
  std::deque<ErrorCode> coordinator_errors;
  std::deque<ErrorCode> deletion_errors;  // the next partitions of DeleteRecords
  std::deque<ErrorCode> creation_errors;  // the next topics of CreateTopics
  std::set<std::string> members;          // of the consumer protocol
  int joins = 0;                          // classic
  int farewells = 0;                      // classic

 private:
  struct Member {
    std::set<int32_t> owned;
    std::set<int32_t> told;
    bool knows = false;
  };
  std::optional<std::vector<Piece>> answer_member(ApiKey key, int16_t version, int32_t id, MessageReader& in);
  ConsumerGroupHeartbeatResponse heartbeat(const ConsumerGroupHeartbeatRequest& request);
  CreateTopicsResponse create_topics(const CreateTopicsRequest& request);
  OffsetCommitResponse commit(const OffsetCommitRequest& request);
  OffsetFetchResponse committed_offsets(const OffsetFetchRequest& request) const;
  template <class Request, class Response, class Carry>
  std::vector<Piece> reply(int16_t version, int32_t id, MessageReader& in, Carry carry);

  FakeCluster& cluster_;
  std::map<std::string, Member> group_;
  std::string classic_member_;
  int32_t epoch_ = 0;
  int32_t generation_ = 0;
};

}  // namespace leat::test
