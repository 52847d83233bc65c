// topic_configs.cpp: topic settings, sorted by name. Names, types, defaults and ranges as Apache Kafka 4.4.0 has them,
// but max.decompressed.message.bytes, whose default is lower: one small batch must not cost gigabytes of a small
// machine.
#include "core/metadata/topic_configs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/metadata/nearest_name.h"

namespace leat {
namespace {

using enum ConfigType;
using enum ConfigRule;

constexpr const char* kLongMax = "9223372036854775807";

constexpr ConfigKey kTopicKeys[] = {
    {.name = "cleanup.policy",
     .type = kList,
     .default_value = "delete",
     .rule = kListOf,
     .choices = "compact, delete",
     .documentation = "What happens to old records: delete removes whole segments by size and age, compact keeps the "
                      "last record of each "
                      "key. Both may be given.",
     .synonyms = {"log.cleanup.policy"}},
    {.name = "compression.gzip.level",
     .type = kInt,
     .default_value = "-1",
     .rule = kGzipLevel,
     .documentation = "Level used when the broker compresses with gzip; -1 is the codec's own default.",
     .synonyms = {"compression.gzip.level"}},
    {.name = "compression.lz4.level",
     .type = kInt,
     .default_value = "9",
     .rule = kBetween,
     .low = 1,
     .high = 17,
     .documentation = "Level used when the broker compresses with lz4.",
     .synonyms = {"compression.lz4.level"}},
    {.name = "compression.type",
     .type = kString,
     .default_value = "producer",
     .rule = kOneOf,
     .choices = "uncompressed, zstd, lz4, snappy, gzip, producer",
     .documentation =
         "Codec of the stored batches. producer stores them as they were sent; any other choice rewrites batches that "
         "come with another codec.",
     .synonyms = {"compression.type"}},
    {.name = "compression.zstd.level",
     .type = kInt,
     .default_value = "3",
     .rule = kBetween,
     .low = -131072,
     .high = 22,
     .documentation = "Level used when the broker compresses with zstd.",
     .synonyms = {"compression.zstd.level"}},
    {.name = "delete.retention.ms",
     .type = kLong,
     .default_value = "86400000",
     .rule = kAtLeast,
     .low = 0,
     .documentation = "How long a compacted topic keeps the marker of a deleted key after it was first cleaned.",
     .synonyms = {"log.cleaner.delete.retention.ms"}},
    {.name = "errors.deadletterqueue.group.enable",
     .type = kBoolean,
     .default_value = "false",
     .documentation =
         "Whether share groups may use this topic for records that they give up. Kept, without effect yet.",
     .synonyms = {}},
    {.name = "file.delete.delay.ms",
     .type = kLong,
     .default_value = "60000",
     .rule = kAtLeast,
     .low = 0,
     .documentation = "How long the file of a removed segment stays on disk.",
     .synonyms = {"log.segment.delete.delay.ms"}},
    {.name = "flush.messages",
     .type = kLong,
     .default_value = kLongMax,
     .rule = kAtLeast,
     .low = 1,
     .documentation = "Sync to disk after this many records. 1 means that every acknowledged record is on disk first, "
                      "as leat.flush=commit "
                      "does; larger values add syncs in the background under leat.flush=none.",
     .synonyms = {"log.flush.interval.messages"}},
    {.name = "flush.ms",
     .type = kLong,
     .default_value = kLongMax,
     .rule = kAtLeast,
     .low = 0,
     .documentation = "Sync to disk in the background once the oldest unsynced record is this old.",
     .synonyms = {"log.flush.interval.ms", "log.flush.scheduler.interval.ms"}},
    {.name = "follower.replication.throttled.replicas",
     .type = kList,
     .default_value = "",
     .rule = kThrottledReplicas,
     .documentation = "Replicas throttled on the following side. Kept, without effect on a single node.",
     .synonyms = {}},
    {.name = "index.interval.bytes",
     .type = kInt,
     .default_value = "4096",
     .rule = kAtLeast,
     .low = 0,
     .documentation = "Bytes of log between two entries of the offset index.",
     .synonyms = {"log.index.interval.bytes"}},
    {.name = "internal.segment.bytes",
     .type = kInt,
     .default_value = nullptr,
     .rule = kAtLeast,
     .low = 1,
     .documentation = "Segment size below the lower limit of segment.bytes, for tests.",
     .listing = ConfigListing::kHidden,
     .synonyms = {}},
    {.name = "leader.replication.throttled.replicas",
     .type = kList,
     .default_value = "",
     .rule = kThrottledReplicas,
     .documentation = "Replicas throttled on the leading side. Kept, without effect on a single node.",
     .synonyms = {}},
    {.name = "leat.flush",
     .type = kString,
     .default_value = kFlushDefault,
     .rule = kOneOf,
     .choices = "commit, full, none",
     .documentation =
         "When an acknowledged record is durable. commit: synced (many records in one sync) before the "
         "acknowledgement; full: "
         "the same with the drive's own cache flushed, where the system distinguishes the two; none: handed to the "
         "operating system, as Kafka does, and lost if the machine fails within some seconds.",
     .synonyms = {"leat.flush"}},
    {.name = "local.retention.bytes",
     .type = kLong,
     .default_value = "-2",
     .rule = kAtLeast,
     .low = -2,
     .documentation = "Local part of a tiered log by size. Kept, without effect: there is no tiered storage.",
     .synonyms = {"log.local.retention.bytes"}},
    {.name = "local.retention.ms",
     .type = kLong,
     .default_value = "-2",
     .rule = kAtLeast,
     .low = -2,
     .documentation = "Local part of a tiered log by age. Kept, without effect: there is no tiered storage.",
     .synonyms = {"log.local.retention.ms"}},
    {.name = "max.compaction.lag.ms",
     .type = kLong,
     .default_value = kLongMax,
     .rule = kAtLeast,
     .low = 1,
     .documentation = "Longest time for which a record may stay out of compaction.",
     .synonyms = {"log.cleaner.max.compaction.lag.ms"}},
    {.name = "max.decompressed.message.bytes",
     .type = kInt,
     .default_value = "134217728",
     .rule = kBetween,
     .low = 1,
     .high = 2147483639,
     .documentation = "Largest size to which a compressed batch may unpack. Larger ones are refused.",
     .synonyms = {"max.decompressed.message.bytes"}},
    {.name = "max.message.bytes",
     .type = kInt,
     .default_value = "1048588",
     .rule = kAtLeast,
     .low = 0,
     .documentation = "Largest record batch that the topic takes, compressed, with its header.",
     .synonyms = {"message.max.bytes"}},
    {.name = "message.timestamp.after.max.ms",
     .type = kLong,
     .default_value = "3600000",
     .rule = kAtLeast,
     .low = 0,
     .documentation =
         "How far a record's own timestamp may lie ahead of the broker's clock. Not used with LogAppendTime.",
     .synonyms = {"log.message.timestamp.after.max.ms"}},
    {.name = "message.timestamp.before.max.ms",
     .type = kLong,
     .default_value = kLongMax,
     .rule = kAtLeast,
     .low = 0,
     .documentation =
         "How far a record's own timestamp may lie behind the broker's clock. Not used with LogAppendTime.",
     .synonyms = {"log.message.timestamp.before.max.ms"}},
    {.name = "message.timestamp.type",
     .type = kString,
     .default_value = "CreateTime",
     .rule = kOneOf,
     .choices = "CreateTime, LogAppendTime",
     .documentation = "Whose clock stamps the records: the producer's (CreateTime) or the broker's (LogAppendTime).",
     .synonyms = {"log.message.timestamp.type"}},
    {.name = "min.cleanable.dirty.ratio",
     .type = kDouble,
     .default_value = "0.5",
     .rule = kBetween,
     .low = 0,
     .high = 1,
     .documentation = "Share of not yet compacted bytes from which compaction is worth its work.",
     .synonyms = {"log.cleaner.min.cleanable.ratio"}},
    {.name = "min.compaction.lag.ms",
     .type = kLong,
     .default_value = "0",
     .rule = kAtLeast,
     .low = 0,
     .documentation = "Shortest time for which a record stays as it is before compaction may take it.",
     .synonyms = {"log.cleaner.min.compaction.lag.ms"}},
    {.name = "min.insync.replicas",
     .type = kInt,
     .default_value = "1",
     .rule = kAtLeast,
     .low = 1,
     .documentation =
         "Replicas that must have a record before acks=all is answered. Kept; the single replica is always in sync.",
     .synonyms = {"min.insync.replicas"}},
    {.name = "preallocate",
     .type = kBoolean,
     .default_value = "false",
     .documentation = "Whether the file of a new segment gets its disk space at once.",
     .synonyms = {"log.preallocate"}},
    {.name = "remote.copy.lag.bytes",
     .type = kLong,
     .default_value = "-1",
     .rule = kAtLeast,
     .low = -1,
     .documentation = "Tiered storage. Kept, without effect.",
     .synonyms = {"log.remote.copy.lag.bytes"}},
    {.name = "remote.copy.lag.ms",
     .type = kLong,
     .default_value = "0",
     .rule = kAtLeast,
     .low = -1,
     .documentation = "Tiered storage. Kept, without effect.",
     .synonyms = {"log.remote.copy.lag.ms"}},
    {.name = "remote.log.copy.disable",
     .type = kBoolean,
     .default_value = "false",
     .documentation = "Tiered storage. Kept, without effect.",
     .synonyms = {}},
    {.name = "remote.log.delete.on.disable",
     .type = kBoolean,
     .default_value = "false",
     .documentation = "Tiered storage. Kept, without effect.",
     .synonyms = {}},
    {.name = "remote.storage.enable",
     .type = kBoolean,
     .default_value = "false",
     .documentation = "Tiered storage, which does not exist here: only false is taken.",
     .synonyms = {}},
    {.name = "retention.bytes",
     .type = kLong,
     .default_value = "-1",
     .documentation = "Size of a partition beyond which its oldest segments are deleted, as long as at least this much "
                      "remains; -1 is "
                      "without limit. For topics with the delete policy.",
     .synonyms = {"log.retention.bytes"}},
    {.name = "retention.ms",
     .type = kLong,
     .default_value = "604800000",
     .rule = kAtLeast,
     .low = -1,
     .documentation = "Age beyond which segments are deleted, counted from their newest record; -1 keeps them for "
                      "ever. For topics with "
                      "the delete policy.",
     .synonyms = {"log.retention.ms", "log.retention.minutes", "log.retention.hours"}},
    {.name = "segment.bytes",
     .type = kInt,
     .default_value = "1073741824",
     .rule = kAtLeast,
     .low = 1048576,
     .documentation = "Size of a segment file. Records are deleted by whole segments.",
     .synonyms = {"log.segment.bytes"}},
    {.name = "segment.index.bytes",
     .type = kInt,
     .default_value = "10485760",
     .rule = kAtLeast,
     .low = 4,
     .documentation = "Largest size of an index file; a segment whose index is full ends.",
     .synonyms = {"log.index.size.max.bytes"}},
    {.name = "segment.jitter.ms",
     .type = kLong,
     .default_value = "0",
     .rule = kAtLeast,
     .low = 0,
     .documentation = "Random time taken off segment.ms, so that not all segments roll at once.",
     .synonyms = {"log.roll.jitter.ms", "log.roll.jitter.hours"}},
    {.name = "segment.ms",
     .type = kLong,
     .default_value = "604800000",
     .rule = kAtLeast,
     .low = 1,
     .documentation = "Age after which a segment ends though it is not full, so that retention can take it.",
     .synonyms = {"log.roll.ms", "log.roll.hours"}},
    {.name = "unclean.leader.election.enable",
     .type = kBoolean,
     .default_value = "false",
     .documentation = "Kept, without effect on a single node.",
     .synonyms = {"unclean.leader.election.enable"}},
};

constexpr ConfigTable kTopicTable{kTopicKeys};

}  // namespace

const ConfigTable& topic_configs() noexcept { return kTopicTable; }

Result<void> check_topic_configs(const ConfigMap& overrides, const BrokerConfigs& broker) {
  for (const auto& [name, value] : overrides) {
    const ConfigKey* key = kTopicTable.find(name);
    if (key == nullptr) {
      return fail(Errc::kInvalidArgument,
                  fmt::format("Unknown topic config name: {}{}", name, nearest_name_hint(name, kTopicTable.names())));
    }
    TRY(check_config_value(*key, value));
  }
  const int64_t lag_min = topic_integer("min.compaction.lag.ms", overrides, broker);
  const int64_t lag_max = topic_integer("max.compaction.lag.ms", overrides, broker);
  if (lag_min > lag_max) {
    return fail(Errc::kInvalidArgument,
                fmt::format("conflict topic config setting min.compaction.lag.ms ({}) > max.compaction.lag.ms ({})",
                            lag_min, lag_max));
  }
  if (config_boolean(topic_value("remote.storage.enable", overrides, broker))) {
    return fail(Errc::kInvalidArgument,
                "remote.storage.enable: Tiered Storage functionality is disabled in the broker. Topic cannot "
                "be configured with remote log storage.");
  }
  return {};
}

}  // namespace leat
