// metadata_changes.cpp: changes of topics and settings, each a story: lock the name, decide, durable, effect.
#include <algorithm>

#include "core/base/check.h"
#include "server/countdown.h"
#include "server/metadata_commit.h"
#include "server/metadata_store.h"
#include "server/offsets_topic.h"

namespace leat {
namespace {

MetadataError stopping() { return {MetadataErrc::kStopping, "the broker is shutting down"}; }
MetadataError over_quota() {
  return {MetadataErrc::kThrottlingQuotaExceeded, "The throttling quota has been exceeded."};
}
bool admits(MutationGate* gate, int32_t partitions) { return gate == nullptr || gate->admit(partitions); }
MetadataError not_made(const Error& error) { return {MetadataErrc::kStorage, error.context}; }

}  // namespace

// Held by one change of a topic name; the next one waits in lock_name.
class MetadataStore::NameLock {
 public:
  NameLock(MetadataStore& store, std::string name) : store_(&store), name_(std::move(name)) {}
  NameLock(NameLock&& other) noexcept : store_(std::exchange(other.store_, nullptr)), name_(std::move(other.name_)) {}
  NameLock& operator=(NameLock&&) = delete;
  ~NameLock() {
    if (store_ == nullptr) return;
    const auto held = store_->name_locks_.find(name_);
    const std::shared_ptr<Event> released = held->second;
    store_->name_locks_.erase(held);
    released->set();
  }

 private:
  MetadataStore* store_;
  std::string name_;
};

std::optional<MetadataStore::NameLock> MetadataStore::try_lock_name(const std::string& name) {
  if (!name_locks_.emplace(name, std::make_shared<Event>(scheduler_)).second) return std::nullopt;
  return NameLock(*this, name);
}

Task<MetadataStore::NameLock> MetadataStore::lock_name(std::string name) {
  while (name_locks_.contains(name)) {
    const std::shared_ptr<Event> held = name_locks_.find(name)->second;
    const Woken woken = co_await held->wait();
    (void)woken;  // whatever woke us, we look again
  }
  co_return *try_lock_name(name);
}

// In sorted order, so that two askers of several names never wait for each other.
Task<std::vector<MetadataStore::NameLock>> MetadataStore::lock_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<NameLock> locks;
  locks.reserve(names.size());
  for (std::string& name : names) {
    // Without a wait when it is free: g++ below -O2 grows the stack with every task that ends without waiting.
    if (std::optional<NameLock> free = try_lock_name(name)) {
      locks.push_back(*std::move(free));
      continue;
    }
    NameLock lock = co_await lock_name(std::move(name));
    locks.push_back(std::move(lock));
  }
  co_return locks;
}

MetadataResult<TopicStep> MetadataStore::decide_creation(const CreateTopicEvent& event, MutationGate* gate) {
  MetadataResult<TopicStep> decided =
      machine_.on_create_topic(event, rules(), broker_configs(), scheduler_.clock().wall_ms(), random_);
  if (decided && !admits(gate, decided->topic.partition_count)) return tl::unexpected<MetadataError>(over_quota());
  return decided;
}

std::vector<MetadataResult<TopicState>> MetadataStore::validate_topics(const std::vector<CreateTopicEvent>& events,
                                                                       MutationGate* gate) {
  std::vector<MetadataResult<TopicState>> results;
  results.reserve(events.size());
  for (const CreateTopicEvent& event : events) {
    MetadataResult<TopicStep> decided = decide_creation(event, gate);
    if (decided) {
      results.emplace_back(std::move(decided->topic));
    } else {
      results.emplace_back(tl::unexpect, decided.error());
    }
  }
  return results;
}

Task<std::vector<MetadataResult<TopicState>>> MetadataStore::create_topics(std::vector<CreateTopicEvent> events,
                                                                           Validate validate, MutationGate* gate) {
  const std::optional<Gate::Hold> hold = gate_.try_enter();
  if (!hold)
    co_return std::vector<MetadataResult<TopicState>>(events.size(), tl::unexpected<MetadataError>(stopping()));
  for (CreateTopicEvent& event : events) {
    if (event.name == kOffsetsTopic) add_offsets_topic_configs(event, broker_configs());
  }
  if (validate == Validate::kOnly) co_return validate_topics(events, gate);

  std::vector<std::string> names;
  names.reserve(events.size());
  for (const CreateTopicEvent& event : events) names.push_back(event.name);
  const std::vector<NameLock> locks = co_await lock_names(std::move(names));
  if (std::optional<MetadataError> why = unavailable()) {
    co_return std::vector<MetadataResult<TopicState>>(events.size(), tl::unexpected<MetadataError>(*why));
  }

  struct Creation {
    TopicState topic;
    std::shared_ptr<MetadataCommit> staged;
  };
  std::vector<MetadataResult<TopicState>> results(events.size(), tl::unexpected<MetadataError>(stopping()));
  std::vector<std::pair<size_t, Creation>> creations;
  for (size_t i = 0; i < events.size(); ++i) {
    MetadataResult<TopicStep> decided = decide_creation(events[i], gate);
    if (!decided) {
      results[i] = tl::unexpected<MetadataError>(decided.error());
      continue;
    }
    MetadataResult<std::shared_ptr<MetadataCommit>> staged = stage(std::move(decided->step));
    if (!staged) {
      results[i] = tl::unexpected<MetadataError>(staged.error());
      continue;
    }
    creations.emplace_back(i, Creation{.topic = std::move(decided->topic), .staged = *std::move(staged)});
  }
  Countdown left(scheduler_, creations.size());
  for (auto& [i, creation] : creations) {
    spawn(counted(delivered(finish_creation(std::move(creation.topic), std::move(creation.staged)), results[i]), left));
  }
  const Woken woken = co_await left.reached.wait();
  (void)woken;
  co_return results;
}

Task<MetadataResult<TopicState>> MetadataStore::finish_creation(TopicState topic,
                                                                std::shared_ptr<MetadataCommit> staged) {
  const MetadataResult<void> made = co_await durable(std::move(staged));
  if (!made) co_return tl::unexpected<MetadataError>(made.error());
  const Result<void> hosted = co_await host_partitions(topic, 0);
  if (hosted) {
    if (changes_log_.admit()) {
      log_info("topic {}: created, {} partitions, id {}", topic.name, topic.partition_count, topic.id.to_string());
    }
    co_return topic;
  }
  changes_log_.warn("topic {}: not created: {}", topic.name, hosted.error().context);
  co_await undo_creation(topic.id);
  co_return tl::unexpected<MetadataError>(not_made(hosted.error()));
}

// A topic whose folders could not be made (disk full) was never there for anybody: take its record back.
Task<void> MetadataStore::undo_creation(Uuid id) {
  MetadataResult<TopicStep> deleted = machine_.on_delete_topic(id);
  if (!deleted) co_return;
  const MetadataResult<void> committed = co_await commit(std::move(deleted->step));
  served_.erase(id);
  if (committed) co_await remove_leftovers(id);
}

Task<Result<void>> MetadataStore::host_partitions(TopicState topic, int32_t first) {
  TopicSpec spec{.name = topic.name, .id = topic.id, .settings = settings_of(topic)};
  Result<void> hosted = co_await host_.add_partitions(std::move(spec), first, topic.partition_count - first);
  if (first > 0 || hosted) served_[topic.id] = topic.partition_count;
  reconfigure(topic.id);  // settings may have changed meanwhile
  note_topics_changed();
  co_return hosted;
}

void MetadataStore::note_topics_changed() {
  if (watcher_ != nullptr) watcher_->on_topics_changed();
}

void MetadataStore::note_settings_changed() {
  if (watcher_ != nullptr) watcher_->on_settings_changed();
}

void MetadataStore::reconfigure(const Uuid& id) {
  const TopicState* topic = machine_.topic(id);
  if (topic != nullptr && served_.contains(id)) host_.set_settings(id, settings_of(*topic));
}

Task<MetadataResult<TopicState>> MetadataStore::create_partitions(CreatePartitionsEvent event, Validate validate,
                                                                  MutationGate* gate) {
  const std::optional<Gate::Hold> hold = gate_.try_enter();
  if (!hold) co_return tl::unexpected<MetadataError>(stopping());
  const NameLock lock = co_await lock_name(event.topic);
  if (std::optional<MetadataError> why = unavailable()) co_return tl::unexpected<MetadataError>(*std::move(why));
  MetadataResult<TopicStep> decided = machine_.on_create_partitions(event, rules());
  if (!decided) co_return tl::unexpected<MetadataError>(decided.error());
  const int32_t first = machine_.topic(decided->topic.id)->partition_count;
  if (!admits(gate, decided->topic.partition_count - first)) co_return tl::unexpected<MetadataError>(over_quota());
  if (validate == Validate::kOnly) co_return decided->topic;
  const MetadataResult<void> made = co_await commit(std::move(decided->step));
  if (!made) co_return tl::unexpected<MetadataError>(made.error());
  const Result<void> hosted = co_await host_partitions(decided->topic, first);
  if (!hosted) co_return tl::unexpected<MetadataError>(not_made(hosted.error()));
  co_return decided->topic;
}

Task<MetadataResult<TopicState>> MetadataStore::delete_topic(Uuid id, MutationGate* gate) {
  std::optional<Gate::Hold> hold = gate_.try_enter();
  if (!hold) co_return tl::unexpected<MetadataError>(stopping());
  const TopicState* known = machine_.topic(id);
  const std::string name = known == nullptr ? std::string() : known->name;
  const NameLock lock = co_await lock_name(name);
  if (std::optional<MetadataError> why = unavailable()) co_return tl::unexpected<MetadataError>(*std::move(why));
  MetadataResult<TopicStep> decided = machine_.on_delete_topic(id);
  if (!decided) co_return tl::unexpected<MetadataError>(decided.error());
  if (!admits(gate, decided->topic.partition_count)) co_return tl::unexpected<MetadataError>(over_quota());
  const MetadataResult<void> deleted = co_await commit(std::move(decided->step));
  if (!deleted) co_return tl::unexpected<MetadataError>(deleted.error());
  served_.erase(id);
  if (changes_log_.admit()) log_info("topic {}: deleted, id {}", name, id.to_string());
  if (watcher_ != nullptr) watcher_->on_topic_gone(name, id);
  note_topics_changed();
  // When the folders cannot be renamed now, the id stays remembered and the next start removes them.
  const Result<void> removed = co_await host_.remove_topic(id, name, decided->topic.partition_count);
  if (removed) spawn(forget_topic(id, *std::move(hold)));
  co_return decided->topic;
}

Task<void> MetadataStore::forget_topic(Uuid id, Gate::Hold hold) {
  MetadataStep gone = machine_.on_topic_gone(id);
  const MetadataResult<void> forgotten = co_await commit(std::move(gone));
  (void)forgotten;  // if not, the next start finds nothing to remove and forgets it then
  (void)hold;
}

Task<MetadataResult<TopicState>> MetadataStore::adopt_topic(AdoptTopicEvent event) {
  const std::optional<Gate::Hold> hold = gate_.try_enter();
  if (!hold) co_return tl::unexpected<MetadataError>(stopping());
  const NameLock lock = co_await lock_name(event.name);
  if (std::optional<MetadataError> why = unavailable()) co_return tl::unexpected<MetadataError>(*std::move(why));
  MetadataResult<TopicStep> decided = machine_.on_adopt_topic(event, broker_configs(), scheduler_.clock().wall_ms());
  if (!decided) co_return tl::unexpected<MetadataError>(decided.error());
  const MetadataResult<void> made = co_await commit(std::move(decided->step));
  if (!made) co_return tl::unexpected<MetadataError>(made.error());
  TopicState topic = std::move(decided->topic);
  TopicSpec spec{.name = topic.name, .id = topic.id, .settings = settings_of(topic)};
  const Result<void> opened = co_await host_.open_topic(std::move(spec), topic.partition_count);
  served_[topic.id] = topic.partition_count;
  note_topics_changed();
  if (!opened) co_return tl::unexpected<MetadataError>(not_made(opened.error()));
  co_return topic;
}

Task<MetadataResult<void>> MetadataStore::alter_topic_configs(std::string topic, std::vector<ConfigChange> changes,
                                                              AlterMode mode, Validate validate) {
  const std::optional<Gate::Hold> hold = gate_.try_enter();
  if (!hold) co_return tl::unexpected<MetadataError>(stopping());
  const NameLock lock = co_await lock_name(topic);
  if (std::optional<MetadataError> why = unavailable()) co_return tl::unexpected<MetadataError>(*std::move(why));
  MetadataResult<MetadataStep> step = machine_.on_alter_topic_configs(topic, changes, mode, broker_configs());
  if (!step) co_return tl::unexpected<MetadataError>(step.error());
  if (validate == Validate::kOnly || step->records.empty()) co_return MetadataResult<void>{};
  const Uuid id = machine_.topic(topic)->id;
  const MetadataResult<void> altered = co_await commit(*std::move(step));
  if (altered) reconfigure(id);
  co_return altered;
}

Task<MetadataResult<void>> MetadataStore::alter_broker_configs(std::string name, std::vector<ConfigChange> changes,
                                                               AlterMode mode, Validate validate) {
  const std::optional<Gate::Hold> hold = gate_.try_enter();
  if (!hold) co_return tl::unexpected<MetadataError>(stopping());
  if (std::optional<MetadataError> why = unavailable()) co_return tl::unexpected<MetadataError>(*std::move(why));
  MetadataResult<MetadataStep> step = machine_.on_alter_broker_configs(name, changes, mode, rules(), broker_configs());
  if (!step) co_return tl::unexpected<MetadataError>(step.error());
  if (validate == Validate::kOnly || step->records.empty()) co_return MetadataResult<void>{};
  const MetadataResult<void> altered = co_await commit(*std::move(step));
  if (!altered) co_return altered;
  for (const auto& [id, partition_count] : served_) reconfigure(id);
  note_settings_changed();
  co_return altered;
}

Task<MetadataResult<void>> MetadataStore::alter_group_configs(std::string group, std::vector<ConfigChange> changes,
                                                              AlterMode mode, Validate validate) {
  const std::optional<Gate::Hold> hold = gate_.try_enter();
  if (!hold) co_return tl::unexpected<MetadataError>(stopping());
  if (std::optional<MetadataError> why = unavailable()) co_return tl::unexpected<MetadataError>(*std::move(why));
  MetadataResult<MetadataStep> step = machine_.on_alter_group_configs(group, changes, mode, broker_configs());
  if (!step) co_return tl::unexpected<MetadataError>(step.error());
  if (validate == Validate::kOnly || step->records.empty()) co_return MetadataResult<void>{};
  const MetadataResult<void> altered = co_await commit(*std::move(step));
  if (altered) note_settings_changed();
  co_return altered;
}

Task<std::vector<MetadataResult<void>>> MetadataStore::alter_client_quotas(std::vector<QuotaAlteration> alterations,
                                                                           Validate validate) {
  using Results = std::vector<MetadataResult<void>>;
  const std::optional<Gate::Hold> hold = gate_.try_enter();
  if (!hold) co_return Results(alterations.size(), tl::unexpected<MetadataError>(stopping()));
  if (std::optional<MetadataError> why = unavailable())
    co_return Results(alterations.size(), tl::unexpected<MetadataError>(*std::move(why)));
  Results results(alterations.size());
  std::vector<size_t> staged_places;
  std::shared_ptr<MetadataCommit> last;
  for (size_t i = 0; i < alterations.size(); ++i) {
    MetadataResult<MetadataStep> step = machine_.on_alter_client_quotas(alterations[i].entity, alterations[i].changes);
    if (!step) {
      results[i] = tl::unexpected<MetadataError>(step.error());
      continue;
    }
    if (validate == Validate::kOnly || step->records.empty()) continue;
    MetadataResult<std::shared_ptr<MetadataCommit>> staged = stage(*std::move(step));
    ENSURE(staged, "nothing has been waited for since it was available");
    last = *std::move(staged);
    staged_places.push_back(i);
  }
  if (last == nullptr) co_return results;
  // Staged in one turn: they are durable together, or lost together.
  const MetadataResult<void> written = co_await durable(std::move(last));
  for (const size_t i : staged_places) {
    results[i] = written;
    if (written && changes_log_.admit())
      log_info("quotas of {}: changed", printable(alterations[i].entity.to_string()));
  }
  co_return results;
}

}  // namespace leat
