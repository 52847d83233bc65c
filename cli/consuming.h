// consuming.h: what the two ways to consume (alone, and as a member of a group) share: flags, where reading begins, and
// how records are printed.
#pragma once

#include <leat/consumer.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/record_text.h"
#include "cli/session.h"

namespace leat::cli {

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
  std::optional<std::string> group;
  std::optional<std::string> instance_id;
  std::string group_protocol = "auto";
};

using Offsets = std::map<int32_t, int64_t>;  // by partition

client::IsolationLevel isolation_of(const ConsumeOptions& options) noexcept;
// Of both ways: what is fetched ahead is bounded by --max-bytes.
client::ConsumerSettings consumer_settings(const ConsumeOptions& options);
// How long to wait for records at most, before the next look at what else may end the command.
int64_t poll_wait_ms(const ConsumeOptions& options) noexcept;

// As --from-beginning, --offset and --since say; without them where the partitions end.
// OFFSET_OUT_OF_RANGE: a partition does not have --offset.
Result<Offsets> start_offsets(Session& session, const ConsumeOptions& options, const std::vector<int32_t>& partitions);
// What poll() gave as an error that ends the command.
Error reading_failed(Session& session, const client::Error& error);

class RecordPrinter {
 public:
  RecordPrinter(Session& session, const ConsumeOptions& options, RecordFormat format) noexcept
      : session_(session), options_(options), format_(std::move(format)) {}

  void print(const client::RecordView& record);
  // Enough was printed, nobody reads any more, or the user wants to stop.
  bool is_done() const noexcept;
  // Where records begin that came when it was done already.
  const Offsets& first_left_out() const noexcept { return first_left_out_; }

 private:
  bool has_printed_enough() const noexcept { return options_.count && count_ >= *options_.count; }

  Session& session_;
  const ConsumeOptions& options_;
  RecordFormat format_;
  std::string line_;
  int64_t count_ = 0;
  Offsets first_left_out_;
};

}  // namespace leat::cli
