// producer_snapshot.cpp: encoding and checking the snapshot of producer state.
#include "core/log/producer_snapshot.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/codec/reader.h"
#include "core/codec/writer.h"
#include "core/record/crc32c.h"

namespace leat {
namespace {

constexpr int16_t kSnapshotVersion = 1;
constexpr size_t kSnapshotCrcAt = sizeof kSnapshotVersion;
constexpr size_t kCheckedFrom = kSnapshotCrcAt + sizeof(uint32_t);
constexpr size_t kEntryBytes = 8 + 2 + 4 + 8 + 4 + 8 + 4 + 8;

}  // namespace

std::vector<uint8_t> encode_producer_snapshot(const ProducerState& state) {
  Writer writer;
  writer.reserve(kCheckedFrom + sizeof(int32_t) + state.size() * kEntryBytes);
  writer.i16(kSnapshotVersion);
  writer.u32(0);
  writer.i32(0);
  int32_t count = 0;
  state.for_each_settled([&writer, &count](int64_t producer_id, const ProducerEntry& entry) {
    const ProducerBatch last = entry.batch_count() == 0 ? ProducerBatch{} : entry.last_batch();
    writer.i64(producer_id);
    writer.i16(entry.epoch);
    writer.i32(last.last_sequence);
    writer.i64(last.last_offset.v);
    writer.i32(last.offset_delta);
    writer.i64(entry.last_append_ms);
    writer.i32(entry.coordinator_epoch);
    writer.i64(entry.transaction_start.v);
    ++count;
  });
  to_big_endian(count, writer.at(kCheckedFrom));
  to_big_endian(crc32c(writer.view().subspan(kCheckedFrom)), writer.at(kSnapshotCrcAt));
  return std::move(writer).take();
}

Result<ProducerState> decode_producer_snapshot(ByteView file, std::string_view path, int64_t now_ms) {
  Reader reader(file);
  const int16_t version = reader.i16();
  const uint32_t crc = reader.u32();
  const int32_t count = reader.i32();
  if (reader.failed()) return fail(Errc::kCorrupt, fmt::format("{}: {} bytes are too few", path, file.size()));
  if (version != kSnapshotVersion)
    return fail(Errc::kCorrupt, fmt::format("{}: expected version 1, found {}", path, version));
  const uint32_t found_crc = crc32c(file.subspan(kCheckedFrom));
  if (crc != found_crc)
    return fail(Errc::kCorrupt, fmt::format("{}: expected CRC {:08x}, found {:08x}", path, crc, found_crc));
  if (count < 0 || static_cast<uint64_t>(count) * kEntryBytes != reader.remaining()) {
    return fail(Errc::kCorrupt, fmt::format("{}: {} entries do not fit {} bytes", path, count, reader.remaining()));
  }
  ProducerState state;
  for (int32_t i = 0; i < count; ++i) {
    const int64_t producer_id = reader.i64();
    ProducerEntry entry;
    entry.epoch = reader.i16();
    ProducerBatch last;
    last.last_sequence = reader.i32();
    last.last_offset = Offset(reader.i64());
    last.offset_delta = reader.i32();
    entry.last_append_ms = std::min(reader.i64(), now_ms);
    entry.coordinator_epoch = reader.i32();
    entry.transaction_start = Offset(reader.i64());
    if (last.last_sequence != kNoSequence) entry.add_batch(last);
    state.put(producer_id, entry);
  }
  return state;
}

}  // namespace leat
