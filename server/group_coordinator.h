// group_coordinator.h: the groups of this broker, which coordinates all of them: finds the shard of a group, makes
// `__consumer_offsets` when it is first needed, tells the shards what has changed in topics and settings, and asks all
// of them where a question is about every group. What a group's machine decides is core/coordinator/group's.
// Invariant: there is a shard for each partition of the topic from the moment it is served until it is deleted; their
// number does not change while they live, for groups are found by it. Thread: the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/check.h"
#include "core/coordinator/group/group_event.h"
#include "core/coordinator/group/group_rules.h"
#include "core/record/partitioner.h"
#include "net/loop/event.h"
#include "net/loop/gate.h"
#include "net/loop/task.h"
#include "server/group_refusal.h"
#include "server/group_shard.h"
#include "server/log.h"
#include "server/metadata_watcher.h"

namespace leat {

class MetadataStore;
class PartitionTable;

struct PartitionLag {
  std::string topic;
  int32_t partition = 0;
  int64_t committed = -1;
  int64_t log_end = -1;  // the high watermark, which is what consumers can reach; -1: there is no such partition
  int64_t lag = -1;      // below 0 also when more was committed than there is
};
struct GroupLag {
  ListedGroup group;
  std::vector<PartitionLag> partitions;
};

class GroupCoordinator final : public MetadataWatcher {
 public:
  struct Parts {
    Scheduler& scheduler;
    Random& random;
    MetadataStore& metadata;
    PartitionTable& partitions;
    // Topics whose folders are there though the metadata does not know them: they may be taken in at another start, and
    // what groups have committed for them is kept until then.
    TopicNames absent_topics = {};
  };
  explicit GroupCoordinator(const Parts& parts);
  ~GroupCoordinator() override;
  GroupCoordinator(const GroupCoordinator&) = delete;
  GroupCoordinator& operator=(const GroupCoordinator&) = delete;

  // Once the metadata has been read: the groups that there are begin to be read.
  void start();
  // Whoever waits for a group is sent away, also later askers; what was decided is durable when it returns.
  Task<void> stop();

  // Makes the topic if it is not there. kNone: every group has its shard, which may be reading its log yet.
  Task<GroupErrc> prepare();
  // The reply may take as long as a rebalance.
  template <class Event>
  Task<ReplyTo<Event>> ask(Event event) {
    const int32_t hash = java_string_hash(event.group_id);
    Task<GroupReply> asking = ask_shard_of(hash, GroupEvent(std::move(event)));
    GroupReply reply = co_await asking;
    auto* mine = std::get_if<ReplyTo<Event>>(&reply);
    ENSURE(mine != nullptr, "a reply of kind {}", reply.index());
    co_return std::move(*mine);
  }
  // Of all shards. Does not make the topic: without it there are no groups.
  Task<ListGroupsReply> list_groups(ListGroups event);

  // How far each group is behind, for describe and metrics: the groups in order of their ids, `partitions_max`
  // partitions in all. Shards that are reading their logs are left out.
  Task<std::vector<GroupLag>> lags(size_t partitions_max);

  const GroupRules& rules() const noexcept { return rules_; }
  size_t shard_count() const noexcept { return shards_.size(); }
  size_t group_count() const noexcept;
  bool is_ready() const noexcept;  // no shard reads its log

  void on_topics_changed() override;
  void on_topic_gone(const std::string& name, const Uuid& id) override;
  void on_settings_changed() override;

 private:
  class Catalog;

  GroupShard& shard_of(int32_t group_hash) const noexcept;
  Task<GroupReply> ask_shard_of(int32_t group_hash, GroupEvent event);
  Task<GroupReply> ask_once_prepared(int32_t group_hash, GroupEvent event);
  void open_shards();
  std::shared_ptr<const TopicNames> topic_names() const;
  void close_shards();
  Task<void> close_shard(std::unique_ptr<GroupShard> shard, Gate::Hold hold);
  void tell_all(const GroupEvent& event);
  PartitionLag lag_of(const CommittedOffset& committed) const;

  const Parts parts_;
  GroupRules rules_;
  const std::unique_ptr<Catalog> catalog_;
  Uuid topic_id_;                                    // zero: the topic is not there
  std::vector<std::unique_ptr<GroupShard>> shards_;  // by partition
  std::shared_ptr<Event> creating_;                  // while the topic is being made
  bool change_is_told_ = true;                       // false: the shards are yet to hear that topics changed
  bool is_stopping_ = false;
  Gate gate_;
  RateLimitedLog log_;
};

}  // namespace leat
