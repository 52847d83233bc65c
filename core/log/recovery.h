// recovery.h: opens the folder of a partition: after a clean stop by trusting it, after a crash by scanning what the
// recovery point does not cover. Rules: recovery_rules.h and docs/on-disk-format.md. What it promises: nothing valid
// below the recovery point is lost; a torn tail is cut; whatever else is cut is kept in a side file; what is kept is
// durable (under the flush policies that promise that) before anybody sees it; no offset that a record may have had is
// given to another; readers at offsets that are lost are carried to the log end, or told of the damage that stands
// there; files that are not ours are left alone. Thread: any one.
#pragma once

#include <memory>
#include <vector>

#include "core/log/leader_epoch_cache.h"
#include "core/log/partition_log.h"
#include "core/log/producer_state.h"
#include "core/log/segment.h"

namespace leat {

struct RecoveredLog {
  Uuid topic_id;
  std::vector<std::shared_ptr<Segment>> segments;  // oldest first, at least one; the last is active
  ProducerState producers;
  LeaderEpochCache epochs;
  enum class EpochFile : uint8_t {
    kCurrent,
    kLacksUnused,  // the leader epoch, of which there is no batch yet: it is written with the first one
    kStale,        // an epoch that has batches
  } epoch_file = EpochFile::kCurrent;
  int32_t leader_epoch = 0;
  Offset log_start{0};
  Offset log_end{0};
  Offset recovery_point{0};
  std::vector<Offset> snapshots;  // on disk, ascending
  Offset cleaned{0};              // compaction has been over what lies below it
  Compacted compacted = Compacted::kNo;
  Offset checkpointed{0};  // up to here indexes and a snapshot are in files; -1: something is to be written
};

Result<RecoveredLog> recover_folder(const PartitionLog::Open& open, const RecoveryHints& hints, RecoveryReport& report);

// partition.metadata: "version: 0\ntopic_id: <id>\n"
std::string encode_partition_metadata(const Uuid& topic_id);
Result<Uuid> decode_partition_metadata(std::string_view text, std::string_view path);

}  // namespace leat
