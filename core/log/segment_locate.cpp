// segment_locate.cpp: reads whose bytes stay where they are: the batches are found by their headers alone, and the
// socket takes them from the page cache (FileSegmentRead::locate_cached). Every header is looked at as in a read that
// copies, so that what is sent are whole batches in order, none at or above the limit of the read. That all of it is in
// the page cache is sampled, for the kernel brings in and drops pages in runs: should one be missing after all, sending
// it waits for the disk.
#include <algorithm>

#include "core/log/cached_file.h"
#include "core/log/segment_read.h"

namespace leat {

namespace {

constexpr int64_t kSampleBytes = int64_t{64} << 10;  // one byte is looked at in each

Result<void> sample(File& file, Position begin, int64_t size_bytes) {
  uint8_t byte[1];
  for (int64_t at = 0; at < size_bytes; at += kSampleBytes) TRY(file.read_at(begin + at, byte));
  TRY(count, file.read_at(begin + (size_bytes - 1), byte));
  if (count == 0) return fail(Errc::kUnsupported, "the file ends before");  // sending it would end the connection
  return {};
}

}  // namespace

std::optional<StoredBatches> FileSegmentRead::locate_cached(int64_t room_bytes) {
  const int64_t bytes_max = std::min({plan_.limits.bytes_max, room_bytes, kStoredBytesMax});
  if (bytes_max < kStoredBytesMin) return std::nullopt;
  StoredBatches located;
  for (const SegmentSnapshot& segment : plan_.segments) {
    if (located.size_bytes >= bytes_max || segment.base_offset >= plan_.limits.upper) break;
    if (segment.size_bytes == 0) continue;
    const Result<Reached> reached = locate_batches(segment, located, bytes_max - located.size_bytes);
    if (!reached) return std::nullopt;  // a read that copies, or a worker, finds it again and says what it was
    if (*reached == Reached::kInside) break;
  }
  if (located.size_bytes < kStoredBytesMin) return std::nullopt;
  located.end = std::move(end_);
  return located;
}

Result<FileSegmentRead::Reached> FileSegmentRead::locate_batches(const SegmentSnapshot& segment, StoredBatches& located,
                                                                 int64_t room_bytes) {
  const bool is_open = segment.file != nullptr && segment.position && segment.file->descriptor() >= 0;
  if (!is_open) return fail(Errc::kUnsupported, "not in memory");
  CachedFile file(*segment.file);
  TRY(first, find_first(file, segment));
  if (!first) return Reached::kEnd;
  TRY(extent, walk_headers(file, segment, *first, room_bytes));
  const auto size_bytes = static_cast<int64_t>(extent.size_bytes);
  if (size_bytes == 0) return Reached::kInside;
  TRY(sample(file, *first, size_bytes));
  located.ranges.push_back({.owner = segment.file,  // its names are not needed any more
                            .descriptor = segment.file->descriptor(),
                            .position = first->v,
                            .size_bytes = extent.size_bytes});
  located.size_bytes += size_bytes;
  note_end(segment, segment.file, *first, extent);
  return first->v + size_bytes == segment.size_bytes ? Reached::kEnd : Reached::kInside;
}

// The bytes of whole batches from `begin` on. kUnsupported: so small that copying them costs less.
Result<FileSegmentRead::Extent> FileSegmentRead::walk_headers(File& file, const SegmentSnapshot& segment,
                                                              Position begin, int64_t bytes_max) const {
  constexpr int64_t kHeadersFree = 4;  // before their average size counts
  int64_t headers = 0;
  int64_t size_bytes = 0;
  Offset next_offset = segment.base_offset;
  while (size_bytes < bytes_max && begin.v + size_bytes < segment.size_bytes) {
    if (++headers > kHeadersFree && size_bytes < headers * kStoredBatchBytesMin) {
      return fail(Errc::kUnsupported, "small batches");
    }
    uint8_t header[kBatchHeaderBytes];
    TRY(count, file.read_at(begin + size_bytes, header));
    if (count < kBatchHeaderBytes) break;
    if (!BatchView::parse(header)) break;  // its length and magic, for the bytes end with the header
    const BatchView batch(header);
    if (batch.last_offset() >= plan_.limits.upper) break;
    if (!is_next(batch, segment, next_offset)) break;  // damage: the next read begins at it, and tells
    const int64_t end = size_bytes + batch.size_bytes();
    if (end > bytes_max || begin.v + end > segment.size_bytes) break;
    size_bytes = end;
    next_offset = batch.next_offset();
  }
  return Extent{.size_bytes = static_cast<size_t>(size_bytes), .damage = std::nullopt, .next_offset = next_offset};
}

}  // namespace leat
