// produce.cpp: leat produce: lines of standard input become records. Batches leave when they are full, or when no more
// input is waiting, so that a person typing sees each line go. Input is read on while batches are under way, as far as
// the producer's memory goes.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/amount_text.h"
#include "cli/command.h"
#include "cli/deliveries.h"
#include "cli/json_text.h"
#include "cli/key_value.h"
#include "cli/progress_line.h"
#include "cli/record_text.h"
#include "cli/size_limits.h"
#include "cli/suggest.h"
#include "cli/topic_lookup.h"
#include "core/base/bytes.h"
#include "core/record/batch.h"
#include "core/record/compression.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

constexpr int64_t kLingerMs = 1'000;                // flushes do what is to be quick
constexpr size_t kRequestBytesMax = 1'000'000'000;  // one line may be large; what waits is bounded anyway
constexpr size_t kBufferBytesMin = size_t{32} << 20;
constexpr size_t kBatchesTakenAt = 1'000;
constexpr int64_t kFlushGraceMs = 5'000;       // records time out by themselves, and say why
constexpr size_t kLargeRecordBytes = 500'000;  // half of what topics take by default: from here on it is asked

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
  Producing(Session& session, const ProduceOptions& options) noexcept : session_(session), options_(options) {}

  Result<void> prepare();  // what the flags say, before anybody is asked
  Result<void> connect();
  Result<void> run();
  void settle();  // waits for what is under way, and tells of it
  void print_summary() const;
  bool saw_input() const noexcept { return saw_input_; }

 private:
  Result<void> check_level() const;
  client::ProducerSettings settings() const;
  Result<void> on_line(std::string_view line);
  Result<void> send(const client::ProducerRecord& record);
  Result<void> flush();
  Result<void> check_deliveries();
  Result<void> check_size(const client::ProducerRecord& record);
  const SizeLimits& size_limits();
  Error refused(const client::Error& error);
  std::string too_large_hint();
  bool wants_more_replicas() const;
  void print_batches(Deliveries::Settled settled);
  void show_progress(ProgressLine& progress) const;
  int64_t delivery_timeout_ms() const noexcept { return session_.options.timeout_ms + kLingerMs; }

  Session& session_;
  const ProduceOptions& options_;
  client::Client* client_ = nullptr;
  client::TopicInfo topic_;
  std::string key_separator_;
  std::vector<KeyValue> header_pairs_;
  std::vector<client::Header> headers_;
  Codec codec_ = Codec::kNone;
  Deliveries deliveries_;  // outlives the producer, which tells it to the last
  std::unique_ptr<client::Producer> producer_;
  bool saw_input_ = false;
  int64_t line_count_ = 0;
  int64_t input_bytes_ = 0;
  int64_t largest_record_bytes_ = 0;        // key and value
  std::optional<SizeLimits> known_limits_;  // when they were asked for
};

Result<void> Producing::check_level() const {
  if (!options_.compression_level) return {};
  const LevelRange levels = compression_levels(codec_);
  if (levels.least == levels.greatest) {
    return fail(Errc::kInvalidArgument,
                fmt::format("--compression-level is of no use with --compression {}: gzip, lz4 and "
                            "zstd have levels",
                            options_.compression));
  }
  if (*options_.compression_level >= levels.least && *options_.compression_level <= levels.greatest) return {};
  return fail(Errc::kInvalidArgument,
              fmt::format("--compression-level {}: {} takes {} to {}", *options_.compression_level,
                          options_.compression, levels.least, levels.greatest));
}

Result<void> Producing::prepare() {
  TRY(separator, unescape(options_.key_separator.value_or("")));
  if (options_.key_separator && separator.empty())
    return fail(Errc::kInvalidArgument, "--key-separator is empty: give what stands behind the key, as ':' or '\\t'");
  key_separator_ = std::move(separator);
  TRY(pairs, parse_key_values(options_.headers, "--header"));
  header_pairs_ = std::move(pairs);
  for (const KeyValue& pair : header_pairs_) headers_.push_back({.key = pair.key, .value = pair.value});
  codec_ = codec_from_name(options_.compression).value_or(Codec::kNone);
  return check_level();
}

client::ProducerSettings Producing::settings() const {
  client::ProducerSettings settings;
  settings.acks = options_.acks == "0"   ? client::Acks::kNone
                  : options_.acks == "1" ? client::Acks::kLeader
                                         : client::Acks::kAll;
  settings.compression = static_cast<client::Compression>(codec_);
  if (options_.compression_level) settings.compression_level = static_cast<int>(*options_.compression_level);
  settings.linger_ms = kLingerMs;
  settings.batch_bytes_max = static_cast<size_t>(options_.batch_bytes);
  settings.batch_records_max = static_cast<int32_t>(options_.batch_records);
  settings.request_bytes_max = kRequestBytesMax;
  settings.buffer_bytes_max = std::max(kBufferBytesMin, 2 * settings.batch_bytes_max);
  settings.request_timeout_ms = session_.options.timeout_ms;
  settings.delivery_timeout_ms = delivery_timeout_ms();
  settings.unknown_topic_wait_ms = session_.options.timeout_ms;
  return settings;
}

Result<void> Producing::connect() {
  TRY(connected, session_.client());
  client_ = connected;
  TRY(topic, options_.no_create ? find_topic(session_, options_.topic) : find_or_make_topic(session_, options_.topic));
  topic_ = std::move(topic);
  if (options_.partition) TRY(chosen_partitions(session_, topic_, {*options_.partition}));
  TRY(reach_leaders(session_, topic_));
  TRY(producer, session_.checked(client_->producer(settings())));
  producer_ = std::move(producer);
  return {};
}

Result<void> Producing::run() {
  constexpr size_t kReadBytes = 256 * 1024;
  constexpr size_t kLineBytesMax = size_t{256} << 20;
  std::vector<uint8_t> input(kReadBytes);
  std::string line;  // begun, not yet ended
  ProgressLine progress(session_);
  for (;;) {
    TRY(size, session_.console.read_input(input));
    if (size == 0) break;
    input_bytes_ += static_cast<int64_t>(size);
    if (progress.is_due()) show_progress(progress);
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
    if (deliveries_.batch_count() >= kBatchesTakenAt) print_batches(Deliveries::Settled::kNo);
  }
  if (!line.empty()) TRY(on_line(line));
  return flush();
}

Result<void> Producing::on_line(std::string_view line) {
  saw_input_ = true;
  ++line_count_;
  TRY(check_deliveries());
  if (line.ends_with('\r')) line.remove_suffix(1);
  client::ProducerRecord record{.topic = options_.topic, .headers = headers_};
  record.timestamp_ms = options_.timestamp_ms.value_or(client::kTimestampNow);
  if (options_.partition) record.partition = static_cast<int32_t>(*options_.partition);
  if (options_.key_separator) {
    const size_t at = line.find(key_separator_);
    if (at != std::string_view::npos) {
      record.key = line.substr(0, at);
      line.remove_prefix(at + key_separator_.size());
    }
  }
  if (!line.empty() || !options_.empty_is_null) record.value = line;
  TRY(check_size(record));
  return send(record);
}

const SizeLimits& Producing::size_limits() {
  if (!known_limits_) known_limits_ = ask_size_limits(*client_, topic_);
  return *known_limits_;
}

// Before it is sent: a request that is too large costs the connection, again and again until the record times out.
Result<void> Producing::check_size(const client::ProducerRecord& record) {
  const size_t size_bytes = record.key.value_or("").size() + record.value.value_or("").size();
  largest_record_bytes_ = std::max(largest_record_bytes_, static_cast<int64_t>(size_bytes));
  if (size_bytes < kLargeRecordBytes) return {};
  std::optional<Error> fault =
      refuse_size(session_, size_limits(), topic_, codec_ == Codec::kNone ? Packed::kNo : Packed::kYes,
                  static_cast<int64_t>(size_bytes), fmt::format("line {} has {} bytes", line_count_, size_bytes));
  if (fault) return fail(*std::move(fault));
  return {};
}

// Where there is no room: waits until a quarter of it is free; for a record that needs more, until all of it is.
Result<void> Producing::send(const client::ProducerRecord& record) {
  for (int refusals = 0;; ++refusals) {
    const client::Result<> taken = producer_->send(record, deliveries_.callback());
    if (taken) return {};
    if (taken.error().cause() != client::Cause::kQueueFull) return fail(refused(taken.error()));
    if (refusals == 0) {
      TRY(session_.wait(producer_->ready()));
    } else {
      TRY(flush());
    }
    TRY(check_deliveries());
  }
}

Result<void> Producing::flush() {
  TRY(session_.wait(producer_->flush(delivery_timeout_ms() + kFlushGraceMs)));
  print_batches(Deliveries::Settled::kYes);
  return check_deliveries();
}

Result<void> Producing::check_deliveries() {
  if (!deliveries_.has_failed()) return {};
  return fail(refused(deliveries_.first_error()));
}

void Producing::settle() {
  if (!producer_) return;
  const client::Result<> settled = producer_->close(delivery_timeout_ms() + kFlushGraceMs).wait();
  print_batches(settled ? Deliveries::Settled::kYes : Deliveries::Settled::kNo);
}

Error Producing::refused(const client::Error& error) {
  const bool too_large = error.cause() == client::Cause::kTooLarge || error.kafka_code() == ErrorCode::kMessageTooLarge;
  if (too_large) return session_.failure(error, with_hint(error.message(), too_large_hint()));
  const bool lacks_replicas = error.last_refusal() == ErrorCode::kNotEnoughReplicas ||
                              error.last_refusal() == ErrorCode::kNotEnoughReplicasAfterAppend;
  if (lacks_replicas && wants_more_replicas()) {
    return session_.failure(error,
                            with_hint(error.message(), fmt::format("A leatd is one replica: leat config set topic "
                                                                   "{} min.insync.replicas=1",
                                                                   options_.topic)));
  }
  return session_.failure(error);
}

// A batch that is too large is split by the producer: what is refused in the end is a record that is so by itself.
std::string Producing::too_large_hint() {
  const std::string raise = fmt::format("leat config set topic {} max.message.bytes=N", options_.topic);
  const std::optional<int64_t> batch_bytes_max = size_limits().batch_bytes;
  if (!batch_bytes_max) return fmt::format("The topic takes no record as large as one of these. More: {}", raise);
  const auto header_bytes = static_cast<int64_t>(kBatchHeaderBytes);
  if (largest_record_bytes_ + header_bytes > *batch_bytes_max) {
    return fmt::format("The topic's max.message.bytes is {}, and one record has {} bytes alone: {}", *batch_bytes_max,
                       largest_record_bytes_, raise);
  }
  return fmt::format("The topic's max.message.bytes is {}, and a record alone is more. Raise it: {}", *batch_bytes_max,
                     raise);
}

// More than the topic has: then nothing is ever taken.
bool Producing::wants_more_replicas() const {
  const client::ConfigResource resource{.type = client::ResourceType::kTopic, .name = options_.topic};
  const client::Result<std::vector<client::ConfigEntry>> entries =
      client_->admin().describe_configs(resource, {"min.insync.replicas"}).wait();
  if (!entries || entries->empty() || topic_.partitions.empty()) return false;
  const std::string wanted = entries->front().value.value_or("");
  const std::string there = std::to_string(topic_.partitions.front().replicas.size());
  return wanted.size() > there.size() || (wanted.size() == there.size() && wanted > there);
}

void Producing::print_batches(Deliveries::Settled settled) {
  if (!session_.options.json) return deliveries_.drop_batches(settled);
  for (const Deliveries::Batch& batch : deliveries_.take_batches(settled)) {
    session_.out(json_line({{"topic", options_.topic},
                            {"partition", batch.partition},
                            {"base_offset", batch.base_offset},
                            {"records", batch.record_count}}));
  }
  session_.console.flush();
}

// Of a file or a pipe: who types sees what was typed.
void Producing::show_progress(ProgressLine& progress) const {
  if (session_.console.input_is_terminal()) return;
  const std::optional<int64_t> all_bytes = session_.console.input_size_bytes();
  const std::string part = all_bytes ? " of " + bytes_text(static_cast<double>(*all_bytes)) : std::string();
  progress.show(fmt::format("{} records, {}{} read, {}/s", line_count_, bytes_text(static_cast<double>(input_bytes_)),
                            part, bytes_text(progress.per_second(input_bytes_))));
}

void Producing::print_summary() const {
  for (const auto& [partition, tally] : deliveries_.tallies()) {
    const std::string where = tally.first_offset < 0
                                  ? std::string("not acknowledged")
                                  : fmt::format("offsets {} to {}", tally.first_offset, tally.last_offset);
    session_.say(fmt::format("Produced {} record{} to {}-{}, {}.", tally.record_count,
                             tally.record_count == 1 ? "" : "s", options_.topic, partition, where));
  }
}

Result<int> produce(Session& session, const ProduceOptions& options) {
  Producing producing(session, options);
  TRY(producing.prepare());
  TRY(producing.connect());
  if (session.console.input_is_terminal() && !session.options.quiet && !session.options.json) {
    session.console.warn(fmt::format("Each line is a record for '{}'; Ctrl-D ends.", options.topic));
  }
  const Result<void> done = producing.run();
  producing.settle();
  producing.print_summary();
  if (!done) return fail(done.error());
  if (!producing.saw_input()) session.say("No input, no records.");
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
               "One partition; otherwise by the key as Java's clients do, or batch by batch");
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
