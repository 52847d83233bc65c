// accumulator_sending.cpp: batches out: what is due, what a request takes, what an answer means, and reports.
#include <fmt/format.h>

#include <algorithm>

#include "client/producer/accumulator.h"
#include "core/base/check.h"

namespace leat::client::detail {
namespace {

constexpr std::string_view kNoAnswer = "the broker did not answer";
constexpr std::string_view kThrottled = "the broker throttles this client: a quota is used up";
constexpr size_t kRequestBytesPerBatch = 64;  // what stands around a batch in a request, the topic's name apart

bool is_timely(const BatchSlot& slot) noexcept {
  return slot.state != SlotState::kDone && slot.state != SlotState::kAbandoned;
}

// The batch is more than the topic takes, or its segments.
bool is_too_large(ErrorCode code) noexcept {
  return code == ErrorCode::kMessageTooLarge || code == ErrorCode::kRecordListTooLarge;
}

// What the broker said, else what Kafka says, and what to do about a disk.
std::string own_words(const BatchAnswer& answer) {
  std::string words = answer.words.value_or("");
  if (words.empty()) words = error_message(answer.code);
  if (answer.code != ErrorCode::kKafkaStorageError) return words;
  return words + (words.ends_with('.') ? " " : ". ") +
         "If the broker's disk is full, free space on it; its log says more";
}

std::string refusal_words(const BatchAnswer& answer) {
  return fmt::format("{}: {}", error_name(answer.code), own_words(answer));
}

// What a topic's error means: it may come to be, or the leaders are being chosen; or there is no hope.
bool may_come(ErrorCode code) noexcept { return leat::is_retriable(code); }

}  // namespace

void Accumulator::on_topic(std::string_view name, const KnownTopic& known) {
  const auto found = topics_.find(name);
  if (found == topics_.end() || !known.answered) return;
  TopicQueue& topic = *found->second;
  if (known.error != ErrorCode::kNone && known.partitions.empty()) {
    const Nanos now = clock_.monotonic();
    topic.trouble = {.words = std::string(error_name(known.error)), .refusal = known.error};
    if (!topic.unknown_since) topic.unknown_since = now;
    const bool waited = now - *topic.unknown_since >= Millis(settings_.unknown_topic_wait_ms);
    if (may_come(known.error) && !waited) return;
    return fail_topic(topic, Error::from_broker(known.error, fmt::format("topic '{}'", topic.name)));
  }
  topic.unknown_since.reset();
  topic.trouble = {};
  topic.partition_count = static_cast<int32_t>(known.partitions.size());
  for (size_t i = 0; i < known.partitions.size(); ++i) {
    PartitionQueue& partition = partition_of(topic, static_cast<int32_t>(i));
    partition.leader = known.partitions[i].leader;
    if (partition.leader < 0) {
      partition.trouble = {.words = "it has no leader", .refusal = ErrorCode::kLeaderNotAvailable};
    }
    list(partition);
  }
  for (size_t i = known.partitions.size(); i < topic.partitions.size(); ++i) {
    if (!topic.partitions[i]) continue;
    topic.partitions[i]->leader = -1;
    fail_partition(*topic.partitions[i],
                   Error::from_broker(ErrorCode::kUnknownTopicOrPartition, fmt::format("{}-{}", topic.name, i),
                                      fmt::format("the topic has {} partitions", topic.partition_count)));
  }
  if (topic.partition_count > 0 && !topic.staged.empty()) move_staged(topic);
}

void Accumulator::fail_topic(TopicQueue& topic, const Error& error) {
  topic.unknown_since.reset();
  topic.wanted = false;  // the next record asks again
  given_up_topics_.push_back(topic.name);
  for (std::unique_ptr<ProducerBatch>& batch : std::exchange(topic.staged, {})) {
    finish(std::move(batch), {.batch = nullptr, .topic = &topic, .error = error});
  }
  for (const std::unique_ptr<PartitionQueue>& partition : topic.partitions) {
    if (partition) fail_partition(*partition, error);
  }
}

void Accumulator::fail_partition(PartitionQueue& partition, const Error& error) {
  for (size_t i = 0; i < partition.slot_count(); ++i) {
    if (is_timely(partition.slot(i))) give_up(partition, partition.slot(i), error);
  }
  partition.drop_done();
  if (!partition.open) return;
  finish(std::move(partition.open),
         {.batch = nullptr, .topic = &partition.topic, .partition = partition.index, .error = error});
}

// Reports a batch now; one in flight keeps its place until its request ends.
void Accumulator::give_up(PartitionQueue& partition, BatchSlot& slot, Error error) {
  slot.state = slot.state == SlotState::kInFlight ? SlotState::kAbandoned : SlotState::kDone;
  finish(std::move(slot.batch),
         {.batch = nullptr, .topic = &partition.topic, .partition = partition.index, .error = std::move(error)});
}

void Accumulator::finish(std::unique_ptr<ProducerBatch> batch, ReportItem report) {
  ENSURE(batch != nullptr);
  const auto records = static_cast<uint64_t>(batch->record_count());
  buffered_bytes_ -= batch->charged_bytes();
  stats_.buffered_records -= records;
  (report.error ? stats_.records_failed : stats_.records_delivered) += records;
  --batches_by_generation_[batch->generation - first_generation_];
  drop_empty_generations();
  report.batch = std::move(batch);
  reports_.push_back(std::move(report));
  news_ = true;
}

void Accumulator::drop_empty_generations() noexcept {
  while (batches_by_generation_.size() > 1 && batches_by_generation_.front() == 0) {
    batches_by_generation_.pop_front();
    ++first_generation_;
  }
}

uint64_t Accumulator::begin_flush() {
  const uint64_t generation = first_generation_ + batches_by_generation_.size() - 1;
  batches_by_generation_.push_back(0);
  due_generation_ = generation + 1;
  drop_empty_generations();
  for (; !lingering_.empty(); lingering_.pop_front()) {
    const Timed& timed = lingering_.front();
    if (timed.partition->open && timed.partition->open->id() == timed.batch_id) make_due(*timed.partition);
  }
  news_ = true;
  return generation;
}

void Accumulator::make_due(PartitionQueue& partition) {
  partition.open_is_due = true;
  list(partition);
  news_ = true;
}

void Accumulator::list(PartitionQueue& partition) {
  if (partition.leader < 0 || partition.listed_node == partition.leader) return;
  if (partition.slot_count() == 0 && !partition.open_is_due) return;
  partition.listed_node = partition.leader;
  nodes_[partition.leader].ready.push_back(&partition);
  news_ = true;
}

void Accumulator::set_identity(const ProducerIdentity& identity) {
  identity_ = identity;
  identity_trouble_ = {};
  for (const auto& [name, topic] : topics_) {
    for (const std::unique_ptr<PartitionQueue>& partition : topic->partitions) {
      if (partition) settle(*partition);
    }
  }
  news_ = true;
}

void Accumulator::note_no_identity(const Error& error) {
  identity_trouble_ = {.words = error.message()};
  if (error.cause() == Cause::kBroker) identity_trouble_.refusal = error.kafka_code();
}

std::optional<Accumulator::Request> Accumulator::take_request() {
  if (needs_identity()) return std::nullopt;
  const Nanos now = clock_.monotonic();
  for (auto& [node, queue] : nodes_) {
    if (queue.in_flight >= settings_.requests_in_flight_max || now < queue.not_before) continue;
    Request request{.node = node, .items = {}};
    size_t bytes_left = settings_.request_bytes_max;
    ++last_request_;
    // Each partition once: a request holds one batch of each at most. One whose leader went away and came back may
    // stand on the list twice.
    for (size_t looks = queue.ready.size(); looks > 0; --looks) {
      PartitionQueue& partition = *queue.ready.front();
      queue.ready.pop_front();
      if (partition.listed_node != node || std::exchange(partition.last_request, last_request_) == last_request_) {
        continue;
      }
      partition.listed_node = -1;
      if (partition.leader != node) {
        list(partition);
        continue;
      }
      const size_t item_count = request.items.size();
      const bool more = take_batch(partition, node, bytes_left, request);
      if (request.items.size() > item_count) {
        const size_t bytes = request.items.back().batch->packed_size_bytes() + kRequestBytesPerBatch;
        bytes_left -= std::min(bytes_left, bytes);
      }
      if (more) list(partition);
    }
    if (request.items.empty()) continue;
    ++queue.in_flight;
    ++stats_.requests_sent;
    return request;
  }
  return std::nullopt;
}

// Adds its next batch, where it has one that may leave now and fits. True: it has more for a later request.
bool Accumulator::take_batch(PartitionQueue& partition, int32_t node, size_t bytes_left, Request& request) {
  const Nanos now = clock_.monotonic();
  if (partition.slot_count() == partition.in_flight() && partition.open && partition.open_is_due) seal(partition);
  partition.listed_node = -1;
  BatchSlot* const slot = partition.next_to_send(now, idempotent_);
  if (slot == nullptr) return false;
  if (!request.items.empty() && slot->batch->packed_size_bytes() + kRequestBytesPerBatch > bytes_left) return true;
  if (idempotent_ && !partition.identity.is_set()) partition.identity = identity_;
  partition.on_sent(*slot, node, idempotent_);
  ++stats_.batches_sent;
  if (slot->attempts > 1) ++stats_.batches_retried;
  request.items.push_back({.partition = &partition,
                           .batch_id = slot->batch_id,
                           .batch = slot->batch.get(),
                           .identity = partition.identity,
                           .base_sequence = slot->base_sequence,
                           .needs_stamp = !std::exchange(slot->stamped, true)});
  return partition.slot_count() > partition.in_flight() || partition.open_is_due;
}

void Accumulator::on_packed(const PackItem& item, Codec codec, leat::Result<Slice> packed) {
  PartitionQueue& partition = *item.partition;
  BatchSlot* const slot = partition.find(item.batch_id);
  if (slot == nullptr || slot->state != SlotState::kPacking) return;  // reported meanwhile
  if (packed) {
    slot->batch->set_packed(codec, *std::move(packed));
    slot->state = SlotState::kReady;
  } else {
    give_up(partition, *slot,
            Error(Cause::kInvalidArgument, fmt::format("{}-{}: compression failed: {}", partition.topic.name,
                                                       partition.index, packed.error().context)));
    partition.drop_done();
  }
  list(partition);
}

Error Accumulator::error_of(const PartitionQueue& partition, const BatchAnswer& answer) const {
  return Error::from_broker(answer.code, fmt::format("{}-{}", partition.topic.name, partition.index),
                            own_words(answer));
}

void Accumulator::on_answer(const SendItem& item, const BatchAnswer& answer) {
  PartitionQueue& partition = *item.partition;
  BatchSlot* const slot = partition.find(item.batch_id);
  ENSURE(slot != nullptr, "an answer for batch {} that is not in flight", item.batch_id);
  if (answer.code == ErrorCode::kNone) partition.note_stored();
  if (slot->state == SlotState::kAbandoned) {
    partition.on_returned(*slot, SlotState::kDone);
    return settle(partition);
  }
  if (is_too_large(answer.code) && slot->record_count > 1) {
    // Bytes that were compressed here and do not unpack leave no other way than the one of a single record.
    if (const leat::Result<Slice> records = slot->batch->unpacked_records()) {
      split(partition, *slot, *records);
      return settle(partition);
    }
  }
  switch (partition.judge(*slot, answer.code, idempotent_)) {
    case Verdict::kDelivered: {
      const bool duplicate = answer.code != ErrorCode::kNone;
      std::unique_ptr<ProducerBatch> batch = std::move(slot->batch);
      partition.on_returned(*slot, SlotState::kDone);
      partition.trouble = {};
      finish(std::move(batch), {.batch = nullptr,
                                .topic = &partition.topic,
                                .partition = partition.index,
                                .base_offset = duplicate ? -1 : answer.base_offset,
                                .log_append_time_ms = answer.log_append_time_ms});
      break;
    }
    case Verdict::kNewEpoch:
      partition.want_new_epoch();
      [[fallthrough]];
    case Verdict::kRetry:
      metadata_is_stale_ = metadata_is_stale_ || leat::is_stale_metadata(answer.code);
      if (slot->attempts > settings_.retries) {
        give_up(partition, *slot, error_of(partition, answer));
        partition.on_returned(*slot, SlotState::kDone);
      } else {
        partition.trouble = {.words = refusal_words(answer), .refusal = answer.code};
        retry_later(partition, *slot);
      }
      break;
    case Verdict::kFail:
      give_up(partition, *slot, error_of(partition, answer));
      partition.on_returned(*slot, SlotState::kDone);
      break;
  }
  settle(partition);
}

void Accumulator::on_failed(const SendItem& item, const Error& error) {
  PartitionQueue& partition = *item.partition;
  BatchSlot* const slot = partition.find(item.batch_id);
  ENSURE(slot != nullptr, "a failure of batch {} that is not in flight", item.batch_id);
  const bool again = error.cause() == Cause::kNetwork || error.cause() == Cause::kUnreachable ||
                     error.cause() == Cause::kTimedOut || error.cause() == Cause::kProtocol;
  if (slot->state == SlotState::kAbandoned) {
    partition.on_returned(*slot, SlotState::kDone);
  } else if (again && slot->attempts <= settings_.retries) {
    partition.trouble = {.words = error.message()};
    metadata_is_stale_ = true;
    retry_later(partition, *slot);
  } else {
    give_up(partition, *slot, error);
    partition.on_returned(*slot, SlotState::kDone);
  }
  settle(partition);
}

void Accumulator::retry_later(PartitionQueue& partition, BatchSlot& slot) {
  const BackoffSettings backoff{.base = Millis(settings_.retry_backoff_ms),
                                .max = Millis(settings_.retry_backoff_max_ms)};
  partition.retry_at = clock_.monotonic() + backoff_delay(backoff, slot.attempts, random_);
  partition.on_returned(slot, SlotState::kReady);
  if (std::exchange(partition.waits_for_retry, true)) return;
  retrying_.push_back(&partition);
}

// After each change of what is in flight: a new epoch where one is wanted, and another place in the list.
void Accumulator::settle(PartitionQueue& partition) {
  if (partition.may_change_epoch() && identity_.is_set()) {
    // Another partition may have begun a newer epoch already: that one will do.
    const bool newer =
        partition.identity.producer_id != identity_.producer_id || partition.identity.epoch < identity_.epoch;
    if (!newer && identity_.epoch == INT16_MAX) {
      identity_ = {};  // a new producer id is asked for; set_identity() comes back here
      news_ = true;
      return;
    }
    if (!newer) ++identity_.epoch;
    partition.reset_sequences(identity_);
  }
  list(partition);
}

void Accumulator::on_request_ended(int32_t node) {
  NodeQueue& queue = nodes_[node];
  ENSURE(queue.in_flight > 0);
  --queue.in_flight;
  news_ = true;
}

void Accumulator::on_throttle(int32_t node, Millis time) {
  stats_.throttle_time_ms = time.count();
  stats_.throttle_time_ms_max = std::max(stats_.throttle_time_ms_max, stats_.throttle_time_ms);
  NodeQueue& queue = nodes_[node];
  queue.not_before = std::max(queue.not_before, clock_.monotonic() + time);
}

std::string_view Accumulator::silence_of(const PartitionQueue& partition) const {
  const auto node = nodes_.find(partition.leader);
  return node != nodes_.end() && clock_.monotonic() < node->second.not_before ? kThrottled : kNoAnswer;
}

bool Accumulator::is_unresolved(const Timed& timed) {
  if (timed.partition == nullptr) {
    return std::any_of(timed.topic->staged.begin(), timed.topic->staged.end(),
                       [&](const auto& batch) { return batch->id() == timed.batch_id; });
  }
  if (timed.partition->open && timed.partition->open->id() == timed.batch_id) return true;
  return timed.partition->find_expiring(timed.batch_id) != nullptr;
}

// `silence`: what is wrong when nothing is known to be.
Error Accumulator::late(const std::string& what, const Trouble& trouble, std::string_view silence) const {
  Error error(Cause::kTimedOut,
              fmt::format("{}: not delivered within delivery_timeout_ms = {}: {}", what, settings_.delivery_timeout_ms,
                          trouble.words.empty() ? silence : std::string_view(trouble.words)));
  if (!trouble.refusal) return error;
  return std::move(error).after_refusal(*trouble.refusal);
}

void Accumulator::expire(const Timed& timed) {
  if (timed.partition == nullptr) {
    auto& staged = timed.topic->staged;
    const auto batch =
        std::find_if(staged.begin(), staged.end(), [&](const auto& b) { return b->id() == timed.batch_id; });
    std::unique_ptr<ProducerBatch> expired = std::move(*batch);
    staged.erase(batch);
    finish(std::move(expired), {.batch = nullptr,
                                .topic = timed.topic,
                                .error = late(fmt::format("topic '{}'", timed.topic->name), timed.topic->trouble,
                                              "no broker told its metadata")});
    return;
  }
  PartitionQueue& partition = *timed.partition;
  const std::string name = fmt::format("{}-{}", partition.topic.name, partition.index);
  // Nothing is sent without a producer id.
  const bool lacks_identity = needs_identity() && !identity_trouble_.words.empty();
  const Trouble& trouble = lacks_identity ? identity_trouble_ : partition.trouble;
  if (partition.open && partition.open->id() == timed.batch_id) {
    partition.open_is_due = false;
    finish(std::move(partition.open), {.batch = nullptr,
                                       .topic = &partition.topic,
                                       .partition = partition.index,
                                       .error = late(name, trouble, silence_of(partition))});
    return;
  }
  while (BatchSlot* const slot = partition.find_expiring(timed.batch_id)) {
    give_up(partition, *slot, late(name, trouble, silence_of(partition)));
  }
  partition.drop_done();
}

void Accumulator::tick() {
  const Nanos now = clock_.monotonic();
  for (; !lingering_.empty(); lingering_.pop_front()) {
    const Timed& timed = lingering_.front();
    if (!timed.partition->open || timed.partition->open->id() != timed.batch_id) continue;
    if (timed.at > now) break;
    make_due(*timed.partition);
  }
  for (; !expiring_.empty(); expiring_.pop_front()) {
    if (!is_unresolved(expiring_.front())) continue;
    if (expiring_.front().at > now) break;
    expire(expiring_.front());
  }
  for (PartitionQueue* partition : std::exchange(retrying_, {})) {
    if (partition->retry_at > now) {
      retrying_.push_back(partition);
      continue;
    }
    partition->waits_for_retry = false;
    list(*partition);
  }
}

std::optional<Nanos> Accumulator::next_deadline() {
  Nanos next = Nanos::max();
  if (!lingering_.empty()) next = lingering_.front().at;
  if (!expiring_.empty()) next = std::min(next, expiring_.front().at);
  for (const PartitionQueue* partition : retrying_) next = std::min(next, partition->retry_at);
  const Nanos now = clock_.monotonic();
  for (const auto& [node, queue] : nodes_) {
    if (now < queue.not_before && !queue.ready.empty()) next = std::min(next, queue.not_before);
  }
  if (next == Nanos::max()) return std::nullopt;
  return next;
}

void Accumulator::abort(const Error& error) {
  closed_ = true;
  for (const auto& [name, topic] : topics_) {
    for (std::unique_ptr<ProducerBatch>& batch : std::exchange(topic->staged, {})) {
      finish(std::move(batch), {.batch = nullptr, .topic = topic.get(), .error = error});
    }
    for (const std::unique_ptr<PartitionQueue>& partition : topic->partitions) {
      if (partition) fail_partition(*partition, error);
    }
  }
  lingering_.clear();
  expiring_.clear();
  retrying_.clear();
  to_pack_.clear();
}

}  // namespace leat::client::detail
