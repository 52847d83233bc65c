// consume.cpp: leat consume: records of a topic to standard output, as they come or up to the end that there is now.
// Alone, it prints in this thread what the client's thread fetches ahead.
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/consume_group.h"
#include "cli/consuming.h"
#include "cli/following.h"
#include "cli/moment.h"
#include "cli/topic_lookup.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

using Partitions = std::set<int32_t>;

// In the loop's thread, where it costs one hop for all of them.
client::Task<Offsets> positions_of(const client::Consumer* consumer, std::string topic, Partitions partitions) {
  Offsets positions;
  for (const int32_t partition : partitions) {
    const client::Result<int64_t> position = consumer->position({.topic = topic, .partition = partition});
    if (position) positions[partition] = *position;
  }
  co_return positions;
}

class Reading {
 public:
  Reading(Session& session, const ConsumeOptions& options, client::Client& client, RecordFormat format) noexcept
      : session_(session),
        options_(options),
        client_(client),
        printer_(session, options, std::move(format)),
        following_(session) {}

  Result<void> begin(const std::vector<int32_t>& partitions);
  Result<void> run();

 private:
  Result<void> note_ends(const std::vector<int32_t>& partitions);
  void print(const client::Records& records);
  void note_finished();
  Error failed(const client::Error& error);

  Session& session_;
  const ConsumeOptions& options_;
  client::Client& client_;
  RecordPrinter printer_;
  Following following_;
  std::unique_ptr<client::Consumer> consumer_;
  Offsets next_;           // behind what was printed
  Offsets ends_;           // with --exit
  Partitions unfinished_;  // with --exit: have not come to their end
};

Result<void> Reading::begin(const std::vector<int32_t>& partitions) {
  TRY(start, start_offsets(session_, options_, partitions));
  next_ = std::move(start);
  if (options_.exit_at_end) TRY(note_ends(partitions));
  client::ConsumerSettings settings = consumer_settings(options_);
  settings.auto_offset_reset = client::OffsetReset::kNone;
  TRY(consumer, session_.checked(client_.consumer(settings)));
  consumer_ = std::move(consumer);
  std::vector<client::TopicPartition> names;
  for (const int32_t partition : partitions) names.push_back({.topic = options_.topic, .partition = partition});
  TRY(session_.checked(consumer_->assign(names)));
  for (const client::TopicPartition& name : names) {
    TRY(session_.checked(consumer_->seek(name, next_[name.partition])));
  }
  return {};
}

Result<void> Reading::note_ends(const std::vector<int32_t>& partitions) {
  TRY(ends, list_offsets(session_, options_.topic, partitions, client::kLatestOffset, isolation_of(options_)));
  for (const auto& [partition, end] : ends) {
    ends_[partition] = end.offset;
    if (next_[partition] < end.offset) unfinished_.insert(partition);
  }
  return {};
}

void Reading::print(const client::Records& records) {
  for (const client::RecordView& record : records) {
    printer_.print(record);
    next_[record.partition] = record.offset + 1;
  }
  session_.console.flush();
}

// By positions and not by what was printed: the last batches may hold nothing to print.
void Reading::note_finished() {
  const Offsets positions = client_.run(positions_of(consumer_.get(), options_.topic, unfinished_));
  for (const auto& [partition, position] : positions) {
    if (position >= ends_[partition]) unfinished_.erase(partition);
  }
}

Result<void> Reading::run() {
  following_.begin();  // leaders have told where partitions begin
  while (!printer_.is_done() && !(options_.exit_at_end && unfinished_.empty())) {
    const client::Result<client::Records> records = consumer_->poll(poll_wait_ms(options_)).wait();
    if (!options_.exit_at_end) following_.look(*consumer_, records);
    const bool goes_on = records || (!options_.exit_at_end && following_.bears(records.error()));
    if (!goes_on) {
      const client::Result<client::Records> before_it = consumer_->poll(0).wait();
      if (before_it) print(*before_it);
      return fail(failed(records.error()));
    }
    if (records) print(*records);
    session_.console.look_for_reader();
    if (options_.exit_at_end) note_finished();
  }
  return {};
}

// An offset that the log has no more, because it was cut while it was read, leaves its partition without a position.
Error Reading::failed(const client::Error& error) {
  if (error.kafka_code() != ErrorCode::kOffsetOutOfRange) return reading_failed(session_, error);
  for (const auto& [partition, offset] : next_) {
    const client::TopicPartition name{.topic = options_.topic, .partition = partition};
    if (consumer_->position(name)) continue;
    Result<OffsetsFound> earliest = list_offsets(session_, options_.topic, {partition}, client::kEarliestOffset);
    Result<OffsetsFound> latest = list_offsets(session_, options_.topic, {partition}, client::kLatestOffset);
    if (!earliest || !latest) break;
    return offset_outside(session_, name, offset, (*earliest)[partition].offset, (*latest)[partition].offset);
  }
  return session_.failure(error);
}

Result<int> consume_alone(Session& session, const ConsumeOptions& options) {
  TRY(format, RecordFormat::parse(options.format));
  TRY(topic, find_topic(session, options.topic));
  TRY(partitions, chosen_partitions(session, topic, options.partitions));
  TRY(connected, session.client());
  Reading reading(session, options, *connected, std::move(format));
  TRY(reading.begin(partitions));
  catch_interrupts();
  TRY(reading.run());
  return kExitOk;
}

Result<int> consume(Session& session, const ConsumeOptions& options) {
  const int given = (options.from_beginning ? 1 : 0) + (options.offset ? 1 : 0) + (options.since ? 1 : 0);
  if (given > 1) return fail(Errc::kInvalidArgument, "give one of --from-beginning, --offset and --since");
  if (options.since) TRY(parse_moment(*options.since, session.clock.wall_ms()));  // it is read again where it counts
  if (options.group) return consume_in_group(session, options);
  if (options.instance_id) {
    return fail(Errc::kInvalidArgument, "--group-instance-id names a member of a group: give --group too");
  }
  if (options.group_protocol != "auto") {
    return fail(Errc::kInvalidArgument, "--group-protocol is how members of a group speak: give --group too");
  }
  return consume_alone(session, options);
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
  flags.text("-g,--group", "NAME", options->group,
             "Read as a member of this group: it shares the partitions among its members and keeps how far it came; "
             "--from-beginning and --since count only where it has kept nothing yet");
  flags.text("--group-instance-id", "NAME", options->instance_id,
             "A name of this member's own: after a restart it goes on with the same partitions, and nobody else waits");
  flags.choice("--group-protocol", options->group_protocol, {"auto", "consumer", "classic"},
               "How members and broker speak; auto: consumer where the broker can");
  return [options](Session& session) { return consume(session, *options); };
}

}  // namespace leat::cli
