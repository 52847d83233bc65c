// consume.cpp: leat consume: records of a topic to standard output, as they come or up to the end that there is now.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/moment.h"
#include "cli/record_text.h"
#include "client/partition_reader.h"
#include "client/topic_offsets.h"

namespace leat::cli {
namespace {

struct ConsumeOptions {
  std::string topic;
  std::vector<int64_t> partitions;
  bool from_beginning = false;
  std::optional<int64_t> offset;
  std::optional<std::string> since;
  bool exit_at_end = false;
  std::optional<int64_t> count;
  std::string format = "%v\\n";
  std::string isolation = "read_uncommitted";
  int64_t max_bytes = 8 << 20;
};

using Offsets = std::map<int32_t, int64_t>;

Result<Offsets> start_offsets(Session& session, SimpleClient& client, const Topic& topic,
                              const ConsumeOptions& options) {
  const std::vector<int32_t> partitions(options.partitions.begin(), options.partitions.end());
  const int given = (options.from_beginning ? 1 : 0) + (options.offset ? 1 : 0) + (options.since ? 1 : 0);
  if (given > 1) return fail(Errc::kInvalidArgument, "give one of --from-beginning, --offset and --since");
  TRY(latest, list_offsets(client, topic, kLatestOffset, partitions));
  Offsets start;
  for (const auto& [partition, end] : latest) start[partition] = options.offset ? *options.offset : end.offset;
  if (options.from_beginning) {
    TRY(earliest, list_offsets(client, topic, kEarliestOffset, partitions));
    for (const auto& [partition, first] : earliest) start[partition] = first.offset;
  }
  if (options.since) {
    TRY(moment_ms, parse_moment(*options.since, session.clock.wall_ms()));
    TRY(found, list_offsets(client, topic, moment_ms, partitions));
    for (const auto& [partition, first] : found) {
      if (first.offset >= 0) start[partition] = first.offset;
    }
  }
  return start;
}

class Consuming {
 public:
  Consuming(Session& session, const ConsumeOptions& options, RecordFormat format) noexcept
      : session_(session), options_(options), format_(std::move(format)) {}

  void on_record(const ConsumedRecord& record) {
    if (is_done()) return;
    line_.clear();
    if (session_.options.json) {
      line_ = record_json(record).line();
    } else {
      format_.append_to(line_, record);
    }
    session_.out(line_);
    ++count_;
  }
  bool is_done() const noexcept {
    return session_.output_closed() || interrupted() || (options_.count && count_ >= *options_.count);
  }
  int64_t count() const noexcept { return count_; }

 private:
  Session& session_;
  const ConsumeOptions& options_;
  RecordFormat format_;
  std::string line_;
  int64_t count_ = 0;
};

bool at_end(const Offsets& positions, const Offsets& ends) {
  for (const auto& [partition, position] : positions) {
    if (position < ends.at(partition)) return false;
  }
  return true;
}

Result<int> consume(Session& session, const ConsumeOptions& options) {
  TRY(format, RecordFormat::parse(options.format));
  TRY(client, session.client());
  TRY(topic, client->topic(options.topic, AutoCreate::kNo));
  TRY(positions, start_offsets(session, *client, topic, options));
  Offsets ends;
  if (options.exit_at_end) {
    const std::vector<int32_t> partitions(options.partitions.begin(), options.partitions.end());
    TRY(latest, list_offsets(*client, topic, kLatestOffset, partitions));
    for (const auto& [partition, end] : latest) ends[partition] = end.offset;
  }
  catch_interrupts();
  Consuming consuming(session, options, std::move(format));
  PartitionReader reader(
      *client, topic, positions,
      {.max_bytes = static_cast<int32_t>(options.max_bytes),
       .isolation = options.isolation == "read_committed" ? Isolation::kReadCommitted : Isolation::kReadUncommitted});
  const auto on_record = [&](const FetchedRecord& fetched) {
    consuming.on_record({.topic = options.topic,
                         .partition = fetched.partition,
                         .offset = fetched.offset,
                         .timestamp_ms = fetched.timestamp_ms,
                         .record = fetched.record});
  };
  while (!consuming.is_done() && !(options.exit_at_end && at_end(reader.positions(), ends))) {
    TRY(reader.poll(Millis(500), on_record));
    session.console.flush();
  }
  return kExitOk;
}

}  // namespace

Action declare_consume(Flags& flags) {
  const auto options = std::make_shared<ConsumeOptions>();
  flags.word("topic", options->topic, Need::kRequired, "What to read");
  flags.numbers("-p,--partition", options->partitions, {.least = 0, .greatest = INT32_MAX}, "Only these: 0 or 0,2");
  flags.on_off("--from-beginning", options->from_beginning, "All that is there; without it, what comes from now on");
  flags.number("-o,--offset", options->offset, {.least = 0, .greatest = INT64_MAX}, "Begin at this offset");
  flags.text("--since", "TIME", options->since,
             "Begin at this time: milliseconds since 1970, 2026-01-31T12:00:00Z, or so long ago: 10m, 2h, 1d");
  flags.on_off("-e,--exit", options->exit_at_end, "End where the topic ends now; without it, wait for more");
  flags.number("-n,--count", options->count, {.least = 0, .greatest = INT64_MAX}, "End after so many records");
  flags.text("-f,--format", "TEXT", options->format,
             "How a record is printed: %t topic, %p partition, %o offset, %T timestamp, %k key, %v value, %h headers, "
             "%K %S lengths, \\\\n \\\\t");
  flags.choice("--isolation", options->isolation, {"read_uncommitted", "read_committed"},
               "Whether open transactions are seen");
  flags.number("--max-bytes", options->max_bytes, {.least = 1, .greatest = 1 << 30}, "At most so much in one fetch");
  return [options](Session& session) { return consume(session, *options); };
}

}  // namespace leat::cli
