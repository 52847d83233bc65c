// partition_table.cpp: see partition_table.h.
#include "client/consumer/partition_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace leat::client::detail {
namespace {

bool passes_with_metadata(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kNotLeaderOrFollower:
    case ErrorCode::kLeaderNotAvailable:
    case ErrorCode::kReplicaNotAvailable:
    case ErrorCode::kFencedLeaderEpoch:
    case ErrorCode::kUnknownLeaderEpoch:
    case ErrorCode::kUnknownTopicOrPartition:
    case ErrorCode::kUnknownTopicId:
    case ErrorCode::kInconsistentTopicId:
    case ErrorCode::kKafkaStorageError:
      return true;
    default:
      return is_stale_metadata(code);
  }
}

}  // namespace

void PartitionTable::add(const TopicPartition& name) {
  if (partitions_.contains(name)) return;
  Partition& partition = partitions_[name];
  partition.round = ++last_round_;
  if (settings_.group_id.empty()) (void)reset(partition);
}

void PartitionTable::remove(const TopicPartition& name) { partitions_.erase(name); }

std::vector<TopicPartition> PartitionTable::names() const {
  std::vector<TopicPartition> names;
  names.reserve(partitions_.size());
  for (const auto& [name, partition] : partitions_) names.push_back(name);
  return names;
}

PartitionTable::Partition* PartitionTable::find(const TopicPartition& name, uint64_t round) {
  const auto found = partitions_.find(name);
  return found != partitions_.end() && found->second.round == round ? &found->second : nullptr;
}

bool PartitionTable::set_paused(const TopicPartition& name, bool paused) {
  const auto found = partitions_.find(name);
  if (found == partitions_.end()) return false;
  found->second.paused = paused;
  return true;
}

void PartitionTable::drop_chunks(Partition& partition) {
  partition.chunks.clear();
  partition.waiting_bytes = 0;
  partition.round = ++last_round_;
}

void PartitionTable::stand_at(Partition& partition, int64_t offset) {
  partition.standing = Standing::kReads;
  partition.nearest_to.reset();
  partition.processed = partition.given = partition.fetched = offset;
  partition.processed_epoch = partition.given_epoch = -1;
  partition.retry_at = Nanos(0);
}

bool PartitionTable::reset(Partition& partition) {
  drop_chunks(partition);
  if (settings_.auto_offset_reset == OffsetReset::kNone) {
    partition.standing = Standing::kRefused;
    partition.nowhere_told = false;
    return false;
  }
  partition.standing = Standing::kWantsOffset;
  partition.nearest_to.reset();
  partition.reset_to = kLatestOffset;
  if (settings_.auto_offset_reset == OffsetReset::kEarliest) partition.reset_to = kEarliestOffset;
  if (settings_.auto_offset_reset == OffsetReset::kTimestamp) {
    partition.reset_to = settings_.auto_offset_reset_timestamp_ms;
  }
  return true;
}

bool PartitionTable::seek(const TopicPartition& name, int64_t offset) {
  const auto found = partitions_.find(name);
  if (found == partitions_.end()) return false;
  Partition& partition = found->second;
  drop_chunks(partition);
  if (offset >= 0) {
    stand_at(partition, offset);
  } else {
    partition.standing = Standing::kWantsOffset;
    partition.nearest_to.reset();
    partition.reset_to = offset;
  }
  return true;
}

std::optional<int64_t> PartitionTable::position(const TopicPartition& name) const {
  const auto found = partitions_.find(name);
  if (found == partitions_.end() || found->second.standing != Standing::kReads) return std::nullopt;
  return found->second.given;
}

std::vector<PositionQuestion> PartitionTable::wanting_commit() const {
  std::vector<PositionQuestion> questions;
  for (const auto& [name, partition] : partitions_) {
    if (partition.standing != Standing::kWantsCommit) continue;
    questions.push_back({.name = name, .timestamp = kLatestOffset, .round = partition.round});
  }
  return questions;
}

std::vector<PositionQuestion> PartitionTable::wanting_offset() const {
  std::vector<PositionQuestion> questions;
  for (const auto& [name, partition] : partitions_) {
    if (partition.standing != Standing::kWantsOffset) continue;
    questions.push_back({.name = name, .timestamp = partition.reset_to, .round = partition.round});
  }
  return questions;
}

void PartitionTable::on_commit(const PositionQuestion& asked, std::optional<OffsetAndMetadata> committed) {
  Partition* const partition = find(asked.name, asked.round);
  if (partition == nullptr || partition->standing != Standing::kWantsCommit) return;
  if (committed && committed->offset >= 0) {
    stand_at(*partition, committed->offset);
    partition->processed_epoch = partition->given_epoch = committed->leader_epoch;
  } else {
    (void)reset(*partition);
  }
}

std::vector<TopicPartition> PartitionTable::take_nowhere() {
  std::vector<TopicPartition> names;
  for (auto& [name, partition] : partitions_) {
    if (partition.standing != Standing::kRefused || std::exchange(partition.nowhere_told, true)) continue;
    names.push_back(name);
  }
  return names;
}

void PartitionTable::on_offset(const PositionQuestion& asked, int64_t offset) {
  Partition* const partition = find(asked.name, asked.round);
  if (partition == nullptr || partition->standing != Standing::kWantsOffset) return;
  if (partition->nearest_to) return on_end_of_log(asked, *partition, offset);
  if (offset < 0 && asked.timestamp >= 0) {  // no record so late
    partition->reset_to = kLatestOffset;
  } else {
    stand_at(*partition, offset);
  }
}

// The end is asked for first, then, of a position below it, the beginning.
void PartitionTable::on_end_of_log(const PositionQuestion& asked, Partition& partition, int64_t offset) {
  const int64_t wanted = *partition.nearest_to;
  if (asked.timestamp == kLatestOffset && wanted < offset) {
    partition.reset_to = kEarliestOffset;
    return;
  }
  const int64_t nearest = asked.timestamp == kLatestOffset ? offset : std::max(offset, wanted);
  if (nearest != wanted) moved_.push_back({.name = asked.name, .from = wanted, .to = nearest});
  stand_at(partition, nearest);
}

std::map<int32_t, FetchPlan> PartitionTable::plan(const MetadataCache& metadata, Nanos now,
                                                  const std::set<int32_t>& busy, bool& leaderless) const {
  std::map<int32_t, FetchPlan> plans;
  const auto consider = [&](const TopicPartition& name, const Partition& partition) {
    if (partition.standing != Standing::kReads || partition.paused || partition.retry_at > now) return;
    const KnownTopic* const topic = metadata.find(name.topic);
    const auto index = static_cast<size_t>(name.partition);
    if (topic == nullptr || index >= topic->partitions.size() || topic->partitions[index].leader < 0) {
      leaderless = true;
      return;
    }
    const bool reads_replica = partition.replica >= 0 && now < partition.replica_until;
    const int32_t node = reads_replica ? partition.replica : topic->partitions[index].leader;
    if (busy.contains(node)) return;
    FetchPlan& plan = plans[node];
    if (partition.waiting_bytes >= settings_.partition_prefetch_bytes_max) {
      plan.holds_back = true;
      return;
    }
    plan.items.push_back({.name = name,
                          .offset = partition.fetched,
                          .leader_epoch = topic->partitions[index].leader_epoch,
                          .round = partition.round});
  };
  const auto first = partitions_.upper_bound(first_after_);  // brokers fill an answer in the order of the question
  for (auto at = first; at != partitions_.end(); ++at) consider(at->first, at->second);
  for (auto at = partitions_.begin(); at != first; ++at) consider(at->first, at->second);
  std::erase_if(plans, [](const auto& entry) { return entry.second.items.empty(); });
  return plans;
}

// A topic that no broker has told of yet needs nothing.
FetchNeeds PartitionTable::needs(const MetadataCache& metadata) const {
  FetchNeeds needs;
  for (const auto& [name, partition] : partitions_) {
    const KnownTopic* const topic = metadata.find(name.topic);
    if (partition.standing != Standing::kReads || partition.paused || topic == nullptr || !topic->answered) continue;
    const auto index = static_cast<size_t>(name.partition);
    const int32_t leader = index < topic->partitions.size() ? topic->partitions[index].leader : -1;
    if (leader < 0) {
      needs.leaderless.insert(name);
    } else {
      needs.nodes.insert(leader);
    }
    if (partition.replica >= 0) needs.nodes.insert(partition.replica);
  }
  return needs;
}

PartitionTable::AfterError PartitionTable::on_error(const FetchItem& item, ErrorCode code, int32_t node, Nanos now,
                                                    Nanos retry_at) {
  Partition* const partition = find(item.name, item.round);
  if (partition == nullptr || partition->fetched != item.offset) return AfterError::kNothing;
  partition->retry_at = retry_at;
  const bool from_replica = partition->replica == node && now < partition->replica_until;
  if (from_replica) partition->replica = -1;  // the leader knows better
  if (code == ErrorCode::kOffsetOutOfRange) {
    if (from_replica) return AfterError::kNothing;
    // What is ready was in the log when it was fetched; it is given before the position moves.
    if (!partition->chunks.empty()) return AfterError::kNothing;
    if (settings_.out_of_range == OutOfRange::kNearest) {
      partition->nearest_to = partition->fetched;
      partition->standing = Standing::kWantsOffset;
      partition->reset_to = kLatestOffset;
      partition->round = ++last_round_;
      return AfterError::kNothing;
    }
    if (reset(*partition)) return AfterError::kNothing;
    partition->nowhere_told = true;  // by this error
    return AfterError::kTell;
  }
  if (code == ErrorCode::kOffsetNotAvailable) return AfterError::kNothing;
  return passes_with_metadata(code) ? AfterError::kRefreshMetadata : AfterError::kTell;
}

void PartitionTable::set_replica(const FetchItem& item, int32_t node, Nanos until) {
  if (Partition* const partition = find(item.name, item.round)) {
    partition->replica = node;
    partition->replica_until = until;
  }
}

bool PartitionTable::on_fetched(const FetchItem& item, std::shared_ptr<FetchedChunk> chunk,
                                const ChunkOutline& outlined) {
  Partition* const partition = find(item.name, item.round);
  if (partition == nullptr || partition->fetched != item.offset) return false;
  partition->fetched = outlined.next_offset;
  partition->waiting_bytes += outlined.whole_bytes;
  partition->chunks.push_back({.chunk = std::move(chunk), .bytes = outlined.whole_bytes});
  return true;
}

std::vector<Error> PartitionTable::on_read(const TopicPartition& name, const std::shared_ptr<FetchedChunk>& chunk,
                                           Nanos retry_at) {
  std::vector<Error> errors;
  const auto found = partitions_.find(name);
  if (found == partitions_.end()) return errors;
  Partition& partition = found->second;
  const auto at = std::find_if(partition.chunks.begin(), partition.chunks.end(),
                               [&chunk](const Chunk& kept) { return kept.chunk == chunk; });
  if (at == partition.chunks.end()) return errors;  // a seek came between
  at->read = true;
  if (!chunk->error()) {
    drop_empty(partition);
    return errors;
  }
  errors.push_back(*chunk->error());
  for (auto behind = std::next(at); behind != partition.chunks.end(); ++behind) {
    partition.waiting_bytes -= std::min(partition.waiting_bytes, behind->bytes);
  }
  partition.chunks.erase(std::next(at), partition.chunks.end());
  partition.fetched = chunk->next_offset();
  partition.round = ++last_round_;
  partition.retry_at = retry_at;
  drop_empty(partition);
  return errors;
}

// What has no records (of aborted transactions, and their markers) does not wait for a poll(), which comes for records
// only: a long stretch of nothing else would fill the bounds, and nothing would be fetched any more.
void PartitionTable::drop_empty(Partition& partition) {
  while (!partition.chunks.empty()) {
    const Chunk& front = partition.chunks.front();
    if (!front.read || !front.chunk->parts().empty()) return;
    partition.given = front.chunk->next_offset();
    if (front.chunk->leader_epoch() >= 0) partition.given_epoch = front.chunk->leader_epoch();
    partition.waiting_bytes -= std::min(partition.waiting_bytes, front.bytes);
    partition.chunks.pop_front();
  }
}

bool PartitionTable::has_ready() const {
  return std::any_of(partitions_.begin(), partitions_.end(), [](const auto& entry) {
    const Partition& partition = entry.second;
    if (partition.paused || partition.standing != Standing::kReads) return false;
    for (const Chunk& chunk : partition.chunks) {
      if (!chunk.read) return false;
      if (!chunk.chunk->parts().empty()) return true;
    }
    return false;
  });
}

void PartitionTable::take_from(Partition& partition, int32_t records_max, FetchedRecords& taken) {
  while (!partition.chunks.empty() && partition.chunks.front().read) {
    Chunk& front = partition.chunks.front();
    const std::vector<BatchPart>& parts = front.chunk->parts();
    const size_t begin = front.parts_taken;
    size_t end = begin;
    auto count = static_cast<int64_t>(taken.count());
    while (end < parts.size() && (records_max == 0 || count < records_max)) count += parts[end++].count;
    if (end < parts.size()) {
      taken.add(front.chunk, begin, end - begin);
      front.parts_taken = end;
      if (end > 0) partition.given = parts[end - 1].next_offset;
      if (end > 0) partition.given_epoch = parts[end - 1].leader_epoch;
      return;
    }
    taken.add(front.chunk, begin, end - begin);
    partition.given = front.chunk->next_offset();
    if (front.chunk->leader_epoch() >= 0) partition.given_epoch = front.chunk->leader_epoch();
    partition.waiting_bytes -= std::min(partition.waiting_bytes, front.bytes);
    partition.chunks.pop_front();
  }
}

std::shared_ptr<FetchedRecords> PartitionTable::take(int32_t records_max) {
  auto taken = std::make_shared<FetchedRecords>();
  const auto is_full = [&] { return records_max > 0 && static_cast<int64_t>(taken->count()) >= records_max; };
  const auto take_if_ready = [&](const TopicPartition& name, Partition& partition) {
    if (partition.paused || partition.standing != Standing::kReads || is_full()) return;
    const size_t before = taken->count();
    take_from(partition, records_max, *taken);
    if (taken->count() > before) taken_last_ = name;
  };
  const TopicPartition after = taken_last_;
  const auto first = partitions_.upper_bound(after);
  for (auto at = first; at != partitions_.end(); ++at) take_if_ready(at->first, at->second);
  for (auto at = partitions_.begin(); at != first; ++at) take_if_ready(at->first, at->second);
  return taken;
}

void PartitionTable::note_processed() {
  for (auto& [name, partition] : partitions_) {
    partition.processed = partition.given;
    partition.processed_epoch = partition.given_epoch;
  }
}

Offsets PartitionTable::processed() const {
  Offsets offsets;
  for (const auto& [name, partition] : partitions_) {
    if (partition.standing != Standing::kReads || partition.processed < 0) continue;
    offsets[name] = {.offset = partition.processed, .leader_epoch = partition.processed_epoch, .metadata = ""};
  }
  return offsets;
}

Offsets PartitionTable::given() const {
  Offsets offsets;
  for (const auto& [name, partition] : partitions_) {
    if (partition.standing != Standing::kReads || partition.given < 0) continue;
    offsets[name] = {.offset = partition.given, .leader_epoch = partition.given_epoch, .metadata = ""};
  }
  return offsets;
}

Offsets PartitionTable::only(const Offsets& offsets, const std::vector<TopicPartition>& names) {
  Offsets some;
  for (const TopicPartition& name : names) {
    if (const auto found = offsets.find(name); found != offsets.end()) some.insert(*found);
  }
  return some;
}

std::optional<Nanos> PartitionTable::next_retry(Nanos now) const {
  std::optional<Nanos> next;
  for (const auto& [name, partition] : partitions_) {
    if (partition.standing != Standing::kReads || partition.paused || partition.retry_at <= now) continue;
    if (!next || partition.retry_at < *next) next = partition.retry_at;
  }
  return next;
}

}  // namespace leat::client::detail
