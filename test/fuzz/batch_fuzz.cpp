// batch_fuzz.cpp: fuzz target: record batches of a client, and compressed payloads. input := mode:u8 bytes.
// mode bits 0-2: the topic's codec (5 to 7: the producer's); bit 3: the CRC is put right first, so that what it covers
// is reached; bit 4: bytes are a payload of the codec in bits 0-2, not a batch.
#include "core/base/check.h"
#include "core/record/batch_builder.h"
#include "core/record/compression.h"
#include "core/record/record_stream.h"
#include "core/record/validator.h"

namespace leat {
namespace {

constexpr int64_t kUnpackedMax = int64_t{1} << 20;

void fuzz_payload(Codec codec, ByteView payload) {
  const Result<Slice> whole = decompress(codec, payload, kUnpackedMax);
  if (whole) ENSURE(static_cast<int64_t>(whole->size()) <= kUnpackedMax);
  RecordStream stream(codec, payload, kUnpackedMax);
  RecordMeta meta;
  while (stream.next(meta) == RecordStream::Next::kRecord) continue;
}

void fuzz_batch(uint8_t mode, const Slice& records) {
  if ((mode & 8) != 0 && records.size() > kBatchHeaderBytes) set_crc(records.unpublished());
  ValidationRules rules{.decompressed_bytes_max = kUnpackedMax, .now_ms = 1'700'000'100'000};
  if ((mode & 7) <= 4) rules.stored_codec = static_cast<Codec>(mode & 7);
  const auto valid = validate_produced(records, rules);
  if (!valid) return;
  const BatchView batch(valid->bytes.view());
  ENSURE(batch.crc_matches());
  Result<BatchRecords> stored = BatchRecords::open(batch, kUnpackedMax);
  ENSURE(stored.has_value(), "{}", stored.error().context);
  for (int32_t i = 0; i < valid->record_count; ++i) {
    const Result<std::optional<RecordView>> record = stored->next();
    ENSURE(record.has_value() && record->has_value());
    HeaderReader headers = (*record)->headers();
    for (HeaderView header; headers.next(header);) continue;
  }
  ENSURE(find_by_timestamp(batch, INT64_MAX, kUnpackedMax).has_value());
}

}  // namespace
}  // namespace leat

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const uint8_t mode = data[0];
  const leat::ByteView rest(data + 1, size - 1);
  if ((mode & 16) != 0) {
    leat::fuzz_payload(static_cast<leat::Codec>((mode & 7) % 5), rest);
  } else {
    leat::fuzz_batch(mode, leat::Slice::copy_of(rest));
  }
  return 0;
}
