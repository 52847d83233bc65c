// produce.cpp: leat produce: lines of standard input become records. Batches leave when they are full, or when no more
// input is waiting, so that a person typing sees each line go.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/key_value.h"
#include "cli/record_text.h"
#include "client/batch_sender.h"
#include "core/record/batch_builder.h"
#include "core/record/compression.h"
#include "core/record/partitioner.h"

namespace leat::cli {
namespace {

struct ProduceOptions {
  std::string topic;
  std::optional<std::string> key_separator;
  std::vector<std::string> headers;
  std::optional<int64_t> partition;
  std::string compression = "none";
  std::optional<int64_t> compression_level;
  std::string acks = "all";
  int64_t batch_records = 10'000;
  int64_t batch_bytes = 900'000;
  std::optional<int64_t> timestamp_ms;
  bool empty_is_null = false;
  bool no_create = false;
};

class Producing {
 public:
  Producing(Session& session, const ProduceOptions& options, BatchSender sender)
      : session_(session), options_(options), sender_(std::move(sender)) {}

  Result<void> prepare();
  Result<void> run();
  void print_summary() const;

 private:
  Result<void> on_line(std::string_view line);
  Result<void> flush();
  int32_t choose_partition(const std::optional<ByteView>& key) noexcept;
  BatchBuilder& builder(int32_t partition);

  struct Tally {
    int64_t record_count = 0;
    int64_t first_offset = -1;
    int64_t last_offset = -1;
  };

  Session& session_;
  const ProduceOptions& options_;
  BatchSender sender_;
  std::string key_separator_;
  std::vector<KeyValue> header_pairs_;
  std::vector<HeaderView> headers_;
  Codec codec_ = Codec::kNone;
  std::map<int32_t, BatchBuilder> builders_;
  int64_t waiting_records_ = 0;
  int64_t waiting_bytes_ = 0;
  size_t sticky_ = 0;  // where records without a key go until the next flush
  std::map<int32_t, Tally> tallies_;
  bool saw_input_ = false;
};

Result<void> Producing::prepare() {
  TRY(separator, unescape(options_.key_separator.value_or("")));
  if (options_.key_separator && separator.empty())
    return fail(Errc::kInvalidArgument, "--key-separator is empty: give what stands behind the key, as ':' or '\\t'");
  key_separator_ = std::move(separator);
  TRY(pairs, parse_key_values(options_.headers, "--header"));
  header_pairs_ = std::move(pairs);
  for (const KeyValue& pair : header_pairs_) headers_.push_back({.key = pair.key, .value = as_bytes(pair.value)});
  codec_ = codec_from_name(options_.compression).value_or(Codec::kNone);
  const LevelRange levels = compression_levels(codec_);
  if (options_.compression_level && levels.least == levels.greatest) {
    return fail(Errc::kInvalidArgument,
                fmt::format("--compression-level is of no use with --compression {}: gzip, lz4 and "
                            "zstd have levels",
                            options_.compression));
  }
  if (options_.compression_level &&
      (*options_.compression_level < levels.least || *options_.compression_level > levels.greatest)) {
    return fail(Errc::kInvalidArgument,
                fmt::format("--compression-level {}: {} takes {} to {}", *options_.compression_level,
                            options_.compression, levels.least, levels.greatest));
  }
  if (options_.partition) TRY(partitions_by_leader(sender_.topic(), {static_cast<int32_t>(*options_.partition)}));
  return {};
}

Result<void> Producing::run() {
  constexpr size_t kReadBytes = 256 * 1024;
  constexpr size_t kLineBytesMax = size_t{256} << 20;
  std::vector<uint8_t> input(kReadBytes);
  std::string line;  // begun, not yet ended
  for (;;) {
    TRY(size, session_.console.read_input(input));
    if (size == 0) break;
    std::string_view left = as_text(ByteView(input).first(size));
    for (size_t end = left.find('\n'); end != std::string_view::npos; end = left.find('\n')) {
      line += left.substr(0, end);
      left.remove_prefix(end + 1);
      TRY(on_line(line));
      line.clear();
    }
    line += left;
    if (line.size() > kLineBytesMax) return fail(Errc::kLimit, "a line of more than 256 MiB is no record");
    if (!session_.console.input_is_waiting()) TRY(flush());
  }
  if (!line.empty()) TRY(on_line(line));
  return flush();
}

Result<void> Producing::on_line(std::string_view line) {
  saw_input_ = true;
  if (line.ends_with('\r')) line.remove_suffix(1);
  NewRecord record{.timestamp_ms = options_.timestamp_ms.value_or(session_.clock.wall_ms()), .headers = headers_};
  if (options_.key_separator) {
    const size_t at = line.find(key_separator_);
    if (at != std::string_view::npos) {
      record.key = as_bytes(line.substr(0, at));
      line.remove_prefix(at + key_separator_.size());
    }
  }
  if (!line.empty() || !options_.empty_is_null) record.value = as_bytes(line);
  const auto added = static_cast<int64_t>(BatchBuilder::record_size_max(record));
  if (waiting_bytes_ > 0 && waiting_bytes_ + added > options_.batch_bytes) TRY(flush());
  builder(choose_partition(record.key)).append(record);
  waiting_bytes_ += added;
  if (++waiting_records_ >= options_.batch_records) return flush();
  return {};
}

int32_t Producing::choose_partition(const std::optional<ByteView>& key) noexcept {
  if (options_.partition) return static_cast<int32_t>(*options_.partition);
  const auto count = static_cast<int32_t>(sender_.topic().partitions.size());
  if (key) return partition_for_key(*key, count);
  return static_cast<int32_t>(sticky_ % static_cast<size_t>(count));
}

BatchBuilder& Producing::builder(int32_t partition) {
  const auto found = builders_.find(partition);
  if (found != builders_.end()) return found->second;
  BatchOptions batch{.codec = codec_};
  if (options_.compression_level) batch.compression_level = static_cast<int>(*options_.compression_level);
  return builders_.try_emplace(partition, batch).first->second;
}

Result<void> Producing::flush() {
  std::map<int32_t, Slice> batches;
  for (auto& [partition, records] : builders_) {
    TRY(batch, records.finish());
    batches[partition] = std::move(batch);
  }
  builders_.clear();
  waiting_records_ = 0;
  waiting_bytes_ = 0;
  ++sticky_;
  if (batches.empty()) return {};
  TRY(sent, sender_.send(std::move(batches)));
  for (const SentBatch& batch : sent) {
    Tally& tally = tallies_[batch.partition];
    if (tally.record_count == 0) tally.first_offset = batch.base_offset;
    tally.record_count += batch.record_count;
    tally.last_offset = batch.base_offset < 0 ? -1 : batch.base_offset + batch.record_count - 1;
    if (session_.options.json) {
      session_.out(json_line({{"topic", options_.topic},
                              {"partition", batch.partition},
                              {"base_offset", batch.base_offset},
                              {"records", batch.record_count}}));
      session_.console.flush();
    }
  }
  return {};
}

void Producing::print_summary() const {
  if (!saw_input_) session_.say("No input, no records.");
  for (const auto& [partition, tally] : tallies_) {
    const std::string where = tally.first_offset < 0
                                  ? std::string("not acknowledged")
                                  : fmt::format("offsets {} to {}", tally.first_offset, tally.last_offset);
    session_.say(fmt::format("Produced {} record{} to {}-{}, {}.", tally.record_count,
                             tally.record_count == 1 ? "" : "s", options_.topic, partition, where));
  }
}

Result<int> produce(Session& session, const ProduceOptions& options) {
  TRY(client, session.client());
  TRY(topic, client->topic(options.topic, options.no_create ? AutoCreate::kNo : AutoCreate::kYes));
  const Acks acks = options.acks == "0" ? Acks::kNone : options.acks == "1" ? Acks::kLeader : Acks::kAll;
  Producing producing(session, options, BatchSender(*client, std::move(topic), acks));
  TRY(producing.prepare());
  if (session.console.input_is_terminal() && !session.options.quiet && !session.options.json) {
    session.console.warn(fmt::format("Each line is a record for '{}'; Ctrl-D ends.", options.topic));
  }
  const Result<void> done = producing.run();
  producing.print_summary();
  if (!done) return fail(done.error());
  return kExitOk;
}

}  // namespace

Action declare_produce(Flags& flags) {
  const auto options = std::make_shared<ProduceOptions>();
  flags.word("topic", options->topic, Need::kRequired,
             "Where the records go; made if the broker creates topics by itself");
  flags.text("-K,--key-separator", "TEXT", options->key_separator,
             "What stands before it in a line is the key, as ':' or '\\t'");
  flags.texts("-H,--header", "NAME=VALUE", options->headers, "A header for each record; may be repeated");
  flags.number("-p,--partition", options->partition, {.least = 0, .greatest = INT32_MAX},
               "One partition; otherwise by the key as Java's clients do, or in turn");
  flags.choice("-z,--compression", options->compression, {"none", "gzip", "snappy", "lz4", "zstd"},
               "How batches are packed");
  flags.number("--compression-level", options->compression_level, {.least = -131'072, .greatest = 22},
               "Higher: smaller, slower");
  flags.choice("-a,--acks", options->acks, {"all", "1", "0"},
               "When a record counts as taken: durable, written, or sent");
  flags.number("--batch-records", options->batch_records, {.least = 1, .greatest = 10'000'000},
               "At most so many in one request");
  flags.number("--batch-bytes", options->batch_bytes, {.least = 1, .greatest = 1'000'000'000}, "At most so large");
  flags.number("--timestamp", options->timestamp_ms, {.least = 0, .greatest = INT64_MAX},
               "Of each record, in ms since 1970; else now");
  flags.on_off("-Z,--empty-is-null", options->empty_is_null,
               "An empty value is null: deletes the key in a compacted topic");
  flags.on_off("--no-create", options->no_create, "A topic that does not exist is an error");
  return [options](Session& session) { return produce(session, *options); };
}

}  // namespace leat::cli
