// metadata_store.h: runs core/metadata's machine over its journal: decide → apply → one append for all steps that queue
// meanwhile (state_journal.h) → durable → effects (partitions made, removed, reconfigured; the watcher told) → reply.
// If an append fails, every step that was decided on the state it made is refused too, and the machine is rebuilt from
// the journal. Changes of one topic name follow one another; those of different names overlap. A topic is served from
// the moment when all its partitions are there. The journal is rewritten as a snapshot when it has grown to several
// times its live records, so that the time to start follows what lives. Thread: the loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/random.h"
#include "core/metadata/log_settings.h"
#include "core/metadata/metadata_machine.h"
#include "net/loop/event.h"
#include "net/loop/gate.h"
#include "net/loop/scheduler.h"
#include "net/loop/task.h"
#include "server/log.h"
#include "server/metadata_journal.h"
#include "server/metadata_watcher.h"
#include "server/mutation_gate.h"
#include "server/state_journal.h"
#include "server/topic_host.h"

namespace leat {

enum class Validate : uint8_t { kAndDo, kOnly };

struct MetadataCommit;
using MetadataSteps = StateJournal<MetadataRecord, std::shared_ptr<MetadataCommit>>;

class MetadataStore final : private MetadataSteps::Owner {
 public:
  struct Parts {
    Scheduler& scheduler;
    Random& random;
    const Settings& settings;
    MetadataJournal& journal;
    TopicHost& host;
  };
  explicit MetadataStore(const Parts& parts);
  ~MetadataStore() override;
  MetadataStore(const MetadataStore&) = delete;
  MetadataStore& operator=(const MetadataStore&) = delete;

  // Replays the journal (writing its first record when it is new), opens every topic's partitions, removes what is left
  // of deleted topics. A topic whose partitions cannot be opened does not stop the start.
  Task<Result<void>> start(std::string cluster_id);
  // Waits for what is under way; later changes are refused.
  Task<void> stop();
  void set_watcher(MetadataWatcher* watcher) noexcept { watcher_ = watcher; }  // null: nobody

  // A topic that is served, with the number of its partitions that are.
  struct ServedTopic {
    const TopicState* state = nullptr;
    int32_t partition_count = 0;
  };
  std::optional<ServedTopic> find_topic(std::string_view name) const;
  std::optional<ServedTopic> find_topic(const Uuid& id) const;
  std::vector<ServedTopic> served_topics() const;  // by name
  const MetadataMachine& machine() const noexcept { return machine_; }
  MetadataRules rules() const noexcept;
  BrokerConfigs broker_configs() const noexcept;  // views of the machine: not to be kept over a wait
  TopicSettings settings_of(const TopicState& topic) const;

  // Changes. Each is durable, and in effect, when it returns. A gate is asked about each change that may be made,
  // before it is; it must live until then. Null: nobody is asked.
  Task<std::vector<MetadataResult<TopicState>>> create_topics(std::vector<CreateTopicEvent> events, Validate validate,
                                                              MutationGate* gate = nullptr);
  Task<MetadataResult<TopicState>> create_partitions(CreatePartitionsEvent event, Validate validate,
                                                     MutationGate* gate = nullptr);
  Task<MetadataResult<TopicState>> delete_topic(Uuid id, MutationGate* gate = nullptr);
  Task<MetadataResult<TopicState>> adopt_topic(AdoptTopicEvent event);
  Task<MetadataResult<void>> alter_topic_configs(std::string topic, std::vector<ConfigChange> changes, AlterMode mode,
                                                 Validate validate);
  Task<MetadataResult<void>> alter_broker_configs(std::string name, std::vector<ConfigChange> changes, AlterMode mode,
                                                  Validate validate);
  Task<MetadataResult<void>> alter_group_configs(std::string group, std::vector<ConfigChange> changes, AlterMode mode,
                                                 Validate validate);

  struct QuotaAlteration {
    QuotaEntity entity;
    std::vector<QuotaChange> changes;
  };
  // Each entity by itself, none of them twice; all leave in one append.
  Task<std::vector<MetadataResult<void>>> alter_client_quotas(std::vector<QuotaAlteration> alterations,
                                                              Validate validate);

  // A client asked for a topic that is not there and may not be made: a line for whoever wonders why.
  void note_missing_topic(std::string_view name, std::string_view client);

  // An id that nobody has had or will have, also after a crash.
  Task<MetadataResult<int64_t>> next_producer_id();
  // Ids below `bound` stand in logs that were taken in: never give them out.
  Task<MetadataResult<void>> keep_producer_ids_from(int64_t bound);

  static constexpr int64_t kProducerIdBlock = 1000;
  // A snapshot is due when the journal holds this many times the live records, and at least so many.
  static constexpr size_t kSnapshotRatio = 4;
  static constexpr size_t kSnapshotRecordsMin = 1000;

 private:
  class NameLock;

  std::optional<MetadataError> unavailable() const;
  // Applies the records at once and queues them; then the step waits until they are durable.
  MetadataResult<std::shared_ptr<MetadataCommit>> stage(MetadataStep step);
  Task<MetadataResult<void>> durable(std::shared_ptr<MetadataCommit> staged);
  Task<MetadataResult<void>> commit(MetadataStep step);
  Task<Result<void>> append(std::vector<MetadataRecord> records) override;
  Task<Result<Offset>> append_records(std::vector<MetadataRecord> records);
  Task<void> rebuild() override;
  void on_durable(std::shared_ptr<MetadataCommit> staged) override;
  void on_lost(std::shared_ptr<MetadataCommit> staged, const Error& why) override;
  Task<Result<void>> replay();
  bool is_snapshot_due() const noexcept;

  Task<Result<void>> start_topics();
  Task<void> open_one(Uuid id);
  Task<void> remove_leftovers(Uuid id);

  std::optional<NameLock> try_lock_name(const std::string& name);
  Task<NameLock> lock_name(std::string name);
  Task<std::vector<NameLock>> lock_names(std::vector<std::string> names);
  MetadataResult<TopicStep> decide_creation(const CreateTopicEvent& event, MutationGate* gate);
  std::vector<MetadataResult<TopicState>> validate_topics(const std::vector<CreateTopicEvent>& events,
                                                          MutationGate* gate);
  Task<MetadataResult<TopicState>> finish_creation(TopicState topic, std::shared_ptr<MetadataCommit> staged);
  Task<void> undo_creation(Uuid id);
  Task<Result<void>> host_partitions(TopicState topic, int32_t first);
  Task<void> forget_topic(Uuid id, Gate::Hold hold);
  void reconfigure(const Uuid& id);
  void note_topics_changed();
  void note_settings_changed();

  Scheduler& scheduler_;
  Random& random_;
  const Settings& settings_;
  MetadataJournal& journal_;
  TopicHost& host_;
  Gate gate_;

  MetadataMachine machine_;
  std::unordered_map<Uuid, int32_t> served_;  // partitions that are there
  MetadataSteps steps_;
  bool rebuilding_ = false;
  MetadataWatcher* watcher_ = nullptr;
  std::optional<MetadataError> broken_;  // the machine could not be rebuilt: nothing is decided on it any more
  size_t journal_record_count_ = 0;      // since the last snapshot, with it

  std::map<std::string, std::shared_ptr<Event>, std::less<>> name_locks_;
  std::shared_ptr<Event> reserving_;  // while a block of producer ids is on its way
  int64_t next_producer_id_ = 0;
  int64_t producer_id_end_ = 0;

  RateLimitedLog changes_log_;
  RateLimitedLog missing_log_;
};

}  // namespace leat
