// directory_checkpoints.cpp: reading them.
#include "core/log/directory_checkpoints.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/log/file_names.h"

namespace leat {
namespace {

template <class Checkpoint>
using Decode = Result<Checkpoint> (*)(std::string_view text, std::string_view path);

enum class Found : uint8_t { kNothing, kWhole, kDamaged };

template <class Checkpoint>
struct Read {
  Checkpoint numbers;
  Found found = Found::kNothing;
};

template <class Checkpoint>
Result<Read<Checkpoint>> read_checkpoint(FileSystem& files, const std::string& path, Decode<Checkpoint> decode,
                                         std::vector<std::string>& notes) {
  const Result<std::string> text = read_text_file(files, path);
  if (!text && text.error().code == Errc::kNotFound) return Read<Checkpoint>{};
  if (!text) return fail(text.error());
  Result<Checkpoint> numbers = decode(*text, path);
  if (numbers) return Read<Checkpoint>{std::move(*numbers), Found::kWhole};
  // Without it everything is scanned and old segments' records show again: slower and more, but nothing is lost.
  notes.push_back(fmt::format("{}; going on without it", numbers.error().context));
  return Read<Checkpoint>{{}, Found::kDamaged};
}

Offset offset_in(const OffsetCheckpoint& checkpoint, const TopicPartition& name) {
  const auto found = checkpoint.find(name);
  return found == checkpoint.end() ? Offset(0) : found->second;
}

}  // namespace

Result<DirectoryCheckpoints> DirectoryCheckpoints::read(FileSystem& files, const std::string& directory,
                                                        std::vector<std::string>& notes) {
  const auto read_offsets = [&](std::string_view name) {
    return read_checkpoint<OffsetCheckpoint>(files, join_path(directory, name), decode_offset_checkpoint, notes);
  };
  TRY(recovery_points, read_offsets(kRecoveryPointFile));
  TRY(log_starts, read_offsets(kLogStartFile));
  TRY(cleaned, read_offsets(kCleanedFile));
  TRY(unused_epochs,
      read_checkpoint<EpochCheckpoint>(files, join_path(directory, kUnusedEpochsFile), decode_epoch_checkpoint, notes));
  return DirectoryCheckpoints{.recovery_points = std::move(recovery_points.numbers),
                              .log_starts = std::move(log_starts.numbers),
                              .cleaned = std::move(cleaned.numbers),
                              .unused_epochs = std::move(unused_epochs.numbers),
                              .points_are_known = recovery_points.found == Found::kWhole,
                              .are_there = recovery_points.found != Found::kNothing,
                              .log_starts_are_known = log_starts.found == Found::kWhole,
                              .compaction_is_known = cleaned.found != Found::kDamaged};
}

RecoveryHints DirectoryCheckpoints::hints_for(const TopicPartition& name) const {
  const auto epoch = unused_epochs.find(name);
  // Of a folder that has come from elsewhere they say nothing.
  const bool is_known = compaction_is_known && recovery_points.contains(name);
  const Compacted otherwise = is_known ? Compacted::kNo : Compacted::kUnknown;
  return {.recovery_point = offset_in(recovery_points, name),
          .point_is_unknown = !points_are_known,
          .log_start = offset_in(log_starts, name),
          .cleaned = offset_in(cleaned, name),
          .leader_epoch = epoch == unused_epochs.end() ? kNoLeaderEpoch : epoch->second,
          .compacted = cleaned.contains(name) ? Compacted::kMaybe : otherwise};
}

}  // namespace leat
