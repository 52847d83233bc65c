// compaction_world.h: simulated lives of a compacted partition: keyed appends, compaction in pieces of any size beside
// them and beside other upkeep, readers that take their time, faults, an end, recovery that may be cut short. What must
// hold after each start and at quiet moments:
//   - what is found is what was written, at its offset, once, in order;
//   - what is missing is superseded by a durable record of its key, or a tombstone that has had its time;
//   - whoever reads the log from begin to end comes to the same values as if nothing had been compacted;
//   - producers' sequences, look-ups by time and reads from any offset are right, and a reader comes to the log end.
// At the end, without faults, compaction comes to rest, and one record of each living key is left.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/log/partition_log.h"
#include "core/log/tail_cache.h"
#include "core/storage/sim_file_system.h"

namespace leat {

class CompactionWorld {
 public:
  enum class Telling : uint8_t { kQuiet, kTold };
  CompactionWorld(uint64_t seed, Telling telling);
  ~CompactionWorld();

  void run();
  SimFaultCounts faults() const { return files_.faults(); }
  struct Counts {
    uint64_t passes = 0;
    uint64_t swaps_completed = 0;  // by a start
    uint64_t tombstones_gone = 0;
    uint64_t slow_reads = 0;  // executed after compaction went on
  };
  const Counts& counts() const noexcept { return counts_; }

 private:
  struct Record {
    std::string key;
    std::optional<std::string> value;
    int64_t timestamp_ms;
    friend bool operator==(const Record&, const Record&) = default;
  };
  struct Batch {
    Slice bytes;  // nobody patches this copy
    std::vector<Record> records;
    int64_t appended_ms = 0;
    int32_t base_sequence = kNoSequence;
  };
  using BatchPtr = std::shared_ptr<const Batch>;
  using Found = std::map<int64_t, Record>;
  enum class End : uint8_t { kPowerLoss, kKill, kCleanStop };
  enum class Going : uint8_t { kOn, kOver };

  void choose_config();
  void choose_faults();
  void live();
  Going step();
  void end_life();
  bool stop_clean();
  void start();
  Result<void> try_start();
  void come_to_rest();
  SyncKind sync_kind() const;

  BatchPtr make_batch(int64_t producer_id);
  void append();
  void take_outcome(const BatchOutcome& outcome, const BatchPtr& batch, bool is_producers);
  void checkpoint();
  void work_through(std::unique_ptr<Maintenance> work);
  void compact_some();
  void drop_piece();
  void hold_reader();
  void use_reader();
  void note_offsets();

  Found read_from(Offset from, std::map<int64_t, BatchPtr>* unsure);
  void take_batches(ByteView bytes, Found& found, std::map<int64_t, BatchPtr>* unsure);
  BatchPtr identify(int64_t base_offset, ByteView bytes) const;
  void check_recovered(End end);
  void check_found(const Found& found);
  void check_log();
  void check_producer() const;
  std::map<std::string, std::string> values_of_content() const;
  void tell(const std::string& line) const;

  const uint64_t seed_;
  const Telling telling_;
  SeededRandom random_;
  SimFileSystem files_;
  LogConfig config_;
  int64_t now_ms_ = 1'700'000'000'000;

  TailCache cache_{32 << 10};
  DirectoryHealth health_;
  std::unique_ptr<PartitionLog> log_;
  std::unique_ptr<Maintenance> piece_;  // of compaction, out
  bool piece_is_executed_ = false;
  std::unique_ptr<SegmentRead> reader_;
  Offset reader_from_{0};
  uint64_t passes_before_reader_ = 0;

  std::map<int64_t, std::vector<BatchPtr>> candidates_;
  std::map<int64_t, BatchPtr> content_;  // what was written, as if nothing were ever compacted
  std::set<int64_t> fillers_;            // base offsets of recovery's batches over lost records
  uint64_t values_made_ = 0;
  BatchPtr unanswered_;  // of the producer, which sends it again until it is answered
  int32_t next_sequence_ = 0;

  int64_t durable_end_ = 0;
  int64_t written_end_ = 0;
  Offset saved_point_{0};  // the checkpoints of the log directory
  Offset saved_log_start_{0};
  Offset saved_cleaned_{0};
  bool is_clean_ = false;
  bool is_created_ = false;
  bool trouble_is_on_ = false;
  bool reads_fail_ = false;
  bool sync_failed_ = false;
  End last_end_ = End::kCleanStop;
  RecoveryReport report_;
  Counts counts_;
};

}  // namespace leat
