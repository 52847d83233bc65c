// partition_table.h: the partitions that a consumer reads: where each stands, what is fetched of it next and from whom,
// what an answer means, what poll() is given, what may be committed. Without I/O: its user asks plan() what to fetch
// and tells what came. Three offsets for each partition: processed <= given <= fetched. `given` is what poll() has
// handed out; `processed` what it had handed out when the program last asked for more, which is all that an automatic
// commit in the middle of a rebalance may claim. A round tells answers apart from those to questions asked before a
// seek. Chunks of a partition are kept in the order of their offsets, ready or not. Thread: the loop.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <leat/consumer.h>

#include "client/cluster/metadata_cache.h"
#include "client/consumer/fetched_records.h"
#include "core/base/clock.h"

namespace leat::client::detail {

struct FetchItem {
  TopicPartition name;
  int64_t offset = 0;
  int32_t leader_epoch = -1;
  uint64_t round = 0;
};

struct FetchPlan {
  std::vector<FetchItem> items;
  bool holds_back = false;  // a partition of this node is left out because enough of it waits: do not wait long
};

// What reading needs: brokers that lead (or stand in for a leader), and partitions that nobody leads at present.
struct FetchNeeds {
  std::set<int32_t> nodes;
  std::set<TopicPartition> leaderless;
};

// What was asked in vain, and what is to be asked.
struct PositionQuestion {
  TopicPartition name;
  int64_t timestamp = kLatestOffset;  // or kEarliestOffset, or since 1970
  uint64_t round = 0;
};

// A position that was not in the log, and where it went (OutOfRange::kNearest).
struct MovedPosition {
  TopicPartition name;
  int64_t from = 0;
  int64_t to = 0;
};

class PartitionTable {
 public:
  explicit PartitionTable(const ConsumerSettings& settings) : settings_(settings) {}

  void add(const TopicPartition& name);     // its position comes from a commit, or the reset policy
  void remove(const TopicPartition& name);  // with what was fetched
  bool contains(const TopicPartition& name) const { return partitions_.contains(name); }
  std::vector<TopicPartition> names() const;
  bool empty() const noexcept { return partitions_.empty(); }

  // False: not assigned.
  bool set_paused(const TopicPartition& name, bool paused);
  bool seek(const TopicPartition& name, int64_t offset);
  std::optional<int64_t> position(const TopicPartition& name) const;  // none: not assigned, or not known yet

  // Positions that are to be found out.
  std::vector<PositionQuestion> wanting_commit() const;
  std::vector<PositionQuestion> wanting_offset() const;
  void on_commit(const PositionQuestion& asked, std::optional<OffsetAndMetadata> committed);
  void on_offset(const PositionQuestion& asked, int64_t offset);
  std::vector<MovedPosition> take_moved() { return std::exchange(moved_, {}); }
  // Once each: those that stand nowhere until a seek, for nothing is committed and the reset policy is kNone.
  std::vector<TopicPartition> take_nowhere();

  // By node, for nodes that are not in `busy`. Partitions without a known leader are told in `leaderless`.
  std::map<int32_t, FetchPlan> plan(const MetadataCache& metadata, Nanos now, const std::set<int32_t>& busy,
                                    bool& leaderless) const;
  FetchNeeds needs(const MetadataCache& metadata) const;
  // The order in which partitions stand in the next plan begins behind this one.
  void note_fetched_last(const TopicPartition& name) { first_after_ = name; }

  enum class AfterError : uint8_t { kNothing, kRefreshMetadata, kTell };
  // An error code that came for this item. kTell: poll() is to give it.
  AfterError on_error(const FetchItem& item, ErrorCode code, int32_t node, Nanos now, Nanos retry_at);
  void set_replica(const FetchItem& item, int32_t node, Nanos until);
  // Records came: false where they are not wanted any more. The chunk may be read later; on_read tells.
  bool on_fetched(const FetchItem& item, std::shared_ptr<FetchedChunk> chunk, const ChunkOutline& outlined);
  // True: the next in order. Damage is given back, once, and fetched again after retry_at.
  std::vector<Error> on_read(const TopicPartition& name, const std::shared_ptr<FetchedChunk>& chunk, Nanos retry_at);

  bool has_ready() const;
  // Whole batches, until `records_max` is reached; 0: all that is ready.
  std::shared_ptr<FetchedRecords> take(int32_t records_max);

  void note_processed();  // the program asks for more
  Offsets processed() const;
  Offsets given() const;
  // Of some; those without a position are left out.
  static Offsets only(const Offsets& offsets, const std::vector<TopicPartition>& names);

  std::optional<Nanos> next_retry(Nanos now) const;

 private:
  enum class Standing : uint8_t { kWantsCommit, kWantsOffset, kReads, kRefused };  // kRefused: no reset policy
  struct Chunk {
    std::shared_ptr<FetchedChunk> chunk;
    size_t bytes = 0;
    bool read = false;
    size_t parts_taken = 0;
  };
  struct Partition {
    Standing standing = Standing::kWantsCommit;
    int64_t reset_to = kLatestOffset;   // of kWantsOffset: what is asked for
    std::optional<int64_t> nearest_to;  // of the same: the position that was not in the log
    int64_t processed = -1;
    int64_t given = -1;
    int64_t fetched = -1;
    int32_t processed_epoch = -1;
    int32_t given_epoch = -1;
    uint64_t round = 0;
    bool paused = false;
    bool nowhere_told = false;
    std::deque<Chunk> chunks;
    size_t waiting_bytes = 0;
    Nanos retry_at{0};
    int32_t replica = -1;  // to read from instead of the leader
    Nanos replica_until{0};
  };

  Partition* find(const TopicPartition& name, uint64_t round);
  void stand_at(Partition& partition, int64_t offset);
  void drop_chunks(Partition& partition);
  static void drop_empty(Partition& partition);
  bool reset(Partition& partition);  // false: the policy is kNone
  void on_end_of_log(const PositionQuestion& asked, Partition& partition, int64_t offset);
  void take_from(Partition& partition, int32_t records_max, FetchedRecords& taken);

  const ConsumerSettings& settings_;
  std::map<TopicPartition, Partition> partitions_;
  std::vector<MovedPosition> moved_;
  uint64_t last_round_ = 0;
  TopicPartition first_after_;
  TopicPartition taken_last_;
};

}  // namespace leat::client::detail
