// file_names.h: the names that Apache Kafka gives to the files and folders of a log, and ours beside them.
//   segment file  := base_offset as 20 digits, suffix         suffix := .log .index .timeindex .txnindex .snapshot
//   being removed := segment file ".deleted"
//   compacted     := segment file ".cleaned" while it is made, then ".log.swap" until it has its segment's place
//   folder        := topic "-" partition                      partition without leading zeros
//   folder, going := topic "-" partition "." 32 hex digits ("-delete" | "-future" | "-stray")
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/strong.h"
#include "core/base/topic_partition.h"
#include "core/base/uuid.h"

namespace leat {

inline constexpr std::string_view kLogSuffix = ".log";
inline constexpr std::string_view kIndexSuffix = ".index";
inline constexpr std::string_view kTimeIndexSuffix = ".timeindex";
inline constexpr std::string_view kTransactionIndexSuffix = ".txnindex";
inline constexpr std::string_view kSnapshotSuffix = ".snapshot";
inline constexpr std::string_view kDeletedSuffix = ".deleted";
inline constexpr std::string_view kCleanedSuffix = ".cleaned";
inline constexpr std::string_view kSwapSuffix = ".swap";
inline constexpr std::string_view kTemporarySuffix = ".tmp";
inline constexpr std::string_view kAsideSuffix =
    ".aside";  // bytes that recovery took out of a log: NAME.log.POSITION.aside
inline constexpr std::string_view kLeaderEpochFile = "leader-epoch-checkpoint";
inline constexpr std::string_view kPartitionMetadataFile = "partition.metadata";
// Of a data directory.
inline constexpr std::string_view kLockFile = ".lock";
inline constexpr std::string_view kRecoveryPointFile = "recovery-point-offset-checkpoint";
inline constexpr std::string_view kLogStartFile = "log-start-offset-checkpoint";
inline constexpr std::string_view kCleanedFile = "cleaner-offset-checkpoint";
inline constexpr std::string_view kUnusedEpochsFile = "leat-leader-epoch-checkpoint";
inline constexpr std::string_view kCleanFile = ".kafka_cleanshutdown";
inline constexpr std::string_view kMetaFile = "meta.properties";
inline constexpr std::string_view kJournalFolder = "__leat_metadata-0";  // no directory of Leat is without it

std::string segment_file_name(Offset base_offset, std::string_view suffix);
std::string segment_path(std::string_view directory, Offset base_offset, std::string_view suffix);

// "00000000000000000042.log" → {42, ".log"}; nullopt when it does not begin with 20 digits and a point.
struct SegmentFileName {
  Offset base_offset;
  std::string_view suffix;  // all behind the digits; points into the name given
};
std::optional<SegmentFileName> parse_segment_file_name(std::string_view name) noexcept;

enum class FolderKind : uint8_t {
  kPartition,
  kDelete,  // renamed, to be removed: a deletion that a crash interrupted
  kFuture,  // Kafka moves a partition between directories
  kStray,   // Kafka set it aside
};
struct FolderName {
  TopicPartition name;
  FolderKind kind = FolderKind::kPartition;
};
std::optional<FolderName> parse_folder_name(std::string_view name);
std::string deletion_folder_name(const TopicPartition& name, const Uuid& unique);

// A topic name as Kafka allows it: 1 to 249 of [a-zA-Z0-9._-], neither "." nor "..".
bool is_topic_name(std::string_view topic) noexcept;

}  // namespace leat
