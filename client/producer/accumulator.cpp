// accumulator.cpp: records in: topics, partitions, open batches, staging. What happens to batches afterwards is in
// accumulator_sending.cpp and accumulator_splitting.cpp.
#include "client/producer/accumulator.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/record/partitioner.h"

namespace leat::client::detail {
namespace {

constexpr int32_t kPartitionIndexMax = 1'000'000;
// The clock is asked once in so many records of a batch: it costs as much as encoding one. A batch that is filled over
// a longer time than this asks each time.
constexpr uint32_t kRecordsPerClockLook = 16;
constexpr int64_t kLingerForCachedTimeMs = 10;
constexpr int32_t kRecordsThatAskWhenDue = 256;

// A batch that is due and may not leave yet can stand open for long: while it has few records, each asks the clock.
bool asks_clock(const PartitionQueue& partition) noexcept {
  if (!partition.open || partition.open->record_count() == 0) return true;
  return partition.open_is_due && partition.open->record_count() < kRecordsThatAskWhenDue;
}

}  // namespace

Accumulator::Accumulator(const ProducerSettings& settings, bool idempotent, const Clock& clock, Random& random)
    : settings_(settings), idempotent_(idempotent), clock_(clock), random_(random) {
  batches_by_generation_.push_back(0);
}

Accumulator::~Accumulator() { ENSURE(stats_.buffered_records == 0 && reports_.empty(), "records without a report"); }

AppendStatus Accumulator::append(const ProducerRecord& record, DeliveryCallback& on_delivery, OutcomePlace* place) {
  if (closed_) return AppendStatus::kClosed;
  if (record.topic.empty()) return AppendStatus::kNoTopic;
  const size_t size_max = ProducerBatch::record_size_max(record);
  if (size_max + kBatchHeaderBytes > settings_.request_bytes_max) return AppendStatus::kTooLarge;
  if (buffered_bytes_ > 0 && buffered_bytes_ + size_max + sizeof(DeliveryCallback) > settings_.buffer_bytes_max) {
    // What lingers only keeps others waiting.
    if (batches_by_generation_.back() > 0) (void)begin_flush();
    return AppendStatus::kFull;
  }
  TopicQueue& topic =
      last_topic_ != nullptr && last_topic_->name == record.topic ? *last_topic_ : topic_of(record.topic);
  PartitionQueue* partition = nullptr;
  if (const AppendStatus chosen = choose(topic, record, partition); chosen != AppendStatus::kTaken) return chosen;
  OutcomePlace taken_at;
  if (partition == nullptr) {
    taken_at = stage(topic, record, size_max, on_delivery);
  } else {
    const int64_t timestamp_ms = timestamp_of(record, asks_clock(*partition));
    taken_at = put(*partition, record, size_max, timestamp_ms, on_delivery);
  }
  if (place != nullptr) *place = taken_at;
  ++stats_.records_taken;
  ++stats_.buffered_records;
  return AppendStatus::kTaken;
}

TopicQueue& Accumulator::topic_of(std::string_view name) {
  auto found = topics_.find(name);
  if (found == topics_.end()) {
    auto topic = std::make_unique<TopicQueue>();
    topic->name = name;
    found = topics_.emplace(std::string(name), std::move(topic)).first;
  }
  TopicQueue& topic = *found->second;
  last_topic_ = &topic;
  return topic;
}

PartitionQueue& Accumulator::partition_of(TopicQueue& topic, int32_t index) {
  const auto place = static_cast<size_t>(index);
  if (place >= topic.partitions.size()) topic.partitions.resize(place + 1);
  if (!topic.partitions[place]) topic.partitions[place] = std::make_unique<PartitionQueue>(topic, index);
  return *topic.partitions[place];
}

// A null partition: it is to be staged.
AppendStatus Accumulator::choose(TopicQueue& topic, const ProducerRecord& record, PartitionQueue*& partition) {
  if (!topic.wanted) {
    topic.wanted = true;
    wanted_topics_.push_back(topic.name);
    news_ = true;
  }
  int32_t index = record.partition;
  if (index < 0) {
    if (index != kAnyPartition) return AppendStatus::kNoSuchPartition;
    if (settings_.partitioner == Partitioner::kExplicit) return AppendStatus::kNoPartition;
    if (topic.partition_count == 0) return AppendStatus::kTaken;
    if (record.key && settings_.partitioner == Partitioner::kMurmur2) {
      index = partition_for_key(leat::as_bytes(*record.key), topic.partition_count);
    } else {
      index = topic.sticky >= 0 ? topic.sticky : choose_sticky(topic);
    }
  } else if (index >= (topic.partition_count > 0 ? topic.partition_count : kPartitionIndexMax)) {
    return AppendStatus::kNoSuchPartition;
  }
  const auto place = static_cast<size_t>(index);
  const bool there = place < topic.partitions.size() && topic.partitions[place];
  partition = there ? topic.partitions[place].get() : &partition_of(topic, index);
  return AppendStatus::kTaken;
}

// Any that has a leader, but the one before; any at all where none has.
int32_t Accumulator::choose_sticky(TopicQueue& topic) {
  const auto count = static_cast<uint64_t>(topic.partition_count);
  const auto first = static_cast<int32_t>(random_.below(count));
  topic.sticky = first;
  for (int32_t i = 0; i < topic.partition_count; ++i) {
    const int32_t index = (first + i) % topic.partition_count;
    if (partition_of(topic, index).leader < 0) continue;
    topic.sticky = index;
    break;
  }
  return topic.sticky;
}

int64_t Accumulator::timestamp_of(const ProducerRecord& record, bool asks) {
  if (record.timestamp_ms != kTimestampNow) return record.timestamp_ms;
  if (asks || settings_.linger_ms > kLingerForCachedTimeMs || ++cached_now_uses_ >= kRecordsPerClockLook) {
    cached_now_uses_ = 0;
    cached_now_ms_ = clock_.wall_ms();
  }
  return cached_now_ms_;
}

OutcomePlace Accumulator::put(PartitionQueue& partition, const ProducerRecord& record, size_t size_max,
                              int64_t timestamp_ms, DeliveryCallback& on_delivery) {
  if (partition.open && partition.open->size_bytes() + size_max > settings_.batch_bytes_max) seal(partition);
  if (!partition.open) open_batch(partition);
  ProducerBatch& batch = *partition.open;
  const size_t before = batch.charged_bytes();
  const OutcomePlace place = batch.append(record, timestamp_ms, on_delivery);
  buffered_bytes_ += batch.charged_bytes() - before;
  if (is_full(batch)) seal(partition);
  return place;
}

bool Accumulator::is_full(const ProducerBatch& batch) const noexcept {
  return batch.record_count() >= settings_.batch_records_max || batch.size_bytes() >= settings_.batch_bytes_max;
}

void Accumulator::open_batch(PartitionQueue& partition) {
  partition.open = new_batch(partition.topic, &partition, partition.guess);
  partition.open_is_due = false;
  lingering_.push_back({.at = partition.open->opened_at() + Millis(settings_.linger_ms),
                        .topic = &partition.topic,
                        .partition = &partition,
                        .batch_id = partition.open->id()});
  news_ = true;
}

std::unique_ptr<ProducerBatch> Accumulator::new_batch(TopicQueue& topic, PartitionQueue* partition,
                                                      const ProducerBatch::Guess& guess) {
  const Nanos now = clock_.monotonic();
  auto batch = std::make_unique<ProducerBatch>(++last_batch_id_, now, guess);
  batch->generation = first_generation_ + batches_by_generation_.size() - 1;
  ++batches_by_generation_.back();
  expiring_.push_back({.at = now + Millis(settings_.delivery_timeout_ms),
                       .topic = &topic,
                       .partition = partition,
                       .batch_id = batch->id()});
  return batch;
}

void Accumulator::seal(PartitionQueue& partition) {
  BatchSlot& slot = partition.seal();
  if (partition.topic.sticky == partition.index) partition.topic.sticky = kAnyPartition;
  make_ready(partition, slot);
  list(partition);
  news_ = true;
}

// It can be sent, or is to be compressed before.
void Accumulator::make_ready(PartitionQueue& partition, BatchSlot& slot) {
  if (settings_.compression == Compression::kNone) {
    slot.batch->seal_unpacked();
    slot.state = SlotState::kReady;
    return;
  }
  slot.state = SlotState::kPacking;
  to_pack_.push_back({.partition = &partition, .batch_id = slot.batch_id, .records = slot.batch->records()});
}

OutcomePlace Accumulator::stage(TopicQueue& topic, const ProducerRecord& record, size_t size_max,
                                DeliveryCallback& on_delivery) {
  if (topic.staged.empty() || topic.staged.back()->size_bytes() + size_max > settings_.batch_bytes_max) {
    const ProducerBatch::Guess guess = topic.staged.empty()
                                           ? ProducerBatch::Guess{}
                                           : ProducerBatch::Guess{.size_bytes = settings_.batch_bytes_max,
                                                                  .record_count = topic.staged.back()->record_count()};
    topic.staged.push_back(new_batch(topic, nullptr, guess));
    news_ = true;
  }
  ProducerBatch& batch = *topic.staged.back();
  const int64_t timestamp_ms = record.timestamp_ms != kTimestampNow ? record.timestamp_ms : clock_.wall_ms();
  const size_t before = batch.charged_bytes();
  const OutcomePlace place = batch.append(record, timestamp_ms, on_delivery);
  buffered_bytes_ += batch.charged_bytes() - before;
  return place;
}

// The batches are freed one by one, so that memory holds no more than one of them twice.
void Accumulator::move_staged(TopicQueue& topic) {
  for (std::unique_ptr<ProducerBatch>& batch : std::exchange(topic.staged, {})) {
    batch->visit(batch->records(), topic.name, [&](size_t index, const ProducerRecord& record, int64_t timestamp_ms) {
      move_record(topic, *batch, index, record, timestamp_ms);
    });
    buffered_bytes_ -= batch->charged_bytes();
    --batches_by_generation_[batch->generation - first_generation_];
    batch.reset();
  }
  drop_empty_generations();
}

void Accumulator::move_record(TopicQueue& topic, ProducerBatch& from, size_t index, const ProducerRecord& record,
                              int64_t timestamp_ms) {
  PartitionQueue* partition = nullptr;
  const AppendStatus chosen = choose(topic, record, partition);
  ENSURE(chosen == AppendStatus::kTaken && partition != nullptr);
  const size_t size_max = ProducerBatch::record_size_max(record);
  if (partition->open && partition->open->size_bytes() + size_max > settings_.batch_bytes_max) seal(*partition);
  if (!partition->open) open_batch(*partition);
  ProducerBatch& batch = *partition->open;
  // A flush that waits for the staged record waits for where it is now.
  if (from.generation < batch.generation) {
    --batches_by_generation_[batch.generation - first_generation_];
    ++batches_by_generation_[from.generation - first_generation_];
    batch.generation = from.generation;
  }
  const size_t before = batch.charged_bytes();
  batch.append_moved(record, timestamp_ms, from, index);
  buffered_bytes_ += batch.charged_bytes() - before;
  if (is_full(batch)) {
    seal(*partition);
  } else if (batch.generation < due_generation_) {
    make_due(*partition);
  }
}

std::vector<std::string> Accumulator::topic_names() const {
  std::vector<std::string> names;
  for (const auto& [name, topic] : topics_) {
    if (topic->wanted) names.push_back(name);
  }
  return names;
}

}  // namespace leat::client::detail
