// consume.cpp: leat consume: records of a topic to standard output, as they come or up to the end that there is now.
#include <memory>

#include "cli/command.h"
#include "cli/consume_group.h"
#include "cli/consuming.h"
#include "client/partition_reader.h"

namespace leat::cli {
namespace {

Result<int> consume_alone(Session& session, const ConsumeOptions& options) {
  const std::vector<int32_t> partitions(options.partitions.begin(), options.partitions.end());
  TRY(format, RecordFormat::parse(options.format));
  TRY(client, session.client());
  TRY(topic, client->topic(options.topic, AutoCreate::kNo));
  TRY(positions, start_offsets(session, *client, topic, options, partitions));
  Offsets ends;
  if (options.exit_at_end) {
    TRY(latest, list_offsets(*client, topic, kLatestOffset, partitions));
    for (const auto& [partition, end] : latest) ends[partition] = end.offset;
  }
  catch_interrupts();
  RecordPrinter printer(session, options, std::move(format));
  PartitionReader reader(
      *client, topic, positions,
      {.max_bytes = static_cast<int32_t>(options.max_bytes),
       .isolation = options.isolation == "read_committed" ? Isolation::kReadCommitted : Isolation::kReadUncommitted});
  const auto on_record = [&printer](const FetchedRecord& fetched) { printer.print(fetched); };
  while (!printer.is_done() && !(options.exit_at_end && at_end(reader.positions(), ends))) {
    TRY(reader.poll(Millis(500), on_record));
    session.console.flush();
  }
  return kExitOk;
}

Result<int> consume(Session& session, const ConsumeOptions& options) {
  const int given = (options.from_beginning ? 1 : 0) + (options.offset ? 1 : 0) + (options.since ? 1 : 0);
  if (given > 1) return fail(Errc::kInvalidArgument, "give one of --from-beginning, --offset and --since");
  if (options.group) return consume_in_group(session, options);
  if (options.instance_id) {
    return fail(Errc::kInvalidArgument, "--group-instance-id names a member of a group: give --group too");
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
