// compaction_fixture.cpp: what the tests of compaction share.
#include "test/core/log/compaction_fixture.h"

#include <fmt/format.h>

#include <algorithm>

namespace leat::test {

AppendInput make_keyed(const KeyedBatch& batch) {
  BatchBuilder builder(batch.options);
  for (const Keyed& record : batch.records) {
    NewRecord made{.timestamp_ms = record.timestamp_ms == kNoTimestamp ? batch.timestamp_ms : record.timestamp_ms};
    if (record.key) made.key = as_bytes(*record.key);
    if (record.value) made.value = as_bytes(*record.value);
    builder.append(made);
  }
  Result<Slice> bytes = builder.finish();
  REQUIRE(bytes);
  const BatchView view(bytes->view());
  AppendInput input;
  input.batch.bytes = *bytes;
  input.batch.record_count = view.record_count();
  input.batch.last_offset_delta = view.last_offset_delta();
  input.batch.max_timestamp_ms = view.max_timestamp();
  return input;
}

std::vector<SeenKeyed> keyed_of(ByteView batches) {
  std::vector<SeenKeyed> seen;
  for_each_record(batches, [&seen](const BatchView&, const BatchRecords& records, const RecordView& record) {
    SeenKeyed& made = seen.emplace_back();
    made.offset = records.offset_of(record).v;
    made.key = std::string(as_text(record.key.value_or(ByteView())));
    if (record.value) made.value = std::string(as_text(*record.value));
  });
  return seen;
}

LogConfig compacted() {
  LogConfig config;
  config.flush = FlushPolicy::kNone;
  config.segment_bytes = 4000;
  config.segment_ms = 1000;
  config.retention_ms = -1;
  config.delete_old = false;
  config.compact = true;
  config.file_delete_delay_ms = 0;
  config.min_cleanable_dirty_ratio = 0;  // whatever is dirty
  config.delete_retention_ms = 60'000;
  return config;
}

Offset CompactedLog::write(std::vector<Keyed> records) {
  KeyedBatch batch;
  batch.records = std::move(records);
  return write_batch(std::move(batch));
}

Offset CompactedLog::write_batch(KeyedBatch batch) {
  now_ms += 2 * config.segment_ms;  // the segment before ends
  return append_batch(std::move(batch));
}

Offset CompactedLog::append_batch(KeyedBatch batch) {
  batch.timestamp_ms = now_ms;
  std::vector<AppendInput> inputs;
  inputs.push_back(make_keyed(batch));
  const std::vector<BatchOutcome> outcomes = append(std::move(inputs));
  REQUIRE(outcomes.size() == 1);
  if (outcomes[0].error) FAIL(outcomes[0].error->context);
  return outcomes[0].base_offset;
}

void CompactedLog::settle() {
  write({{std::string(kFiller), "f"}});
  run(log->begin_flush(now_ms));
}

void CompactedLog::write_rounds(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const std::string value = fmt::format("round {}", round);
    write({{"a", value}, {"b", value}, {"c", value}});
  }
  settle();
}

bool CompactedLog::compact_once(const CompactionLimits& limits) {
  std::unique_ptr<Maintenance> work = log->begin_compaction(now_ms, limits);
  if (work == nullptr) return false;
  work->execute();
  log->finish(*work);
  if (work->error) FAIL(work->error->context);
  return true;
}

std::vector<std::string> CompactedLog::compact(const CompactionLimits& limits) {
  std::vector<std::string> notes;
  for (int pieces = 0; pieces < 100'000; ++pieces) {
    std::unique_ptr<Maintenance> work = log->begin_compaction(now_ms, limits);
    if (work == nullptr) return notes;
    work->execute();
    log->finish(*work);
    if (work->error) FAIL(work->error->context);
    notes.insert(notes.end(), work->notes.begin(), work->notes.end());
  }
  FAIL("compaction does not come to an end");
  return notes;
}

std::vector<uint8_t> CompactedLog::bytes() {
  std::vector<uint8_t> all;
  Offset from = log->offsets().log_start;
  while (from < log->offsets().log_end) {
    const Result<FetchedBatches> fetched = read(from, {.bytes_max = 100'000});
    if (!fetched) FAIL(fetched.error().context);
    if (fetched->pieces.empty()) break;  // nothing left up to the end
    for (const Slice& piece : fetched->pieces) {
      for (ByteView left = piece.view(); !left.empty();) {
        const BatchView batch(left);
        from = batch.next_offset();
        left = left.subspan(static_cast<size_t>(batch.size_bytes()));
      }
      all.insert(all.end(), piece.view().begin(), piece.view().end());
    }
  }
  return all;
}

std::vector<SeenKeyed> CompactedLog::keyed() { return keyed_of(bytes()); }

std::vector<SeenKeyed> CompactedLog::keyed_from(Offset from) {
  const Result<FetchedBatches> fetched = read(from, {.bytes_max = 100'000});
  if (!fetched) FAIL(fetched.error().context);
  std::vector<SeenKeyed> seen;
  for (const Slice& piece : fetched->pieces) {
    for (SeenKeyed& record : keyed_of(piece.view())) {
      if (record.offset >= from.v) seen.push_back(std::move(record));
    }
  }
  return seen;
}

std::vector<SeenKeyed> CompactedLog::kept() {
  std::vector<SeenKeyed> seen = keyed();
  std::erase_if(seen, [](const SeenKeyed& record) { return record.key == kFiller; });
  return seen;
}

void CompactedLog::for_each_batch(const std::function<void(const BatchView&)>& visit) {
  const std::vector<uint8_t> all = bytes();
  for (ByteView left(all); !left.empty();) {
    const BatchView batch(left.first(static_cast<size_t>(BatchView(left).size_bytes())));
    visit(batch);
    left = left.subspan(batch.bytes().size());
  }
}

size_t CompactedLog::count_files(std::string_view suffix) {
  const std::vector<std::string> names = file_names();
  return static_cast<size_t>(
      std::count_if(names.begin(), names.end(), [suffix](const std::string& name) { return name.ends_with(suffix); }));
}

}  // namespace leat::test
