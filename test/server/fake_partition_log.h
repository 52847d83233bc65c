// fake_partition_log.h: a PartitionLog in memory for tests of the server: offsets move as the contract says, the "disk"
// is a vector, and a test can make writes and syncs fail or the log ask for a roll after a number of batches. Thread:
// the loop.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/log/partition_log.h"

namespace leat::test {

class FakePartitionLog final : public PartitionLog {
 public:
  enum class Fault : uint8_t { kNone, kWriteFails, kSyncFails };

  explicit FakePartitionLog(TopicPartition name, FlushPolicy flush = FlushPolicy::kCommit, Uuid id = {})
      : name_(std::move(name)), id_(id) {
    config_.flush = flush;
  }

  Fault fault = Fault::kNone;            // of the next append
  std::function<void()> on_write;        // what else happens while an append is written
  size_t batches_per_append = SIZE_MAX;  // a roll is due after so many
  enum class Reads : uint8_t { kHot, kCold };
  Reads reads = Reads::kHot;
  Errc cold_read_error = Errc::kCancelled;  // of cold reads, when not kCancelled
  std::vector<Slice> stored;                // what is durable, in order
  std::vector<size_t> groups;               // batches of each append
  bool appends_are_plain = true;
  int syncs = 0;

  const TopicPartition& name() const noexcept override { return name_; }
  const Uuid& topic_id() const noexcept override { return id_; }
  const LogOffsets& offsets() const noexcept override { return offsets_; }
  Offset recovery_point() const noexcept override { return offsets_.log_end; }
  int32_t leader_epoch() const noexcept override { return 3; }
  int64_t size_bytes() const noexcept override { return 0; }
  size_t segment_count() const noexcept override { return 1; }
  const LogConfig& config() const noexcept override { return config_; }
  void set_config(const LogConfig& config) override { config_ = config; }
  const DirectoryHealth& health() const noexcept override { return health_; }

  std::unique_ptr<LogAppend> begin_append(std::vector<AppendInput>& inputs, int64_t) override {
    ENSURE(!out_);
    auto append = std::make_unique<Append>(*this);
    const size_t taken = std::min(inputs.size(), batches_per_append);
    for (size_t i = 0; i < taken; ++i) {
      BatchOutcome outcome;
      if (health_.offline) {
        outcome.error = *health_.offline;
      } else {
        outcome.base_offset = Offset(offsets_.log_end.v + append->records);
        set_base_offset(inputs[i].batch.bytes.unpublished(), outcome.base_offset);
        append->records += inputs[i].batch.record_count;
        append->bytes += inputs[i].batch.bytes.size();
        append->batches.push_back(inputs[i].batch.bytes);
      }
      append->outcomes.push_back(outcome);
    }
    inputs.erase(inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(taken));
    groups.push_back(taken);
    out_ = append->bytes > 0;
    return append;
  }
  void on_written(LogAppend& append) override {
    auto& mine = static_cast<Append&>(append);
    out_ = false;
    if (mine.write_failed) {
      for (BatchOutcome& outcome : mine.outcomes) outcome.error = Error(Errc::kNoSpace, "no space left");
      return;
    }
    offsets_.log_end = Offset(offsets_.log_end.v + mine.records);
    if (!mine.needs_sync()) make_durable(mine);
  }
  void on_synced(LogAppend& append) override {
    auto& mine = static_cast<Append&>(append);
    if (mine.sync_failed || health_.offline) {
      health_.offline = Error(Errc::kOffline, "a sync failed");
      for (BatchOutcome& outcome : mine.outcomes) outcome.error = *health_.offline;
      return;
    }
    make_durable(mine);
  }

  Result<ReadPlan> plan_read(Offset from, const ReadLimits& limits) override {
    ++reads_planned;
    ReadPlan plan;
    FetchedBatches batches;
    for (const Slice& slice : stored) {
      const BatchView batch(slice.view());
      if (batch.last_offset() < from || batch.base_offset() >= limits.upper) continue;
      const bool first = batches.size_bytes == 0 && limits.first_batch_whole;
      if (!first && batches.size_bytes + batch.size_bytes() > limits.bytes_max) break;
      batches.pieces.push_back(slice);
      batches.size_bytes += batch.size_bytes();
    }
    if (reads == Reads::kHot) {
      plan.cached = std::move(batches);
    } else {
      plan.read = std::make_unique<ColdRead>(std::move(batches), cold_read_error);
    }
    return plan;
  }
  int reads_planned = 0;
  std::unique_ptr<TimeLookup> plan_lookup_by_time(int64_t) override { return nullptr; }
  std::unique_ptr<TimeLookup> plan_lookup_max_timestamp() override { return nullptr; }
  EpochEndOffset end_offset_for(int32_t epoch) const noexcept override {
    if (epoch > 3) return {};
    if (epoch < 3) return {2, Offset(2)};  // epoch 2 wrote two records
    return {3, offsets_.log_end};
  }
  std::vector<ProducerSummary> producers() const override { return {}; }
  Result<void> advance_log_start(Offset to) override {
    if (to > offsets_.high_watermark) return fail(Errc::kOffsetOutOfRange, "above the high watermark");
    offsets_.log_start = to;
    offsets_.last_stable = std::max(offsets_.last_stable, to);
    return {};
  }
  std::unique_ptr<Maintenance> begin_retention(int64_t) override { return nullptr; }
  std::unique_ptr<Maintenance> begin_checkpoint(int64_t) override { return nullptr; }
  std::unique_ptr<Maintenance> begin_flush(int64_t) override { return nullptr; }
  void finish(Maintenance&) override {}
  std::unique_ptr<Maintenance> begin_close() override { return nullptr; }

 private:
  class ColdRead final : public SegmentRead {
   public:
    ColdRead(FetchedBatches batches, Errc error) : batches_(std::move(batches)), error_(error) {}
    Result<FetchedBatches> execute() override {
      if (error_ != Errc::kCancelled) return fail(error_, "fake");
      return std::move(batches_);
    }

   private:
    FetchedBatches batches_;
    Errc error_;
  };

  class Append final : public LogAppend {
   public:
    explicit Append(FakePartitionLog& log)
        : log_(log), fault_(std::exchange(log.fault, Fault::kNone)), policy_(log.config_.flush) {}
    void write() noexcept override {
      write_failed = fault_ == Fault::kWriteFails;
      if (log_.on_write) log_.on_write();
    }
    void sync() noexcept override {
      ++log_.syncs;
      sync_failed = fault_ == Fault::kSyncFails;
    }
    void share_sync_of(const LogAppend& later) noexcept override { sync_failed = later.failed(); }
    bool is_plain() const noexcept override { return log_.appends_are_plain; }
    uint64_t record_count() const noexcept override { return static_cast<uint64_t>(records); }
    bool needs_sync() const noexcept override { return policy_ != FlushPolicy::kNone; }
    size_t size_bytes() const noexcept override { return bytes; }
    bool failed() const noexcept override { return write_failed || sync_failed; }

    bool write_failed = false;
    bool sync_failed = false;
    int64_t records = 0;
    size_t bytes = 0;
    std::vector<Slice> batches;

   private:
    FakePartitionLog& log_;
    Fault fault_;
    FlushPolicy policy_;
  };

  void make_durable(Append& append) {
    offsets_.high_watermark += append.records;
    offsets_.last_stable = offsets_.high_watermark;
    for (Slice& batch : append.batches) stored.push_back(std::move(batch));
  }

  TopicPartition name_;
  Uuid id_;
  LogOffsets offsets_;
  LogConfig config_;
  DirectoryHealth health_;
  bool out_ = false;
};

}  // namespace leat::test
