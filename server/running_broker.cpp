// running_broker.cpp: see running_broker.h.
#include "server/running_broker.h"

#include <algorithm>
#include <map>

#include "core/log/log_directory.h"
#include "core/log/tail_cache.h"
#include "net/loop/run_on.h"
#include "server/directory_advice.h"
#include "server/group_coordinator.h"
#include "server/log.h"
#include "server/metadata_journal.h"
#include "server/metadata_store.h"
#include "server/offsets_topic.h"
#include "server/partition_folders.h"
#include "server/settings.h"
#include "server/upkeep.h"

namespace leat {

namespace {

constexpr const char* kJournalTopic = "__leat_metadata";

// The id that Kafka reserves for its own metadata log.
Uuid journal_id() noexcept {
  Uuid id;
  id.bytes[15] = 1;
  return id;
}

UpkeepOptions upkeep_options(const Settings& settings) noexcept {
  UpkeepOptions options;
  options.checkpoint_every = Millis(settings.checkpoint_interval_ms);
  options.retention_every = Millis(settings.retention_check_interval_ms);
  return options;
}

}  // namespace

RunningBroker::RunningBroker(const Parts& parts)
    : parts_(parts),
      tail_cache_(std::make_unique<TailCache>(static_cast<size_t>(parts.settings.tail_cache_bytes))),
      inline_writes_(parts.scheduler.clock(), static_cast<size_t>(parts.settings.append_inline_bytes_max)),
      lane_starter_(parts.scheduler) {}

RunningBroker::~RunningBroker() = default;

Task<Result<std::unique_ptr<RunningBroker>>> RunningBroker::start(Parts parts) {
  std::unique_ptr<RunningBroker> running(new RunningBroker(parts));
  const Result<void> started = co_await running->start_up();
  if (started) co_return std::move(running);
  co_await running->abandon();
  co_return fail(started.error());
}

// What a start that failed has begun is waited for: nobody would be there to take it back.
Task<void> RunningBroker::abandon() {
  if (metadata_ != nullptr) co_await metadata_->stop();
  if (folders_ != nullptr) (void)co_await folders_->stop_removals();
  if (journal_partition_ == nullptr) co_return;
  Event quiet(parts_.scheduler);
  journal_partition_->drain([&quiet] { quiet.set(); });
  (void)co_await quiet.wait();
}

Task<Result<void>> RunningBroker::start_up() {
  Result<void> step = open_directory();
  if (!step) co_return step;
  const LaneOptions lane{.inline_writes = &inline_writes_};
  table_ = std::make_unique<PartitionTable>(PartitionTable::Options{.scheduler = parts_.scheduler, .lane = lane});
  const PartitionFolders::Parts folder_parts{
      .scheduler = parts_.scheduler,
      .files = parts_.files,
      .random = parts_.random,
      .directory = *directory_,
      .tail_cache = *tail_cache_,
      .table = *table_,
      .parallel_max = static_cast<size_t>(std::max(parts_.settings.recovery_threads, 1))};
  folders_ = std::make_unique<PartitionFolders>(folder_parts);
  step = co_await open_journal();
  if (!step) co_return step;
  make_broker();
  step = co_await start_metadata();
  if (!step) co_return step;
  start_groups();
  const Upkeep::Parts upkeep_parts{
      .scheduler = parts_.scheduler, .table = *table_, .folders = *folders_, .directory = *directory_};
  upkeep_ = std::make_unique<Upkeep>(upkeep_parts, upkeep_options(parts_.settings));
  upkeep_->start();
  co_return Result<void>();
}

void RunningBroker::make_broker() {
  const FetchSessions::Limits session_limits{.sessions_max = static_cast<size_t>(parts_.settings.fetch_sessions_max)};
  broker_ = std::make_unique<Broker>(parts_.scheduler, parts_.files, parts_.random, parts_.settings, *table_);
  broker_->fetch_sessions.set_limits(session_limits);
  broker_->node_id = parts_.settings.node_id;
  broker_->cluster_id = directory_->cluster_id();
  broker_->directory = directory_.get();
  broker_->folders = folders_.get();
  broker_->tail_cache = tail_cache_.get();
  broker_->journal_lanes = &lane_starter_;
  broker_->quotas.set_windows(parts_.settings.quota_windows, parts_.settings.controller_quota_windows);
  broker_->fetch_bytes_max = parts_.settings.fetch_bytes_max;
}

Task<Result<void>> RunningBroker::start_metadata() {
  Result<DirectoryListing> listing = directory_->list();
  if (!listing) co_return fail(listing.error());
  journal_ = std::make_unique<PartitionJournal>(
      PartitionJournal::Parts{.scheduler = parts_.scheduler,
                              .partition = *journal_partition_,
                              .files = parts_.files,
                              .folder = directory_->folder_of(journal_partition_->name())});
  const MetadataStore::Parts store_parts{.scheduler = parts_.scheduler,
                                         .random = parts_.random,
                                         .settings = parts_.settings,
                                         .journal = *journal_,
                                         .host = *folders_};
  metadata_ = std::make_unique<MetadataStore>(store_parts);
  broker_->metadata = metadata_.get();
  broker_->metadata_journal = journal_partition_.get();
  Result<void> step = co_await metadata_->start(directory_->cluster_id());
  if (!step) co_return step;
  broker_->quotas.set_quotas(metadata_->machine().client_quotas());
  folders_->finish_deletions(std::move(listing->unfinished_deletions));
  for (const std::string& line : lines_about(listing->strays, "is none of ours: left alone")) log_warn("{}", line);
  step = co_await take_in_strangers(std::move(listing->partitions));
  if (step) folders_->on_all_open();
  co_return step;
}

// After the metadata, with all topics that there are: what was committed for others goes, unless they may come back.
void RunningBroker::start_groups() {
  const GroupCoordinator::Parts parts{.scheduler = parts_.scheduler,
                                      .random = parts_.random,
                                      .metadata = *metadata_,
                                      .partitions = *table_,
                                      .absent_topics = left_alone_};
  groups_ = std::make_unique<GroupCoordinator>(parts);
  broker_->groups = groups_.get();
  groups_->start();
}

// Folders of partitions that the metadata does not know.
Task<Result<void>> RunningBroker::take_in_strangers(std::vector<PartitionFolder> folders) {
  std::map<std::string, std::vector<PartitionFolder>> topics;
  for (PartitionFolder& folder : folders) {
    const bool known = folder.name.topic == kJournalTopic || table_->find_topic(folder.name.topic) != nullptr;
    if (!known) topics[folder.name.topic].push_back(std::move(folder));
  }
  std::vector<std::string> left_alone;
  for (auto& [topic, strangers] : topics) {
    if (parts_.adopt == Adopt::kNo) {
      for (const PartitionFolder& folder : strangers) left_alone.push_back(folder.path);
      left_alone_.insert(topic);
      continue;
    }
    const Result<void> adopted = co_await adopt(topic, std::move(strangers));
    if (!adopted) co_return fail(adopted.error());
  }
  constexpr std::string_view kUnknown =
      "belongs to a topic that the metadata does not know: left alone; leatd --adopt takes it in";
  for (const std::string& line : lines_about(left_alone, kUnknown)) log_warn("{}", line);
  co_return Result<void>();
}

Task<Result<void>> RunningBroker::adopt(std::string topic, std::vector<PartitionFolder> folders) {
  AdoptTopicEvent event;
  event.name = topic;
  for (const PartitionFolder& folder : folders) {
    event.partition_count = std::max(event.partition_count, folder.name.partition + 1);
    const Result<Uuid> id = read_topic_id(parts_.files, folder.path);
    if (!id) co_return fail(id.error());
    if (event.id.is_zero()) event.id = *id;
    if (!id->is_zero() && *id != event.id) {
      co_return fail(Errc::kInvalidArgument,
                     fmt::format("cannot adopt {}: its folders bear different topic ids", topic));
    }
  }
  if (event.id.is_zero()) event.id = Uuid::make(parts_.random);
  if (topic == kOffsetsTopic) event.configs = offsets_topic_configs(metadata_->broker_configs());
  const int32_t count = event.partition_count;
  const MetadataResult<TopicState> adopted = co_await metadata_->adopt_topic(std::move(event));
  if (!adopted)
    co_return fail(Errc::kInvalidArgument, fmt::format("cannot adopt {}: {}", topic, adopted.error().message));
  log_info("adopted {} with {} partitions", topic, count);
  int64_t producer_id_bound = 0;
  for (int32_t index = 0; index < count; ++index) {
    Partition* partition = table_->find(topic, index);
    if (partition == nullptr) continue;
    for (const ProducerSummary& producer : partition->log().producers()) {
      producer_id_bound = std::max(producer_id_bound, producer.producer_id + 1);
    }
  }
  const MetadataResult<void> kept = co_await metadata_->keep_producer_ids_from(producer_id_bound);
  if (!kept) co_return fail(Errc::kIo, fmt::format("cannot adopt {}: {}", topic, kept.error().message));
  co_return Result<void>();
}

Result<void> RunningBroker::open_directory() {
  // At start the loop serves nobody yet: opening runs on it, so that Random stays the loop's.
  const LogDirectory::Options options{.files = parts_.files,
                                      .path = parts_.settings.data_dir,
                                      .random = parts_.random,
                                      .node_id = parts_.settings.node_id,
                                      .cluster_id = std::nullopt,
                                      .reserve_bytes = parts_.settings.disk_reserve_bytes};
  Result<std::unique_ptr<LogDirectory>> opened = LogDirectory::open(options);
  if (!opened) return fail(opened.error());
  directory_ = std::move(*opened);
  for (const std::string& note : directory_->notes()) log_info("{}", note);
  const Result<int64_t> free_bytes = directory_->free_bytes();
  if (!free_bytes) return {};
  directory_->on_free_bytes(*free_bytes);
  if (directory_->health().below_reserve) log_below_reserve(*directory_, *free_bytes);
  return {};
}

// Without the journal every topic would be unknown, and what clients make under their names would meet the old folders.
Result<OnLoss> RunningBroker::look_for_journal(const std::string& folder) const {
  const Result<FileInfo> there = parts_.files.stat(folder);
  if (there) return OnLoss::kRefuse;
  if (there.error().code != Errc::kNotFound) return fail(there.error());
  if (parts_.adopt == Adopt::kYes) return OnLoss::kGoOn;
  TRY(listing, directory_->list());
  if (listing.partitions.empty()) return OnLoss::kGoOn;
  return fail(
      Errc::kCorrupt,
      fmt::format("{}: the metadata journal is missing, which says what topics there are, and here are folders "
                  "of {} partitions, {} the first of them; put {} back from a copy, or start leatd with --adopt, "
                  "which takes the folders in",
                  directory_->path(), listing.partitions.size(), listing.partitions.front().name, folder));
}

Task<Result<void>> RunningBroker::open_journal() {
  const LogConfig config = metadata_journal_config(parts_.settings);
  TopicPartition name{kJournalTopic, 0};
  const std::string folder = directory_->folder_of(name);
  const Result<OnLoss> on_loss = look_for_journal(folder);
  if (!on_loss) co_return fail(on_loss.error());
  Result<std::unique_ptr<PartitionLog>> log =
      co_await folders_->open_log(std::move(name), journal_id(), config, LogKind::kJournal, *on_loss);
  if (!log) {
    Error error(log.error().code, fmt::format("metadata journal: {}", log.error().context));
    co_return fail(with_journal_advice(std::move(error), folder));
  }
  const Partition::Parts parts{.scheduler = parts_.scheduler, .lane_starter = lane_starter_, .lane = {}};
  TopicSettings settings;
  settings.log = config;
  journal_partition_ = std::make_unique<Partition>(parts, std::move(*log), settings);
  folders_->set_extra(journal_partition_.get());
  co_return Result<void>();
}

Task<Result<void>> RunningBroker::shut_down() {
  stop_waiting();
  co_await groups_->stop();
  (void)co_await upkeep_->stop();
  co_await metadata_->stop();
  const Result<void> closed = co_await close_files();
  if (!closed) log_error("not stopped cleanly: {}; the next start checks everything", closed.error().context);
  co_return closed;
}

Task<Result<void>> RunningBroker::close_files() {
  const Result<void> closed = co_await folders_->close_all();
  const Result<void> journal_closed = co_await folders_->close_partition(journal_partition_.get());
  const Result<void> saved = co_await folders_->save_checkpoints();
  if (!saved) co_return saved;
  if (!closed) co_return closed;
  if (!journal_closed) co_return journal_closed;
  if (directory_->health().offline) co_return fail(*directory_->health().offline);
  auto work = [this] { return directory_->mark_clean(); };
  Result<void> marked = co_await run_on(parts_.scheduler, WorkQueue::kSync, std::move(work));
  co_return marked;
}

}  // namespace leat
