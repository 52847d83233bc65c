// compaction_fixture.h: logs of keyed records: written, sealed, compacted and read back in short words.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "test/core/log/log_fixture.h"

namespace leat::test {

struct Keyed {
  std::optional<std::string> key;
  std::optional<std::string> value;     // nullopt: a tombstone
  int64_t timestamp_ms = kNoTimestamp;  // none: the batch's
};

struct KeyedBatch {
  std::vector<Keyed> records;
  int64_t timestamp_ms = kStartMs;
  BatchOptions options = {};
};
AppendInput make_keyed(const KeyedBatch& batch);

// A record as a reader sees it.
struct SeenKeyed {
  int64_t offset;
  std::string key;
  std::optional<std::string> value;
  friend bool operator==(const SeenKeyed&, const SeenKeyed&) = default;
};
std::vector<SeenKeyed> keyed_of(ByteView batches);

// Of a log in which each batch that write() is given begins a segment, so that all but the last are sealed.
LogConfig compacted();

struct CompactedLog : OpenLog {
  explicit CompactedLog(FileSystem& file_system, const LogConfig& log_config = compacted())
      : OpenLog(file_system, log_config) {}

  Offset write(std::vector<Keyed> records);  // one batch, at the log's time
  Offset write_batch(KeyedBatch batch);
  Offset append_batch(KeyedBatch batch);  // in the same segment, if it fits
  // Behind a last one, and with the indexes in their files: all that was written before may be compacted.
  void settle();
  // Three keys, written again and again, and settled; the last round stays.
  void write_rounds(int rounds);
  // Until nothing is due; what the log said about it.
  std::vector<std::string> compact(const CompactionLimits& limits = {});
  // One piece; false when none is due.
  bool compact_once(const CompactionLimits& limits = {});
  std::vector<SeenKeyed> keyed();  // from the log start on
  std::vector<SeenKeyed> keyed_from(Offset from);
  // Without the records that settle() made.
  std::vector<SeenKeyed> kept();
  std::vector<uint8_t> bytes();  // of the whole log
  void for_each_batch(const std::function<void(const BatchView&)>& visit);
  size_t count_files(std::string_view suffix);
};

inline constexpr std::string_view kFiller = "filler";

}  // namespace leat::test
