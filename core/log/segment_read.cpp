// segment_read.cpp: cold reads.
#include "core/log/segment_read.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log/batch_scanner.h"
#include "core/log/batch_search.h"
#include "core/log/file_names.h"
#include "core/log/index_files.h"

namespace leat {

Result<std::shared_ptr<File>> open_segment(FileSystem& files, const std::string& directory,
                                           const SegmentSnapshot& segment) {
  if (segment.file) return segment.file;
  const std::string path = segment_path(directory, segment.base_offset, kLogSuffix);
  Result<std::unique_ptr<File>> file = files.open(path, OpenMode::kRead);
  if (!file && file.error().code == Errc::kNotFound)
    file = files.open(path + std::string(kDeletedSuffix), OpenMode::kRead);
  if (file) return std::shared_ptr<File>(std::move(*file));
  if (file.error().code == Errc::kNotFound)
    return fail(Errc::kOffsetOutOfRange, fmt::format("{}: deleted by retention", path));
  return fail(file.error());
}

Result<FetchedBatches> FileSegmentRead::execute() {
  FetchedBatches fetched;
  for (const SegmentSnapshot& segment : plan_.segments) {
    const bool is_full = fetched.size_bytes > 0 && fetched.size_bytes >= plan_.limits.bytes_max;
    if (is_full || segment.base_offset >= plan_.limits.upper) break;
    if (segment.size_bytes == 0) continue;
    const Result<Reached> read = read_segment(segment, fetched);
    // What was read before the fault is good, and the next read, which begins at the fault, tells.
    if (!read && fetched.size_bytes == 0) return fail(read.error());
    // The next segment may follow only what was taken to its end: else offsets between them would be passed over.
    if (!read || *read == Reached::kInside) break;
  }
  return fetched;
}

// The position of the batch that holds `from`, or of the first behind it; nullopt when the segment has none.
Result<std::optional<Position>> FileSegmentRead::find_first(File& file, const SegmentSnapshot& segment) {
  const Position hint = segment.position
                            ? *segment.position
                            : lookup_position(plan_.files, plan_.directory, segment.base_offset, plan_.from);
  BatchScanner scanner(file, std::min(hint, Position(segment.size_bytes)), segment.size_bytes,
                       BatchScanner::Depth::kHeaders);
  Offset next_offset = segment.base_offset;
  std::optional<std::string> damage;
  Position damaged_at;
  while (true) {
    const Position at = scanner.position();
    TRY(scanned, scanner.next());
    if (!scanned && scanner.stop() == BatchScanner::Stop::kEnd) break;
    const bool sound =
        scanned && scanned->batch.base_offset() >= next_offset && scanned->batch.last_offset() < segment.bound;
    if (!sound) {
      damage = scanned ? fmt::format("batch of offset {}: expected {} to {}", scanned->batch.base_offset().v,
                                     next_offset.v, segment.bound.v)
                       : scanner.stop_reason();
      damaged_at = at;
      TRY(result,
          find_valid_batch(
              file,
              {.begin = at + 1, .end = segment.size_bytes, .offset_min = next_offset, .offset_limit = segment.bound}));
      if (!result.found) break;
      scanner.seek(result.found->position);
      continue;
    }
    if (scanned->batch.last_offset() >= plan_.from) {
      if (damage && scanned->batch.base_offset() > plan_.from) break;
      return scanned->position;
    }
    next_offset = scanned->batch.next_offset();
    damage.reset();  // it lies before the offset wanted
  }
  if (!damage) return std::nullopt;
  return fail(Errc::kCorrupt,
              fmt::format("{} at {}: {}", segment_path(plan_.directory, segment.base_offset, kLogSuffix), damaged_at.v,
                          *damage));
}

Result<FileSegmentRead::Reached> FileSegmentRead::read_segment(const SegmentSnapshot& segment, FetchedBatches& fetched) {
  TRY(file, open_segment(plan_.files, plan_.directory, segment));
  TRY(first, find_first(*file, segment));
  if (!first) return Reached::kEnd;
  const Position begin = *first;
  const int64_t left = segment.size_bytes - begin.v;
  const int64_t room = plan_.limits.bytes_max - fetched.size_bytes;
  const bool take_first_whole = fetched.size_bytes == 0 && plan_.limits.first_batch_whole;
  int64_t wanted = std::min(left, room);
  if (take_first_whole && wanted < left) {
    uint8_t header[kBatchHeaderBytes];
    TRY(count, file->read_at(begin, header));
    if (count == kBatchHeaderBytes) wanted = std::min(left, std::max(wanted, BatchView(header).size_bytes()));
  }
  if (wanted < static_cast<int64_t>(kBatchHeaderBytes)) return Reached::kInside;
  BlockRef block = BlockRef::allocate(static_cast<size_t>(wanted));
  TRY(count, file->read_at(begin, {block.data(), static_cast<size_t>(wanted)}));
  const Extent extent =
      whole_batches({block.data(), count}, segment, take_first_whole ? wanted : room, segment.base_offset);
  if (extent.size_bytes > 0) {
    fetched.pieces.emplace_back(std::move(block), 0, extent.size_bytes);
    fetched.size_bytes += static_cast<int64_t>(extent.size_bytes);
    return static_cast<int64_t>(extent.size_bytes) == left ? Reached::kEnd : Reached::kInside;
  }
  if (!extent.damage) return Reached::kInside;
  return fail(Errc::kCorrupt,
              fmt::format("{} at {}: {}", segment_path(plan_.directory, segment.base_offset, kLogSuffix), begin.v,
                          *extent.damage));
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
    if (!*parsed) break;  // cut by the limit
    const BatchView& batch = **parsed;
    if (batch.last_offset() >= plan_.limits.upper) break;
    if (batch.base_offset() < extent.next_offset || batch.last_offset() < batch.base_offset() ||
        batch.last_offset() >= segment.bound) {
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
