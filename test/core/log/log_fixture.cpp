// log_fixture.cpp: what the tests of the log share.
#include "test/core/log/log_fixture.h"

#include <array>

#include "core/log/file_names.h"

namespace leat::test {

AppendInput make_input(const NewBatch& batch) {
  BatchOptions options;
  options.codec = batch.codec;
  options.producer_id = batch.producer_id;
  if (batch.producer_id != kNoProducerId) {
    options.producer_epoch = batch.producer_epoch;
    options.base_sequence = batch.base_sequence;
  }
  BatchBuilder builder(options);
  std::string value(batch.text);
  value.resize(std::max(value.size(), batch.value_bytes), '.');
  for (int i = 0; i < batch.records; ++i) {
    const int64_t timestamp_ms =
        batch.timestamp_ms == kNoTimestamp ? kNoTimestamp : batch.timestamp_ms + i * batch.timestamp_step_ms;
    builder.append({.key = std::nullopt, .value = as_bytes(value), .timestamp_ms = timestamp_ms});
  }
  Result<Slice> bytes = builder.finish();
  REQUIRE(bytes);
  const BatchView view(bytes->view());
  AppendInput input;
  input.batch.bytes = *bytes;
  input.batch.record_count = batch.records;
  input.batch.last_offset_delta = batch.records - 1;
  input.batch.max_timestamp_ms = view.max_timestamp();
  return input;
}

PartitionLog::Open OpenLog::open() {
  return {.files = files,
          .directory = std::string(kFolder),
          .name = {"t", 0},
          .topic_id = topic_id,
          .config = config,
          .tail_cache = tail_cache,
          .health = &health,
          .kind = kind,
          .now_ms = now_ms};
}

void OpenLog::create() {
  const Result<void> made = make_directories(files, parent_directory(kFolder));
  REQUIRE(made);
  Result<std::unique_ptr<PartitionLog>> created = PartitionLog::create(open());
  if (!created) FAIL(created.error().context);
  log = std::move(*created);
}

Result<void> OpenLog::recover(RecoveryHints hints) {
  log.reset();
  report = {};
  Result<std::unique_ptr<PartitionLog>> recovered = PartitionLog::recover(open(), hints, report);
  if (!recovered) return fail(recovered.error());
  log = std::move(*recovered);
  return {};
}

void OpenLog::recover_clean(Offset log_start) {
  const Offset point = log ? log->offsets().log_end : Offset(0);
  const Result<void> done = recover({.clean_shutdown = true, .recovery_point = point, .log_start = log_start});
  if (!done) FAIL(done.error().context);
}

void OpenLog::recover_unclean(Offset recovery_point, Offset log_start) {
  const Result<void> done =
      recover({.clean_shutdown = false, .recovery_point = recovery_point, .log_start = log_start});
  if (!done) FAIL(done.error().context);
}

void OpenLog::close() { run(log->begin_close()); }

std::vector<BatchOutcome> OpenLog::append(std::vector<AppendInput> inputs) {
  std::vector<BatchOutcome> outcomes;
  while (!inputs.empty()) {
    const size_t before = inputs.size();
    std::unique_ptr<LogAppend> operation = log->begin_append(inputs, now_ms);
    REQUIRE(inputs.size() < before);
    operation->write();
    log->on_written(*operation);
    if (!operation->failed() && operation->needs_sync()) {
      operation->sync();
      log->on_synced(*operation);
    }
    for (BatchOutcome& outcome : operation->outcomes) outcomes.push_back(outcome);
  }
  return outcomes;
}

BatchOutcome OpenLog::append_one(const NewBatch& batch) {
  std::vector<AppendInput> inputs;
  inputs.push_back(make_input(batch));
  std::vector<BatchOutcome> outcomes = append(std::move(inputs));
  REQUIRE(outcomes.size() == 1);
  return outcomes[0];
}

void OpenLog::append_many(int batches, const NewBatch& batch) {
  for (int i = 0; i < batches; ++i) {
    NewBatch next = batch;
    next.timestamp_ms += i * batch.records * batch.timestamp_step_ms;
    const BatchOutcome outcome = append_one(next);
    if (outcome.error) FAIL(outcome.error->context);
  }
}

Result<FetchedBatches> OpenLog::read(Offset from, ReadLimits limits) {
  TRY(plan, log->plan_read(from, limits));
  return execute(std::move(plan));
}

std::vector<SeenRecord> OpenLog::read_from(Offset from) {
  std::vector<SeenRecord> all;
  while (from < log->offsets().log_end) {
    const Result<FetchedBatches> fetched = read(from, {.bytes_max = 10'000});
    if (!fetched) FAIL(fetched.error().context);
    if (fetched->pieces.empty()) break;
    for (const SeenRecord& record : records_of(*fetched)) {
      if (record.offset >= from.v) all.push_back(record);
    }
    from = next_offset_of(*fetched);
  }
  return all;
}

Offset OpenLog::read_on_from(Offset from) {
  while (from < log->offsets().high_watermark) {
    const Result<FetchedBatches> fetched = read(from, {.bytes_max = 300, .upper = log->offsets().high_watermark});
    if (!fetched) FAIL(fetched.error().context);
    if (fetched->pieces.empty()) break;
    const Offset next = next_offset_of(*fetched);
    REQUIRE(next > from);
    from = next;
  }
  return from;
}

std::vector<SeenRecord> OpenLog::read_all() { return read_from(log->offsets().log_start); }

std::optional<TimestampOffset> OpenLog::lookup(int64_t timestamp_ms) {
  const Result<std::optional<TimestampOffset>> found = log->plan_lookup_by_time(timestamp_ms)->execute();
  if (!found) FAIL(found.error().context);
  return *found;
}

std::optional<TimestampOffset> OpenLog::lookup_max() {
  const Result<std::optional<TimestampOffset>> found = log->plan_lookup_max_timestamp()->execute();
  if (!found) FAIL(found.error().context);
  return *found;
}

void OpenLog::run(std::unique_ptr<Maintenance> work) {
  if (!work) return;
  work->execute();
  log->finish(*work);
  if (work->error) FAIL(work->error->context);
}

std::vector<std::string> OpenLog::retention() {
  std::unique_ptr<Maintenance> work = log->begin_retention(now_ms);
  if (!work) return {};
  work->execute();
  log->finish(*work);
  if (work->error) FAIL(work->error->context);
  return work->notes;
}

std::vector<std::string> OpenLog::file_names() {
  std::vector<std::string> names;
  const Result<std::vector<FileInfo>> entries = files.list(kFolder);
  REQUIRE(entries);
  for (const FileInfo& entry : *entries) names.push_back(entry.name);
  return names;
}

std::string OpenLog::aside_name() {
  for (const std::string& name : file_names()) {
    if (name.ends_with(kAsideSuffix)) return name;
  }
  return {};
}

void for_each_record(ByteView batches, const OnRecord& on_record) {
  while (!batches.empty()) {
    const Result<std::optional<BatchView>> batch = BatchView::parse(batches);
    REQUIRE(batch);
    REQUIRE(*batch);
    REQUIRE((*batch)->crc_matches());
    Result<BatchRecords> records = BatchRecords::open(**batch, 1 << 30);
    REQUIRE(records);
    while (true) {
      const Result<std::optional<RecordView>> record = records->next();
      REQUIRE(record);
      if (!*record) break;
      on_record(**batch, *records, **record);
    }
    batches = batches.subspan(static_cast<size_t>((*batch)->size_bytes()));
  }
}

std::vector<SeenRecord> records_of(ByteView batches) {
  std::vector<SeenRecord> seen;
  for_each_record(batches, [&seen](const BatchView& batch, const BatchRecords& records, const RecordView& record) {
    seen.push_back({.offset = records.offset_of(record).v,
                    .timestamp_ms = records.timestamp_of(record),
                    .leader_epoch = batch.leader_epoch(),
                    .value = std::string(as_text(record.value.value_or(ByteView())))});
  });
  return seen;
}

std::vector<SeenRecord> records_of(const FetchedBatches& fetched) {
  std::vector<SeenRecord> seen;
  for (const Slice& piece : fetched.pieces) {
    const std::vector<SeenRecord> records = records_of(piece.view());
    seen.insert(seen.end(), records.begin(), records.end());
  }
  return seen;
}

Offset next_offset_of(const FetchedBatches& fetched) {
  Offset next = kNoOffset;
  for (const Slice& piece : fetched.pieces) {
    for (ByteView left = piece.view(); !left.empty();) {
      const BatchView batch(left);
      next = batch.next_offset();
      left = left.subspan(static_cast<size_t>(batch.size_bytes()));
    }
  }
  REQUIRE(next != kNoOffset);
  return next;
}

LogConfig small_segments(FlushPolicy flush) {
  LogConfig config;
  config.flush = flush;
  config.segment_bytes = 2000;
  config.index_interval_bytes = 200;
  return config;
}

std::string file_text(FileSystem& files, std::string_view path) {
  Result<std::string> text = read_text_file(files, path);
  if (!text) FAIL(text.error().context);
  return std::move(*text);
}

void put_file(FileSystem& files, std::string_view path, ByteView bytes) {
  Result<std::unique_ptr<File>> file = files.open(path, OpenMode::kCreate);
  REQUIRE(file);
  const std::array<ByteView, 1> pieces{bytes};
  REQUIRE((*file)->truncate(0));
  REQUIRE((*file)->write_at(Position(0), pieces));
  REQUIRE((*file)->sync(SyncKind::kData));
}

void flip_bit(FileSystem& files, std::string_view path, int64_t position, int bit) {
  Result<std::unique_ptr<File>> file = files.open(path, OpenMode::kReadWrite);
  REQUIRE(file);
  std::array<uint8_t, 1> byte{};
  REQUIRE((*file)->read_at(Position(position), byte));
  byte[0] = static_cast<uint8_t>(byte[0] ^ (1 << bit));
  const std::array<ByteView, 1> pieces{ByteView(byte)};
  REQUIRE((*file)->write_at(Position(position), pieces));
  REQUIRE((*file)->sync(SyncKind::kData));
}

int64_t size_of(FileSystem& files, std::string_view path) {
  const Result<FileInfo> info = files.stat(path);
  REQUIRE(info);
  return info->size_bytes;
}

void truncate_file(FileSystem& files, std::string_view path, int64_t size_bytes) {
  Result<std::unique_ptr<File>> file = files.open(path, OpenMode::kReadWrite);
  REQUIRE(file);
  REQUIRE((*file)->truncate(size_bytes));
}

void append_bytes(FileSystem& files, std::string_view path, ByteView bytes) {
  const int64_t size_bytes = size_of(files, path);
  Result<std::unique_ptr<File>> file = files.open(path, OpenMode::kReadWrite);
  REQUIRE(file);
  const std::array<ByteView, 1> pieces{bytes};
  REQUIRE((*file)->write_at(Position(size_bytes), pieces));
}

}  // namespace leat::test
