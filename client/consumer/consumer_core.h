// consumer_core.h: what stands behind a Consumer: it carries out what the partition table, the group's session and the
// program ask for. All state belongs to the loop; calls from other threads are taken there. work() runs after
// everything that may have changed what is to be fetched or given. Thread: as said.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <leat/consumer.h>

#include "client/cluster/cluster.h"
#include "client/cluster/coordinator.h"
#include "client/cluster/offset_lookup.h"
#include "client/cluster/open_calls.h"
#include "client/consumer/fetched_records.h"
#include "client/consumer/group_session.h"
#include "client/consumer/outages.h"
#include "client/consumer/partition_table.h"
#include "client/participant.h"

namespace leat::client::detail {

class ConsumerCore final : public std::enable_shared_from_this<ConsumerCore>,
                           public Participant,
                           private ClusterListener,
                           private GroupHost {
 public:
  // On the loop. kInvalidArgument names the setting.
  static Result<std::shared_ptr<ConsumerCore>> create(Cluster& cluster, const ConsumerSettings& settings);
  ~ConsumerCore() override;

  // Any thread.
  Result<> subscribe(Subscription subscription);
  Result<> unsubscribe();
  Result<> assign(std::vector<TopicPartition> partitions);
  std::vector<TopicPartition> assignment();
  Pending<Records> poll(int64_t timeout_ms);
  void poll_each(std::function<Consumer::Continue(Result<Records>)> on_records);
  Result<> set_paused(const std::vector<TopicPartition>& partitions, bool paused);
  Result<> seek(const TopicPartition& partition, int64_t offset);
  Result<int64_t> position(const TopicPartition& partition);
  Pending<> commit(std::optional<Offsets> offsets);
  Pending<Offsets> committed(std::vector<TopicPartition> partitions);
  Pending<FoundOffsets> offsets_for_times(OffsetTimes times);
  Pending<> close(int64_t timeout_ms);
  std::optional<Error> trouble();
  ConsumerStats stats();
  std::string member_id();
  GroupProtocol group_protocol();
  void shut_down();  // see Consumer::~Consumer

  void detach(const Error& error) override;

 private:
  using Self = std::shared_ptr<ConsumerCore>;
  class ReadJob;
  struct Poll {
    std::shared_ptr<PendingState<Records>> answer;
    Nanos deadline;
  };
  struct Arrival {  // what came for one partition and is to be read
    TopicPartition name;
    std::shared_ptr<FetchedChunk> chunk;
    size_t compressed_bytes = 0;
  };

  ConsumerCore(Cluster& cluster, const ConsumerSettings& settings);
  void begin();
  Result<> in_loop(const std::function<Result<>()>& action);
  void on_loop(std::function<void()> action);
  template <class T>
  std::shared_ptr<PendingState<T>> new_call() {
    return std::make_shared<PendingState<T>>(executor_);
  }
  Error refusal() const;
  MissingTopic missing_topic() const noexcept {
    return settings_.allow_auto_create_topics == AutoCreate::kYes ? MissingTopic::kMake : MissingTopic::kWait;
  }
  Nanos now() const noexcept { return context_.scheduler.clock().monotonic(); }
  Nanos retry_at() const;

  // ClusterListener, GroupHost
  void on_metadata() override;
  leat::Task<void> give_up(std::vector<TopicPartition> partitions) override;
  leat::Task<void> take_on(std::vector<TopicPartition> partitions) override;
  leat::Task<void> lose(std::vector<TopicPartition> partitions) override;
  std::vector<TopicPartition> owned() const override { return table_.names(); }
  void on_group_error(Error error) override;
  void on_coordinator_failed(const Error& error) override;
  void on_coordinator_answered() override { outages_.clear({.of = Outages::Of::kGroup}); }
  Nanos poll_deadline() const override;

  // The loop.
  void begin_poll(Poll poll);
  static DetachedTask poll_on(Self self, std::function<Consumer::Continue(Result<Records>)> on_records);
  void work();
  void answer_poll();
  void tell_nowhere();
  void fetch();
  void review_outages();
  void note_missing_topics();
  std::set<std::string> wanted_topics() const;
  void send_fetch(int32_t node, FetchPlan plan);
  void on_fetch_answer(int32_t node, const std::vector<FetchItem>& items, Result<LinkAnswer> answer);
  std::optional<Arrival> on_fetched(int32_t node, const FetchItem& item,
                                    const std::shared_ptr<const std::string>& topic,
                                    FetchResponse::PartitionData& data);
  void read_soon(std::vector<Arrival> arrivals);
  void on_read(const TopicPartition& name, const std::shared_ptr<FetchedChunk>& chunk);
  void arm_timer();
  void auto_commit();
  static leat::Task<void> find_positions(Self self);
  static leat::Task<Result<Offsets>> fetch_committed(Self self, std::vector<TopicPartition> partitions);
  static leat::Task<Result<>> commit_offsets(Self self, Offsets offsets);
  Committer committer() const;
  bool is_leaving() const { return leaving_ != nullptr && !leaving_->ended().is_set(); }
  static leat::Task<void> auto_commit_soon(Self self, Offsets offsets);
  static leat::Task<void> answer_commit(Self self, Offsets offsets, std::shared_ptr<PendingState<void>> answer);
  static leat::Task<void> answer_committed(Self self, std::vector<TopicPartition> partitions,
                                           std::shared_ptr<PendingState<Offsets>> answer);
  static leat::Task<void> answer_times(Self self, OffsetTimes times,
                                       std::shared_ptr<PendingState<FoundOffsets>> answer);
  static leat::Task<void> close_in_order(Self self, std::shared_ptr<PendingState<void>> answer);

  Cluster& cluster_;  // not to be touched once stopped_ is set
  ClientContext& context_;
  const ConsumerSettings settings_;
  const std::shared_ptr<Executor> executor_;
  std::shared_ptr<PrefetchBudget> budget_;

  Event stopped_;
  Coordinator coordinator_;
  PartitionTable table_;
  std::vector<std::string> subscribed_;  // by name
  std::shared_ptr<GroupSession> session_;
  std::shared_ptr<GroupSession> leaving_;  // of the subscription before
  OpenCalls calls_;
  std::optional<Poll> polling_;
  std::deque<Error> errors_;  // for poll() to give
  std::optional<Error> fatal_;
  Outages outages_;
  std::set<int32_t> busy_;  // nodes that owe an answer to a fetch
  std::map<int32_t, Nanos> node_retry_at_;
  Nanos polled_at_{0};
  Nanos commit_at_{0};
  bool closing_ = false;
  bool finding_positions_ = false;
  bool committing_ = false;
  ConsumerStats stats_;
  TimerId close_timer_ = kNoTimer;
  TimerId timer_ = kNoTimer;
  Nanos timer_at_{0};
};

}  // namespace leat::client::detail
