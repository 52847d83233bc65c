// consumer_core.cpp: the consumer's calls, polls, and what it does for its group. Fetching is in consumer_fetching.cpp,
// positions and commits in consumer_offsets.cpp.
#include "client/consumer/consumer_core.h"

#include <fmt/format.h>

#include <algorithm>

#include "client/cluster/name_limits.h"
#include "client/loop_executor.h"
#include "core/base/check.h"
#include "core/coordinator/group/subscription_regex.h"

namespace leat::client::detail {
namespace {

Error invalid(std::string message) { return {Cause::kInvalidArgument, std::move(message)}; }

Result<> check_settings(const ConsumerSettings& settings) {
  if (settings.fetch_bytes_min < 0 || settings.fetch_bytes_max < 1 || settings.partition_fetch_bytes_max < 1) {
    return invalid("fetch_bytes_max and partition_fetch_bytes_max must be at least 1, fetch_bytes_min not negative");
  }
  if (settings.fetch_wait_max_ms < 0 || settings.fetch_wait_max_ms > INT32_MAX) {
    return invalid("fetch_wait_max_ms must be between 0 and 2147483647");
  }
  if (settings.prefetch_bytes_max < 1 || settings.partition_prefetch_bytes_max < 1) {
    return invalid("prefetch_bytes_max and partition_prefetch_bytes_max must be at least 1");
  }
  if (settings.poll_records_max < 0) return invalid("poll_records_max must not be negative");
  if (settings.auto_offset_reset_timestamp_ms < 0) {
    return invalid("auto_offset_reset_timestamp_ms counts from 1970 and is not negative");
  }
  if (settings.group_id.empty() && settings.group_instance_id) return invalid("group_instance_id needs a group_id");
  if (std::optional<Error> refused = refuse_group_name(settings.group_id)) return *std::move(refused);
  if (std::optional<Error> refused = refuse_instance_name(settings.group_instance_id)) return *std::move(refused);
  if (settings.classic_assignors.empty()) return invalid("classic_assignors must name at least one");
  const bool times_are_right = settings.heartbeat_interval_ms > 0 && settings.rebalance_timeout_ms > 0 &&
                               settings.rebalance_timeout_ms <= INT32_MAX && settings.max_poll_interval_ms > 0 &&
                               settings.auto_commit_interval_ms > 0 &&
                               settings.session_timeout_ms > settings.heartbeat_interval_ms &&
                               settings.session_timeout_ms <= INT32_MAX;
  if (!times_are_right) {
    return invalid("intervals and timeouts must be above 0, and session_timeout_ms above heartbeat_interval_ms");
  }
  return {};
}

// It gives up what it owns, and until it has, the table of partitions is its.
Error still_leaving(const std::string& group_id) {
  return {Cause::kTimedOut,
          fmt::format("group '{}': the member is still leaving after unsubscribe(): try again", group_id)};
}

}  // namespace

Result<std::shared_ptr<ConsumerCore>> ConsumerCore::create(Cluster& cluster, const ConsumerSettings& settings) {
  if (Result<> checked = check_settings(settings); !checked) return std::move(checked).error();
  std::shared_ptr<ConsumerCore> core(new ConsumerCore(cluster, settings));
  core->begin();
  return core;
}

ConsumerCore::ConsumerCore(Cluster& cluster, const ConsumerSettings& settings)
    : cluster_(cluster),
      context_(cluster.context()),
      settings_(settings),
      executor_(context_.executor),
      stopped_(context_.scheduler),
      coordinator_(cluster, settings.group_id, stopped_),
      table_(settings_) {}

void ConsumerCore::begin() {
  budget_ =
      std::make_shared<PrefetchBudget>(settings_.prefetch_bytes_max, [executor = executor_, weak = weak_from_this()] {
        executor->call_soon([weak] {
          if (const Self self = weak.lock()) self->work();
        });
      });
  polled_at_ = now();
  commit_at_ = now() + Millis(settings_.auto_commit_interval_ms);
  cluster_.add_listener(*this);
}

ConsumerCore::~ConsumerCore() { ENSURE(stopped_.is_set(), "a consumer's core ends with detach()"); }

Error ConsumerCore::refusal() const {
  if (fatal_) return *fatal_;
  return {Cause::kClosed, "the consumer is closed"};
}

Result<> ConsumerCore::in_loop(const std::function<Result<>()>& action) {
  Result<> result;
  run_in_loop(*executor_, [&] {
    result = closing_ || stopped_.is_set() ? Result<>(refusal()) : action();
    if (!stopped_.is_set()) work();
  });
  return result;
}

void ConsumerCore::on_loop(std::function<void()> action) {
  if (executor_->is_loop_thread()) return action();
  executor_->call_soon(std::move(action));
}

Result<> ConsumerCore::subscribe(Subscription subscription) {
  if (settings_.group_id.empty()) return invalid("subscribe() needs a group_id; without one, assign() partitions");
  if (!subscription.pattern.empty()) {
    const leat::Result<SubscriptionRegex> pattern = SubscriptionRegex::compile(subscription.pattern);
    if (!pattern) return invalid(fmt::format("pattern '{}': {}", subscription.pattern, pattern.error().context));
  }
  return in_loop([&]() -> Result<> {
    for (const std::string& topic : subscription.topics) cluster_.want_topic(topic, settings_.allow_auto_create_topics);
    polled_at_ = now();
    if (session_) {
      subscribed_ = subscription.topics;
      session_->subscribe(std::move(subscription));
      return {};
    }
    if (is_leaving()) return still_leaving(settings_.group_id);
    for (const TopicPartition& name : table_.names()) table_.remove(name);  // assigned by hand before
    subscribed_ = subscription.topics;
    std::string id = Uuid::make(context_.random).to_string();
    GroupHost& host = *this;
    session_ = std::make_shared<GroupSession>(host, cluster_, coordinator_, settings_, std::move(id));
    session_->start(shared_from_this(), std::move(subscription));
    return {};
  });
}

Result<> ConsumerCore::unsubscribe() {
  return in_loop([&]() -> Result<> {
    outages_.clear({.of = Outages::Of::kGroup});
    subscribed_.clear();
    if (session_) {
      session_->leave();
      leaving_ = std::move(session_);
    } else if (!is_leaving()) {
      for (const TopicPartition& name : table_.names()) table_.remove(name);
    }
    return {};
  });
}

Result<> ConsumerCore::assign(std::vector<TopicPartition> partitions) {
  for (const TopicPartition& name : partitions) {
    if (name.topic.empty() || name.partition < 0) return invalid("a partition needs a topic and a number from 0 on");
  }
  return in_loop([&]() -> Result<> {
    if (session_) return invalid("the group assigns the partitions: unsubscribe() before assign()");
    if (is_leaving()) return still_leaving(settings_.group_id);
    std::sort(partitions.begin(), partitions.end());
    for (const TopicPartition& name : table_.names()) {
      if (!std::binary_search(partitions.begin(), partitions.end(), name)) table_.remove(name);
    }
    for (const TopicPartition& name : partitions) {
      cluster_.want_topic(name.topic, settings_.allow_auto_create_topics);
      table_.add(name);
    }
    return {};
  });
}

std::vector<TopicPartition> ConsumerCore::assignment() {
  std::vector<TopicPartition> names;
  run_in_loop(*executor_, [&] { names = table_.names(); });
  return names;
}

Result<> ConsumerCore::set_paused(const std::vector<TopicPartition>& partitions, bool paused) {
  return in_loop([&]() -> Result<> {
    for (const TopicPartition& name : partitions) {
      if (!table_.contains(name)) return invalid(fmt::format("{}-{} is not assigned", name.topic, name.partition));
    }
    for (const TopicPartition& name : partitions) table_.set_paused(name, paused);
    return {};
  });
}

Result<> ConsumerCore::seek(const TopicPartition& partition, int64_t offset) {
  if (offset < 0 && offset != kLatestOffset && offset != kEarliestOffset) {
    return invalid(fmt::format("{} is no offset to seek to", offset));
  }
  return in_loop([&]() -> Result<> {
    if (table_.seek(partition, offset)) return {};
    return invalid(fmt::format("{}-{} is not assigned", partition.topic, partition.partition));
  });
}

Result<int64_t> ConsumerCore::position(const TopicPartition& partition) {
  std::optional<int64_t> offset;
  run_in_loop(*executor_, [&] { offset = table_.position(partition); });
  if (offset) return *offset;
  return invalid(fmt::format("{}-{} has no position: it is not assigned, or where it begins is not known yet",
                             partition.topic, partition.partition));
}

Pending<Records> ConsumerCore::poll(int64_t timeout_ms) {
  auto answer = new_call<Records>();
  on_loop([self = shared_from_this(), answer, timeout_ms] {
    if (self->closing_ || self->stopped_.is_set()) return answer->complete(self->refusal());
    constexpr int64_t kTimeoutMaxMs = int64_t{1} << 40;
    const Millis timeout(std::clamp<int64_t>(timeout_ms, 0, kTimeoutMaxMs));
    self->begin_poll({.answer = answer, .deadline = self->now() + timeout});
  });
  return Pending<Records>(std::move(answer));
}

void ConsumerCore::begin_poll(Poll poll) {
  if (polling_ && !polling_->answer->is_done()) {
    return poll.answer->complete(invalid("one poll() at a time: the one before has not been answered"));
  }
  if (fatal_) return poll.answer->complete(*fatal_);
  polled_at_ = now();
  tell_nowhere();
  table_.note_processed();
  if (settings_.enable_auto_commit == AutoCommit::kYes && now() >= commit_at_) auto_commit();
  if (session_) session_->on_polled();
  polling_ = std::move(poll);
  work();
}

void ConsumerCore::tell_nowhere() {
  for (const TopicPartition& name : table_.take_nowhere()) {
    errors_.push_back(Error::from_broker(ErrorCode::kOffsetOutOfRange,
                                         fmt::format("{}-{} has no committed offset, and auto_offset_reset is kNone: "
                                                     "seek() to where it shall begin",
                                                     name.topic, name.partition)));
  }
}

// Gives what there is: records, else an error, else nothing when its time is over.
void ConsumerCore::answer_poll() {
  if (!polling_) return;
  std::optional<Result<Records>> result;
  if (!errors_.empty()) {
    result.emplace(std::move(errors_.front()));
    errors_.pop_front();
  } else if (table_.has_ready()) {
    std::shared_ptr<FetchedRecords> taken = table_.take(settings_.poll_records_max);
    stats_.records_given += taken->count();
    result.emplace(Records(std::move(taken)));
  } else if (now() >= polling_->deadline) {
    result.emplace(Records());
  } else {
    return;
  }
  polled_at_ = now();
  const auto answer = std::exchange(polling_, std::nullopt)->answer;
  answer->complete(*std::move(result));
}

void ConsumerCore::poll_each(std::function<Consumer::Continue(Result<Records>)> on_records) {
  on_loop([self = shared_from_this(), on_records = std::move(on_records)]() mutable {
    poll_on(self, std::move(on_records));
  });
}

DetachedTask ConsumerCore::poll_on(Self self, std::function<Consumer::Continue(Result<Records>)> on_records) {
  constexpr int64_t kTurnMs = 60'000;
  for (;;) {
    Pending<Records> pending = self->poll(kTurnMs);
    Result<Records> records = co_await std::move(pending);
    if (records && records->empty()) continue;
    const bool is_last = !records && (records.error().cause() == Cause::kClosed || records.error().is_fatal());
    const Consumer::Continue next = on_records(std::move(records));
    if (is_last || next == Consumer::Continue::kStop) co_return;
    if (self->stopped_.is_set()) co_return;
  }
}

Pending<> ConsumerCore::close(int64_t timeout_ms) {
  auto answer = new_call<void>();
  on_loop([self = shared_from_this(), answer, timeout_ms] {
    if (self->closing_ || self->stopped_.is_set()) return answer->complete(Result<>());
    self->closing_ = true;
    self->calls_.add(answer);
    if (self->polling_) {
      std::exchange(self->polling_, std::nullopt)->answer->complete(Error(Cause::kClosed, "the consumer is closed"));
    }
    auto end = [weak = self->weak_from_this()] {
      const Self late = weak.lock();
      if (late) late->detach(Error(Cause::kTimedOut, "the consumer did not leave its group in time"));
    };
    const Millis timeout(std::max<int64_t>(timeout_ms, 0));
    self->close_timer_ = self->context_.scheduler.timers().start(timeout, std::move(end));
    spawn(close_in_order(self, answer));
  });
  return Pending<>(std::move(answer));
}

leat::Task<void> ConsumerCore::close_in_order(Self self, std::shared_ptr<PendingState<void>> answer) {
  self->table_.note_processed();  // the program is done with what it has
  const std::shared_ptr<GroupSession> session = self->session_ ? self->session_ : self->leaving_;
  if (self->session_) session->leave();
  if (session) (void)co_await session->ended().wait();
  if (!self->session_ && self->settings_.enable_auto_commit == AutoCommit::kYes && !self->settings_.group_id.empty()) {
    Offsets offsets = self->table_.processed();
    (void)co_await commit_offsets(self, std::move(offsets));
  }
  answer->complete(Result<>());
  self->detach(Error(Cause::kClosed, "the consumer is closed"));
}

// A later close() changes nothing, and what is committed before partitions go is what the program has worked through.
leat::Task<void> ConsumerCore::give_up(std::vector<TopicPartition> partitions) {
  const Self self = shared_from_this();
  for (const TopicPartition& name : partitions) table_.set_paused(name, true);
  if (polling_) table_.note_processed();  // it waits for more: what it had is done
  if (settings_.enable_auto_commit == AutoCommit::kYes) {
    Offsets offsets = PartitionTable::only(table_.processed(), partitions);
    (void)co_await commit_offsets(self, std::move(offsets));
  }
  if (settings_.rebalance_listener && !stopped_.is_set()) co_await settings_.rebalance_listener->on_revoked(partitions);
  for (const TopicPartition& name : partitions) table_.remove(name);
}

leat::Task<void> ConsumerCore::take_on(std::vector<TopicPartition> partitions) {
  const Self self = shared_from_this();
  if (stopped_.is_set()) co_return;
  for (const TopicPartition& name : partitions) {
    cluster_.want_topic(name.topic, settings_.allow_auto_create_topics);
    table_.add(name);
  }
  ++stats_.rebalances;
  if (settings_.rebalance_listener) co_await settings_.rebalance_listener->on_assigned(partitions);
  if (!stopped_.is_set()) work();
}

leat::Task<void> ConsumerCore::lose(std::vector<TopicPartition> partitions) {
  const Self self = shared_from_this();
  for (const TopicPartition& name : partitions) table_.remove(name);
  if (settings_.rebalance_listener && !stopped_.is_set()) co_await settings_.rebalance_listener->on_lost(partitions);
}

void ConsumerCore::on_group_error(Error error) {
  if (error.is_fatal()) fatal_ = error;
  errors_.push_back(std::move(error));
  context_.scheduler.call_soon([weak = weak_from_this()] {
    if (const Self self = weak.lock()) self->work();
  });
}

void ConsumerCore::on_coordinator_failed(const Error& error) {
  if (session_) outages_.note({.of = Outages::Of::kGroup}, error, now());  // who leaves waits for nothing
}

std::optional<Error> ConsumerCore::trouble() {
  std::optional<Error> current;
  run_in_loop(*executor_, [&] {
    if (!closing_ && !stopped_.is_set()) current = outages_.current(now());
  });
  return current;
}

Nanos ConsumerCore::poll_deadline() const {
  if (polling_) return Nanos::max();
  return polled_at_ + Millis(settings_.max_poll_interval_ms);
}

ConsumerStats ConsumerCore::stats() {
  ConsumerStats stats;
  run_in_loop(*executor_, [&] { stats = stats_; });
  stats.prefetched_bytes = budget_->bytes();
  return stats;
}

std::string ConsumerCore::member_id() {
  std::string id;
  run_in_loop(*executor_, [&] {
    if (session_) id = session_->member_id();
  });
  return id;
}

GroupProtocol ConsumerCore::group_protocol() {
  GroupProtocol protocol = GroupProtocol::kAuto;
  run_in_loop(*executor_, [&] {
    if (session_) protocol = session_->protocol();
  });
  return protocol;
}

void ConsumerCore::shut_down() {
  const Self self = shared_from_this();
  run_in_loop(*executor_, [self] { self->detach(Error(Cause::kClosed, "the consumer was destroyed")); });
}

void ConsumerCore::detach(const Error& error) {
  if (stopped_.is_set()) return;
  const Self self = shared_from_this();
  closing_ = true;
  context_.scheduler.timers().cancel(std::exchange(timer_, kNoTimer));
  context_.scheduler.timers().cancel(std::exchange(close_timer_, kNoTimer));
  cluster_.remove_listener(*this);
  stopped_.set();
  if (session_) session_->wake();
  if (leaving_) leaving_->wake();
  if (polling_) std::exchange(polling_, std::nullopt)->answer->complete(error);
  calls_.fail_all(error);
  for (const TopicPartition& name : table_.names()) table_.remove(name);
}

}  // namespace leat::client::detail
