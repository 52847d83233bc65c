// log_directory.cpp: opening a directory of partitions, and what is written about all of them.
#include "core/log/log_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/parse_int.h"
#include "core/log/recovery.h"

namespace leat {
namespace {

constexpr std::string_view kVersionKey = "version";
constexpr std::string_view kClusterKey = "cluster.id";
constexpr std::string_view kNodeKey = "node.id";
constexpr std::string_view kOldNodeKey = "broker.id";  // of Kafka with ZooKeeper
constexpr std::string_view kDirectoryKey = "directory.id";
constexpr std::string_view kFormatKey = "leat.format.version";

using Properties = std::map<std::string, std::string, std::less<>>;

Properties parse_properties(std::string_view text) {
  Properties properties;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || equals == std::string_view::npos) continue;
    properties[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  return properties;
}

std::optional<std::string> property(const Properties& properties, std::string_view key) {
  const auto found = properties.find(key);
  if (found == properties.end()) return std::nullopt;
  return found->second;
}

// As Apache Kafka writes it, of version 1 or, before its version 3, of version 0.
bool is_kafkas(const Properties& found) {
  const std::string version = property(found, kVersionKey).value_or("");
  const std::string node = property(found, kNodeKey).value_or(property(found, kOldNodeKey).value_or(""));
  return (version == "0" || version == "1") && parse_int<int32_t>(node).has_value();
}

// Why there is no format version in it, and what to do.
tl::unexpected<Error> not_ours(const Properties& found, const LogDirectory::Options& options, const std::string& path) {
  if (options.files.stat(join_path(options.path, kJournalFolder))) {
    return fail(Errc::kCorrupt,
                fmt::format("{}: damaged: {}={} is missing, though the directory is Leat's; put the file back from a "
                            "copy, or move it away: the next start makes a new one and says what must stand in it",
                            path, kFormatKey, kFormatVersion));
  }
  if (is_kafkas(found)) {
    return fail(
        Errc::kUnsupported,
        fmt::format(
            "{}: no {}: this directory belongs to Apache Kafka; copy its topic folders into a data directory of Leat "
            "and start leatd with --adopt",
            path, kFormatKey));
  }
  return fail(Errc::kCorrupt,
              fmt::format("{}: neither Leat's nor Apache Kafka's: damaged, or of another program; put it back from a "
                          "copy, or move it away if the directory is meant for Leat: the next start makes a new one",
                          path));
}

// Whether a directory with this identity is ours to use.
Result<void> check_identity(const Properties& found, const LogDirectory::Options& options, const std::string& path) {
  const std::optional<std::string> format = property(found, kFormatKey);
  if (!format) return not_ours(found, options, path);
  const std::optional<int> version = parse_int<int>(*format);
  if (!version || *version < 1 || property(found, kVersionKey) != "1") {
    return fail(Errc::kCorrupt, fmt::format("{}: expected version=1 and {}={}, found \"{}\"; put it back from a copy",
                                            path, kFormatKey, kFormatVersion, *format));
  }
  if (*version > kFormatVersion) {
    return fail(Errc::kUnsupported,
                fmt::format("{}: format version {} was written by a later Leat; this one knows up to {}", path,
                            *version, kFormatVersion));
  }
  const std::string node_id = property(found, kNodeKey).value_or("");
  if (node_id != std::to_string(options.node_id)) {
    return fail(Errc::kInvalidArgument,
                fmt::format("{}: belongs to node.id {}, this broker is {}", path, node_id, options.node_id));
  }
  const std::string cluster_id = property(found, kClusterKey).value_or("");
  if (cluster_id.empty() || property(found, kDirectoryKey).value_or("").empty()) {
    return fail(Errc::kCorrupt,
                fmt::format("{}: {} or {} is missing; put it back from a copy", path, kClusterKey, kDirectoryKey));
  }
  if (options.cluster_id && cluster_id != *options.cluster_id) {
    return fail(Errc::kInvalidArgument,
                fmt::format("{}: belongs to cluster {}, this broker's is {}", path, cluster_id, *options.cluster_id));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<LogDirectory>> LogDirectory::open(const Options& options) {
  std::unique_ptr<LogDirectory> directory(new LogDirectory(options));
  FileSystem& files = options.files;
  TRY(make_directories(files, options.path));
  TRY(lock, files.lock(join_path(options.path, kLockFile)));
  directory->lock_ = std::move(lock);
  TRY(directory->take_identity(options));
  TRY(checkpoints, DirectoryCheckpoints::read(files, options.path, directory->notes_));
  directory->checkpoints_ = std::move(checkpoints);
  // From here on the directory is in use: a crash must not look like a clean stop.
  const Result<void> removed = files.remove(join_path(options.path, kCleanFile));
  if (!removed && removed.error().code != Errc::kNotFound) return fail(removed.error());
  directory->was_clean_ = removed.has_value();
  // Also when there was none: an earlier start may have got no further than taking it away, and it must not come back.
  TRY(files.sync_directory(options.path));
  return directory;
}

Result<void> LogDirectory::take_identity(const Options& options) {
  const std::string path = join_path(path_, kMetaFile);
  const Result<std::string> text = read_text_file(files_, path);
  if (!text && text.error().code != Errc::kNotFound) return fail(text.error());
  if (text) {
    const Properties found = parse_properties(*text);
    TRY(check_identity(found, options, path));
    cluster_id_ = property(found, kClusterKey).value_or("");
    directory_id_ = property(found, kDirectoryKey).value_or("");
    return {};
  }
  cluster_id_ = options.cluster_id.value_or(Uuid::make(options.random).to_string());
  directory_id_ = Uuid::make(options.random).to_string();
  return replace_text_file(
      files_, path,
      fmt::format("{}=1\n{}={}\n{}={}\n{}={}\n{}={}\n", kVersionKey, kClusterKey, cluster_id_, kNodeKey,
                  options.node_id, kDirectoryKey, directory_id_, kFormatKey, kFormatVersion),
      SyncKind::kFull);
}

std::string LogDirectory::folder_of(const TopicPartition& name) const {
  return join_path(path_, fmt::format("{}", name));
}

RecoveryHints LogDirectory::hints_for(const TopicPartition& name) const {
  RecoveryHints hints = checkpoints_.hints_for(name);
  hints.clean_shutdown = was_clean_;
  hints.log_start_is_exact = was_clean_ && checkpoints_.log_starts_are_known;
  return hints;
}

Result<DirectoryListing> LogDirectory::list() const {
  TRY(entries, files_.list(path_));
  DirectoryListing listing;
  for (const FileInfo& entry : entries) {
    if (!entry.is_directory) continue;
    const std::optional<FolderName> folder = parse_folder_name(entry.name);
    const std::string path = join_path(path_, entry.name);
    if (!folder) {
      listing.strays.push_back(path);
      continue;
    }
    switch (folder->kind) {
      case FolderKind::kPartition:
        listing.partitions.push_back({folder->name, path, hints_for(folder->name)});
        break;
      case FolderKind::kDelete:
        listing.unfinished_deletions.push_back(path);
        break;
      case FolderKind::kFuture:
      case FolderKind::kStray:
        listing.strays.push_back(path);
        break;
    }
  }
  std::sort(listing.partitions.begin(), listing.partitions.end(),
            [](const PartitionFolder& a, const PartitionFolder& b) { return a.name < b.name; });
  return listing;
}

Result<std::string> LogDirectory::begin_deletion(const TopicPartition& name, Random& random) const {
  const std::string path = join_path(path_, deletion_folder_name(name, Uuid::make(random)));
  TRY(files_.rename(folder_of(name), path));
  TRY(files_.sync_directory(path_));
  return path;
}

Result<void> LogDirectory::finish_deletion(const std::string& path) const { return remove_tree(files_, path); }

Result<void> LogDirectory::write_checkpoints(const OffsetCheckpoint& recovery_points,
                                             const OffsetCheckpoint& log_starts) const {
  TRY(replace_text_file(files_, join_path(path_, kLogStartFile), encode_offset_checkpoint(log_starts),
                        SyncKind::kFull));
  return replace_text_file(files_, join_path(path_, kRecoveryPointFile), encode_offset_checkpoint(recovery_points),
                           SyncKind::kFull);
}

Result<void> LogDirectory::write_cleaned(const OffsetCheckpoint& cleaned) const {
  return replace_text_file(files_, join_path(path_, kCleanedFile), encode_offset_checkpoint(cleaned), SyncKind::kFull);
}

Result<void> LogDirectory::write_unused_epochs(const EpochCheckpoint& epochs) const {
  return replace_text_file(files_, join_path(path_, kUnusedEpochsFile), encode_epoch_checkpoint(epochs),
                           SyncKind::kFull);
}

Result<void> LogDirectory::mark_clean() const {
  return replace_text_file(files_, join_path(path_, kCleanFile), "{\"version\":0,\"brokerEpoch\":-1}", SyncKind::kFull);
}

Result<int64_t> LogDirectory::free_bytes() const { return files_.free_bytes(path_); }

// Resumes an eighth above the reserve, so that it does not flutter.
void LogDirectory::on_free_bytes(int64_t free_bytes) noexcept {
  free_bytes_known_ = free_bytes;
  const int64_t step = health_.below_reserve ? reserve_bytes_ / 8 : 0;
  health_.below_reserve = free_bytes < reserve_bytes_ || free_bytes - reserve_bytes_ < step;
}

Result<Uuid> read_topic_id(FileSystem& files, const std::string& folder) {
  const std::string path = join_path(folder, kPartitionMetadataFile);
  const Result<std::string> text = read_text_file(files, path);
  if (!text && text.error().code == Errc::kNotFound) return Uuid();
  if (!text) return fail(text.error());
  return decode_partition_metadata(*text, path);
}

}  // namespace leat
