// metadata_store.cpp: commits, the appends that they leave in, rebuild, snapshot, start, producer ids. Changes of
// topics and settings are in metadata_changes.cpp.
#include "server/metadata_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "server/countdown.h"
#include "server/metadata_commit.h"
#include "server/settings.h"

namespace leat {
namespace {

// One append's bound; a snapshot of very many topics takes several.
constexpr size_t kRecordsPerBatchMax = 2000;

MetadataError stopping() { return {MetadataErrc::kStopping, "the broker is shutting down"}; }

MetadataError storage_error(const Error& error) {
  if (error.code == Errc::kCancelled) return stopping();
  return {MetadataErrc::kStorage, error.context};
}

}  // namespace

MetadataStore::MetadataStore(const Parts& parts)
    : scheduler_(parts.scheduler),
      random_(parts.random),
      settings_(parts.settings),
      journal_(parts.journal),
      host_(parts.host),
      gate_(parts.scheduler),
      steps_(parts.scheduler, *this),
      changes_log_(parts.scheduler.clock(), 100),
      missing_log_(parts.scheduler.clock()) {}

MetadataStore::~MetadataStore() = default;

MetadataRules MetadataStore::rules() const noexcept {
  return {.node_id = settings_.node_id, .num_partitions = settings_.num_partitions};
}

BrokerConfigs MetadataStore::broker_configs() const noexcept {
  return {.dynamic_broker = machine_.broker_configs(fmt::format("{}", settings_.node_id)),
          .dynamic_default = machine_.broker_configs(""),
          .static_broker = settings_.given};
}

TopicSettings MetadataStore::settings_of(const TopicState& topic) const {
  const BrokerConfigs broker = broker_configs();
  return {.log = log_config_of(topic.configs, broker), .produce = validation_rules_of(topic.configs, broker)};
}

std::optional<MetadataStore::ServedTopic> MetadataStore::find_topic(const Uuid& id) const {
  const auto served = served_.find(id);
  const TopicState* state = machine_.topic(id);
  if (served == served_.end() || state == nullptr || state->phase != TopicPhase::kLive) return std::nullopt;
  return ServedTopic{.state = state, .partition_count = served->second};
}

std::optional<MetadataStore::ServedTopic> MetadataStore::find_topic(std::string_view name) const {
  const TopicState* state = machine_.topic(name);
  return state == nullptr ? std::nullopt : find_topic(state->id);
}

std::vector<MetadataStore::ServedTopic> MetadataStore::served_topics() const {
  std::vector<ServedTopic> topics;
  topics.reserve(served_.size());
  for (const auto& [name, id] : machine_.topics()) {
    if (const std::optional<ServedTopic> topic = find_topic(id)) topics.push_back(*topic);
  }
  return topics;
}

// While the machine holds what may never have been written, it serves readers, and decides nothing.
std::optional<MetadataError> MetadataStore::unavailable() const {
  if (broken_) return broken_;
  if (!rebuilding_) return std::nullopt;
  return MetadataError{MetadataErrc::kStorage, "the metadata journal is being read again after a failed write"};
}

MetadataResult<std::shared_ptr<MetadataCommit>> MetadataStore::stage(MetadataStep step) {
  if (std::optional<MetadataError> why = unavailable()) return tl::unexpected<MetadataError>(*std::move(why));
  auto staged = std::make_shared<MetadataCommit>(scheduler_);
  if (step.records.empty()) {
    staged->done.set();
    return staged;
  }
  for (MetadataRecord& record : step.records) {
    machine_.apply(record);
    steps_.write(std::move(record));
  }
  steps_.wait(staged);
  return staged;
}

Task<MetadataResult<void>> MetadataStore::durable(std::shared_ptr<MetadataCommit> staged) {
  const Woken woken = co_await staged->done.wait();
  if (woken != Woken::kSet) co_return tl::unexpected<MetadataError>(stopping());
  if (staged->error) co_return tl::unexpected<MetadataError>(*staged->error);
  co_return MetadataResult<void>{};
}

Task<MetadataResult<void>> MetadataStore::commit(MetadataStep step) {
  MetadataResult<std::shared_ptr<MetadataCommit>> staged = stage(std::move(step));
  if (!staged) co_return tl::unexpected<MetadataError>(staged.error());
  co_return co_await durable(*std::move(staged));
}

bool MetadataStore::is_snapshot_due() const noexcept {
  return journal_record_count_ > std::max(kSnapshotRecordsMin, kSnapshotRatio * machine_.live_record_count());
}

Task<Result<void>> MetadataStore::append(std::vector<MetadataRecord> records) {
  const bool is_snapshot = is_snapshot_due() && !journal_.is_short_of_room();
  // A snapshot goes behind the pending records, which it includes: nothing before them is needed once it is durable.
  // What is applied while its appends run comes after it.
  if (is_snapshot) {
    std::vector<MetadataRecord> live = machine_.snapshot();
    records.insert(records.end(), std::make_move_iterator(live.begin()), std::make_move_iterator(live.end()));
  }
  const size_t record_count = records.size();
  const Result<Offset> first = co_await append_records(std::move(records));
  if (!first) {
    log_error("metadata journal: {}; its state is read again", first.error().context);
    co_return fail(first.error());
  }
  journal_record_count_ = is_snapshot ? record_count : journal_record_count_ + record_count;
  if (is_snapshot) journal_.forget_before(*first);
  co_return Result<void>{};
}

void MetadataStore::on_durable(std::shared_ptr<MetadataCommit> staged) { staged->done.set(); }

void MetadataStore::on_lost(std::shared_ptr<MetadataCommit> staged, const Error& why) {
  staged->error = storage_error(why);
  staged->done.set();
}

Task<Result<Offset>> MetadataStore::append_records(std::vector<MetadataRecord> records) {
  const int64_t now_ms = scheduler_.clock().wall_ms();
  Offset first = kNoOffset;
  for (size_t begin = 0; begin < records.size(); begin += kRecordsPerBatchMax) {
    const size_t count = std::min(kRecordsPerBatchMax, records.size() - begin);
    Result<Slice> batch = encode_metadata_batch(std::span(records).subspan(begin, count), now_ms);
    if (!batch) co_return fail(batch.error());
    const Result<Offset> offset = co_await journal_.append(*std::move(batch), static_cast<int32_t>(count), now_ms);
    if (!offset) co_return fail(offset.error());
    if (begin == 0) first = *offset;
  }
  co_return first;
}

Task<void> MetadataStore::rebuild() {
  rebuilding_ = true;
  const Result<void> replayed = co_await replay();
  rebuilding_ = false;
  if (replayed) co_return;
  broken_ = storage_error(replayed.error());
  log_error("metadata journal: {}; topics and settings cannot be changed until a restart", replayed.error().context);
}

Task<Result<void>> MetadataStore::replay() {
  Result<MetadataMachine> machine = co_await journal_.replay();
  if (!machine) co_return fail(machine.error());
  machine_ = *std::move(machine);
  // A log start that was moved shortly before a crash may be back where it was: the next change then makes a snapshot.
  journal_record_count_ = static_cast<size_t>(journal_.record_count());
  // Ids of the block in hand stay ours: the reservation that gave them was durable.
  co_return Result<void>{};
}

Task<Result<void>> MetadataStore::start(std::string cluster_id) {
  const Result<void> replayed = co_await replay();
  if (!replayed) co_return fail(replayed.error());
  if (machine_.cluster_id().empty()) {
    MetadataStep step = machine_.on_create_cluster(cluster_id);
    const MetadataResult<void> made = co_await commit(std::move(step));
    if (!made) co_return fail(Errc::kIo, fmt::format("metadata journal: {}", made.error().message));
  } else if (machine_.cluster_id() != cluster_id) {
    co_return fail(Errc::kCorrupt,
                   fmt::format("the metadata journal belongs to cluster {}, {}/meta.properties says {}: one of them is "
                               "of another directory; if it is the file, write cluster.id={} into it",
                               machine_.cluster_id(), settings_.data_dir, cluster_id, machine_.cluster_id()));
  }
  Result<void> started = co_await start_topics();
  co_return started;
}

Task<Result<void>> MetadataStore::start_topics() {
  std::vector<Uuid> live;
  std::vector<Uuid> deleting;
  for (const auto& [id, topic] : machine_.all_topics())
    (topic.phase == TopicPhase::kLive ? live : deleting).push_back(id);
  // First the folders of the deleted, which may bear the names of the living.
  for (const Uuid& id : deleting) co_await remove_leftovers(id);
  Countdown left(scheduler_, live.size());
  for (const Uuid& id : live) spawn(counted(open_one(id), left));
  const Woken woken = co_await left.reached.wait();
  if (woken != Woken::kSet) co_return fail(Errc::kCancelled, "shutting down");
  co_return Result<void>{};
}

Task<void> MetadataStore::open_one(Uuid id) {
  const TopicState topic = *machine_.topic(id);
  TopicSpec spec{.name = topic.name, .id = id, .settings = settings_of(topic)};
  const int32_t count = topic.partition_count;
  // A partition that cannot be opened has its place in the table and answers for itself.
  (void)co_await host_.open_topic(std::move(spec), count);
  served_[id] = count;
}

Task<void> MetadataStore::remove_leftovers(Uuid id) {
  const TopicState topic = *machine_.topic(id);
  const Result<void> removed = co_await host_.remove_topic(id, topic.name, topic.partition_count);
  if (!removed) {
    log_warn("topic {}: folders of the deleted topic are left until the next start: {}", topic.name,
             removed.error().context);
    co_return;
  }
  MetadataStep step = machine_.on_topic_gone(id);
  (void)co_await commit(std::move(step));
}

void MetadataStore::note_missing_topic(std::string_view name, std::string_view client) {
  missing_log_.warn("topic {}: asked for by client \"{}\", not there, and auto.create.topics.enable is false",
                    printable(name), printable(client));
}

Task<void> MetadataStore::stop() {
  const Woken woken = co_await gate_.close();
  (void)woken;
  co_await steps_.drained();
  if (!broken_) broken_ = stopping();
}

Task<MetadataResult<int64_t>> MetadataStore::next_producer_id() {
  while (next_producer_id_ == producer_id_end_) {
    if (reserving_) {
      const std::shared_ptr<Event> other = reserving_;
      const Woken woken = co_await other->wait();
      if (woken != Woken::kSet) co_return tl::unexpected<MetadataError>(stopping());
      continue;
    }
    const std::optional<Gate::Hold> hold = gate_.try_enter();
    if (!hold) co_return tl::unexpected<MetadataError>(stopping());
    reserving_ = std::make_shared<Event>(scheduler_);
    ProducerIdBlock block = machine_.on_reserve_producer_ids(kProducerIdBlock);
    if (block.count == 0) {
      std::exchange(reserving_, nullptr)->set();
      co_return tl::unexpected<MetadataError>({MetadataErrc::kPolicyViolation, "no producer ids are left"});
    }
    const MetadataResult<void> reserved = co_await commit(std::move(block.step));
    std::exchange(reserving_, nullptr)->set();
    if (!reserved) co_return tl::unexpected<MetadataError>(reserved.error());
    next_producer_id_ = block.first;
    producer_id_end_ = block.first + block.count;
  }
  co_return next_producer_id_++;
}

Task<MetadataResult<void>> MetadataStore::keep_producer_ids_from(int64_t bound) {
  if (bound > machine_.next_producer_id()) {
    ProducerIdBlock skipped = machine_.on_reserve_producer_ids(bound - machine_.next_producer_id());
    const MetadataResult<void> kept = co_await commit(std::move(skipped.step));
    if (!kept) co_return tl::unexpected<MetadataError>(kept.error());
  }
  if (producer_id_end_ <= bound) next_producer_id_ = producer_id_end_;
  next_producer_id_ = std::max(next_producer_id_, std::min(bound, producer_id_end_));
  co_return MetadataResult<void>{};
}

}  // namespace leat
