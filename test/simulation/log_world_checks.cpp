// log_world_checks.cpp: what must hold of the log: read through its own interface, held against the model.
#include <fmt/format.h>

#include <algorithm>

#include "core/log/file_names.h"
#include "core/record/batch.h"
#include "test/simulation/log_world.h"
#include "test/support/catch.h"

namespace leat {

namespace {

std::vector<uint8_t> bytes_of(const FetchedBatches& fetched) {
  std::vector<uint8_t> bytes;
  for (const Slice& piece : fetched.pieces) bytes.insert(bytes.end(), piece.view().begin(), piece.view().end());
  REQUIRE(static_cast<int64_t>(bytes.size()) == fetched.size_bytes);
  return bytes;
}

Result<std::vector<uint8_t>> read_bytes(PartitionLog& log, Offset from, const ReadLimits& limits) {
  TRY(plan, log.plan_read(from, limits));
  REQUIRE((plan.cached.has_value() != (plan.read != nullptr)));
  TRY(fetched, execute(std::move(plan)));
  return bytes_of(fetched);
}

}  // namespace

// Whole batches one behind the other, each a candidate in its place, or recovery's, which stands for lost records.
int64_t LogWorld::take_batches(int64_t next_offset, ByteView bytes, LogContent& found) {
  while (!bytes.empty()) {
    const Result<std::optional<BatchView>> parsed = BatchView::parse(bytes);
    REQUIRE(parsed);
    REQUIRE(parsed->has_value());
    const BatchView& batch = **parsed;
    const int64_t base_offset = batch.base_offset().v;
    INFO("batch at offset " << base_offset << ", expected one that holds " << next_offset);
    REQUIRE(batch.last_offset().v >= next_offset);
    if (base_offset > next_offset) take_gap(next_offset, base_offset);
    if (!found.empty()) REQUIRE(base_offset >= next_offset);
    if (batch.record_count() == 0) {
      REQUIRE(batch.bytes().size() == kBatchHeaderBytes);
      REQUIRE(batch.crc_matches());
      REQUIRE(batch.leader_epoch() >= epoch_read_);
      epoch_read_ = batch.leader_epoch();
      next_offset = batch.next_offset().v;
      take_gap(base_offset, next_offset);
      fillers_.insert(base_offset);
      bytes = bytes.subspan(kBatchHeaderBytes);
      continue;
    }
    const SubmittedPtr candidate = model_.identify(base_offset, bytes);
    REQUIRE(candidate != nullptr);
    REQUIRE_FALSE(find_in(found, *candidate));
    REQUIRE(batch.leader_epoch() >= epoch_read_);
    epoch_read_ = batch.leader_epoch();
    found[base_offset] = candidate;
    next_offset = batch.next_offset().v;
    bytes = bytes.subspan(static_cast<size_t>(batch.size_bytes()));
  }
  return next_offset;
}

// Offsets without records: none, but where a crash took what was not durable, and what lay behind it was kept or its
// offsets are not to be used again.
void LogWorld::take_gap(int64_t begin, int64_t end) {
  for (const auto& [gap_begin, gap_end] : gaps_) {
    if (gap_begin <= begin && begin < gap_end) begin = gap_end;
  }
  if (begin >= end) return;
  INFO("gap from " << begin << " to " << end << ", durable " << durable_end_);
  REQUIRE(gaps_are_possible_);
  REQUIRE(begin >= durable_end_);
  gaps_[begin] = end;
}

LogContent LogWorld::read_all() {
  const LogOffsets offsets = log_->offsets();
  LogContent found;
  epoch_read_ = kNoLeaderEpoch;
  int64_t next = offsets.log_start.v;
  while (next < offsets.log_end.v) {
    INFO("reading at " << next << " of " << offsets.log_start.v << " to " << offsets.log_end.v);
    const Result<std::vector<uint8_t>> bytes = read_bytes(
        *log_, Offset(next), {.bytes_max = 1 + static_cast<int64_t>(random_.below(8000)), .upper = offsets.log_end});
    INFO((bytes ? std::string("no bytes") : bytes.error().context));
    REQUIRE(bytes);
    // Nobody waits before the end, but where the disk had no room for what carries readers there.
    if (bytes->empty()) REQUIRE(lacks_filler());
    if (bytes->empty()) take_gap(next, offsets.log_end.v);
    next = bytes->empty() ? offsets.log_end.v : take_batches(next, *bytes, found);
  }
  return found;
}

bool LogWorld::lacks_filler() const {
  return std::any_of(report_.notes.begin(), report_.notes.end(),
                     [](const std::string& note) { return note.find("has no room") != std::string::npos; });
}

void LogWorld::check_recovered(End end) {
  const LogOffsets offsets = log_->offsets();
  tell(fmt::format("recovered {} to {}, recovery point {}, epoch {}; cut {}, aside {}, scanned {}", offsets.log_start.v,
                   offsets.log_end.v, log_->recovery_point().v, log_->leader_epoch(), report_.cut_bytes,
                   report_.saved_aside_bytes, report_.scanned_bytes));
  for (const std::string& line : report_.damaged) tell("damaged: " + line);
  for (const std::string& line : report_.notes) tell("note: " + line);
  const int64_t durable_before = durable_end_;
  const bool is_kill = end != End::kPowerLoss && !sync_failed_;
  if (is_kill) durable_end_ = std::max(durable_end_, written_end_);
  if (is_kill) REQUIRE(report_.damaged.empty());
  for (const std::string& line : report_.damaged) {
    // Under the policy none retention may have removed what was durable, and the crash the names of what was not.
    const bool lost_all = config_.flush == FlushPolicy::kNone && line.find("no segments") != std::string::npos;
    // Over which no batch was laid, for want of room.
    const bool tells_of_gap =
        line.find("are missing") != std::string::npos || line.find("nothing stands for") != std::string::npos;
    const bool is_known_gap = !gaps_.empty() && tells_of_gap;
    if (!lost_all && !is_known_gap) REQUIRE(line.find("aside") != std::string::npos);
  }
  gaps_are_possible_ = !is_kill && (config_.flush == FlushPolicy::kNone || saved_aside_);
  REQUIRE(offsets.log_end.v >= durable_end_);
  REQUIRE(offsets.high_watermark == offsets.log_end);
  REQUIRE(offsets.log_start.v >= log_start_acknowledged_);
  // Where what was not durable is gone from the front, the log begins behind it.
  const bool front_is_lost = gaps_are_possible_ && log_start_seen_ >= durable_end_;
  if (!front_is_lost) REQUIRE(offsets.log_start.v <= log_start_seen_);

  LogContent found = read_all();
  for (const auto& [base_offset, batch] : content_) {
    const int64_t next = base_offset + batch->record_count;
    if (next <= std::max(log_start_seen_, offsets.log_start.v) || next > durable_end_) continue;
    INFO("batch at " << base_offset << " was durable");
    const auto present = found.find(base_offset);
    REQUIRE(present != found.end());
    REQUIRE(present->second == batch);
  }
  REQUIRE(log_->leader_epoch() >= epoch_read_);
  if (!started_clean_ && offsets.log_end.v > 0) REQUIRE(log_->leader_epoch() > epoch_seen_);
  REQUIRE(log_->leader_epoch() >= epoch_shown_);
  epoch_shown_ = log_->leader_epoch();

  gaps_are_possible_ = false;
  // What retention took is still remembered.
  std::erase_if(content_, [&offsets](const auto& batch) {
    return batch.first + batch.second->record_count > offsets.log_start.v;
  });
  content_.merge(found);
  written_end_ = offsets.log_end.v;
  // What recovery shows is durable, or else only what its recovery point covers.
  durable_end_ = config_.flush == FlushPolicy::kNone ? durable_before : offsets.log_end.v;
  if (config_.flush != FlushPolicy::kNone) model_.forget_from(offsets.log_end.v);
  acknowledged_may_be_lost_ |= config_.flush == FlushPolicy::kNone && !is_kill;
  log_start_seen_ = std::max(log_start_seen_, offsets.log_start.v);
  note_offsets();
  check_producers();
}

// The state of each producer that has a batch in the log is that of its last one: what replaying the log would give.
void LogWorld::check_producers() const {
  std::map<int64_t, SubmittedPtr> last;
  for (const auto& [base_offset, batch] : content_) {
    const bool is_there = base_offset >= log_->offsets().log_start.v;
    if (is_there && batch->producer_id != kNoProducerId) last[batch->producer_id] = batch;
  }
  std::map<int64_t, ProducerSummary> known;
  for (const ProducerSummary& producer : log_->producers()) known[producer.producer_id] = producer;
  for (const auto& [producer_id, batch] : last) {
    INFO("producer " << producer_id);
    REQUIRE(known.contains(producer_id));
    CHECK(known[producer_id].producer_epoch == batch->producer_epoch);
    CHECK(known[producer_id].last_sequence == batch->base_sequence + batch->record_count - 1);
  }
}

// From any offset that readers may ask for, the batch that holds it comes first.
void LogWorld::check_reads() {
  // After a failed sync the system may show anything of what it gave up writing.
  if (reads_fail_ || health_.offline) return;
  const LogOffsets offsets = log_->offsets();
  const int64_t span = offsets.high_watermark - offsets.log_start;
  for (int i = 0; i < 3 && span > 0; ++i) {
    const int64_t from = offsets.log_start.v + static_cast<int64_t>(random_.below(static_cast<uint64_t>(span)));
    INFO("reading at " << from);
    const Result<std::vector<uint8_t>> bytes = read_bytes(
        *log_, Offset(from), {.bytes_max = static_cast<int64_t>(random_.below(4000)), .upper = offsets.high_watermark});
    INFO((bytes ? std::string("no bytes") : bytes.error().context));
    REQUIRE(bytes);
    LogContent found;
    epoch_read_ = kNoLeaderEpoch;
    if (bytes->empty()) take_gap(from, offsets.high_watermark.v);
    REQUIRE(take_batches(from, *bytes, found) <= offsets.high_watermark.v);
    for (const auto& [base_offset, batch] : found) REQUIRE(content_.at(base_offset) == batch);
  }
  const Result<ReadPlan> below = log_->plan_read(offsets.log_start - 1, {.upper = offsets.high_watermark});
  REQUIRE_FALSE(below);
  REQUIRE(below.error().code == Errc::kOffsetOutOfRange);
}

// The first record at or after a time, by walking the model.
void LogWorld::check_times() {
  if (reads_fail_ || health_.offline) return;
  const LogOffsets offsets = log_->offsets();
  const int64_t wanted_ms = now_ms_ - static_cast<int64_t>(random_.below(200'000));
  int64_t expected = -1;
  for (const auto& [base_offset, batch] : content_) {
    for (int32_t i = 0; i < batch->record_count && expected < 0; ++i) {
      const int64_t offset = base_offset + i;
      const bool is_visible = offset >= offsets.log_start.v && offset < offsets.high_watermark.v;
      if (is_visible && batch->timestamps_ms[static_cast<size_t>(i)] >= wanted_ms) expected = offset;
    }
  }
  tell(fmt::format("looking for time {}, expecting offset {}", wanted_ms, expected));
  const std::unique_ptr<TimeLookup> lookup = log_->plan_lookup_by_time(wanted_ms);
  const Result<std::optional<TimestampOffset>> found = lookup->execute();
  INFO("time " << wanted_ms << ": " << (found ? std::string() : found.error().context));
  REQUIRE(found);
  REQUIRE((*found ? (*found)->offset.v : -1) == expected);
}

}  // namespace leat
