// group_session.h: a consumer's membership in its group, carried out: one coroutine sends what the member's machine
// says is due, one request at a time; another one, at most, gives up and takes on partitions meanwhile, so that
// heartbeats go on while listeners work. Falls back to the classic protocol where the other is not spoken and the
// settings leave it open. A program that does not poll is taken out of the group until it polls again. Thread: the
// loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <leat/consumer.h>

#include "client/cluster/coordinator.h"
#include "client/cluster/offset_messages.h"
#include "client/consumer/group_member.h"
#include "net/protocol/messages/metadata.h"

namespace leat::client::detail {

// Who owns the partitions.
class GroupHost {
 public:
  virtual ~GroupHost() = default;
  // Each ends when the listener has: they are given up, or taken on, then.
  virtual leat::Task<void> give_up(std::vector<TopicPartition> partitions) = 0;  // still ours until it ends
  virtual leat::Task<void> take_on(std::vector<TopicPartition> partitions) = 0;
  virtual leat::Task<void> lose(std::vector<TopicPartition> partitions) = 0;  // somebody else's already
  virtual std::vector<TopicPartition> owned() const = 0;
  virtual void on_group_error(Error error) = 0;
  // The coordinator is not there at present, or answers again.
  virtual void on_coordinator_failed(const Error& error) = 0;
  virtual void on_coordinator_answered() = 0;
  virtual Nanos poll_deadline() const = 0;  // by then the program is to have polled
};

class GroupSession final : public std::enable_shared_from_this<GroupSession> {
 public:
  GroupSession(GroupHost& host, Cluster& cluster, Coordinator& coordinator, const ConsumerSettings& settings,
               std::string member_id);

  // Runs until leave() is done, or the coordinator's `stopped` is set and wake() was called; `keep` lives as long.
  void start(std::shared_ptr<void> keep, Subscription subscription);
  void subscribe(Subscription subscription);
  void wake();        // everything ends, or something is due
  void on_polled() {  // who was taken out for not polling joins again
    if (stepped_out_) wake();
  }
  void on_metadata();  // a leader looks whether topics have more partitions now
  // Gives up everything and says farewell.
  void leave();
  Event& ended() noexcept { return ended_; }
  Committer committer() const;
  std::string member_id() const;
  // As long as nobody has joined with the consumer protocol, under kAuto it may become the other one.
  GroupProtocol protocol() const noexcept;
  uint64_t rebalances() const noexcept { return rebalances_; }

 private:
  using Self = std::shared_ptr<GroupSession>;
  static leat::Task<void> run(Self self, std::shared_ptr<void> keep);
  leat::Task<void> step();
  leat::Task<void> consumer_step();
  leat::Task<void> classic_step();
  leat::Task<void> join_and_sync();
  leat::Task<void> resolve_pattern();
  leat::Task<void> end();
  leat::Task<void> say_farewell();
  leat::Task<void> pause();
  static leat::Task<void> adopt_target(Self self, std::shared_ptr<void> keep);
  static leat::Task<void> adopt_assigned(Self self, std::shared_ptr<void> keep);
  static leat::Task<void> give_up_all(Self self, std::shared_ptr<void> keep);
  void change_ended();
  template <class Response, class Request>
  leat::Task<Result<Response>> ask_once(Request request, Millis extra);
  leat::Task<Result<MetadataResponse>> ask_metadata(MetadataRequest request);
  leat::Task<std::map<Uuid, std::string>> names_of(std::vector<Uuid> topic_ids);
  void judge(MemberVerdict verdict, ErrorCode code, const std::optional<std::string>& words);
  void on_unreachable(const Error& error);
  void fall_back(const Error& why);
  bool is_over() const noexcept { return leaving_ || coordinator_.stopped().is_set(); }
  Nanos now() const noexcept { return coordinator_.now(); }

  GroupHost& host_;
  Cluster& cluster_;
  Coordinator& coordinator_;
  ClientContext& context_;
  const ConsumerSettings& settings_;
  ConsumerMember consumer_;
  ClassicMember classic_;
  Subscription subscription_;
  std::shared_ptr<void> keep_;  // while it runs

  bool speaks_classic_;
  bool was_member_ = false;
  bool changing_ = false;  // a coroutine gives up or takes on
  bool lost_ = false;      // what is owned is to be dropped as soon as no change is under way
  bool leaving_ = false;
  bool stepped_out_ = false;  // until the program polls
  bool refused_ = false;      // for good
  uint64_t membership_ = 0;   // counts losses: a change that began before one does not report what it took on
  int failures_ = 0;
  Nanos retry_at_{0};
  Nanos pattern_at_{0};
  std::map<std::string, int32_t> counts_seen_;  // by the leader, at its last assignment
  uint64_t rebalances_ = 0;

  Event* waker_ = nullptr;
  bool woken_ = false;
  Event ended_;
};

}  // namespace leat::client::detail
