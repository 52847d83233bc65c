// admin_desk.cpp: see admin_desk.h.
#include "server/admin_desk.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/log/log_directory.h"
#include "net/protocol/api_table.h"
#include "net/protocol/error_code.h"
#include "server/group_coordinator.h"
#include "server/partition_folders.h"

namespace leat {

// Where the loop puts what a thread waits for; whichever of the two is last frees it.
template <class T>
class LateAnswer {
 public:
  void put(std::shared_ptr<const T> value) {
    {
      const std::lock_guard lock(mutex_);
      value_ = std::move(value);
      over_ = true;
    }
    there_.notify_one();
  }
  std::shared_ptr<const T> wait(Millis wait_max) {
    std::unique_lock lock(mutex_);
    there_.wait_for(lock, wait_max, [this] { return over_; });
    return value_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable there_;
  std::shared_ptr<const T> value_;
  bool over_ = false;
};

namespace {

constexpr bool every_api_has_a_slot() noexcept {
  for (const ApiSpec& api : kApis) {
    if (static_cast<int16_t>(api.key) > RequestMetrics::kApiKeyMax) return false;
  }
  return true;
}
static_assert(every_api_has_a_slot());

void copy_requests(const RequestMetrics& metrics, MetricsSnapshot& snapshot) {
  for (const ApiSpec& api : kApis) {
    const auto key = static_cast<int16_t>(api.key);
    if (metrics.count(key) > 0) snapshot.apis.push_back({api.name, metrics.count(key), metrics.times(key)});
  }
  for (const auto& [where, count] : metrics.errors()) {
    const ApiSpec* api = find_api(where.first);
    if (api == nullptr) continue;
    snapshot.errors.push_back({api->name, std::string(error_name(static_cast<ErrorCode>(where.second))), count});
  }
  snapshot.requests_refused = metrics.refused;
}

void add_partition(Partition& partition, size_t listed_max, MetricsSnapshot& snapshot, MetricsSnapshot::Lanes& lanes) {
  const PartitionLog& log = partition.log();
  MetricsSnapshot::Totals& totals = snapshot.totals;
  totals.segments += log.segment_count();
  totals.producer_ids += log.producer_count();
  totals.log_bytes += log.size_bytes();
  lanes.queued_bytes += partition.lane().queued_bytes();
  lanes.jobs += partition.lane().jobs_out();
  if (snapshot.partitions.size() >= listed_max) {
    ++totals.unlisted;
    return;
  }
  const TopicPartition& name = partition.name();
  snapshot.partitions.push_back({name.topic, name.partition, log.size_bytes(), log.offsets()});
}

}  // namespace

AdminDesk::AdminDesk(Parts parts) : parts_(std::move(parts)), gate_(parts_.scheduler) {}

AdminDesk::~AdminDesk() = default;

void AdminDesk::attach(Broker& broker) {
  broker_ = &broker;
  broker.request_metrics.timed = Timed::kYes;
  broker.partitions->lane_starter().metrics().timed = Timed::kYes;
  broker.journal_lanes->metrics().timed = Timed::kYes;
}

Event::Wait AdminDesk::close() {
  closed_ = true;
  detach();
  return gate_.close();
}

template <class T>
std::shared_ptr<const T> AdminDesk::ask(Millis wait_max, std::function<void(std::shared_ptr<LateAnswer<T>>)> on_loop) {
  if (closed_) return nullptr;
  auto answer = std::make_shared<LateAnswer<T>>();
  parts_.scheduler.post([this, answer, on_loop = std::move(on_loop)] {
    if (closed_) return answer->put(nullptr);
    on_loop(answer);
  });
  return answer->wait(wait_max);
}

std::shared_ptr<const MetricsSnapshot> AdminDesk::metrics() {
  return ask<MetricsSnapshot>(parts_.metrics_within_max, [this](std::shared_ptr<LateAnswer<MetricsSnapshot>> answer) {
    spawn(collect(*gate_.try_enter(), std::move(answer)));
  });
}

std::optional<Readiness> AdminDesk::readiness() {
  const std::shared_ptr<const Readiness> answer =
      ask<Readiness>(parts_.answer_within_max, [this](const std::shared_ptr<LateAnswer<Readiness>>& to) {
        to->put(std::make_shared<const Readiness>(readiness_now()));
      });
  return answer == nullptr ? std::nullopt : std::optional<Readiness>(*answer);
}

void AdminDesk::probe_loop() {
  if (closed_) return;
  parts_.scheduler.post([this, asked = parts_.scheduler.clock().monotonic()] {
    loop_lag_.add(parts_.scheduler.clock().monotonic() - asked);
  });
}

Readiness AdminDesk::readiness_now() const {
  switch (state_) {
    case State::kStarting:
      return {false, "starting"};
    case State::kStopping:
      return {false, "stopping"};
    case State::kReady:
      break;
  }
  if (broker_ == nullptr) return {false, "stopping"};
  DirectoryHealth& health = broker_->directory->health();
  if (health.offline) {
    return {false, fmt::format("log directory {} is offline: {}", broker_->directory->path(), health.offline->context)};
  }
  return {true, {}};
}

Task<void> AdminDesk::collect(Gate::Hold hold, std::shared_ptr<LateAnswer<MetricsSnapshot>> answer) {
  const Gate::Hold held = std::move(hold);
  auto snapshot = std::make_shared<MetricsSnapshot>();
  const Clock& clock = parts_.scheduler.clock();
  snapshot->version = parts_.version;
  snapshot->uptime = clock.monotonic() - parts_.started_at;
  snapshot->taken_at_ms = clock.wall_ms();
  snapshot->ready = readiness_now().ready;
  snapshot->loop_lag = loop_lag_;
  for (const WorkQueue queue : {WorkQueue::kSync, WorkQueue::kRead, WorkQueue::kCpu, WorkQueue::kWrite}) {
    snapshot->worker_jobs[static_cast<size_t>(queue)] = parts_.scheduler.workers().queued(queue);
  }
  if (parts_.server != nullptr) {
    snapshot->connections = parts_.server->connection_count();
    snapshot->request_bytes_in_flight = parts_.server->request_bytes_in_flight();
    snapshot->transport = parts_.server->counters();
  }
  if (broker_ != nullptr) {
    copy_broker(*snapshot);
    Task<void> walking = walk_partitions(*snapshot);
    co_await walking;
    Task<void> asking = ask_groups(*snapshot);
    co_await asking;
  }
  answer->put(std::move(snapshot));
}

void AdminDesk::copy_broker(MetricsSnapshot& snapshot) const {
  Broker& broker = *broker_;
  copy_requests(broker.request_metrics, snapshot);
  snapshot.throttled = broker.quotas.throttled();
  snapshot.lanes.push_back({"client", broker.partitions->lane_starter().metrics(), 0, 0});
  snapshot.lanes.push_back({"internal", broker.journal_lanes->metrics(), 0, 0});
  const FetchSessions& sessions = broker.fetch_sessions;
  snapshot.fetches = {sessions.parked_count(), sessions.count(), sessions.partition_count(), sessions.evicted()};
  const TailCache& cache = *broker.tail_cache;
  snapshot.cache = {cache.counters(), cache.charged_bytes(), cache.budget_bytes()};
  snapshot.budgets = {broker.append_budget.bytes_used(), broker.append_budget.waiting(),
                      broker.response_budget.bytes_used()};
  const DirectoryHealth& health = broker.directory->health();
  snapshot.directory = MetricsSnapshot::Directory{broker.directory->path(), !health.offline.has_value(),
                                                  health.below_reserve, broker.directory->free_bytes_known()};
  snapshot.totals.topics = broker.partitions->topics().size();
  snapshot.totals.partitions = broker.partitions->partition_count();
}

// By name and index, looked up anew after each pause: topics come and go meanwhile, and so may the broker.
Task<void> AdminDesk::walk_partitions(MetricsSnapshot& snapshot) {
  if (Partition* journal = broker_->folders->extra()) {
    add_partition(*journal, parts_.partitions_max, snapshot, snapshot.lanes[1]);
  }
  std::string topic;
  size_t since_pause = 0;
  auto next = broker_->partitions->topics().begin();
  while (next != broker_->partitions->topics().end()) {
    topic = next->first;
    for (size_t index = 0;; ++index) {
      if (++since_pause % kSlice == 0) co_await sleep_for(parts_.scheduler, Millis(1));
      if (broker_ == nullptr) co_return;
      const PartitionTable::Topic* found = broker_->partitions->find_topic(topic);
      if (found == nullptr || index >= found->partitions.size()) break;
      Partition* partition = found->partitions[index].get();
      if (partition == nullptr) {
        ++snapshot.totals.offline;
      } else {
        add_partition(*partition, parts_.partitions_max, snapshot, snapshot.lanes[0]);
      }
    }
    next = broker_->partitions->topics().upper_bound(topic);
  }
}

Task<void> AdminDesk::ask_groups(MetricsSnapshot& snapshot) {
  if (broker_ == nullptr || broker_->groups == nullptr) co_return;
  snapshot.groups = broker_->groups->group_count();
  Task<std::vector<GroupLag>> asking = broker_->groups->lags(parts_.partitions_max);
  std::vector<GroupLag> lags = co_await asking;
  for (GroupLag& group : lags) {
    for (PartitionLag& partition : group.partitions) {
      snapshot.group_offsets.push_back({.group = group.group.group_id,
                                        .topic = std::move(partition.topic),
                                        .partition = partition.partition,
                                        .committed = partition.committed,
                                        .lag = partition.lag});
    }
  }
}

}  // namespace leat
