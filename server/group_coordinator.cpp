// group_coordinator.cpp: see group_coordinator.h.
#include "server/group_coordinator.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/metadata/config_resolution.h"
#include "server/countdown.h"
#include "server/group_settings.h"
#include "server/metadata_store.h"
#include "server/offsets_topic.h"
#include "server/partition_table.h"

namespace leat {

// The topics that are served, as the groups see them; Kafka does not hide its internal ones from them either.
class GroupCoordinator::Catalog final : public TopicCatalog {
 public:
  explicit Catalog(const MetadataStore& metadata) noexcept : metadata_(metadata) {}

  std::optional<CatalogTopic> find(std::string_view name) const override { return made_of(metadata_.find_topic(name)); }
  std::optional<CatalogTopic> find(const Uuid& id) const override { return made_of(metadata_.find_topic(id)); }
  void for_each(const std::function<void(const CatalogTopic&)>& visit) const override {
    for (const MetadataStore::ServedTopic& topic : metadata_.served_topics()) visit(*made_of(topic));
  }

 private:
  static std::optional<CatalogTopic> made_of(const std::optional<MetadataStore::ServedTopic>& topic) {
    if (!topic) return std::nullopt;
    return CatalogTopic{.id = topic->state->id, .name = topic->state->name, .partition_count = topic->partition_count};
  }

  const MetadataStore& metadata_;
};

GroupCoordinator::GroupCoordinator(const Parts& parts)
    : parts_(parts),
      catalog_(std::make_unique<Catalog>(parts.metadata)),
      gate_(parts.scheduler),
      log_(parts.scheduler.clock()) {}

GroupCoordinator::~GroupCoordinator() { ENSURE(shards_.empty(), "groups are not stopped"); }

void GroupCoordinator::start() {
  parts_.metadata.set_watcher(this);
  on_settings_changed();
  open_shards();
}

Task<void> GroupCoordinator::stop() {
  is_stopping_ = true;
  parts_.metadata.set_watcher(nullptr);
  close_shards();
  (void)co_await gate_.close();
}

// --- the topic and its shards ---------------------------------------------------------------------------------------

Task<GroupErrc> GroupCoordinator::prepare() {
  while (shards_.empty()) {
    const std::optional<Gate::Hold> hold = gate_.try_enter();
    if (!hold) co_return GroupErrc::kCoordinatorNotAvailable;
    if (creating_ != nullptr) {
      const std::shared_ptr<Event> other = creating_;
      const Woken woken = co_await other->wait();
      (void)woken;  // whatever woke us, we look again
      if (shards_.empty()) co_return GroupErrc::kCoordinatorNotAvailable;
      continue;
    }
    creating_ = std::make_shared<Event>(parts_.scheduler);
    std::vector<CreateTopicEvent> events;
    events.push_back(offsets_topic_event(parts_.metadata.broker_configs()));
    Task<std::vector<MetadataResult<TopicState>>> creating =
        parts_.metadata.create_topics(std::move(events), Validate::kAndDo);
    const std::vector<MetadataResult<TopicState>> made = co_await creating;
    std::exchange(creating_, nullptr)->set();
    open_shards();  // unless on_topics_changed has
    if (!shards_.empty()) break;
    log_.warn("{} cannot be made, groups are not served: {}", kOffsetsTopic,
              made.front() ? "stopping" : made.front().error().message);
    co_return GroupErrc::kCoordinatorNotAvailable;
  }
  co_return GroupErrc::kNone;
}

void GroupCoordinator::open_shards() {
  if (is_stopping_ || !shards_.empty()) return;
  const std::optional<MetadataStore::ServedTopic> topic = parts_.metadata.find_topic(kOffsetsTopic);
  if (!topic) return;
  topic_id_ = topic->state->id;
  const int64_t codec = broker_integer("offsets.topic.compression.codec", parts_.metadata.broker_configs());
  const GroupShard::Parts shard_parts{.scheduler = parts_.scheduler,
                                      .random = parts_.random,
                                      .rules = rules_,
                                      .catalog = *catalog_,
                                      .codec = static_cast<Codec>(codec),
                                      .absent = &parts_.absent_topics};
  for (int32_t index = 0; index < topic->partition_count; ++index) {
    TopicPartition name{std::string(kOffsetsTopic), index};
    auto log = std::make_unique<PartitionGroupLog>(parts_.scheduler, parts_.partitions, std::move(name), topic_id_);
    shards_.push_back(std::make_unique<GroupShard>(shard_parts, std::move(log)));
  }
  const std::shared_ptr<const TopicNames> names = topic_names();
  for (const std::unique_ptr<GroupShard>& shard : shards_) shard->start(names);
}

// Clients may make topics while the shards read their logs.
std::shared_ptr<const TopicNames> GroupCoordinator::topic_names() const {
  auto names = std::make_shared<TopicNames>();
  for (const MetadataStore::ServedTopic& topic : parts_.metadata.served_topics()) {
    names->emplace_hint(names->end(), topic.state->name);
  }
  return names;
}

void GroupCoordinator::close_shards() {
  topic_id_ = {};
  for (std::unique_ptr<GroupShard>& shard : std::exchange(shards_, {})) {
    std::optional<Gate::Hold> hold = gate_.try_enter();
    ENSURE(hold, "stopped twice");
    spawn(close_shard(std::move(shard), *std::move(hold)));
  }
}

Task<void> GroupCoordinator::close_shard(std::unique_ptr<GroupShard> shard, Gate::Hold hold) {
  const Gate::Hold held = std::move(hold);
  const std::unique_ptr<GroupShard> mine = std::move(shard);
  Task<void> stopping = mine->stop();
  co_await stopping;
}

size_t GroupCoordinator::group_count() const noexcept {
  size_t count = 0;
  for (const std::unique_ptr<GroupShard>& shard : shards_) count += shard->group_count();
  return count;
}

bool GroupCoordinator::is_ready() const noexcept {
  return std::all_of(shards_.begin(), shards_.end(), [](const auto& shard) { return shard->is_ready(); });
}

// --- asking ---------------------------------------------------------------------------------------------------------

GroupShard& GroupCoordinator::shard_of(int32_t group_hash) const noexcept {
  return *shards_[static_cast<size_t>(coordinator_partition_of_hash(group_hash, static_cast<int32_t>(shards_.size())))];
}

// No coroutine of its own in the usual case: every commit passes here.
Task<GroupReply> GroupCoordinator::ask_shard_of(int32_t group_hash, GroupEvent event) {
  if (shards_.empty()) return ask_once_prepared(group_hash, std::move(event));
  return shard_of(group_hash).ask(std::move(event));
}

Task<GroupReply> GroupCoordinator::ask_once_prepared(int32_t group_hash, GroupEvent event) {
  Task<GroupErrc> preparing = prepare();
  const GroupErrc prepared = co_await preparing;
  if (prepared != GroupErrc::kNone) co_return refusal_of(event)(prepared);
  Task<GroupReply> asking = shard_of(group_hash).ask(std::move(event));
  GroupReply reply = co_await asking;
  co_return reply;
}

namespace {

// Groups asked side by side; then the loop gets a chance to poll.
constexpr size_t kLagSlice = 64;

// One shard's answer, where its coordinator gathers them.
Task<void> list_one(Task<GroupReply> asking, ListGroupsReply& into) {
  GroupReply reply = co_await std::move(asking);
  auto* mine = std::get_if<ListGroupsReply>(&reply);
  ENSURE(mine != nullptr, "a reply of kind {}", reply.index());
  into = std::move(*mine);
}

}  // namespace

Task<ListGroupsReply> GroupCoordinator::list_groups(ListGroups event) {
  std::vector<ListGroupsReply> replies(shards_.size());
  Countdown left(parts_.scheduler, shards_.size());
  for (size_t i = 0; i < replies.size(); ++i) spawn(counted(list_one(shards_[i]->ask(event), replies[i]), left));
  const Woken woken = co_await left.reached.wait();
  (void)woken;
  ListGroupsReply all;
  for (ListGroupsReply& reply : replies) {
    // An admin client takes NOT_COORDINATOR for a broker without groups, and the list for whole.
    if (reply.error != GroupErrc::kNone) all.error = reply.error;
    if (all.error == GroupErrc::kNotCoordinator) all.error = GroupErrc::kCoordinatorLoadInProgress;
    std::move(reply.groups.begin(), reply.groups.end(), std::back_inserter(all.groups));
  }
  std::sort(all.groups.begin(), all.groups.end(),
            [](const ListedGroup& a, const ListedGroup& b) { return a.group_id < b.group_id; });
  co_return all;
}

Task<std::vector<GroupLag>> GroupCoordinator::lags(size_t partitions_max) {
  std::vector<GroupLag> lags;
  Task<ListGroupsReply> listing = list_groups({});
  ListGroupsReply listed = co_await listing;
  size_t partition_count = 0;
  for (size_t begin = 0; begin < listed.groups.size() && partition_count < partitions_max; begin += kLagSlice) {
    const size_t count = std::min(kLagSlice, listed.groups.size() - begin);
    std::vector<FetchOffsetsReply> committed(count);
    Countdown left(parts_.scheduler, count);
    for (size_t i = 0; i < count; ++i) {
      FetchOffsets asked;
      asked.group_id = listed.groups[begin + i].group_id;
      spawn(counted(delivered(ask(std::move(asked)), committed[i]), left));
    }
    const Woken woken = co_await left.reached.wait();
    (void)woken;
    for (size_t i = 0; i < count && partition_count < partitions_max; ++i) {
      GroupLag& lag = lags.emplace_back();
      lag.group = std::move(listed.groups[begin + i]);
      for (const CommittedOffset& offset : committed[i].offsets) {
        if (partition_count++ < partitions_max) lag.partitions.push_back(lag_of(offset));
      }
    }
    if (begin + count < listed.groups.size()) co_await sleep_for(parts_.scheduler, Millis(1));
    if (is_stopping_) break;
  }
  co_return lags;
}

PartitionLag GroupCoordinator::lag_of(const CommittedOffset& committed) const {
  PartitionLag lag;
  lag.topic = committed.topic;
  lag.partition = committed.partition;
  lag.committed = committed.offset;
  const Partition* partition = parts_.partitions.find(committed.topic, committed.partition);
  if (partition == nullptr) return lag;
  lag.log_end = partition->offsets().high_watermark.v;
  lag.lag = lag.log_end - lag.committed;
  return lag;
}

// --- being told -----------------------------------------------------------------------------------------------------

void GroupCoordinator::tell_all(const GroupEvent& event) {
  for (const std::unique_ptr<GroupShard>& shard : shards_) shard->tell(event);
}

// Once in a turn of the loop: a request may make a thousand topics.
void GroupCoordinator::on_topics_changed() {
  open_shards();
  if (!change_is_told_) return;
  std::optional<Gate::Hold> hold = gate_.try_enter();
  if (!hold) return;
  change_is_told_ = false;
  parts_.scheduler.call_soon([this, held = std::make_shared<Gate::Hold>(*std::move(hold))] {
    change_is_told_ = true;
    tell_all(TopicsChanged{});
  });
}

void GroupCoordinator::on_topic_gone(const std::string& name, const Uuid& id) {
  if (id == topic_id_) return close_shards();
  tell_all(TopicGone{.topic = name, .topic_id = id});
}

void GroupCoordinator::on_settings_changed() {
  rules_ = group_rules_of(parts_.metadata.broker_configs(), parts_.metadata.machine().all_group_configs());
}

}  // namespace leat
