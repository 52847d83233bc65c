// record_rows.cpp: CRC-32C, building of batches, and validation of what a producer sent, for each codec.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "benchmarks/load/load.h"
#include "benchmarks/micro/micro.h"
#include "core/base/check.h"
#include "core/record/batch_builder.h"
#include "core/record/crc32c.h"
#include "core/record/validator.h"

namespace leat::bench {
namespace {

constexpr std::pair<Codec, const char*> kCodecs[] = {{Codec::kNone, "none"},
                                                     {Codec::kGzip, "gzip"},
                                                     {Codec::kSnappy, "snappy"},
                                                     {Codec::kLz4, "lz4"},
                                                     {Codec::kZstd, "zstd"}};

void add_crc(const std::string& name, size_t size, uint32_t (*crc)(ByteView, uint32_t)) {
  add_micro(name, [size, crc](benchmark::State& state) {
    const std::vector<uint8_t> bytes(size, 'x');
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(crc(bytes, 0));
    set_bytes(state, size);
  });
}

void add_crc_change() {
  add_micro("crc32c/change_in_header_of_1MiB", [](benchmark::State& state) {
    const uint8_t difference[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(crc32c_change(difference, 1 << 20));
  });
}

// Bytes are those of the batch as it was sent, items its records.
void add_validation(const std::string& name, const BatchShape& shape) {
  add_micro(name, [shape](benchmark::State& state) {
    const Slice batch = Slice::copy_of(make_batch(shape));
    for ([[maybe_unused]] auto _ : state) {
      const auto valid = validate_produced(batch, {});
      ENSURE(valid.has_value() && valid->record_count == shape.record_count);
    }
    set_bytes(state, batch.size());
    state.SetItemsProcessed(state.iterations() * shape.record_count);
  });
}

void add_building(const std::string& name, Codec codec) {
  add_micro(name, [codec](benchmark::State& state) {
    constexpr int kRecords = 1000;
    std::vector<std::string> values;
    for (int i = 0; i < kRecords; ++i)
      values.push_back(fmt::format("{{\"order\":{},\"note\":\"{:080}\"}}", i, i * 7919));
    size_t size = 0;
    for ([[maybe_unused]] auto _ : state) {
      BatchBuilder builder({.codec = codec});
      for (const std::string& value : values) builder.append({.value = as_bytes(value), .timestamp_ms = 1});
      const Result<Slice> batch = builder.finish();
      ENSURE(batch.has_value());
      size = batch->size();
    }
    set_bytes(state, size);
    state.SetItemsProcessed(state.iterations() * kRecords);
  });
}

}  // namespace

void register_record_rows() {
  for (const size_t size : {size_t{128}, size_t{1} << 10, size_t{64} << 10, size_t{1} << 20}) {
    add_crc(fmt::format("crc32c/{}B", size), size, crc32c);
  }
  add_crc("crc32c/portable_65536B", 64 << 10, crc32c_portable);
  add_crc_change();
  add_validation("validate/100B_x_1", {.record_count = 1, .record_bytes = 100});
  for (const auto& [codec, name] : kCodecs) {
    const BatchShape shape{.record_count = 1000, .record_bytes = 100, .codec = codec};
    add_validation(fmt::format("validate/100B_x_1000_{}", name), shape);
  }
  add_validation("validate/1024B_x_1000_none", {.record_count = 1000, .record_bytes = 1024});
  for (const auto& [codec, name] : kCodecs) add_building(fmt::format("build/100B_x_1000_{}", name), codec);
}

}  // namespace leat::bench
