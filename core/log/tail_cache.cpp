// tail_cache.cpp: chunks of recent batches, their charge and their eviction.
#include "core/log/tail_cache.h"

#include <algorithm>
#include <cstring>

#include "core/base/check.h"

namespace leat {
namespace {

// Copying 16 KiB costs some 2 µs, less than the system call and the piece of a response it saves a reader.
constexpr size_t kCopiedBatchBytesMax = 16 << 10;
// A tail's chunks double from the least to the greatest size, so that a quiet partition pins little.
constexpr size_t kChunkBytesMin = 4 << 10;
constexpr size_t kChunkBytesMax = 256 << 10;

}  // namespace

TailCache::~TailCache() { ENSURE(tails_.empty(), "{} tails left", tails_.size()); }

std::unique_ptr<TailCache::Tail> TailCache::make_tail() {
  auto tail = std::make_unique<Tail>(*this, next_tail_id_++);
  tails_[tail->id_] = tail.get();
  return tail;
}

void TailCache::set_budget(size_t budget_bytes) {
  budget_bytes_ = budget_bytes;
  evict();
}

void TailCache::evict() {
  while (charged_bytes_ > budget_bytes_ && !oldest_first_.empty()) {
    const ChunkAge oldest = oldest_first_.front();
    oldest_first_.pop_front();
    const auto tail = tails_.find(oldest.tail_id);
    if (tail == tails_.end()) continue;
    if (!tail->second->chunks_.empty() && tail->second->first_number_ == oldest.chunk_number)
      tail->second->drop_oldest();
  }
}

TailCache::Tail::~Tail() {
  clear();
  cache_.tails_.erase(id_);
  std::erase_if(cache_.oldest_first_, [this](const ChunkAge& age) { return age.tail_id == id_; });
}

void TailCache::Tail::clear() {
  while (!chunks_.empty()) drop_oldest();
}

void TailCache::Tail::forget_below(Offset offset) {
  while (!chunks_.empty() && chunks_.front().marks.back().last_offset < offset) drop_oldest();
  if (chunks_.empty()) return;
  std::vector<Mark>& marks = chunks_.front().marks;
  const auto goes = [offset](const Mark& mark) { return mark.last_offset < offset; };
  marks.erase(marks.begin(), std::find_if_not(marks.begin(), marks.end(), goes));
}

void TailCache::Tail::drop_oldest() {
  const size_t charged = chunks_.front().charged;
  charged_bytes_ -= charged;
  cache_.charged_bytes_ -= charged;
  chunks_.pop_front();
  ++first_number_;
}

void TailCache::Tail::add_chunk(Chunk chunk) {
  chunk.number = first_number_ + chunks_.size();
  chunk.charged = chunk.block.pinned_bytes();
  charged_bytes_ += chunk.charged;
  cache_.charge(chunk.charged);
  cache_.oldest_first_.push_back({id_, chunk.number});
  chunks_.push_back(std::move(chunk));
}

TailCache::Tail::Chunk& TailCache::Tail::chunk_with_room(size_t size) {
  if (!chunks_.empty() && chunks_.back().is_ours && chunks_.back().block.size() - chunks_.back().used >= size)
    return chunks_.back();
  const size_t before = chunks_.empty() ? 0 : chunks_.back().block.size();
  const size_t wanted = std::max(size, std::clamp(before * 2, kChunkBytesMin, kChunkBytesMax));
  BlockRef block = BlockRef::allocate(wanted);
  const size_t capacity = std::min(block.capacity(), std::max(size, kChunkBytesMax));
  Chunk chunk;
  chunk.block = Slice(std::move(block), 0, capacity);
  chunk.is_ours = true;
  add_chunk(std::move(chunk));
  return chunks_.back();
}

void TailCache::Tail::insert(Offset base_offset, Offset last_offset, const Slice& batch) {
  if (batch.size() > cache_.budget_bytes_) return clear();  // what is older would leave a hole before later batches
  if (batch.size() <= kCopiedBatchBytesMax || batch.size() * 2 < batch.pinned_bytes()) {
    Chunk& chunk = chunk_with_room(batch.size());
    std::memcpy(chunk.block.unpublished().data() + chunk.used, batch.data(), batch.size());
    chunk.marks.push_back({base_offset, last_offset, static_cast<uint32_t>(chunk.used)});
    chunk.used += batch.size();
  } else {
    Chunk chunk;
    chunk.block = batch;
    chunk.used = batch.size();
    chunk.marks.push_back({base_offset, last_offset, 0});
    add_chunk(std::move(chunk));
  }
  cache_.evict();
}

size_t TailCache::Tail::batch_end(const Chunk& chunk, size_t mark) const noexcept {
  return mark + 1 < chunk.marks.size() ? chunk.marks[mark + 1].begin : chunk.used;
}

std::optional<FetchedBatches> TailCache::Tail::read(Offset from, const ReadLimits& limits) const {
  std::optional<FetchedBatches> fetched = look_up(from, limits);
  TailCache::Counters& counters = cache_.counters_;
  ++(fetched ? counters.hits : counters.misses);
  if (fetched) counters.hit_bytes += static_cast<uint64_t>(fetched->size_bytes);
  return fetched;
}

std::optional<FetchedBatches> TailCache::Tail::look_up(Offset from, const ReadLimits& limits) const {
  if (chunks_.empty() || from < chunks_.front().marks.front().base_offset) return std::nullopt;
  const auto ends_below = [](const Chunk& chunk, Offset offset) { return chunk.marks.back().last_offset < offset; };
  auto chunk = std::lower_bound(chunks_.begin(), chunks_.end(), from, ends_below);
  if (chunk == chunks_.end()) return std::nullopt;
  const auto mark_below = [](const Mark& mark, Offset offset) { return mark.last_offset < offset; };
  size_t mark = static_cast<size_t>(std::lower_bound(chunk->marks.begin(), chunk->marks.end(), from, mark_below) -
                                    chunk->marks.begin());
  FetchedBatches fetched;
  for (; chunk != chunks_.end(); ++chunk, mark = 0) {
    const size_t begin = chunk->marks[mark].begin;
    size_t end = begin;
    for (; mark < chunk->marks.size() && chunk->marks[mark].last_offset < limits.upper; ++mark) {
      const size_t next_end = batch_end(*chunk, mark);
      const int64_t size_with = fetched.size_bytes + static_cast<int64_t>(next_end - begin);
      const bool is_first = fetched.size_bytes == 0 && end == begin;
      if (size_with > limits.bytes_max && !(is_first && limits.first_batch_whole)) break;
      end = next_end;
    }
    if (end > begin) {
      fetched.pieces.push_back(chunk->block.sub(begin, end - begin));
      fetched.size_bytes += static_cast<int64_t>(end - begin);
    }
    if (mark < chunk->marks.size()) break;
  }
  return fetched;
}

}  // namespace leat
