// compaction_world_checks.cpp: what must hold of a compacted log.
#include <fmt/format.h>

#include <algorithm>

#include "core/record/batch.h"
#include "core/record/record.h"
#include "test/simulation/compaction_world.h"
#include "test/support/catch.h"

namespace leat {

// A batch that nobody has compacted, as it was sent.
CompactionWorld::BatchPtr CompactionWorld::identify(int64_t base_offset, ByteView bytes) const {
  const auto found = candidates_.find(base_offset);
  if (found == candidates_.end()) return nullptr;
  for (const BatchPtr& candidate : found->second) {
    const ByteView made = candidate->bytes.view();
    const bool is_same = made.size() == bytes.size() && equal(made.subspan(kMagicAt), bytes.subspan(kMagicAt));
    if (is_same) return candidate;
  }
  return nullptr;
}

// Records by offset. Of batches from the durable end on, whose fate is not known, `unsure` gets which they are; others
// must be what was written.
void CompactionWorld::take_batches(ByteView bytes, Found& found, std::map<int64_t, BatchPtr>* unsure) {
  while (!bytes.empty()) {
    const Result<std::optional<BatchView>> parsed = BatchView::parse(bytes);
    REQUIRE(parsed);
    REQUIRE(parsed->has_value());
    const BatchView& batch = **parsed;
    INFO("batch at offset " << batch.base_offset().v);
    REQUIRE(batch.crc_matches());
    const int64_t base_offset = batch.base_offset().v;
    if (batch.record_count() == 0 && !content_.contains(base_offset)) {  // recovery's, over what a crash took
      REQUIRE((fillers_.contains(base_offset) || (unsure != nullptr && base_offset >= durable_end_)));
      fillers_.insert(base_offset);
      bytes = bytes.subspan(batch.bytes().size());
      continue;
    }
    if (unsure != nullptr && base_offset >= durable_end_) {
      const BatchPtr candidate = identify(base_offset, batch.bytes());
      REQUIRE(candidate != nullptr);
      (*unsure)[base_offset] = candidate;
      content_[base_offset] = candidate;
    }
    const auto written = content_.find(base_offset);
    REQUIRE(written != content_.end());
    const std::vector<Record>& records = written->second->records;
    REQUIRE(batch.last_offset_delta() + 1 == static_cast<int32_t>(records.size()));
    Result<BatchRecords> seen = BatchRecords::open(batch, 1 << 20);
    REQUIRE(seen);
    while (true) {
      const Result<std::optional<RecordView>> record = seen->next();
      REQUIRE(record);
      if (!*record) break;
      const int64_t offset = seen->offset_of(**record).v;
      Record taken{.key = std::string(as_text((*record)->key.value_or(ByteView()))),
                   .value = std::nullopt,
                   .timestamp_ms = seen->timestamp_of(**record)};
      if ((*record)->value) taken.value = std::string(as_text(*(*record)->value));
      REQUIRE(taken == records.at(static_cast<size_t>((*record)->offset_delta)));
      REQUIRE((found.empty() || found.rbegin()->first < offset));
      found[offset] = std::move(taken);
    }
    bytes = bytes.subspan(batch.bytes().size());
  }
}

CompactionWorld::Found CompactionWorld::read_from(Offset from, std::map<int64_t, BatchPtr>* unsure) {
  const Offset end = log_->offsets().log_end;
  Found found;
  while (from < end) {
    INFO("reading at " << from.v << " to " << end.v);
    Result<ReadPlan> plan =
        log_->plan_read(from, {.bytes_max = 1 + static_cast<int64_t>(random_.below(6000)), .upper = end});
    REQUIRE(plan);
    const Result<FetchedBatches> fetched = execute(*std::move(plan));
    INFO((fetched ? std::string() : fetched.error().context));
    REQUIRE(fetched);
    REQUIRE_FALSE(fetched->pieces.empty());  // nobody waits before the end
    for (const Slice& piece : fetched->pieces) {
      take_batches(piece.view(), found, unsure);
      for (ByteView left = piece.view(); !left.empty();) {
        const BatchView batch(left);
        REQUIRE(batch.next_offset() > from);
        from = batch.next_offset();
        left = left.subspan(static_cast<size_t>(batch.size_bytes()));
      }
    }
  }
  return found;
}

std::map<std::string, std::string> CompactionWorld::values_of_content() const {
  std::map<std::string, std::string> values;
  const int64_t log_start = log_->offsets().log_start.v;
  for (const auto& [base_offset, batch] : content_) {
    for (size_t i = 0; i < batch->records.size(); ++i) {
      if (base_offset + static_cast<int64_t>(i) < log_start) continue;
      const Record& record = batch->records[i];
      if (record.value) values[record.key] = *record.value;
      if (!record.value) values.erase(record.key);
    }
  }
  return values;
}

void CompactionWorld::check_found(const Found& found) {
  const int64_t log_start = log_->offsets().log_start.v;
  std::map<std::string, int64_t> last;  // durable record of each key
  for (const auto& [base_offset, batch] : content_) {
    for (size_t i = 0; i < batch->records.size(); ++i) {
      const int64_t offset = base_offset + static_cast<int64_t>(i);
      if (offset < durable_end_) last[batch->records[i].key] = offset;
    }
  }
  for (const auto& [base_offset, batch] : content_) {
    for (size_t i = 0; i < batch->records.size(); ++i) {
      const int64_t offset = base_offset + static_cast<int64_t>(i);
      if (offset < log_start || found.contains(offset)) continue;
      const Record& record = batch->records[i];
      INFO(record.key << " at offset " << offset << " is missing, durable end " << durable_end_);
      const bool is_superseded = last.contains(record.key) && offset < last.at(record.key);
      const bool has_had_its_time = !record.value && now_ms_ >= batch->appended_ms + config_.delete_retention_ms;
      REQUIRE(offset < durable_end_);
      REQUIRE((is_superseded || has_had_its_time));
      if (!is_superseded) ++counts_.tombstones_gone;
    }
  }
  std::map<std::string, std::string> values;
  for (const auto& [offset, record] : found) {
    if (record.value) values[record.key] = *record.value;
    if (!record.value) values.erase(record.key);
  }
  REQUIRE(values == values_of_content());
}

void CompactionWorld::check_recovered(End end) {
  const LogOffsets offsets = log_->offsets();
  const int64_t durable_before = durable_end_;
  const bool is_kill = end != End::kPowerLoss && !sync_failed_;
  if (is_kill) durable_end_ = std::max(durable_end_, written_end_);
  tell(fmt::format("recovered {} to {}, durable {}, cleaned {}, policy {}", offsets.log_start.v, offsets.log_end.v,
                   durable_end_, log_->cleaned_offset().v, static_cast<int>(config_.flush)));
  if (is_kill) REQUIRE(report_.damaged.empty());
  if (config_.flush != FlushPolicy::kNone) {
    for (const std::string& line : report_.damaged) REQUIRE(line.find("aside") != std::string::npos);
  }
  REQUIRE(offsets.log_end.v >= durable_end_);
  REQUIRE(offsets.log_start >= saved_log_start_);
  content_.erase(content_.lower_bound(durable_end_), content_.end());
  std::map<int64_t, BatchPtr> unsure;
  const Found found = read_from(offsets.log_start, &unsure);
  check_found(found);
  written_end_ = offsets.log_end.v;
  // What recovery shows is durable, or else only what its recovery point covers: what a killed process wrote is in the
  // page cache then, and goes with the next loss of power.
  durable_end_ = config_.flush == FlushPolicy::kNone ? durable_before : offsets.log_end.v;
  if (config_.flush != FlushPolicy::kNone) {
    candidates_.erase(candidates_.lower_bound(offsets.log_end.v), candidates_.end());
  }
  note_offsets();
  check_producer();
}

// The sequence of the last batch that is in the log, or was before it was compacted.
void CompactionWorld::check_producer() const {
  int32_t last_sequence = kNoSequence;
  for (const auto& [base_offset, batch] : content_) {
    if (base_offset < log_->offsets().log_start.v || batch->base_sequence == kNoSequence) continue;
    last_sequence = batch->base_sequence + static_cast<int32_t>(batch->records.size()) - 1;
  }
  if (last_sequence == kNoSequence) return;
  const std::vector<ProducerSummary> producers = log_->producers();
  REQUIRE(producers.size() == 1);
  REQUIRE(producers[0].last_sequence == last_sequence);
}

void CompactionWorld::check_log() {
  if (reads_fail_ || health_.offline) return;
  const LogOffsets offsets = log_->offsets();
  const Found found = read_from(offsets.log_start, nullptr);
  check_found(found);
  const auto span = static_cast<uint64_t>(offsets.log_end - offsets.log_start);
  for (int i = 0; i < 3 && span > 0; ++i) {
    const Offset from = offsets.log_start + static_cast<int64_t>(random_.below(span));
    Found there = read_from(from, nullptr);
    there.erase(there.begin(), there.lower_bound(from.v));
    REQUIRE(there == Found(found.lower_bound(from.v), found.end()));
  }
  const int64_t wanted_ms = now_ms_ - static_cast<int64_t>(random_.below(100'000));
  int64_t expected = -1;
  for (const auto& [offset, record] : found) {
    const bool counts = expected < 0 && offset < offsets.high_watermark.v && record.timestamp_ms >= wanted_ms;
    if (counts) expected = offset;
  }
  const Result<std::optional<TimestampOffset>> at = log_->plan_lookup_by_time(wanted_ms)->execute();
  REQUIRE(at);
  REQUIRE((*at ? (*at)->offset.v : -1) == expected);
}

// No faults, no appends, and time passes: the active segment is sealed, tombstones have their time.
void CompactionWorld::come_to_rest() {
  trouble_is_on_ = false;
  reads_fail_ = false;
  config_.min_cleanable_dirty_ratio = 0;
  config_.min_compaction_lag_ms = 0;
  config_.max_compaction_lag_ms = 1000;
  log_->set_config(config_);
  for (int round = 0; round < 6; ++round) {
    now_ms_ += 30'000;
    work_through(log_->begin_checkpoint(now_ms_));
    for (int pieces = 0; pieces < 10'000; ++pieces) {
      piece_ = log_->begin_compaction(now_ms_, {});
      if (piece_ == nullptr) break;
      piece_->execute();
      drop_piece();
    }
    note_offsets();
  }
  REQUIRE(log_->begin_compaction(now_ms_, {}) == nullptr);
  const Found found = read_from(log_->offsets().log_start, nullptr);
  check_found(found);
  REQUIRE(found.size() == values_of_content().size());
}

}  // namespace leat
