// log_dump.cpp: leat log dump: what is in the files of a log, without a server; lines as Kafka's DumpLogSegments prints
// them.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/log_progress.h"
#include "cli/record_text.h"
#include "cli/segment_files.h"
#include "core/log/batch_scanner.h"
#include "core/log/file_names.h"
#include "core/log/index_columns.h"
#include "core/log/producer_snapshot.h"
#include "core/record/batch_builder.h"
#include "core/record/compression.h"
#include "core/record/record.h"
#include "core/storage/posix_file_system.h"

namespace leat::cli {
namespace {

constexpr int64_t kUnpackedMax = int64_t{256} << 20;

struct DumpOptions {
  std::vector<std::string> paths;
  bool records = false;
  int64_t from_offset = 0;
  std::optional<int64_t> count;
};

class Dump {
 public:
  Dump(Session& session, const DumpOptions& options, FileSystem& files) noexcept
      : session_(session), options_(options), files_(files) {}
  Result<void> file(const std::string& path);
  bool found_damage() const noexcept { return found_damage_; }

 private:
  Result<void> log(const std::string& path);
  Result<void> offset_index(const std::string& path, Offset base_offset);
  Result<void> time_index(const std::string& path, Offset base_offset);
  Result<void> producers(const std::string& path);
  void batch(const ScannedBatch& scanned, bool crc_ok);
  void records(const ScannedBatch& scanned);
  void record(const BatchRecords& records, const RecordView& record);
  void instead_of_records(const ScannedBatch& scanned, const Error& why);
  void line(const std::string& text) { session_.out(text + "\n"); }
  bool json() const noexcept { return session_.options.json; }

  Session& session_;
  const DumpOptions& options_;
  FileSystem& files_;
  std::string path_;  // of the file under way
  bool found_damage_ = false;
};

std::string codec_name(const BatchView& batch) {
  const Result<Codec> codec = codec_from_bits(batch.codec_bits());
  return codec ? std::string(to_string(*codec)) : fmt::format("unknown({})", batch.codec_bits());
}

std::string_view timestamp_name(const BatchView& batch) {
  return batch.timestamp_type() == TimestampType::kCreateTime ? "CreateTime" : "LogAppendTime";
}

// As a consumer sees it; of which partition is not known here.
client::RecordView public_view(const RecordView& view, int64_t offset, int64_t timestamp_ms) {
  client::RecordView record;
  record.partition = -1;
  record.offset = offset;
  record.timestamp_ms = timestamp_ms;
  if (view.key) record.key = as_text(*view.key);
  if (view.value) record.value = as_text(*view.value);
  record.headers = client::HeaderRange(view.encoded_headers.data(), view.encoded_headers.size(), view.header_count);
  return record;
}

void Dump::batch(const ScannedBatch& scanned, bool crc_ok) {
  const BatchView& b = scanned.batch;
  if (json()) {
    session_.out(json_line({{"base_offset", b.base_offset().v},
                            {"last_offset", b.last_offset().v},
                            {"count", b.record_count()},
                            {"base_sequence", b.base_sequence()},
                            {"last_sequence", b.last_sequence()},
                            {"producer_id", b.producer_id()},
                            {"producer_epoch", b.producer_epoch()},
                            {"leader_epoch", b.leader_epoch()},
                            {"transactional", b.is_transactional()},
                            {"control", b.is_control()},
                            {"position", scanned.position.v},
                            {"timestamp_type", timestamp_name(b)},
                            {"max_timestamp", b.max_timestamp()},
                            {"size", b.size_bytes()},
                            {"codec", codec_name(b)},
                            {"crc", int64_t{b.crc()}},
                            {"valid", crc_ok}}));
    return;
  }
  const std::string horizon =
      b.has_delete_horizon() ? fmt::format("OptionalLong[{}]", b.base_timestamp()) : "OptionalLong.empty";
  line(fmt::format(
      "baseOffset: {} lastOffset: {} count: {} baseSequence: {} lastSequence: {} producerId: {} producerEpoch: {} "
      "partitionLeaderEpoch: {} isTransactional: {} isControl: {} deleteHorizonMs: {} position: {} {}: {} size: {} "
      "magic: {} compresscodec: {} crc: {} isvalid: {}",
      b.base_offset(), b.last_offset(), b.record_count(), b.base_sequence(), b.last_sequence(), b.producer_id(),
      b.producer_epoch(), b.leader_epoch(), b.is_transactional(), b.is_control(), horizon, scanned.position,
      timestamp_name(b), b.max_timestamp(), b.size_bytes(), b.magic(), codec_name(b), b.crc(), crc_ok));
}

void Dump::record(const BatchRecords& records, const RecordView& view) {
  const BatchView& b = records.batch();
  const int64_t offset = records.offset_of(view).v;
  if (json()) {
    session_.out(record_json(public_view(view, offset, records.timestamp_of(view))).line());
    return;
  }
  std::string header_keys;
  HeaderReader headers = view.headers();
  for (HeaderView header; headers.next(header);)
    header_keys += (header_keys.empty() ? "" : ",") + std::string(header.key);
  const int64_t key_size = view.key ? static_cast<int64_t>(view.key->size()) : -1;
  const int64_t value_size = view.value ? static_cast<int64_t>(view.value->size()) : -1;
  const int64_t sequence = b.base_sequence() < 0 ? -1 : (int64_t{b.base_sequence()} + view.offset_delta) & INT32_MAX;
  std::string text =
      fmt::format("| offset: {} {}: {} keySize: {} valueSize: {} sequence: {} headerKeys: [{}]", offset,
                  timestamp_name(b), records.timestamp_of(view), key_size, value_size, sequence, header_keys);
  if (b.is_control()) {
    const std::optional<int16_t> type = control_record_type(view);
    text += fmt::format(" endTxnMarker: {}", !type        ? "UNKNOWN"
                                             : *type == 0 ? "ABORT"
                                             : *type == 1 ? "COMMIT"
                                                          : fmt::format("type {}", *type));
  } else {
    if (view.key) text += fmt::format(" key: {}", as_text(*view.key));
    text += fmt::format(" payload: {}", view.value ? as_text(*view.value) : "null");
  }
  line(text);
}

// Where they would stand; with --json on the error stream, as every error.
void Dump::instead_of_records(const ScannedBatch& scanned, const Error& why) {
  if (!json()) return line("| " + why.context);
  session_.tell(Error(
      why.code, fmt::format("{}: records of the batch at position {}: {}", path_, scanned.position, why.context)));
}

void Dump::records(const ScannedBatch& scanned) {
  if (!scanned.is_whole) return instead_of_records(scanned, Error(Errc::kLimit, "(too large to be shown)"));
  Result<BatchRecords> opened = BatchRecords::open(scanned.batch, kUnpackedMax);
  if (!opened) {
    found_damage_ = true;
    return instead_of_records(scanned, opened.error());
  }
  for (;;) {
    const Result<std::optional<RecordView>> next = opened->next();
    if (!next) {
      found_damage_ = true;
      return instead_of_records(scanned, next.error());
    }
    if (!*next) return;
    record(*opened, **next);
  }
}

Result<void> Dump::log(const std::string& path) {
  TRY(file, files_.open(path, OpenMode::kRead));
  TRY(size, file->size());
  BatchScanner scanner(*file, Position(0), size, BatchScanner::Depth::kWhole);
  int64_t left = options_.count.value_or(INT64_MAX);
  while (left > 0 && !session_.output_closed()) {
    TRY(scanned, scanner.next());
    if (!scanned) break;
    if (scanned->batch.last_offset().v < options_.from_offset) continue;
    TRY(crc_ok, scanner.crc_matches(*scanned));
    found_damage_ = found_damage_ || !crc_ok;
    batch(*scanned, crc_ok);
    if (options_.records && crc_ok) records(*scanned);
    --left;
  }
  if (left > 0 && scanner.stop() != BatchScanner::Stop::kEnd) {
    found_damage_ = true;
    session_.tell(Error(Errc::kCorrupt, fmt::format("{}: no batch at position {}: {}", path, scanner.position(),
                                                    scanner.stop_reason())));
  }
  return {};
}

Result<void> Dump::offset_index(const std::string& path, Offset base_offset) {
  TRY(columns, read_offset_index(files_, path));
  for (const auto& [relative, position] : columns.entries) {
    const int64_t offset = base_offset.v + relative;
    session_.out(json() ? json_line({{"offset", offset}, {"position", position}})
                        : fmt::format("offset: {} position: {}\n", offset, position));
  }
  return {};
}

Result<void> Dump::time_index(const std::string& path, Offset base_offset) {
  TRY(columns, read_time_index(files_, path));
  for (const auto& [timestamp_ms, relative] : columns.entries) {
    const int64_t offset = base_offset.v + relative;
    session_.out(json() ? json_line({{"timestamp", timestamp_ms}, {"offset", offset}})
                        : fmt::format("timestamp: {} offset: {}\n", timestamp_ms, offset));
  }
  return {};
}

Result<void> Dump::producers(const std::string& path) {
  TRY(text, read_text_file(files_, path));
  TRY(state, decode_producer_snapshot(as_bytes(text), path, session_.clock.wall_ms()));
  const std::map<int64_t, ProducerEntry> sorted(state.entries().begin(), state.entries().end());
  for (const auto& [producer_id, entry] : sorted) {
    const int64_t last_offset = entry.batch_count() > 0 ? entry.last_batch().last_offset.v : -1;
    session_.out(json() ? json_line({{"producer_id", producer_id},
                                     {"producer_epoch", entry.epoch},
                                     {"last_sequence", entry.last_sequence()},
                                     {"last_offset", last_offset},
                                     {"last_timestamp", entry.last_append_ms},
                                     {"coordinator_epoch", entry.coordinator_epoch},
                                     {"transaction_start", entry.transaction_start.v}})
                        : fmt::format("producerId: {} producerEpoch: {} coordinatorEpoch: {} currentTxnFirstOffset: {} "
                                      "lastTimestamp: {} lastSequence: {} lastOffset: {}\n",
                                      producer_id, entry.epoch, entry.coordinator_epoch, entry.transaction_start,
                                      entry.last_append_ms, entry.last_sequence(), last_offset));
  }
  return {};
}

Result<void> Dump::file(const std::string& path) {
  const std::optional<SegmentFileName> name = parse_segment_file_name(file_name_of(path));
  const std::string_view suffix = name ? name->suffix : kLogSuffix;  // any file may hold batches
  const Offset base_offset = name ? name->base_offset : Offset(0);
  path_ = path;
  if (!json()) line(fmt::format("Dumping {}", path));
  if (suffix == kIndexSuffix) return offset_index(path, base_offset);
  if (suffix == kTimeIndexSuffix) return time_index(path, base_offset);
  if (suffix == kSnapshotSuffix) return producers(path);
  return log(path);
}

}  // namespace

Action declare_log_dump(Flags& flags) {
  const auto options = std::make_shared<DumpOptions>();
  flags.words("path", options->paths, Need::kRequired,
              ".log, .index, .timeindex or .snapshot files, or partition folders");
  flags.on_off("-r,--records", options->records, "Also each record of a batch");
  flags.number("-o,--offset", options->from_offset, {.least = 0, .greatest = INT64_MAX},
               "Begin with the batch that holds it");
  flags.number("-n,--count", options->count, {.least = 0, .greatest = INT64_MAX}, "At most so many batches of a file");
  return [options](Session& session) -> Result<int> {
    PosixFileSystem disk;
    LogProgress progress(session, disk);
    TRY(paths, find_segment_files(progress.files(), options->paths));
    Dump dump(session, *options, progress.files());
    progress.expect(paths.size());
    for (const std::string& path : paths) {
      progress.begin(path);
      TRY(dump.file(path));
    }
    return dump.found_damage() ? kExitFailed : kExitOk;
  };
}

}  // namespace leat::cli
