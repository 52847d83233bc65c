// fetch_pass.cpp: see fetch_pass.h. Errors of a partition: at the top of fetch.cpp.
#include "server/handlers/fetch_pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/record/batch.h"
#include "net/loop/run_on.h"

namespace leat {

namespace {

// Reads of one worker job: a hop costs as much as reading some 100 KB.
constexpr size_t kColdReadsPerJob = 16;
// What the loop reads for one look, so that one large fetch cannot hold the turn.
constexpr int64_t kLoopReadBytesMax = int64_t{2} << 20;
// What finding bytes that stay in their file takes, as a share of reading them.
constexpr int64_t kLocatingShare = 16;

ErrorCode error_of(Errc code) noexcept {
  switch (code) {
    case Errc::kOffsetOutOfRange:
      return ErrorCode::kOffsetOutOfRange;
    case Errc::kCorrupt:
    case Errc::kCorruptBatch:
      return ErrorCode::kCorruptMessage;
    case Errc::kIo:
    case Errc::kNoSpace:
    case Errc::kOffline:
    case Errc::kLocked:
      return ErrorCode::kKafkaStorageError;
    case Errc::kNotFound:
      return ErrorCode::kUnknownTopicOrPartition;  // its files went with the topic
    case Errc::kCancelled:
    case Errc::kTimedOut:
    case Errc::kLimit:
      return ErrorCode::kNotLeaderOrFollower;  // shutting down: ask again later
    case Errc::kAlreadyExists:
    case Errc::kUnsupported:
    case Errc::kInvalidArgument:
    case Errc::kProtocol:
    case Errc::kInvalidRecord:
    case Errc::kInvalidTimestamp:
    case Errc::kMessageTooLarge:
    case Errc::kUnsupportedFormat:
    case Errc::kUnsupportedCodec:
    case Errc::kOutOfOrderSequence:
    case Errc::kDuplicateSequence:
    case Errc::kInvalidProducerEpoch:
    case Errc::kUnknownProducerId:
    case Errc::kPolicyViolation:
      return ErrorCode::kUnknownServerError;  // a read gives none of these
  }
  return ErrorCode::kUnknownServerError;
}

struct ReadJobResult {
  std::vector<Result<FetchedBatches>> reads;  // fewer than asked when the room was used up before
};

// The first of a response is read whatever the room.
ReadJobResult execute_reads(std::vector<std::unique_ptr<SegmentRead>>& reads, int64_t room_bytes,
                            int64_t bytes_before) {
  ReadJobResult result;
  for (std::unique_ptr<SegmentRead>& read : reads) {
    if (room_bytes <= 0 && bytes_before > 0) break;
    result.reads.push_back(read->execute());
    if (result.reads.back()) {
      room_bytes -= result.reads.back()->size_bytes;
      bytes_before += result.reads.back()->size_bytes;
    }
    read.reset();
  }
  return result;
}

}  // namespace

FetchedBatches front_of(FetchedBatches batches, int64_t bytes_max) {
  if (batches.size_bytes <= bytes_max) return batches;
  FetchedBatches front;
  for (const Slice& piece : batches.pieces) {
    size_t fits = 0;
    while (piece.size() - fits >= kBatchHeaderBytes) {
      const int64_t batch_bytes = BatchView(piece.view().subspan(fits)).size_bytes();
      if (batch_bytes <= 0 || front.size_bytes + batch_bytes > bytes_max) break;
      if (static_cast<size_t>(batch_bytes) > piece.size() - fits) break;
      fits += static_cast<size_t>(batch_bytes);
      front.size_bytes += batch_bytes;
    }
    if (fits > 0) front.pieces.push_back(piece.sub(0, fits));
    if (fits < piece.size()) break;
  }
  return front;
}

Task<void> FetchPass::look(std::vector<FetchEntry*> entries) {
  answers_.reserve(entries.size());
  for (FetchEntry* entry : entries) {
    if (cold_.size() >= kColdReadsPerJob) co_await read_cold();
    if (look_at(*entry) == Looked::kReadColdFirst) {
      co_await read_cold();
      (void)look_at(*entry);
    }
  }
  if (!cold_.empty()) co_await read_cold();
}

// Adds the entry's answer, unless its bytes are hot and the room left depends on reads that are not done yet.
FetchPass::Looked FetchPass::look_at(FetchEntry& entry) {
  Answer answer;
  answer.entry = &entry;
  answer.data.partition_index = entry.key.partition;
  answer.data.records.emplace();
  if (session_.watch.isolation() == IsolationLevel::kReadUncommitted) answer.data.aborted_transactions.reset();
  Partition* partition = resolve(entry, answer);
  if (partition == nullptr || !position_is_good(*partition, entry, answer)) {
    answers_.push_back(std::move(answer));
    return Looked::kDone;
  }
  const LogOffsets& offsets = partition->offsets();
  answer.data.high_watermark = offsets.high_watermark.v;
  answer.data.last_stable_offset = offsets.last_stable.v;
  answer.data.log_start_offset = offsets.log_start.v;
  const Offset upper =
      session_.watch.isolation() == IsolationLevel::kReadCommitted ? offsets.last_stable : offsets.high_watermark;
  answer.more_to_say = answer.more_to_say || entry.position.fetch_offset < upper;
  const bool is_first = bytes_ == 0 && cold_.empty();
  const bool has_room = left() > 0 || is_first;
  if (entry.position.fetch_offset >= upper || answer.data.diverging_epoch.epoch != kNoLeaderEpoch || !has_room) {
    answers_.push_back(std::move(answer));
    return Looked::kDone;
  }
  ReadLimits read_limits;
  read_limits.bytes_max = std::max<int64_t>(0, std::min<int64_t>(entry.position.bytes_max, left()));
  read_limits.first_batch_whole = is_first;
  read_limits.upper = upper;
  Result<ReadPlan> plan = partition->log().plan_read(entry.position.fetch_offset, read_limits);
  if (!plan) {
    fail(answer, error_of(plan.error().code));
  } else if (plan->cached && !cold_.empty()) {
    return Looked::kReadColdFirst;
  } else if (plan->cached) {
    take(answer, std::move(*plan->cached));
  } else {
    cold_.push_back(ColdRead{answers_.size(), std::move(plan->read)});
  }
  answers_.push_back(std::move(answer));
  return Looked::kDone;
}

PartitionRef FetchPass::find(const FetchEntry& entry) const {
  const bool by_id = session_.topic_id_use == TopicIdUse::kIds;
  const TopicRef reference = by_id ? TopicRef::by_id(entry.key.topic_id) : TopicRef::by_name(entry.key.topic);
  return find_partition(*broker_.partitions, reference, entry.key.partition);
}

Partition* FetchPass::resolve(FetchEntry& entry, Answer& answer) {
  if (limits_.from_follower) {
    fail(answer, ErrorCode::kNotLeaderOrFollower);
    return nullptr;
  }
  PartitionTable& table = *broker_.partitions;
  PartitionRef found = find(entry);
  if (found.error == ErrorCode::kUnknownTopicId && !entry.topic_name.empty()) {
    // The session knew the topic: it was deleted, and perhaps made anew under its name.
    found.error = table.find_topic(entry.topic_name) != nullptr ? ErrorCode::kInconsistentTopicId
                                                                : ErrorCode::kUnknownTopicOrPartition;
  }
  if (found.partition == nullptr) {
    fail(answer, found.error);
    return nullptr;
  }
  if (!entry.watching()) {  // registered before it is looked at: no change goes unseen
    found.partition->waiters().add(entry);
    entry.topic_name = found.partition->name().topic;
  }
  return found.partition;
}

bool FetchPass::position_is_good(const Partition& partition, const FetchEntry& entry, Answer& answer) {
  const ErrorCode epoch_error = check_leader_epoch(partition, entry.position.current_leader_epoch);
  if (epoch_error != ErrorCode::kNone) {
    fail(answer, epoch_error);
    if (limits_.version >= 12) {
      answer.data.current_leader = {.leader_id = broker_.node_id, .leader_epoch = partition.log().leader_epoch()};
    }
    return false;
  }
  const Offset from = entry.position.fetch_offset;
  if (entry.position.last_fetched_epoch != kNoLeaderEpoch) {
    const EpochEndOffset end = partition.log().end_offset_for(entry.position.last_fetched_epoch);
    if (end.leader_epoch == kNoLeaderEpoch) {
      fail(answer, ErrorCode::kOffsetOutOfRange);
      return false;
    }
    if (end.leader_epoch < entry.position.last_fetched_epoch || end.end_offset < from) {
      answer.data.diverging_epoch = {.epoch = end.leader_epoch, .end_offset = end.end_offset.v};
      answer.more_to_say = true;
      must_answer_ = true;
      return true;
    }
  }
  const LogOffsets& offsets = partition.offsets();
  if (from < offsets.log_start || from > offsets.log_end) {
    fail(answer, ErrorCode::kOffsetOutOfRange);
    return false;
  }
  return true;
}

void FetchPass::fail(Answer& answer, ErrorCode code) {
  answer.data.error_code = code;
  answer.data.high_watermark = -1;
  answer.data.last_stable_offset = -1;
  answer.data.log_start_offset = -1;
  answer.more_to_say = true;
  must_answer_ = true;
}

void FetchPass::take(Answer& answer, FetchedBatches batches) {
  for (Slice& piece : batches.pieces) answer.data.records->append(std::move(piece));
  answer.bytes = batches.size_bytes;
  bytes_ += batches.size_bytes;
}

// The first is given whole, later ones as far as there is room.
void FetchPass::take_read(Answer& answer, FetchedBatches batches) {
  note_read_end(*answer.entry, batches.end);
  take(answer, bytes_ == 0 ? std::move(batches) : front_of(std::move(batches), left()));
}

void FetchPass::note_read_end(const FetchEntry& entry, const std::optional<ReadEnd>& end) {
  if (!end) return;
  if (Partition* partition = find(entry).partition) partition->log().note_read_end(*end);
}

// What lies in the page cache the loop reads itself, up to the first read that would wait: a hop to a worker and back
// costs as much as copying some 500 KB.
void FetchPass::read_from_page_cache() {
  size_t done = 0;
  for (; done < cold_.size(); ++done) {
    Answer& answer = answers_[cold_[done].answer];
    if (left() <= 0 && bytes_ > 0) continue;  // the room was used up before: nothing for this one
    if (loop_read_bytes_ >= kLoopReadBytesMax || !take_from_page_cache(answer, *cold_[done].read)) break;
  }
  cold_.erase(cold_.begin(), cold_.begin() + static_cast<ptrdiff_t>(done));
}

// False when the read would wait for the disk.
bool FetchPass::take_from_page_cache(Answer& answer, SegmentRead& read) {
  if (std::optional<StoredBatches> located = read.locate_cached(left())) {
    for (StoredRange& range : located->ranges) answer.data.records->append(std::move(range));
    note_read_end(*answer.entry, located->end);
    answer.bytes = located->size_bytes;
    bytes_ += located->size_bytes;
    loop_read_bytes_ += located->size_bytes / kLocatingShare;
    return true;
  }
  std::optional<FetchedBatches> fetched = read.execute_cached();
  if (!fetched) return false;
  loop_read_bytes_ += fetched->size_bytes;
  take_read(answer, std::move(*fetched));
  return true;
}

Task<void> FetchPass::read_cold() {
  read_from_page_cache();
  if (cold_.empty()) co_return;
  std::vector<ColdRead> asked = std::exchange(cold_, {});
  std::vector<std::unique_ptr<SegmentRead>> reads;
  reads.reserve(asked.size());
  for (ColdRead& cold : asked) reads.push_back(std::move(cold.read));
  auto work = [reads = std::move(reads), room = left(), before = bytes_]() mutable {
    return execute_reads(reads, room, before);
  };
  Result<ReadJobResult> result = co_await run_on(broker_.scheduler, WorkQueue::kRead, std::move(work));
  if (!result) {
    for (const ColdRead& cold : asked) fail(answers_[cold.answer], error_of(result.error().code));
    co_return;
  }
  for (size_t i = 0; i < result->reads.size(); ++i) {
    Answer& answer = answers_[asked[i].answer];
    Result<FetchedBatches>& read = result->reads[i];
    if (!read) {
      const FetchEntry& entry = *answer.entry;
      broker_.note_unreadable({entry.topic_name, entry.key.partition},
                              fmt::format("offset {}", entry.position.fetch_offset), read.error());
      fail(answer, error_of(read.error().code));
    } else {
      take_read(answer, std::move(*read));
    }
  }
}

}  // namespace leat
