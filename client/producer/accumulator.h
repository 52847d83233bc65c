// accumulator.h: everything between send() and the wire, without I/O: which partition a record goes to, its batch, when
// a batch is due (full, linger_ms over, a flush, memory short), which batches may go to which broker, what an answer
// means (a batch that is too large is split), when time is over, and whose outcome is to be reported. Its user calls
// in, then carries out what the take_ functions give: batches to compress, requests to send, reports to make, topics to
// ask about.
// Records whose topic is not known yet are staged: encoded already, and moved to their partitions when the metadata
// come. Memory: buffered_bytes counts encoded records and callbacks from append to report.
// Flush: batches are counted by generation; a flush begins a new one, and is over when all before it are empty.
// Invariants: each batch is in exactly one place (open, a slot, staged, reports); it is reported once, from whichever
// place. Pure: clock and random are injected. Thread: guarded by the producer's lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <leat/producer.h>

#include "client/cluster/backoff.h"
#include "client/cluster/metadata_cache.h"
#include "client/producer/partition_queue.h"

namespace leat::client::detail {

enum class AppendStatus : uint8_t { kTaken, kFull, kTooLarge, kNoSuchPartition, kNoPartition, kNoTopic, kClosed };

struct PackItem {
  PartitionQueue* partition;
  uint64_t batch_id;
  Slice records;
};

struct SendItem {
  PartitionQueue* partition;
  uint64_t batch_id;
  ProducerBatch* batch;  // only until the request has been encoded
  ProducerIdentity identity;
  int32_t base_sequence;
  bool needs_stamp;
};

struct ReportItem {
  std::unique_ptr<ProducerBatch> batch;
  const TopicQueue* topic;
  int32_t partition = kAnyPartition;
  int64_t base_offset = -1;
  int64_t log_append_time_ms = -1;
  std::optional<Error> error = std::nullopt;
};

struct BatchAnswer {
  ErrorCode code = ErrorCode::kNone;
  int64_t base_offset = -1;
  int64_t log_append_time_ms = -1;
  std::optional<std::string> words = std::nullopt;
};

class Accumulator {
 public:
  Accumulator(const ProducerSettings& settings, bool idempotent, const Clock& clock, Random& random);
  ~Accumulator();  // everything has been reported
  Accumulator(const Accumulator&) = delete;
  Accumulator& operator=(const Accumulator&) = delete;

  AppendStatus append(const ProducerRecord& record, DeliveryCallback& on_delivery, OutcomePlace* place = nullptr);

  // News. Each may make batches ready, or reports.
  void on_topic(std::string_view name, const KnownTopic& known);
  void set_identity(const ProducerIdentity& identity);
  void note_no_identity(const Error& error);  // it is asked for again
  void on_packed(const PackItem& item, Codec codec, leat::Result<Slice> packed);
  void on_answer(const SendItem& item, const BatchAnswer& answer);
  void on_failed(const SendItem& item, const Error& error);
  void on_request_ended(int32_t node);
  // Of each answer to a request. Batches stay here, where more may join them and they may expire, until it has passed.
  void on_throttle(int32_t node, Millis time);
  void tick();  // what is due by now
  // All that have no outcome get `error`, also those in flight; nothing is taken any more.
  void abort(const Error& error);

  // What is to be done.
  std::vector<PackItem> take_to_pack() { return std::exchange(to_pack_, {}); }
  // One request to a node that may have one more, all of its batches; nothing: there is none at present.
  struct Request {
    int32_t node = -1;
    std::vector<SendItem> items;
  };
  std::optional<Request> take_request();
  std::vector<ReportItem> take_reports() { return std::exchange(reports_, {}); }
  std::vector<std::string> take_wanted_topics() { return std::exchange(wanted_topics_, {}); }
  std::vector<std::string> take_given_up_topics() { return std::exchange(given_up_topics_, {}); }
  bool take_metadata_is_stale() noexcept { return std::exchange(metadata_is_stale_, false); }
  bool needs_identity() const noexcept { return idempotent_ && !identity_.is_set(); }
  // Something of the above may have come up since the last time; append() does so about once a batch.
  bool take_news() noexcept { return std::exchange(news_, false); }
  std::optional<Nanos> next_deadline();

  // Everything taken so far becomes due. The answer is the generation to ask for.
  uint64_t begin_flush();
  bool is_flushed(uint64_t generation) const noexcept { return first_generation_ > generation; }

  size_t buffered_bytes() const noexcept { return buffered_bytes_; }
  const ProducerStats& stats() const noexcept { return stats_; }
  bool is_closed() const noexcept { return closed_; }
  std::vector<std::string> topic_names() const;

 private:
  struct NodeQueue {
    RingQueue<PartitionQueue*> ready;
    int32_t in_flight = 0;
    Nanos not_before{0};  // the end of a throttle
  };
  struct Timed {  // of a batch; of a staged one the partition is null
    Nanos at{0};
    TopicQueue* topic = nullptr;
    PartitionQueue* partition = nullptr;
    uint64_t batch_id = 0;
  };
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>{}(name); }
  };

  TopicQueue& topic_of(std::string_view name);
  PartitionQueue& partition_of(TopicQueue& topic, int32_t index);
  AppendStatus choose(TopicQueue& topic, const ProducerRecord& record, PartitionQueue*& partition);
  int32_t choose_sticky(TopicQueue& topic);
  OutcomePlace put(PartitionQueue& partition, const ProducerRecord& record, size_t size_max, int64_t timestamp_ms,
                   DeliveryCallback& on_delivery);
  void open_batch(PartitionQueue& partition);
  std::unique_ptr<ProducerBatch> new_batch(TopicQueue& topic, PartitionQueue* partition,
                                           const ProducerBatch::Guess& guess);
  bool is_full(const ProducerBatch& batch) const noexcept;
  void seal(PartitionQueue& partition);
  OutcomePlace stage(TopicQueue& topic, const ProducerRecord& record, size_t size_max, DeliveryCallback& on_delivery);
  void move_staged(TopicQueue& topic);
  void move_record(TopicQueue& topic, ProducerBatch& from, size_t index, const ProducerRecord& record,
                   int64_t timestamp_ms);
  int64_t timestamp_of(const ProducerRecord& record, bool asks);

  void list(PartitionQueue& partition);
  void make_due(PartitionQueue& partition);
  bool take_batch(PartitionQueue& partition, int32_t node, size_t bytes_left, Request& request);
  void make_ready(PartitionQueue& partition, BatchSlot& slot);
  void split(PartitionQueue& partition, BatchSlot& slot, const Slice& records);
  std::unique_ptr<ProducerBatch> new_part(const ProducerBatch& of, const ProducerBatch::Guess& guess);
  void retry_later(PartitionQueue& partition, BatchSlot& slot);
  void settle(PartitionQueue& partition);
  void give_up(PartitionQueue& partition, BatchSlot& slot, Error error);
  void fail_topic(TopicQueue& topic, const Error& error);
  void fail_partition(PartitionQueue& partition, const Error& error);
  void expire(const Timed& timed);
  bool is_unresolved(const Timed& timed);
  void finish(std::unique_ptr<ProducerBatch> batch, ReportItem report);
  void drop_empty_generations() noexcept;
  std::string_view silence_of(const PartitionQueue& partition) const;
  Error late(const std::string& what, const Trouble& trouble, std::string_view silence) const;
  Error error_of(const PartitionQueue& partition, const BatchAnswer& answer) const;

  const ProducerSettings settings_;
  const bool idempotent_;
  const Clock& clock_;
  Random& random_;
  std::unordered_map<std::string, std::unique_ptr<TopicQueue>, NameHash, std::equal_to<>> topics_;
  TopicQueue* last_topic_ = nullptr;  // of the last append
  std::map<int32_t, NodeQueue> nodes_;
  RingQueue<Timed> lingering_;  // open batches, in the order of their opening; some are gone by now
  RingQueue<Timed> expiring_;   // all but parts of others, in the same order; some are reported by now
  std::vector<PartitionQueue*> retrying_;
  ProducerIdentity identity_;
  Trouble identity_trouble_;

  std::vector<PackItem> to_pack_;
  std::vector<ReportItem> reports_;
  std::vector<std::string> wanted_topics_;
  std::vector<std::string> given_up_topics_;
  bool metadata_is_stale_ = false;
  bool news_ = false;
  bool closed_ = false;

  uint64_t last_batch_id_ = 0;
  uint64_t last_request_ = 0;                  // counts looks for one
  uint64_t first_generation_ = 0;              // of batches_by_generation_.front()
  RingQueue<uint32_t> batches_by_generation_;  // unresolved ones
  uint64_t due_generation_ = 0;                // batches of generations below it are due
  size_t buffered_bytes_ = 0;
  int64_t cached_now_ms_ = 0;
  uint32_t cached_now_uses_ = 0;
  ProducerStats stats_;
};

}  // namespace leat::client::detail
