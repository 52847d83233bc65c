// consuming.cpp: offsets to begin at, records as text or JSON.
#include "cli/consuming.h"

#include "cli/json_text.h"
#include "cli/moment.h"
#include "cli/suggest.h"
#include "cli/topic_lookup.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

constexpr int64_t kPollWaitMs = 500;
constexpr int64_t kPollWaitToExitMs = 100;  // the last batches of a partition may hold no records

// To be told before reading: with --exit, an offset behind the end would look like one at the end.
Result<void> check_offset(Session& session, const ConsumeOptions& options, const std::vector<int32_t>& partitions) {
  TRY(earliest, list_offsets(session, options.topic, partitions, client::kEarliestOffset));
  TRY(latest, list_offsets(session, options.topic, partitions, client::kLatestOffset));
  const int64_t offset = *options.offset;
  for (const auto& [partition, end] : latest) {
    const int64_t begin = earliest[partition].offset;
    if (offset >= begin && offset <= end.offset) continue;
    const client::TopicPartition name{.topic = options.topic, .partition = partition};
    const Error outside = offset_outside(session, name, offset, begin, end.offset);
    if (latest.size() == 1) return fail(outside);
    return fail(
        session.refusal(ErrorCode::kOffsetOutOfRange,
                        with_hint(outside.context, "--offset is meant for every partition; --partition N picks one")));
  }
  return {};
}

}  // namespace

client::IsolationLevel isolation_of(const ConsumeOptions& options) noexcept {
  return options.isolation == "read_committed" ? client::IsolationLevel::kReadCommitted
                                               : client::IsolationLevel::kReadUncommitted;
}

client::ConsumerSettings consumer_settings(const ConsumeOptions& options) {
  client::ConsumerSettings settings;
  settings.isolation_level = isolation_of(options);
  settings.fetch_bytes_max = static_cast<int32_t>(options.max_bytes);
  settings.partition_fetch_bytes_max = static_cast<int32_t>(options.max_bytes);
  settings.partition_prefetch_bytes_max = static_cast<size_t>(options.max_bytes);
  settings.prefetch_bytes_max = 2 * static_cast<size_t>(options.max_bytes);
  settings.unpacked_bytes_max = int64_t{256} << 20;
  return settings;
}

int64_t poll_wait_ms(const ConsumeOptions& options) noexcept {
  return options.exit_at_end ? kPollWaitToExitMs : kPollWaitMs;
}

Result<Offsets> start_offsets(Session& session, const ConsumeOptions& options, const std::vector<int32_t>& partitions) {
  Offsets start;
  if (options.offset) {
    TRY(check_offset(session, options, partitions));
    for (const int32_t partition : partitions) start[partition] = *options.offset;
    return start;
  }
  const int64_t begin = options.from_beginning ? client::kEarliestOffset : client::kLatestOffset;
  TRY(first, list_offsets(session, options.topic, partitions, begin, isolation_of(options)));
  for (const auto& [partition, found] : first) start[partition] = found.offset;
  if (options.since) {
    TRY(moment_ms, parse_moment(*options.since, session.clock.wall_ms()));
    TRY(since, list_offsets(session, options.topic, partitions, moment_ms));
    for (const auto& [partition, found] : since) {
      if (found.offset >= 0) start[partition] = found.offset;
    }
  }
  return start;
}

Error reading_failed(Session& session, const client::Error& error) {
  if (error.cause() == client::Cause::kDamaged) {
    return session.failure(error, with_hint(error.message(), "Look with: leat log verify"));
  }
  return session.failure(error);
}

void RecordPrinter::print(const client::RecordView& record) {
  if (is_done()) {
    first_left_out_.try_emplace(record.partition, record.offset);
    return;
  }
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

}  // namespace leat::cli
