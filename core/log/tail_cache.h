// tail_cache.h: the most recent batches of all partitions in memory, so that readers at the tail never touch a file.
//   cache := tail*   tail (one a partition) := chunk*   chunk := a block of memory with batches one behind the other
// Small batches are copied behind each other into a chunk of the cache's own, so that hundreds of them are one piece of
// a response and cost no block each; large ones stay in the block in which they were received, unless that block is far
// larger than the batch (a slice pins its whole block): then they are copied as well. A chunk is charged for what it
// pins. Eviction: when the budget is passed, the oldest chunk of all partitions goes, so that each partition keeps the
// same stretch of time, whatever its rate. Only appends fill the cache: a reader far behind never pushes the hot tail
// out. Bytes that were given out never change; new batches go behind them in the block. Thread: the loop.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/bytes.h"
#include "core/log/partition_log.h"

namespace leat {

class TailCache {
 public:
  class Tail;

  explicit TailCache(size_t budget_bytes) noexcept : budget_bytes_(budget_bytes) {}
  ~TailCache();  // CHECKs that all tails are gone
  TailCache(const TailCache&) = delete;
  TailCache& operator=(const TailCache&) = delete;

  std::unique_ptr<Tail> make_tail();
  size_t charged_bytes() const noexcept { return charged_bytes_; }
  size_t budget_bytes() const noexcept { return budget_bytes_; }
  void set_budget(size_t budget_bytes);
  // Reads that were answered from here, with what bytes, and those that were not; since the start.
  struct Counters {
    uint64_t hits = 0;
    uint64_t hit_bytes = 0;
    uint64_t misses = 0;
  };
  const Counters& counters() const noexcept { return counters_; }

 private:
  struct ChunkAge {
    uint64_t tail_id;
    uint64_t chunk_number;
  };
  void charge(size_t bytes) noexcept { charged_bytes_ += bytes; }
  void evict();

  size_t budget_bytes_;
  size_t charged_bytes_ = 0;
  Counters counters_;
  uint64_t next_tail_id_ = 1;
  std::deque<ChunkAge> oldest_first_;  // names of chunks; those of dropped ones are skipped
  std::unordered_map<uint64_t, Tail*> tails_;
};

class TailCache::Tail {
 public:
  Tail(TailCache& cache, uint64_t id) noexcept : cache_(cache), id_(id) {}
  ~Tail();
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

  // The next batch of the partition; a gap to the previous one's last offset is fine.
  void insert(Offset base_offset, Offset last_offset, const Slice& batch);
  // Whole batches from the one that holds `from` on; nullopt when that one is not here.
  std::optional<FetchedBatches> read(Offset from, const ReadLimits& limits) const;  // counted
  void clear();
  void forget_below(Offset offset);  // batches that end below it, for compaction may have dropped some
  size_t charged_bytes() const noexcept { return charged_bytes_; }

 private:
  friend class TailCache;
  struct Mark {  // a batch in a chunk
    Offset base_offset;
    Offset last_offset;
    uint32_t begin;
  };
  struct Chunk {
    uint64_t number = 0;
    Slice block;  // the whole of it
    size_t used = 0;
    size_t charged = 0;
    bool is_ours = false;  // may grow
    std::vector<Mark> marks;
  };
  std::optional<FetchedBatches> look_up(Offset from, const ReadLimits& limits) const;
  void add_chunk(Chunk chunk);
  void drop_oldest();
  Chunk& chunk_with_room(size_t size);
  size_t batch_end(const Chunk& chunk, size_t mark) const noexcept;

  TailCache& cache_;
  const uint64_t id_;
  std::deque<Chunk> chunks_;
  uint64_t first_number_ = 0;  // of chunks_.front(); numbers are consecutive
  size_t charged_bytes_ = 0;
};

}  // namespace leat
