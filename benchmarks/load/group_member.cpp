// group_member.cpp: the two protocols from a member's side. Classic: JoinGroup 5, SyncGroup 3, Heartbeat 3, the leader
// deals out ranges. Consumer: ConsumerGroupHeartbeat 0, the broker's assignor, what is to be given up is given up at
// once.
#include "benchmarks/load/group_member.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "benchmarks/load/call.h"
#include "benchmarks/load/frames.h"
#include "core/codec/reader.h"
#include "core/codec/writer.h"
#include "net/protocol/messages/consumer_group_heartbeat.h"
#include "net/protocol/messages/heartbeat.h"
#include "net/protocol/messages/join_group.h"
#include "net/protocol/messages/leave_group.h"
#include "net/protocol/messages/offset_fetch.h"
#include "net/protocol/messages/sync_group.h"

namespace leat::bench {
namespace {

constexpr int32_t kSessionTimeoutMs = 30'000;
constexpr int32_t kRebalanceTimeoutMs = 10'000;  // how long a member that has failed holds up the others
constexpr int kAttemptsMax = 1000;               // of a join that others' joins keep making void

// Of a coordinator that has only just begun to be one.
bool will_pass(ErrorCode error) noexcept {
  return error == ErrorCode::kCoordinatorLoadInProgress || error == ErrorCode::kCoordinatorNotAvailable ||
         error == ErrorCode::kNotCoordinator;
}

tl::unexpected<Error> refused(std::string_view what, const std::string& group, ErrorCode error) {
  return fail(Errc::kIo, fmt::format("{} of group {}: {}", what, group, error_name(error)));
}

// Version 0 of the consumer protocol's subscription and assignment.
void put_text(Writer& out, std::string_view text) {
  out.i16(static_cast<int16_t>(text.size()));
  out.raw(as_bytes(text));
}

std::vector<uint8_t> subscription_to(const std::string& topic) {
  Writer out;
  out.i16(0);
  out.i32(1);
  put_text(out, topic);
  out.i32(-1);  // no user data
  return std::move(out).take();
}

std::vector<uint8_t> assignment_of(const std::string& topic, int32_t begin, int32_t end) {
  Writer out;
  out.i16(0);
  out.i32(1);
  put_text(out, topic);
  out.i32(end - begin);
  for (int32_t partition = begin; partition < end; ++partition) out.i32(partition);
  out.i32(-1);
  return std::move(out).take();
}

std::vector<int32_t> partitions_in(ByteView assignment) {
  std::vector<int32_t> partitions;
  Reader in(assignment);
  in.skip(2);
  if (in.i32() < 1) return partitions;
  const int16_t name_size = in.i16();
  in.skip(static_cast<size_t>(std::max<int16_t>(name_size, 0)));
  for (int32_t left = in.i32(); left > 0 && !in.failed(); --left) partitions.push_back(in.i32());
  return partitions;
}

class ClassicMember final : public GroupMember {
 public:
  ClassicMember(const MemberLoad& load, Socket socket) : GroupMember(load, std::move(socket)) {}

  Result<void> round() override {
    if (generation_ < 0) return rejoin();
    HeartbeatRequest request;
    request.group_id = load_.group;
    request.generation_id = generation_;
    request.member_id = member_id_;
    TRY(response, (call<HeartbeatResponse>(socket_, request, 3)));
    if (response.error_code == ErrorCode::kNone) return {};
    TRY(note(response.error_code, "a heartbeat"));
    return rejoin();
  }

  Result<void> leave() override {
    LeaveGroupRequest request;
    request.group_id = load_.group;
    request.member_id = member_id_;
    TRY(call<LeaveGroupResponse>(socket_, request, 2));
    return {};
  }

 private:
  enum class Joined : uint8_t { kYes, kAgain, kLater };  // again: at once; later: with the next round

  // By most errors a member learns that, and when, it must join again.
  Result<Joined> note(ErrorCode error, std::string_view what) {
    if (will_pass(error)) return Joined::kLater;
    if (error == ErrorCode::kUnknownMemberId) {
      member_id_.clear();
      owned_.clear();
      return Joined::kAgain;
    }
    if (error == ErrorCode::kRebalanceInProgress || error == ErrorCode::kIllegalGeneration) return Joined::kAgain;
    return refused(what, load_.group, error);
  }

  Result<void> rejoin() {
    generation_ = -1;
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
      TRY(joined, join_once());
      if (joined != Joined::kAgain) return {};
    }
    return fail(Errc::kTimedOut, fmt::format("group {} does not settle", load_.group));
  }

  Result<Joined> join_once() {
    JoinGroupRequest request;
    request.group_id = load_.group;
    request.session_timeout_ms = kSessionTimeoutMs;
    request.rebalance_timeout_ms = kRebalanceTimeoutMs;
    request.member_id = member_id_;
    request.protocol_type = "consumer";
    request.protocols.push_back({.name = "range", .metadata = subscription_to(load_.topic)});
    TRY(joined, (call<JoinGroupResponse>(socket_, request, 5)));
    if (joined.error_code == ErrorCode::kMemberIdRequired) {
      member_id_ = joined.member_id;
      return Joined::kAgain;
    }
    if (joined.error_code != ErrorCode::kNone) return note(joined.error_code, "a join");
    member_id_ = joined.member_id;
    return sync(joined);
  }

  Result<Joined> sync(const JoinGroupResponse& joined) {
    SyncGroupRequest request;
    request.group_id = load_.group;
    request.generation_id = joined.generation_id;
    request.member_id = member_id_;
    const auto count = static_cast<int64_t>(joined.members.size());  // none, but for the leader
    for (int64_t i = 0; i < count; ++i) {
      const auto begin = static_cast<int32_t>(load_.partition_count * i / count);
      const auto end = static_cast<int32_t>(load_.partition_count * (i + 1) / count);
      request.assignments.push_back({.member_id = joined.members[static_cast<size_t>(i)].member_id,
                                     .assignment = assignment_of(load_.topic, begin, end)});
    }
    TRY(synced, (call<SyncGroupResponse>(socket_, request, 3)));
    if (synced.error_code != ErrorCode::kNone) return note(synced.error_code, "a sync");
    generation_ = joined.generation_id;
    owned_ = partitions_in(synced.assignment);
    return Joined::kYes;
  }

  int32_t generation_ = -1;
};

class ConsumerMember final : public GroupMember {
 public:
  ConsumerMember(const MemberLoad& load, Socket socket) : GroupMember(load, std::move(socket)) {}

  Result<void> round() override {
    const bool joins = epoch_ == 0;
    TRY(response, beat(joins ? Says::kAll : Says::kNothing));
    if (response.error_code == ErrorCode::kFencedMemberEpoch || response.error_code == ErrorCode::kUnknownMemberId) {
      epoch_ = 0;
      owned_.clear();
      return {};
    }
    if (will_pass(response.error_code)) return {};
    // What it owns now is said at once, as long as there is news: who waits for what it gave up hears of it.
    for (int news = 0; news < kAttemptsMax; ++news) {
      if (response.error_code != ErrorCode::kNone) return refused("a heartbeat", load_.group, response.error_code);
      if (!take(response)) return {};
      TRY(again, beat(Says::kOwned));
      response = std::move(again);
    }
    return fail(Errc::kTimedOut, fmt::format("group {} does not settle", load_.group));
  }

  Result<void> leave() override {
    epoch_ = -1;
    TRY(beat(Says::kNothing));
    return {};
  }

 private:
  enum class Says : uint8_t { kNothing, kOwned, kAll };

  Result<ConsumerGroupHeartbeatResponse> beat(Says says) {
    ConsumerGroupHeartbeatRequest request;
    request.group_id = load_.group;
    request.member_id = member_id_;
    request.member_epoch = epoch_;
    if (says == Says::kAll) {
      request.rebalance_timeout_ms = kRebalanceTimeoutMs;
      request.subscribed_topic_names = std::vector<std::string>{load_.topic};
    }
    if (says != Says::kNothing) {
      std::vector<ConsumerGroupHeartbeatRequest::TopicPartitions>& held = request.topic_partitions.emplace();
      if (!owned_.empty()) held.push_back({.topic_id = topic_id_, .partitions = owned_});
    }
    return call<ConsumerGroupHeartbeatResponse>(socket_, request, 0);
  }

  // True when its partitions are others now.
  bool take(const ConsumerGroupHeartbeatResponse& response) {
    if (response.member_id) member_id_ = *response.member_id;
    epoch_ = response.member_epoch;
    if (!response.assignment) return false;
    std::vector<int32_t> assigned;
    for (const auto& topic : response.assignment->topic_partitions) {
      topic_id_ = topic.topic_id;
      assigned.insert(assigned.end(), topic.partitions.begin(), topic.partitions.end());
    }
    std::sort(assigned.begin(), assigned.end());
    if (assigned == owned_) return false;
    owned_ = std::move(assigned);
    return true;
  }

  int32_t epoch_ = 0;
  Uuid topic_id_;
};

Result<Fetched> fetch_at(Socket& socket, const FetchAsk& ask, std::vector<uint8_t>& answer) {
  TRY(socket.send_all(fetch_frame(ask)));
  uint8_t size_field[4];
  TRY(socket.receive_all(size_field));
  answer.resize(static_cast<size_t>(from_big_endian<int32_t>(size_field)));
  TRY(socket.receive_all(answer));
  return read_fetched(answer, ask.topic.size());
}

}  // namespace

Result<std::unique_ptr<GroupMember>> GroupMember::connect(const MemberLoad& load) {
  TRY(socket, Socket::connect(load.broker));
  TRY(wait_for_coordinator(socket, load.group));
  std::unique_ptr<GroupMember> member;
  switch (load.protocol) {
    case GroupProtocol::kClassic:
      member = std::make_unique<ClassicMember>(load, std::move(socket));
      break;
    case GroupProtocol::kConsumer:
      member = std::make_unique<ConsumerMember>(load, std::move(socket));
      break;
  }
  return member;
}

Result<bool> GroupMember::fetch_first_record() {
  const int32_t partition = owned_.at(0);
  OffsetFetchRequest request;
  request.group_id = load_.group;
  request.topics.emplace();
  request.topics->push_back({.name = load_.topic, .partition_indexes = {partition}});
  TRY(response, (call<OffsetFetchResponse>(socket_, request, 5)));
  if (response.error_code != ErrorCode::kNone) return refused("an offset fetch", load_.group, response.error_code);
  int64_t offset = 0;  // nothing is committed: from the beginning
  if (!response.topics.empty() && !response.topics[0].partitions.empty()) {
    offset = std::max<int64_t>(response.topics[0].partitions[0].committed_offset, 0);
  }
  std::vector<uint8_t> answer;
  TRY(fetched, fetch_at(socket_, {.topic = load_.topic, .partition = partition, .offset = offset}, answer));
  if (fetched.error != 0) {
    return fail(Errc::kIo, fmt::format("a fetch was answered with error code {}", fetched.error));
  }
  return fetched.record_count > 0;
}

}  // namespace leat::bench
