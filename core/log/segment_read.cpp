// segment_read.cpp: cold reads.
#include "core/log/segment_read.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log/cached_file.h"
#include "core/log/file_names.h"
#include "core/log/index_files.h"
#include "core/log/sound_walk.h"

namespace leat {

Result<std::shared_ptr<File>> open_segment(FileSystem& files, const std::string& directory,
                                           const SegmentSnapshot& segment) {
  if (segment.file) return segment.file;
  const std::string path = segment_path(directory, segment.base_offset, kLogSuffix);
  Result<std::unique_ptr<File>> file = files.open(path, OpenMode::kRead);
  if (!file && file.error().code == Errc::kNotFound)
    file = files.open(path + std::string(kDeletedSuffix), OpenMode::kRead);
  if (file) return std::shared_ptr<File>(std::move(*file));
  if (file.error().code != Errc::kNotFound) return fail(file.error());
  // A reader who is told "out of range" begins elsewhere: at the log start, where it may meet the same again, or at the
  // log end.
  if (segment.lease && !segment.lease->is_over()) {
    return fail(Errc::kCorrupt, fmt::format("{}: the file is missing, with offsets {} to {}; put it back from a copy",
                                            path, segment.base_offset, segment.bound - 1));
  }
  return fail(Errc::kOffsetOutOfRange, fmt::format("{}: deleted by retention", path));
}

Result<FetchedBatches> FileSegmentRead::execute() { return read(Source::kDisk); }

std::optional<FetchedBatches> FileSegmentRead::execute_cached() {
  if (plan_.limits.bytes_max > kCachedBytesMax) return std::nullopt;
  Result<FetchedBatches> fetched = read(Source::kPageCache);
  // Whatever failed: the worker finds it again, and says what it was.
  if (!fetched || fetched->size_bytes == 0) return std::nullopt;
  return std::move(*fetched);
}

Result<FetchedBatches> FileSegmentRead::read(Source source) {
  FetchedBatches fetched;
  for (const SegmentSnapshot& segment : plan_.segments) {
    const bool is_full = fetched.size_bytes > 0 && fetched.size_bytes >= plan_.limits.bytes_max;
    if (is_full || segment.base_offset >= plan_.limits.upper) break;
    if (segment.size_bytes == 0) continue;
    const Result<Reached> read = read_segment(segment, fetched, source);
    // What was read before the fault is good, and the next read, which begins at the fault, tells.
    if (!read && fetched.size_bytes == 0) return fail(read.error());
    // The next segment may follow only what was taken to its end: else offsets between them would be passed over.
    if (!read || *read == Reached::kInside) break;
  }
  fetched.end = std::move(end_);
  return fetched;
}

// The position of the batch that holds `from`, or of the first behind it; nullopt when the segment has none.
Result<std::optional<Position>> FileSegmentRead::find_first(File& file, const SegmentSnapshot& segment) {
  const bool is_first = &segment == plan_.segments.data();
  if (is_first && first_) return *first_;
  const Position hint = segment.position
                            ? *segment.position
                            : lookup_position(plan_.files, plan_.directory, segment.base_offset, plan_.from);
  SoundWalk::Range range{
      .begin = hint, .end = segment.size_bytes, .offset_min = segment.base_offset, .bound = segment.bound};
  TRY(begin, checked_begin(file, range, plan_.from));
  range.begin = begin;
  SoundWalk walk(file, range);
  while (true) {
    TRY(scanned, walk.next());
    const bool is_reached = !scanned || scanned->batch.last_offset() >= plan_.from;
    if (!is_reached) continue;
    // Damage that lies between the offset wanted and the next good batch is told, not passed over.
    const bool is_damaged = walk.damage() && (!scanned || scanned->batch.base_offset() > plan_.from);
    if (is_damaged) {
      return fail(Errc::kCorrupt,
                  fmt::format("{} at {}: {}", segment_path(plan_.directory, segment.base_offset, kLogSuffix),
                              walk.damage()->position.v, walk.damage()->what));
    }
    if (!scanned) return std::nullopt;
    const Position position = scanned->position;
    // Whoever begins inside a batch believes its last offset; the rest of a response is for the client's CRC to judge.
    if (scanned->batch.base_offset() < plan_.from) {
      TRY(holds, walk.last_holds());
      if (!holds) continue;
    }
    if (is_first) first_ = position;
    return position;
  }
}

Result<FileSegmentRead::Reached> FileSegmentRead::read_segment(const SegmentSnapshot& segment, FetchedBatches& fetched,
                                                               Source source) {
  if (source == Source::kPageCache) {
    // A file to open or an index file to search may wait for the disk.
    if (!segment.file || !segment.position) return fail(Errc::kUnsupported, "not in memory");
    CachedFile cached(*segment.file);
    return read_batches(cached, segment, segment.file, fetched);
  }
  TRY(file, open_segment(plan_.files, plan_.directory, segment));
  return read_batches(*file, segment, file, fetched);
}

void FileSegmentRead::note_end(const SegmentSnapshot& segment, const std::shared_ptr<File>& file, Position begin,
                               const Extent& extent) {
  end_ = {.segment_base = segment.base_offset,
          .next_offset = extent.next_offset,
          .position = begin + static_cast<int64_t>(extent.size_bytes),
          .file = file,
          .lease = segment.lease};
}

// A length is believed as long as it asks for little. One flipped bit in it makes a gigabyte of a batch, which would be
// read and sent whole, for the client to reject.
Result<void> FileSegmentRead::check_large(File& file, const SegmentSnapshot& segment, Position begin,
                                          const BatchView& header) const {
  constexpr auto kChecked = static_cast<int64_t>(kAttributesAt);
  TRY(crc, crc_of_range(file, begin + kChecked, header.size_bytes() - kChecked));
  if (crc == header.crc()) return {};
  return fail(Errc::kCorrupt, fmt::format("{} at {}: batch at offset {}, of {} bytes: CRC does not match",
                                          segment_path(plan_.directory, segment.base_offset, kLogSuffix), begin.v,
                                          header.base_offset().v, header.size_bytes()));
}

Result<FileSegmentRead::Reached> FileSegmentRead::read_batches(File& file, const SegmentSnapshot& segment,
                                                               const std::shared_ptr<File>& kept,
                                                               FetchedBatches& fetched) {
  TRY(first, find_first(file, segment));
  if (!first) return Reached::kEnd;
  const Position begin = *first;
  const int64_t left = segment.size_bytes - begin.v;
  const int64_t room = plan_.limits.bytes_max - fetched.size_bytes;
  const bool take_first_whole = fetched.size_bytes == 0 && plan_.limits.first_batch_whole;
  int64_t wanted = std::min(left, room);
  if (take_first_whole && wanted < left) {
    uint8_t header[kBatchHeaderBytes];
    TRY(count, file.read_at(begin, header));
    if (count == kBatchHeaderBytes) wanted = std::min(left, std::max(wanted, BatchView(header).size_bytes()));
    const bool is_masked = &file != kept.get();
    if (is_masked && wanted > 2 * kCachedBytesMax) return fail(Errc::kUnsupported, "too much for the loop");
    if (wanted > std::max(room, kBelievedBytesMax)) TRY(check_large(file, segment, begin, BatchView(header)));
  }
  if (wanted < static_cast<int64_t>(kBatchHeaderBytes)) return Reached::kInside;
  BlockRef block = BlockRef::allocate(static_cast<size_t>(wanted));
  TRY(count, file.read_at(begin, {block.data(), static_cast<size_t>(wanted)}));
  Extent extent = whole_batches({block.data(), count}, segment, take_first_whole ? wanted : room, segment.base_offset);
  if (extent.size_bytes > 0) {
    fetched.pieces.emplace_back(std::move(block), 0, extent.size_bytes);
    fetched.size_bytes += static_cast<int64_t>(extent.size_bytes);
    note_end(segment, kept, begin, extent);
    return static_cast<int64_t>(extent.size_bytes) == left ? Reached::kEnd : Reached::kInside;
  }
  // Without an error whoever reads here would be given nothing again and again.
  if (extent.is_cut && static_cast<int64_t>(count) < wanted) extent.damage = "the file ends inside the batch";
  if (!extent.damage) return Reached::kInside;
  return fail(Errc::kCorrupt,
              fmt::format("{} at {}: {}", segment_path(plan_.directory, segment.base_offset, kLogSuffix), begin.v,
                          *extent.damage));
}

bool FileSegmentRead::is_next(const BatchView& batch, const SegmentSnapshot& segment,
                              Offset next_offset) const noexcept {
  return batch.base_offset() >= next_offset && batch.last_offset() >= batch.base_offset() &&
         batch.last_offset() < segment.bound;
}

FileSegmentRead::Extent FileSegmentRead::whole_batches(ByteView bytes, const SegmentSnapshot& segment,
                                                       int64_t bytes_max, Offset next_offset) const {
  Extent extent{.size_bytes = 0, .damage = std::nullopt, .next_offset = next_offset};
  while (extent.size_bytes < bytes.size()) {
    const auto parsed = BatchView::parse(bytes.subspan(extent.size_bytes));
    if (!parsed) {
      extent.damage = parsed.error().context;
      break;
    }
    if (!*parsed) {  // cut by the limit, or the file has got shorter than it was
      extent.is_cut = true;
      break;
    }
    const BatchView& batch = **parsed;
    if (batch.last_offset() >= plan_.limits.upper) break;
    if (!is_next(batch, segment, extent.next_offset)) {
      extent.damage =
          fmt::format("batch of offset {}: expected {} or more", batch.base_offset().v, extent.next_offset.v);
      break;
    }
    const size_t end = extent.size_bytes + static_cast<size_t>(batch.size_bytes());
    if (static_cast<int64_t>(end) > bytes_max) break;
    extent.size_bytes = end;
    extent.next_offset = batch.next_offset();
  }
  return extent;
}

}  // namespace leat
