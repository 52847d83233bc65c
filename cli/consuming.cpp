// consuming.cpp: offsets by ListOffsets, records as text or JSON.
#include "cli/consuming.h"

#include "cli/json_text.h"
#include "cli/moment.h"

namespace leat::cli {
namespace {

// To be told before reading: with --exit, an offset behind the end would look like one at the end.
Result<void> check_offset(SimpleClient& client, const Topic& topic, int64_t offset,
                          const std::vector<int32_t>& partitions, const std::map<int32_t, PartitionOffset>& latest) {
  TRY(earliest, list_offsets(client, topic, kEarliestOffset, partitions));
  for (const auto& [partition, end] : latest) {
    const int64_t begin = earliest[partition].offset;
    if (offset >= begin && offset <= end.offset) continue;
    Error error = offset_outside({.topic = topic.name.value_or(""), .partition = partition}, offset, begin, end.offset);
    if (latest.size() > 1) {
      error.context =
          with_hint(std::move(error.context), "--offset is meant for every partition; --partition N picks one");
    }
    return fail(std::move(error));
  }
  return {};
}

}  // namespace

Result<Offsets> start_offsets(Session& session, SimpleClient& client, const Topic& topic, const ConsumeOptions& options,
                              const std::vector<int32_t>& partitions) {
  TRY(latest, list_offsets(client, topic, kLatestOffset, partitions));
  Offsets start;
  for (const auto& [partition, end] : latest) start[partition] = options.offset ? *options.offset : end.offset;
  if (options.offset) TRY(check_offset(client, topic, *options.offset, partitions, latest));
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

bool at_end(const Offsets& positions, const Offsets& ends) {
  for (const auto& [partition, position] : positions) {
    if (position < ends.at(partition)) return false;
  }
  return true;
}

void RecordPrinter::print(const FetchedRecord& fetched) {
  if (is_done()) {
    first_left_out_.try_emplace(fetched.partition, fetched.offset);
    return;
  }
  const ConsumedRecord record{.topic = options_.topic,
                              .partition = fetched.partition,
                              .offset = fetched.offset,
                              .timestamp_ms = fetched.timestamp_ms,
                              .record = fetched.record};
  line_.clear();
  if (session_.options.json) {
    line_ = record_json(record).line();
  } else {
    format_.append_to(line_, record);
  }
  session_.out(line_);
  ++count_;
}

bool RecordPrinter::is_done() const noexcept {
  return session_.output_closed() || interrupted() || has_printed_enough();
}

Offsets RecordPrinter::printed_below(const Offsets& positions) const {
  Offsets printed = positions;
  for (auto& [partition, offset] : printed) {
    if (const auto left = first_left_out_.find(partition); left != first_left_out_.end()) offset = left->second;
  }
  return printed;
}

}  // namespace leat::cli
