// batch_search.cpp: looking for batches byte by byte.
#include "core/log/batch_search.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/log/batch_scanner.h"
#include "core/record/batch.h"

namespace leat {
namespace {

constexpr size_t kWindowBytes = 256 << 10;
constexpr int64_t kCrcBytesPerByte = 4;
constexpr int64_t kCrcBytesFree = int64_t{64} << 20;
constexpr int16_t kUnknownAttributes = static_cast<int16_t>(~0x7f);

bool can_be_header(const BatchView& batch, Position position, const BatchSearch& search) noexcept {
  if (batch.batch_length() < kBatchLengthMin || batch.size_bytes() > search.end - position.v) return false;
  if (batch.last_offset_delta() < 0 || batch.record_count() < 0 || batch.producer_id() < kNoProducerId) return false;
  if ((batch.attributes() & kUnknownAttributes) != 0) return false;
  if (batch.base_offset() < search.offset_min || batch.base_offset().v > INT64_MAX - INT32_MAX) return false;
  return batch.last_offset() < search.offset_limit;
}

}  // namespace

Result<SearchResult> find_valid_batch(File& file, const BatchSearch& search) {
  const int64_t size = search.end - search.begin.v;
  if (size < static_cast<int64_t>(kBatchHeaderBytes)) return SearchResult{};
  int64_t budget = kCrcBytesFree + kCrcBytesPerByte * std::min(size, search.begins_below - search.begin);
  const size_t capacity = std::min(kWindowBytes, static_cast<size_t>(size));
  const auto buffer = std::make_unique_for_overwrite<uint8_t[]>(capacity);
  for (Position window = search.begin;
       search.end - window.v >= static_cast<int64_t>(kBatchHeaderBytes) && window < search.begins_below;) {
    const size_t wanted = std::min(capacity, static_cast<size_t>(search.end - window.v));
    TRY(count, file.read_at(window, {buffer.get(), wanted}));
    if (count < kBatchHeaderBytes) return SearchResult{};
    // A header that begins here is all in the window.
    const size_t begins = std::min(count - kBatchHeaderBytes + 1, static_cast<size_t>(search.begins_below - window));
    for (size_t at = 0; at < begins; ++at) {
      const void* magic = std::memchr(buffer.get() + at + kMagicAt, 2, begins - at);
      if (magic == nullptr) break;
      at = static_cast<size_t>(static_cast<const uint8_t*>(magic) - buffer.get()) - kMagicAt;
      const BatchView batch(ByteView(buffer.get() + at, kBatchHeaderBytes));
      const Position position = window + static_cast<int64_t>(at);
      if (!can_be_header(batch, position, search)) continue;
      const int64_t checked = batch.size_bytes() - static_cast<int64_t>(kAttributesAt);
      budget -= checked;
      if (budget < 0) return SearchResult{.found = std::nullopt, .gave_up = true};
      TRY(crc, crc_of_range(file, position + static_cast<int64_t>(kAttributesAt), checked));
      if (crc != batch.crc()) continue;
      return SearchResult{.found = FoundBatch{position, batch.base_offset(), batch.next_offset(), batch.size_bytes()}};
    }
    window += static_cast<int64_t>(begins);
  }
  return SearchResult{};
}

}  // namespace leat
