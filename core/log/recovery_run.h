// recovery_run.h: one recovery of one folder, internal to recovery: recovery.cpp opens and trusts, recovery_scan.cpp
// scans and cuts, recovery_gaps.cpp looks for segments that are gone, recovery_end.cpp settles where the log ends and
// goes on. Thread: one, any.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/log/missing_records.h"
#include "core/log/recovery.h"
#include "core/log/recovery_folder.h"
#include "core/log/recovery_rules.h"
#include "core/log/segment_walk.h"

namespace leat {

class RecoveryRun {
 public:
  RecoveryRun(const PartitionLog::Open& open, const RecoveryHints& hints, RecoveryReport& report)
      : open_(open), hints_(hints), report_(report), files_(open.files), directory_(open.directory) {}
  Result<RecoveredLog> run();

 private:
  enum class Trusted : uint8_t { kYes, kNo };

  // recovery.cpp
  Result<void> read_small_files();
  Result<Offset> end_of_swap(Offset base_offset);
  Result<void> complete_swaps();
  Result<void> clear_leftovers();
  Result<void> list_segments();
  Result<void> check_sealed(size_t index);
  Result<void> rebuild_indexes(Segment& segment);
  Result<Trusted> trust_active();
  Result<Trusted> walk_active_tail(File& file, Segment& segment, int64_t file_size);
  void doubt_epochs();
  Result<void> recover_clean();
  Result<void> recover_unclean();
  Result<void> choose_snapshot(Offset at_most);
  Result<void> replay_state(Offset from, size_t end_segment, Position end_position);
  Result<void> replay_segment(const Segment& segment, Position hint, int64_t end, Offset from);
  void remember(const BatchView& batch);
  void tell_of_damage(std::string line);
  Result<void> lose(std::string line);
  int64_t file_size(const Segment& segment) const { return content_.logs.at(segment.base_offset).size_bytes; }
  std::string log_path(const Segment& segment) const;
  size_t segment_of(Offset offset) const noexcept;
  Offset bound_of(size_t index) const noexcept;  // no offset of the segment reaches it
  bool foreign() const noexcept { return hints_.foreign; }
  SyncKind sync_kind() const noexcept { return sync_kind_of(open_.config); }

  // recovery_end.cpp
  Result<void> settle_offsets();
  Offset believed_log_start(Offset log_end);
  Result<void> tell_of_hole(Offset kept_end);
  void settle_epochs();
  Result<void> settle_snapshots();
  bool is_as_it_was_closed();
  void settle_names();
  void keep_room();
  Result<std::optional<Offset>> begin_of_hole(Offset kept_end);
  struct SealedEnd {
    Offset end{0};
    int32_t epoch = kNoLeaderEpoch;                    // of the last batch
    std::optional<std::string> damage = std::nullopt;  // what stands behind it, when that is no batch
  };
  Result<SealedEnd> end_of_sealed(size_t index);
  static void check_greatest_timestamp(Segment& segment, const BatchView& batch) noexcept;
  Result<void> fill_hole();
  Result<void> cover(size_t index, Offset base_offset, Offset end, int32_t epoch);
  Result<void> go_on_at(Offset base_offset);

  // recovery_gaps.cpp
  struct Gap {
    Offset segment;  // behind which it lies
    Offset begin;
    Offset end;
    int32_t epoch;
  };
  Result<void> settle_gaps();
  std::vector<SegmentExtent> extents_of_segments();
  SegmentExtent extent_of_sealed(size_t index);
  void note_filler(SegmentExtent& extent);
  Compacted compacted() const noexcept;
  Result<void> clear_removed_indexes();
  Result<void> clear_lone_indexes(const std::vector<MissingRecords>& missing);
  Result<void> cover_gaps(const std::vector<SegmentExtent>& extents);

  // recovery_scan.cpp
  struct Scan {
    size_t index;
    Segment& segment;
    File& file;
    SegmentWalk walk;
    int64_t size;
    bool kept_beyond_point = false;
  };
  enum class Going : uint8_t { kOn, kSegmentEnds, kLogEnds };
  Result<Position> prepare_first_scanned(Segment& segment);
  Result<Going> scan_segment(size_t index, Position begin);
  Result<Going> scan_one(Scan& scan);
  Result<Going> on_fault(Scan& scan);
  void keep(Scan& scan, const ScannedBatch& scanned);
  Result<Going> step_over(Scan& scan);
  Result<bool> valid_follows(const Scan& scan, Position after);
  Result<void> note_valid_offsets(File& file, Position begin, int64_t size, Offset offset_limit);
  Result<void> cut(Scan& scan, Position at, Verdict verdict);
  Result<void> drop_later_segments(size_t index, Verdict verdict);
  Result<void> make_durable(Scan& scan);

  const PartitionLog::Open& open_;
  RecoveryHints hints_;
  RecoveryReport& report_;
  FileSystem& files_;
  const std::string& directory_;
  FolderContent content_;
  RecoveredLog log_;

  Trusted trusted_ = Trusted::kNo;  // that a clean stop left it
  Offset point_{0};                 // the recovery point in force
  Offset next_offset_{0};           // what comes next is not below it
  int32_t epoch_ = kNoLeaderEpoch;  // nor of a lower leader epoch
  Offset offset_floor_{0};          // offsets below it may have been given to records that are cut or damaged
  Offset snapshot_offset_{0};       // producer state speaks up to it
  std::optional<Offset> hole_;      // from here to the log end nothing stands, and readers may be there
  // Of the last batch that was seen. Not the highest: one that lies before a lower one has rotted, for an epoch stands
  // outside the CRC.
  int32_t last_epoch_ = kNoLeaderEpoch;
  int damage_lines_ = 0;
  bool epochs_are_known_ = false;
  bool active_is_damaged_ = false;  // and cannot grow: a new segment follows it
  bool directory_changed_ = false;
};

}  // namespace leat
