// partition_log_impl.cpp: making and opening a partition's log, and its answers from memory.
#include "core/log/partition_log_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/check.h"
#include "core/log/file_names.h"

namespace leat {
namespace {

// Not synced: the names are, and recover() writes again what a loss of power left empty. So a partition costs two
// syncs.
Result<void> write_new_file(FileSystem& files, const std::string& path, std::string_view text) {
  TRY(file, files.open(path, OpenMode::kCreateNew));
  const std::array<ByteView, 1> pieces{as_bytes(text)};
  return text.empty() ? Result<void>() : file->write_at(Position(0), pieces);
}

Result<void> write_new_folder(const PartitionLog::Open& open) {
  FileSystem& files = open.files;
  TRY(files.make_directory(open.directory));
  TRY(write_new_file(files, segment_path(open.directory, Offset(0), kLogSuffix), {}));
  LeaderEpochCache epochs;
  epochs.assign(0, Offset(0));
  TRY(write_new_file(files, join_path(open.directory, kLeaderEpochFile), epochs.encode()));
  if (!open.topic_id.is_zero()) {
    TRY(write_new_file(files, join_path(open.directory, kPartitionMetadataFile),
                       encode_partition_metadata(open.topic_id)));
  }
  TRY(files.sync_directory(open.directory));
  return files.sync_directory(parent_directory(open.directory));
}

}  // namespace

// Made under the name it will have: a crash half way leaves a folder that recover() opens as an empty log, and the
// topic's record in the metadata says whether it should be there.
Result<std::unique_ptr<PartitionLog>> PartitionLog::create(const Open& open) {
  const Result<void> written = write_new_folder(open);
  if (!written) {
    if (written.error().code != Errc::kAlreadyExists) (void)remove_tree(open.files, open.directory);
    return fail(written.error());
  }
  RecoveredLog fresh;
  fresh.topic_id = open.topic_id;
  fresh.segments.push_back(std::make_shared<Segment>(Offset(0)));
  fresh.segments.back()->directory_synced = true;
  fresh.epochs.assign(0, Offset(0));
  return std::make_unique<PartitionLogImpl>(open, std::move(fresh));
}

Result<std::unique_ptr<PartitionLog>> PartitionLog::recover(const Open& open, const RecoveryHints& hints,
                                                            RecoveryReport& report) {
  TRY(recovered, recover_folder(open, hints, report));
  return std::make_unique<PartitionLogImpl>(open, std::move(recovered));
}

PartitionLogImpl::PartitionLogImpl(const Open& open, RecoveredLog recovered)
    : files_(open.files),
      directory_(open.directory),
      name_(open.name),
      topic_id_(recovered.topic_id),
      kind_(open.kind),
      config_(open.config),
      rolling_(rolling_config(open.config, open.kind)),
      health_(open.health == nullptr ? &own_health_ : open.health),
      segments_(std::move(recovered.segments)),
      recovery_point_(recovered.recovery_point),
      durable_end_(effective_flush_policy(open.config) == FlushPolicy::kNone ? recovered.recovery_point
                                                                             : recovered.log_end),
      leader_epoch_(recovered.leader_epoch),
      epochs_(std::move(recovered.epochs)),
      epoch_file_(recovered.epoch_file),
      producers_(std::move(recovered.producers)),
      may_be_compacted_(open.config.compact || recovered.compacted != Compacted::kNo),
      cleaned_(recovered.cleaned),
      snapshots_(std::move(recovered.snapshots)),
      checkpointed_(recovered.checkpointed) {
  ENSURE(!segments_.empty());
  for (const auto& segment : segments_) size_bytes_ += segment->size_bytes;
  // What recovery kept is durable, or the policy never asked for it.
  set_offsets({.log_start = recovered.log_start,
               .last_stable = recovered.log_end,
               .high_watermark = recovered.log_end,
               .log_end = recovered.log_end});
  if (open.tail_cache != nullptr) tail_ = open.tail_cache->make_tail();
}

// The folder may go next, with whoever still reads in it.
PartitionLogImpl::~PartitionLogImpl() {
  for (const std::shared_ptr<Segment>& segment : segments_) segment->lease->end();
}

void PartitionLogImpl::set_config(const LogConfig& config) {
  config_ = config;
  may_be_compacted_ = may_be_compacted_ || config.compact;
  rolling_ = rolling_config(config, kind_);
  compaction_.is_barred = false;  // a limit may have been raised
  if (!config.compact) give_up_pass();
}

void PartitionLogImpl::use_tail_cache(TailCache& cache) { tail_ = cache.make_tail(); }

std::string PartitionLogImpl::path_of(const Segment& segment, std::string_view suffix) const {
  return segment_path(directory_, segment.base_offset, suffix);
}

// The only writer of the four offsets. Until transactions come the last stable offset is the high watermark.
void PartitionLogImpl::set_offsets(const LogOffsets& next) {
  ENSURE(Offset(0) <= next.log_start && next.log_start <= next.last_stable, "{}", name_);
  ENSURE(next.last_stable <= next.high_watermark && next.high_watermark <= next.log_end, "{}", name_);
  ENSURE(offsets_.high_watermark <= next.high_watermark && offsets_.log_start <= next.log_start, "{}", name_);
  offsets_ = next;
}

void PartitionLogImpl::go_offline(const Error& reason) {
  if (!health_->offline) health_->offline = Error(Errc::kOffline, fmt::format("{}: {}", name_, reason.context));
}

EpochEndOffset PartitionLogImpl::end_offset_for(int32_t leader_epoch) const noexcept {
  return epochs_.end_offset_for(leader_epoch, offsets_.log_end);
}

std::vector<ProducerSummary> PartitionLogImpl::producers() const {
  std::vector<ProducerSummary> summaries;
  summaries.reserve(producers_.size());
  for (const auto& [producer_id, entry] : producers_.entries()) {
    summaries.push_back({.producer_id = producer_id,
                         .producer_epoch = entry.epoch,
                         .last_sequence = entry.last_sequence(),
                         .last_timestamp_ms = entry.last_append_ms,
                         .coordinator_epoch = entry.coordinator_epoch,
                         .transaction_start = entry.transaction_start});
  }
  std::sort(summaries.begin(), summaries.end(),
            [](const ProducerSummary& a, const ProducerSummary& b) { return a.producer_id < b.producer_id; });
  return summaries;
}

}  // namespace leat
