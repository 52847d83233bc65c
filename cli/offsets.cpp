// offsets.cpp: leat offsets: where a topic's partitions begin and end, or where a moment is.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/moment.h"
#include "cli/text_table.h"
#include "cli/topic_lookup.h"

namespace leat::cli {
namespace {

struct OffsetsOptions {
  std::string topic;
  std::vector<int64_t> partitions;
  std::optional<std::string> at;
};

Result<int> print_moment(Session& session, const OffsetsOptions& options, const std::vector<int32_t>& partitions,
                         int64_t moment_ms) {
  TRY(offsets, list_offsets(session, options.topic, partitions, moment_ms));
  TextTable table({"PARTITION", "OFFSET", "TIMESTAMP"});
  for (const auto& [partition, found] : offsets) {
    if (session.options.json) {
      session.out(json_line({{"topic", options.topic},
                             {"partition", partition},
                             {"offset", found.offset},
                             {"timestamp", found.timestamp_ms}}));
    }
    table.add({std::to_string(partition), found.offset < 0 ? "none" : std::to_string(found.offset),
               found.timestamp_ms < 0 ? "-" : std::to_string(found.timestamp_ms)});
  }
  if (!session.options.json) session.out(table.to_string());
  return kExitOk;
}

Result<int> print_offsets(Session& session, const OffsetsOptions& options) {
  std::optional<int64_t> moment_ms;
  if (options.at) {
    TRY(moment, parse_moment(*options.at, session.clock.wall_ms()));
    moment_ms = moment;
  }
  TRY(topic, find_topic(session, options.topic));
  TRY(partitions, chosen_partitions(session, topic, options.partitions));
  if (moment_ms) return print_moment(session, options, partitions, *moment_ms);
  TRY(earliest, list_offsets(session, options.topic, partitions, client::kEarliestOffset));
  TRY(latest, list_offsets(session, options.topic, partitions, client::kLatestOffset));
  // SPAN counts offsets. There may be fewer records: compaction, transaction markers and damage leave gaps.
  TextTable table({"PARTITION", "EARLIEST", "LATEST", "SPAN"});
  for (const auto& [partition, first] : earliest) {
    const int64_t end = latest[partition].offset;
    if (session.options.json) {
      session.out(
          json_line({{"topic", options.topic}, {"partition", partition}, {"earliest", first.offset}, {"latest", end}}));
    }
    table.add({std::to_string(partition), std::to_string(first.offset), std::to_string(end),
               std::to_string(end - first.offset)});
  }
  if (!session.options.json) session.out(table.to_string());
  return kExitOk;
}

}  // namespace

Action declare_offsets(Flags& flags) {
  const auto options = std::make_shared<OffsetsOptions>();
  flags.word("topic", options->topic, Need::kRequired, "The topic");
  flags.numbers("-p,--partition", options->partitions, {.least = 0, .greatest = INT32_MAX}, "Only these: 0 or 0,2");
  flags.text("--at", "TIME", options->at,
             "The first record at or after TIME: milliseconds since 1970, or so long ago: 10m, 2h, 1d");
  return [options](Session& session) { return print_offsets(session, *options); };
}

}  // namespace leat::cli
