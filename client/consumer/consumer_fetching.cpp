// consumer_fetching.cpp: one Fetch under way to each broker. The next one is made when all partitions of an answer have
// been noted, so that it asks for nothing a second time, and leaves before the answer is read, so that the broker works
// meanwhile. Fetch 4-12: later versions want topic ids. Without sessions: each request names all it wants.
#include <fmt/format.h>

#include <algorithm>

#include "client/consumer/consumer_core.h"
#include "net/protocol/frame.h"

namespace leat::client::detail {
namespace {

constexpr int16_t kFetchVersionMax = 12;
constexpr size_t kUnpackedOnLoopBytesMax = size_t{16} << 10;  // a hop to a worker and back costs as much
constexpr int64_t kHeldBackWaitMs = 10;
constexpr Millis kToldPause{1'000};  // after an error that poll() gives: once a second is often enough

FetchRequest make_request(const ConsumerSettings& settings, const FetchPlan& plan, size_t room) {
  FetchRequest request;
  const int64_t wait_ms =
      plan.holds_back ? std::min(settings.fetch_wait_max_ms, kHeldBackWaitMs) : settings.fetch_wait_max_ms;
  request.max_wait_ms = static_cast<int32_t>(wait_ms);
  request.min_bytes = settings.fetch_bytes_min;
  request.max_bytes = static_cast<int32_t>(std::min(static_cast<size_t>(settings.fetch_bytes_max), room));
  request.isolation_level = static_cast<int8_t>(settings.isolation_level);
  request.rack_id = settings.client_rack.value_or("");
  for (const FetchItem& item : plan.items) {
    if (request.topics.empty() || request.topics.back().topic != item.name.topic) {
      request.topics.emplace_back().topic = item.name.topic;
    }
    FetchRequest::FetchPartition& partition = request.topics.back().partitions.emplace_back();
    partition.partition = item.name.partition;
    partition.current_leader_epoch = item.leader_epoch;
    partition.fetch_offset = item.offset;
    partition.partition_max_bytes = settings.partition_fetch_bytes_max;
  }
  return request;
}

}  // namespace

// Checks and unpacks what is compressed and large.
class ConsumerCore::ReadJob final : public Job {
 public:
  ReadJob(Self core, TopicPartition name, std::shared_ptr<FetchedChunk> chunk)
      : core_(std::move(core)), name_(std::move(name)), chunk_(std::move(chunk)) {}
  void run() noexcept override { chunk_->read(); }
  void done() noexcept override {
    if (cancelled || core_->stopped_.is_set()) return;
    core_->on_read(name_, chunk_);
    core_->work();
  }

 private:
  const Self core_;
  const TopicPartition name_;
  const std::shared_ptr<FetchedChunk> chunk_;
};

Nanos ConsumerCore::retry_at() const { return now() + Millis(context_.settings.retry_backoff_ms); }

void ConsumerCore::on_metadata() {
  if (cluster_.trouble()) {
    outages_.note({.of = Outages::Of::kMetadata}, *cluster_.trouble(), now());
  } else {
    outages_.clear({.of = Outages::Of::kMetadata});
  }
  note_missing_topics();
  if (session_) session_->on_metadata();
  work();
}

std::set<std::string> ConsumerCore::wanted_topics() const {
  std::set<std::string> topics(subscribed_.begin(), subscribed_.end());
  for (const TopicPartition& name : table_.names()) topics.insert(name.topic);
  return topics;
}

// Nothing is read of them, and nobody else says so: they may come to be.
void ConsumerCore::note_missing_topics() {
  for (const std::string& topic : wanted_topics()) {
    const Outages::Source source{.of = Outages::Of::kTopic, .partition = {.topic = topic, .partition = -1}};
    const KnownTopic* const known = cluster_.metadata().find(topic);
    const bool is_missing =
        known != nullptr && known->answered && known->error != ErrorCode::kNone && known->partitions.empty();
    if (is_missing) {
      outages_.note(source, Error::from_broker(known->error, fmt::format("topic '{}'", topic)), now());
    } else {
      outages_.clear(source);
    }
  }
}

void ConsumerCore::work() {
  if (stopped_.is_set()) return;
  const Self self = shared_from_this();
  answer_poll();
  const bool wants_positions = !table_.wanting_commit().empty() || !table_.wanting_offset().empty();
  if (wants_positions && !finding_positions_) {
    finding_positions_ = true;
    spawn(find_positions(self));
  }
  fetch();
  arm_timer();
}

void ConsumerCore::fetch() {
  if (closing_) return;
  const size_t room = budget_->room();
  if (room == 0) return;
  std::set<int32_t> busy = busy_;
  for (const auto& [node, at] : node_retry_at_) {
    if (at > now()) busy.insert(node);
  }
  bool leaderless = false;
  std::map<int32_t, FetchPlan> plans = table_.plan(cluster_.metadata(), now(), busy, leaderless);
  if (leaderless) cluster_.refresh_soon();
  if (leaderless || !outages_.empty()) review_outages();
  for (auto& [node, plan] : plans) send_fetch(node, std::move(plan));
}

// Partitions without a leader are an outage; brokers and partitions that nothing is read of any more are none.
void ConsumerCore::review_outages() {
  const FetchNeeds needs = table_.needs(cluster_.metadata());
  for (const TopicPartition& name : needs.leaderless) {
    outages_.note({.of = Outages::Of::kLeader, .partition = name},
                  Error::from_broker(ErrorCode::kLeaderNotAvailable, fmt::format("{}-{}", name.topic, name.partition),
                                     "it has no leader"),
                  now());
  }
  const std::set<std::string> topics = wanted_topics();
  outages_.clear_unless([&](const Outages::Source& source) {
    switch (source.of) {
      case Outages::Of::kFetches:
        return needs.nodes.contains(source.node);
      case Outages::Of::kLeader:
        return needs.leaderless.contains(source.partition);
      case Outages::Of::kPartition:
        return table_.contains(source.partition);
      case Outages::Of::kTopic:
        return topics.contains(source.partition.topic);
      case Outages::Of::kGroup:
      case Outages::Of::kPositions:
      case Outages::Of::kMetadata:
        return true;
    }
    return true;
  });
}

void ConsumerCore::send_fetch(int32_t node, FetchPlan plan) {
  BrokerLink* const link = cluster_.link(node, LinkPurpose::kFetch);
  if (link == nullptr) {
    node_retry_at_[node] = retry_at();
    return cluster_.refresh_soon();
  }
  busy_.insert(node);
  ++stats_.fetches;
  table_.note_fetched_last(plan.items.front().name);
  auto request = std::make_shared<FetchRequest>(make_request(settings_, plan, budget_->room()));
  LinkRequest call;
  call.key = ApiKey::kFetch;
  call.version_max = kFetchVersionMax;
  call.timeout = Millis(context_.settings.request_timeout_ms + settings_.fetch_wait_max_ms);
  call.encode = [request, client_id = context_.settings.client_id](int16_t version, int32_t correlation_id) {
    return encode_request(*request, version, correlation_id, client_id);
  };
  call.on_answer = [self = shared_from_this(), node, items = std::move(plan.items)](Result<LinkAnswer> answer) {
    self->on_fetch_answer(node, items, std::move(answer));
  };
  link->call(std::move(call));
}

void ConsumerCore::on_fetch_answer(int32_t node, const std::vector<FetchItem>& items, Result<LinkAnswer> answer) {
  busy_.erase(node);
  if (stopped_.is_set()) return;
  std::optional<Error> failed;
  std::optional<FetchResponse> response;
  const Millis throttle_time = answer ? answer->throttle_time : Millis(0);
  if (!answer) {
    failed = std::move(answer).error();
  } else {
    stats_.bytes_fetched += answer->payload.size();
    stats_.throttle_time_ms = throttle_time.count();
    stats_.throttle_time_ms_max = std::max(stats_.throttle_time_ms_max, stats_.throttle_time_ms);
    leat::Result<FetchResponse> decoded =
        decode_response<FetchResponse>(std::move(answer->payload), answer->version, answer->correlation_id);
    if (!decoded) {
      failed = Error(Cause::kProtocol, std::move(decoded.error().context));
    } else if (decoded->error_code != ErrorCode::kNone) {
      failed = Error::from_broker(decoded->error_code, fmt::format("fetching from broker {}", node));
    } else {
      response = *std::move(decoded);
    }
  }
  if (failed) {
    outages_.note({.of = Outages::Of::kFetches, .node = node}, *failed, now());
    const bool waits = is_worth_waiting(context_.settings, *failed);
    node_retry_at_[node] = now() + (waits ? coordinator_.pause(1) : kToldPause);
    cluster_.refresh_soon();
    if (!waits) errors_.push_back(*std::move(failed));
    return work();
  }
  node_retry_at_.erase(node);
  if (throttle_time > Millis(0)) node_retry_at_[node] = now() + throttle_time;  // what is wanted then is planned then
  outages_.clear({.of = Outages::Of::kFetches, .node = node});
  std::map<TopicPartition, const FetchItem*> asked;
  for (const FetchItem& item : items) asked[item.name] = &item;
  std::vector<Arrival> arrivals;
  for (FetchResponse::FetchableTopicResponse& topic : response->responses) {
    const auto name = std::make_shared<const std::string>(topic.topic);
    for (FetchResponse::PartitionData& data : topic.partitions) {
      const auto found = asked.find({.topic = topic.topic, .partition = data.partition_index});
      if (found == asked.end()) continue;
      std::optional<Arrival> arrival = on_fetched(node, *found->second, name, data);
      if (arrival) arrivals.push_back(*std::move(arrival));
    }
  }
  work();
  read_soon(std::move(arrivals));
}

// Notes where the next fetch goes on. Nothing: an error, no records, or none that are wanted any more.
std::optional<ConsumerCore::Arrival> ConsumerCore::on_fetched(int32_t node, const FetchItem& item,
                                                              const std::shared_ptr<const std::string>& topic,
                                                              FetchResponse::PartitionData& data) {
  if (data.current_leader.leader_id >= 0) {
    cluster_.note_leader(item.name.topic, item.name.partition, data.current_leader.leader_id,
                         data.current_leader.leader_epoch);
    if (stopped_.is_set()) return std::nullopt;
  }
  if (data.error_code != ErrorCode::kNone) {
    switch (table_.on_error(item, data.error_code, node, now(), retry_at())) {
      case PartitionTable::AfterError::kNothing:
        break;
      case PartitionTable::AfterError::kRefreshMetadata:
        cluster_.refresh_soon();
        outages_.note({.of = Outages::Of::kPartition, .partition = item.name},
                      Error::from_broker(data.error_code, fmt::format("{}-{}", item.name.topic, item.name.partition)),
                      now());
        break;
      case PartitionTable::AfterError::kTell:
        errors_.push_back(Error::from_broker(
            data.error_code, fmt::format("{}-{} at offset {}", item.name.topic, item.name.partition, item.offset)));
        break;
    }
    return std::nullopt;
  }
  if (!outages_.empty()) outages_.clear({.of = Outages::Of::kPartition, .partition = item.name});
  if (data.preferred_read_replica >= 0 && data.preferred_read_replica != node) {
    table_.set_replica(item, data.preferred_read_replica, now() + Millis(context_.settings.metadata_max_age_ms));
  }
  if (!data.records || data.records->empty()) return std::nullopt;
  const ChunkOutline outlined = outline(data.records->first().view(), item.offset);
  ChunkOrder order;
  order.topic = topic;
  order.partition = item.name.partition;
  order.records = data.records->first();
  order.position = item.offset;
  order.isolation = settings_.isolation_level;
  order.check_crcs = settings_.check_crcs;
  order.unpacked_bytes_max = settings_.unpacked_bytes_max;
  if (data.aborted_transactions) order.aborted = *std::move(data.aborted_transactions);
  auto chunk = std::make_shared<FetchedChunk>(std::move(order));
  if (!table_.on_fetched(item, chunk, outlined)) return std::nullopt;
  chunk->charge(budget_);  // before the next request is made, and not when it has been read: the bound is of bytes held
  return Arrival{.name = item.name, .chunk = std::move(chunk), .compressed_bytes = outlined.compressed_bytes};
}

// Behind the hook that writes the next request, which is made by now: reading a full answer takes a millisecond.
void ConsumerCore::read_soon(std::vector<Arrival> arrivals) {
  std::vector<Arrival> on_loop;
  for (Arrival& arrival : arrivals) {
    if (arrival.compressed_bytes <= kUnpackedOnLoopBytesMax) {
      on_loop.push_back(std::move(arrival));
      continue;
    }
    auto job = std::make_unique<ReadJob>(shared_from_this(), std::move(arrival.name), std::move(arrival.chunk));
    context_.scheduler.workers().submit(WorkQueue::kCpu, std::move(job));
  }
  if (on_loop.empty()) return;
  context_.scheduler.before_poll([weak = weak_from_this(), on_loop = std::move(on_loop)] {
    const Self self = weak.lock();
    if (!self || self->stopped_.is_set()) return;
    for (const Arrival& arrival : on_loop) {
      arrival.chunk->read();
      self->on_read(arrival.name, arrival.chunk);
    }
    self->work();
  });
}

void ConsumerCore::on_read(const TopicPartition& name, const std::shared_ptr<FetchedChunk>& chunk) {
  chunk->charge_unpacked();
  for (Error& error : table_.on_read(name, chunk, now() + kToldPause)) errors_.push_back(std::move(error));
}

void ConsumerCore::arm_timer() {
  Nanos next = Nanos::max();
  if (polling_) next = polling_->deadline;
  if (const std::optional<Nanos> retry = table_.next_retry(now())) next = std::min(next, *retry);
  for (const auto& [node, at] : node_retry_at_) {
    if (at > now()) next = std::min(next, at);
  }
  if (stopped_.is_set() || next == Nanos::max() || (timer_ != kNoTimer && timer_at_ <= next)) return;
  Timers& timers = context_.scheduler.timers();
  timers.cancel(timer_);
  timer_at_ = next;
  const auto wait = std::chrono::ceil<Millis>(std::max(next - now(), Nanos(0)));
  timer_ = timers.start(wait, [weak = weak_from_this()] {
    const Self self = weak.lock();
    if (!self) return;
    self->timer_ = kNoTimer;
    self->work();
  });
}

}  // namespace leat::client::detail
