// fake_groups.h: the group coordinator of a FakeBroker: a group of one member in either protocol, whose offsets are
// those of "orders", and other groups to be listed, described and deleted. It notes what it is asked, but for
// heartbeats that say nothing. What befalls the member comes when it has got so far, not at a time. Thread: the
// broker's; log() from any.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/piece.h"
#include "net/protocol/api_key.h"
#include "net/protocol/error_code.h"
#include "net/protocol/messages/consumer_group_describe.h"
#include "net/protocol/messages/consumer_group_heartbeat.h"
#include "net/protocol/messages/describe_groups.h"
#include "net/protocol/messages/join_group.h"
#include "net/protocol/messages/list_groups.h"
#include "net/protocol/messages/offset_commit.h"
#include "net/protocol/messages/offset_fetch.h"
#include "net/protocol/messages/sync_group.h"

namespace leat::test {

class FakeGroups {
 public:
  // In a member's life: told to its next heartbeat as soon as that has happened, since the turn before.
  struct Turn {
    enum class When : uint8_t {
      kAtOnce,
      kAfterReading,  // it asks for more than there is
      kAfterCommit,
      kAfterOwning,  // it has said what it owns, which may be nothing; consumer protocol
    };
    When when = When::kAtOnce;
    ErrorCode error = ErrorCode::kNone;
    std::optional<std::vector<int32_t>> assignment = {};  // another one, in the consumer protocol
  };
  struct Script {
    bool speaks_consumer_protocol = true;
    int coordinator_errors = 0;  // so many FindCoordinator answers: COORDINATOR_NOT_AVAILABLE
    int32_t heartbeat_interval_ms = 5;
    std::vector<int32_t> assignment = {0};  // consumer protocol: what the member shall own at first
    std::vector<Turn> turns = {};
    std::map<int32_t, int64_t> committed = {};  // by partition
    bool forgets_commits = false;
    ErrorCode commit_error = ErrorCode::kNone;
    std::vector<ListGroupsResponse::ListedGroup> listed = {};
    std::vector<ConsumerGroupDescribeResponse::DescribedGroup> consumer_groups = {};
    std::vector<DescribeGroupsResponse::DescribedGroup> classic_groups = {};
    std::map<std::string, ErrorCode> delete_errors = {};
  };
  struct Node {
    int32_t id;
    std::string host;
    uint16_t port;
  };

  explicit FakeGroups(Script script) : script_(std::move(script)) {}

  bool offers(ApiKey key) const noexcept;
  void note_read() noexcept { has_read_ = true; }  // by the broker: a Fetch came to the log's end
  std::vector<Piece> answer(ApiKey key, int16_t version, int32_t correlation_id, const Slice& body, const Node& self);
  std::vector<std::string> log() const;

 private:
  void note(std::string line);
  ErrorCode next_turn();
  bool has_come(Turn::When when) const noexcept;
  ConsumerGroupHeartbeatResponse on_heartbeat(const ConsumerGroupHeartbeatRequest& request);
  JoinGroupResponse on_join(const JoinGroupRequest& request);
  SyncGroupResponse on_sync(const SyncGroupRequest& request);
  OffsetCommitResponse on_commit(const OffsetCommitRequest& request);
  OffsetFetchResponse on_fetch(const OffsetFetchRequest& request) const;
  ConsumerGroupDescribeResponse described_consumer(const std::string& group_id) const;
  DescribeGroupsResponse described_classic(const std::string& group_id) const;

  Script script_;
  size_t turns_taken_ = 0;
  bool has_read_ = false;  // since the last turn, as are the next
  bool has_committed_ = false;
  bool has_owned_ = false;
  int32_t epoch_ = 0;  // or generation
  std::optional<std::vector<int32_t>> told_;
  mutable std::mutex mutex_;  // of log_
  std::vector<std::string> log_;
};

}  // namespace leat::test
