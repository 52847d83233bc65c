// log_world.h: one simulated life after another of one partition's log on one simulated disk: appends under a flush
// policy, upkeep beside them, faults, and an end (loss of power at or inside any operation, a kill, a clean stop), then
// recovery, which may be interrupted in the same ways. After each recovery and at each quiet moment the log is held
// against the model. Stands for the log directory too: it keeps the checkpoints of offsets and epochs and the
// clean-shutdown mark as one does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/log/partition_log.h"
#include "core/log/tail_cache.h"
#include "core/storage/sim_file_system.h"
#include "test/simulation/log_model.h"

namespace leat {

class LogWorld {
 public:
  enum class Telling : uint8_t { kQuiet, kTold };
  LogWorld(uint64_t seed, Telling telling);
  ~LogWorld();

  void run();
  SimFaultCounts faults() const { return files_.faults(); }

 private:
  enum class End : uint8_t { kPowerLoss, kKill, kCleanStop };
  enum class Going : uint8_t { kOn, kOver };

  // log_world.cpp: lives
  void choose_config();
  void live();
  void choose_faults();
  Going step();
  void end_life();
  void stop_clean();
  void start();
  Result<void> try_start();
  Result<RecoveryHints> read_hints();  // and takes the mark of a clean stop away
  Result<RecoveryHints> peek_hints();
  void pass_time();
  void change_config();
  SyncKind sync_kind() const;

  // log_world_steps.cpp: what happens in a life
  void append();
  struct Flight {  // an append and whose it is
    std::unique_ptr<LogAppend> append;
    std::vector<SubmittedPtr> batches;
    std::vector<size_t> clients;
  };
  void append_beside(std::unique_ptr<Maintenance> work);
  Flight begin_some(std::vector<AppendInput>& inputs, std::vector<SubmittedPtr>& batches, std::vector<size_t>& clients);
  void write_flight(Flight flight, std::vector<Flight>& unsynced, const std::function<void()>& work_a_little);
  void sync_flights(std::vector<Flight>& flights, const std::function<void()>& work_a_little);
  void fail_flight(const Flight& flight);
  std::vector<size_t> choose_inputs(std::vector<AppendInput>& inputs, std::vector<SubmittedPtr>& batches);
  void note_candidates(const LogAppend& append, const std::vector<SubmittedPtr>& batches,
                       const std::vector<Slice>& bytes);
  void take_outcomes(const LogAppend& append, const std::vector<size_t>& clients,
                     const std::vector<SubmittedPtr>& batches);
  void note_written(const LogAppend& append, const std::vector<SubmittedPtr>& batches);
  void take_error(const Error& error, size_t client, const SubmittedPtr& batch);
  void finish(Maintenance& work);
  void work_through(std::unique_ptr<Maintenance> work);
  void checkpoint();
  void delete_records();
  Result<void> write_checkpoints();
  void note_offsets();

  // log_world_checks.cpp: what must hold
  LogContent read_all();
  int64_t take_batches(int64_t next_offset, ByteView bytes, LogContent& found);
  void take_gap(int64_t begin, int64_t end);
  bool lacks_filler() const;
  void check_recovered(End end);
  void check_producers() const;
  void check_reads();
  void check_times();

  // log_world_rot.cpp: bits flip or derived files vanish while nobody looks; then start and see
  struct Flip {
    int64_t base_offset;  // of the segment
    int64_t position;
  };
  void rot();
  void rot_log();
  std::optional<Flip> flip_in_file(std::string_view suffix);
  std::optional<int64_t> batch_at(const Flip& flip) const;
  bool is_served(int64_t base_offset, const SubmittedPtr& batch);

  void tell(const std::string& line) const;

  const uint64_t seed_;
  const Telling telling_;
  SeededRandom random_;
  SimFileSystem files_;
  LogConfig config_;
  int64_t now_ms_ = 1'700'000'000'000;

  TailCache cache_;
  DirectoryHealth health_;
  std::unique_ptr<PartitionLog> log_;
  std::vector<SimulatedClient> clients_;

  LogModel model_;
  LogContent content_;                     // what the log holds, as far as it has said
  std::map<int64_t, int64_t> gaps_;        // offsets without records: begin to end
  std::set<int64_t> fillers_;              // base offsets of recovery's batches over them
  bool gaps_are_possible_ = false;         // more may be found
  int64_t durable_end_ = 0;                // below it everything survives a loss of power,
  int64_t written_end_ = 0;                // a kill
  int64_t log_start_acknowledged_ = 0;     // by DeleteRecords
  int64_t log_start_seen_ = 0;             // the highest ever
  int32_t epoch_seen_ = -1;                // the highest under which something was appended
  int32_t epoch_shown_ = 0;                // the highest that clients may know: it never falls
  bool is_created_ = false;                // creation was acknowledged
  bool acknowledged_may_be_lost_ = false;  // policy none, after a loss of power: sequences may have gaps
  End last_end_ = End::kCleanStop;
  int32_t epoch_read_ = kNoLeaderEpoch;
  bool trouble_is_on_ = false;  // faults that an append or upkeep may answer with an error
  bool reads_fail_ = false;
  bool sync_failed_ = false;
  bool saved_aside_ = false;  // by one of the tries to start
  bool space_is_short_ = false;
  bool started_clean_ = false;
  RecoveryReport report_;
};

}  // namespace leat
