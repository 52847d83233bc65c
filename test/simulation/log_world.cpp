// log_world.cpp: the lives: configuration, faults, ends and starts.
#include "test/simulation/log_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/log/checkpoint_text.h"
#include "test/support/catch.h"

namespace leat {

namespace {

constexpr std::string_view kDataDirectory = "/data";
constexpr std::string_view kFolder = "/data/topic-0";
constexpr std::string_view kRecoveryPoints = "/data/recovery-point-offset-checkpoint";
constexpr std::string_view kLogStarts = "/data/log-start-offset-checkpoint";
constexpr std::string_view kUnusedEpochs = "/data/leat-leader-epoch-checkpoint";
constexpr std::string_view kCleanMark = "/data/.kafka_cleanshutdown";
constexpr int64_t kProducerIdFirst = 4000;
constexpr int64_t kSegmentBytesMin = 12'000;  // above any batch that clients make
const TopicPartition kName{"topic", 0};
const Uuid kTopicId{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

// One seed in seven runs where only a full sync survives, as on macOS, under the policy that is made for it.
bool full_sync_only(uint64_t seed) { return seed % 7 == 3; }

}  // namespace

LogWorld::LogWorld(uint64_t seed, Telling telling)
    : seed_(seed),
      telling_(telling),
      random_(seed * 2 + 1),
      files_({.seed = seed, .data_sync_survives_power_loss = !full_sync_only(seed)}),
      cache_(random_.one_in(2) ? size_t{64} << 10 : 0) {
  choose_config();
  for (int64_t id = kProducerIdFirst; id < kProducerIdFirst + 3; ++id) clients_.emplace_back(id);
  clients_.emplace_back(kNoProducerId);
  clients_.emplace_back(kNoProducerId);
}

LogWorld::~LogWorld() = default;

void LogWorld::tell(const std::string& line) const {
  if (telling_ == Telling::kTold)
    std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed_), line.c_str());
}

void LogWorld::choose_config() {
  constexpr std::array kPolicies{FlushPolicy::kCommit, FlushPolicy::kFull, FlushPolicy::kNone};
  config_.flush = full_sync_only(seed_) ? FlushPolicy::kFull : kPolicies[random_.below(kPolicies.size())];
  config_.segment_bytes = kSegmentBytesMin + static_cast<int64_t>(random_.below(20'000));
  config_.index_interval_bytes = 100 + static_cast<int64_t>(random_.below(4000));
  config_.segment_ms = random_.one_in(3) ? 20'000 : INT64_MAX / 4;
  config_.retention_bytes = random_.one_in(2) ? 20'000 + static_cast<int64_t>(random_.below(40'000)) : -1;
  config_.retention_ms = random_.one_in(3) ? 60'000 : INT64_MAX / 4;
  config_.file_delete_delay_ms = random_.one_in(2) ? 0 : 5000;
  config_.preallocate = random_.one_in(4);
  if (random_.one_in(4)) config_.flush_messages = 1 + static_cast<int64_t>(random_.below(50));
  if (random_.one_in(4)) config_.flush_ms = 2000;
  tell(fmt::format("policy {}, segments of {}, retention of {} bytes", static_cast<int>(config_.flush),
                   config_.segment_bytes, config_.retention_bytes));
}

void LogWorld::run() {
  REQUIRE(make_directories(files_, kDataDirectory));
  start();
  const uint64_t lives = 2 + random_.below(4);
  for (uint64_t i = 0; i < lives; ++i) {
    live();
    end_life();
    start();
  }
  if (random_.one_in(2)) {
    stop_clean();
    rot();
  }
}

void LogWorld::choose_faults() {
  const uint64_t steps = random_.below(60);
  const uint64_t fault = random_.below(8);
  trouble_is_on_ = fault < 6;
  reads_fail_ = fault == 3;
  sync_failed_ = false;
  switch (fault) {
    case 0:
      files_.fail_sync_at(1 + random_.below(20));
      break;
    case 1:
      files_.fail_directory_sync_at(1 + random_.below(4));
      break;
    case 2:
      files_.set_fault_rates({.short_write_one_in = 10, .write_error_one_in = 20});
      break;
    case 3:
      files_.set_fault_rates({.short_read_one_in = 10, .read_error_one_in = 20});
      break;
    case 4:
      files_.set_fault_rates({.sync_one_in = 40, .sync_directory_one_in = 40, .short_write_one_in = 40});
      break;
    case 5:
      space_is_short_ = true;
      break;
    default:
      break;
  }
  if (!random_.one_in(3)) files_.lose_power_at(1 + random_.below(4 * steps + 1));
}

void LogWorld::live() {
  choose_faults();
  const uint64_t steps = random_.below(50);
  for (uint64_t i = 0; i < steps; ++i) {
    if (step() == Going::kOver) break;
  }
}

LogWorld::Going LogWorld::step() {
  pass_time();
  if (space_is_short_ && random_.one_in(6)) {
    // Writes must go on by themselves when there is room again.
    if (random_.one_in(2))
      files_.limit_space_to_used_and(static_cast<int64_t>(random_.below(4000)));
    else
      files_.set_space_bytes(std::nullopt);
  }
  switch (random_.below(20)) {
    case 0:
      checkpoint();
      break;
    case 1:
      work_through(log_->begin_flush(now_ms_));
      break;
    case 2:
      work_through(log_->begin_retention(now_ms_));
      break;
    case 3:
      delete_records();
      break;
    case 4:
      check_reads();
      break;
    case 5:
      check_times();
      break;
    case 6:
      append_beside(log_->begin_checkpoint(now_ms_));
      break;
    case 7:
      append_beside(log_->begin_retention(now_ms_));
      break;
    case 8:
      append_beside(log_->begin_flush(now_ms_));
      break;
    case 9:
      change_config();
      break;
    default:
      append();
      break;
  }
  if (files_.power_is_out()) return Going::kOver;
  note_offsets();
  return health_.offline && random_.one_in(4) ? Going::kOver : Going::kOn;
}

void LogWorld::pass_time() {
  now_ms_ += static_cast<int64_t>(random_.one_in(10) ? random_.below(40'000) : random_.below(500));
  files_.set_now_ms(now_ms_);
}

void LogWorld::change_config() {
  LogConfig config = log_->config();
  config.retention_bytes = random_.one_in(2) ? 10'000 + static_cast<int64_t>(random_.below(40'000)) : -1;
  config.segment_bytes = kSegmentBytesMin + static_cast<int64_t>(random_.below(20'000));
  log_->set_config(config);
  config_ = config;
}

void LogWorld::end_life() {
  if (files_.power_is_out() || random_.one_in(2)) {
    last_end_ = End::kPowerLoss;
  } else {
    last_end_ = random_.one_in(3) && !health_.offline ? End::kCleanStop : End::kKill;
  }
  log_start_seen_ = std::max(log_start_seen_, log_->offsets().log_start.v);  // retention may have moved it just now
  tell(fmt::format("end {}, log end {}, durable {}, written {}, log start {}", static_cast<int>(last_end_),
                   log_->offsets().log_end.v, durable_end_, written_end_, log_->offsets().log_start.v));
  if (last_end_ == End::kCleanStop) stop_clean();
  sync_failed_ = health_.offline.has_value();
  // Under the policy none a log does not ask the disk what it has: after a failed sync only a loss of power ends the
  // lie.
  const bool cache_lies = config_.flush == FlushPolicy::kNone && sync_failed_;
  if (files_.power_is_out() || cache_lies) last_end_ = End::kPowerLoss;
  log_.reset();
  files_.set_fault_rates({});
  files_.fail_sync_at(0);
  files_.fail_directory_sync_at(0);
  files_.lose_power_at(0);
  space_is_short_ = false;
  files_.set_space_bytes(std::nullopt);
  if (last_end_ == End::kPowerLoss) {
    files_.lose_power();
  } else {
    files_.kill_process();
  }
}

// With the log closed and both checkpoints written, everything is durable under every policy; the mark comes last.
void LogWorld::stop_clean() {
  if (log_ == nullptr) return;
  if (std::unique_ptr<Maintenance> closing = log_->begin_close()) {
    closing->execute();
    log_->finish(*closing);
    if (closing->error) return;
  }
  if (files_.power_is_out() || health_.offline) return;
  if (!write_checkpoints() || !replace_text_file(files_, kCleanMark, "{\"version\":0}", sync_kind())) return;
  durable_end_ = log_->offsets().log_end.v;
  REQUIRE(log_->recovery_point().v == durable_end_);
  tell(fmt::format("clean stop at {}", durable_end_));
}

SyncKind LogWorld::sync_kind() const { return config_.flush == FlushPolicy::kFull ? SyncKind::kFull : SyncKind::kData; }

Result<void> LogWorld::write_checkpoints() {
  const auto text = [](Offset offset) { return encode_offset_checkpoint({{kName, offset}}); };
  EpochCheckpoint epochs;
  if (const std::optional<int32_t> epoch = log_->unused_epoch()) epochs[kName] = *epoch;
  TRY(replace_text_file(files_, kUnusedEpochs, encode_epoch_checkpoint(epochs), sync_kind()));
  TRY(replace_text_file(files_, kRecoveryPoints, text(log_->recovery_point()), sync_kind()));
  return replace_text_file(files_, kLogStarts, text(log_->durable_log_start()), sync_kind());
}

namespace {

Result<Offset> read_checkpoint(FileSystem& files, std::string_view path) {
  const Result<std::string> text = read_text_file(files, path);
  if (!text && text.error().code == Errc::kNotFound) return Offset(0);
  if (!text) return fail(text.error());
  TRY(offsets, decode_offset_checkpoint(*text, path));
  const auto found = offsets.find(kName);
  return found == offsets.end() ? Offset(0) : found->second;
}

Result<int32_t> read_unused_epoch(FileSystem& files) {
  const Result<std::string> text = read_text_file(files, kUnusedEpochs);
  if (!text && text.error().code == Errc::kNotFound) return kNoLeaderEpoch;
  if (!text) return fail(text.error());
  TRY(epochs, decode_epoch_checkpoint(*text, kUnusedEpochs));
  const auto found = epochs.find(kName);
  return found == epochs.end() ? kNoLeaderEpoch : found->second;
}

}  // namespace

Result<RecoveryHints> LogWorld::peek_hints() {
  RecoveryHints hints;
  TRY(point, read_checkpoint(files_, kRecoveryPoints));
  TRY(log_start, read_checkpoint(files_, kLogStarts));
  TRY(epoch, read_unused_epoch(files_));
  hints.recovery_point = point;
  hints.log_start = log_start;
  hints.leader_epoch = epoch;
  hints.clean_shutdown = files_.stat(kCleanMark).has_value();
  hints.compacted = Compacted::kNo;
  hints.log_start_is_exact = hints.clean_shutdown;
  return hints;
}

Result<RecoveryHints> LogWorld::read_hints() {
  TRY(hints, peek_hints());
  if (hints.clean_shutdown) TRY(files_.remove(kCleanMark));
  TRY(files_.sync_directory(kDataDirectory));
  return hints;
}

Result<void> LogWorld::try_start() {
  health_ = {};
  TRY(hints, read_hints());
  const PartitionLog::Open open{.files = files_,
                                .directory = std::string(kFolder),
                                .name = kName,
                                .topic_id = kTopicId,
                                .config = config_,
                                .tail_cache = random_.one_in(4) ? nullptr : &cache_,
                                .health = &health_,
                                .kind = LogKind::kClient,
                                .now_ms = now_ms_};
  report_ = {};
  started_clean_ = hints.clean_shutdown;
  const Result<FileInfo> folder = files_.stat(kFolder);
  if (!folder && folder.error().code != Errc::kNotFound) return fail(folder.error());
  REQUIRE((folder || !is_created_));
  Result<std::unique_ptr<PartitionLog>> log =
      folder ? PartitionLog::recover(open, hints, report_) : PartitionLog::create(open);
  if (!log) return fail(log.error());
  log_ = std::move(*log);
  is_created_ = true;
  return {};
}

// Until it succeeds: the first tries may be interrupted in every way, the last may not.
void LogWorld::start() {
  constexpr int kDisturbedTries = 4;
  saved_aside_ = false;
  for (int tries = 0;; ++tries) {
    const uint64_t fault = tries < kDisturbedTries ? random_.below(8) : 7;
    if (fault < 3) files_.lose_power_at(1 + random_.below(30));
    if (fault == 3) files_.set_fault_rates({.short_read_one_in = 20, .read_error_one_in = 20});
    if (fault == 4) files_.set_fault_rates({.sync_one_in = 4, .sync_directory_one_in = 4});
    if (fault == 5) files_.limit_space_to_used_and(static_cast<int64_t>(random_.below(100)));
    const Result<void> started = try_start();
    const bool is_power_out = files_.power_is_out();
    files_.lose_power_at(0);
    files_.set_fault_rates({});
    files_.set_space_bytes(std::nullopt);
    if (!started) tell(fmt::format("start failed: {}", started.error().context));
    if (started && !is_power_out) break;
    log_.reset();
    saved_aside_ |= report_.saved_aside_bytes > 0;
    const bool was_disturbed = tries < kDisturbedTries && (fault < 6);
    INFO((started ? std::string("power out") : started.error().context));
    REQUIRE(was_disturbed);
    // A sync that fails here may have lost what the process before had only written.
    const bool syncs_failed = fault == 4;
    sync_failed_ |= syncs_failed;
    const bool loses_power = is_power_out || (syncs_failed && config_.flush == FlushPolicy::kNone);
    if (loses_power) last_end_ = End::kPowerLoss;
    if (loses_power) files_.lose_power();
    if (!loses_power) files_.kill_process();
  }
  saved_aside_ |= report_.saved_aside_bytes > 0;
  check_recovered(last_end_);
}

}  // namespace leat
