// consuming.h: what the two ways to consume (alone, and as a member of a group) share: flags, where reading begins, and
// how records are printed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/record_text.h"
#include "cli/session.h"
#include "client/partition_reader.h"
#include "client/topic_offsets.h"

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

// As --from-beginning, --offset and --since say; without them where the partitions end. All when `partitions` is empty.
// kOffsetOutOfRange: a partition does not have --offset.
Result<Offsets> start_offsets(Session& session, SimpleClient& client, const Topic& topic, const ConsumeOptions& options,
                              const std::vector<int32_t>& partitions);

// Every partition stands at its end or beyond.
bool at_end(const Offsets& positions, const Offsets& ends);

class RecordPrinter {
 public:
  RecordPrinter(Session& session, const ConsumeOptions& options, RecordFormat format) noexcept
      : session_(session), options_(options), format_(std::move(format)) {}

  void print(const FetchedRecord& fetched);
  // Enough was printed, nobody reads any more, or the user wants to stop.
  bool is_done() const noexcept;
  // `positions` of the reader, but for partitions whose records were not all printed: those at the first that was not.
  Offsets printed_below(const Offsets& positions) const;

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
