// producer.h: records into topics. send() encodes a record at once into the batch of its partition: no memory is
// allocated for a record, and the caller's bytes are not needed any more when it has been taken. Batches leave when
// they are full, after linger_ms, or at a flush. Records of one partition are stored in the order of their send(): with
// idempotence (the default) each exactly once, also when requests fail and are repeated; without, a repeated one may be
// stored twice, and behind the next one unless requests_in_flight_max is 1. The outcome of each record that was taken
// is reported exactly once: also on close, when brokers die, and when the client is destroyed.
//   Result<DeliveredRecord> sent = co_await producer->send({.topic = "orders", .value = "42"});
//   Result<> taken = producer->send(record, [](const DeliveryReport& report) { ... });
// Threads: a client with a thread of its own takes calls from any; on a loop of yours all calls belong in its thread.
// Callbacks run and coroutines go on in the loop's thread; a SendOperation that waits is destroyed there only.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <leat/delivery.h>
#include <leat/pending.h>
#include <leat/record.h>
#include <leat/result.h>

namespace leat::client {

enum class Acks : int16_t { kNone = 0, kLeader = 1, kAll = -1 };
enum class Compression : uint8_t { kNone = 0, kGzip = 1, kSnappy = 2, kLz4 = 3, kZstd = 4 };
enum class Partitioner : uint8_t {
  kMurmur2,   // by key, as Java's client does; without a key as kSticky
  kSticky,    // a batch to one partition, the next one to another; keys are not looked at
  kExplicit,  // each record names its partition
};
enum class Idempotence : uint8_t {
  kWhenPossible,  // with acks kAll and at most 5 requests in flight
  kRequired,      // else settings that forbid it are refused
  kOff,
};

struct ProducerSettings {
  Acks acks = Acks::kAll;
  Idempotence idempotence = Idempotence::kWhenPossible;
  Compression compression = Compression::kNone;
  std::optional<int> compression_level = std::nullopt;  // none: the codec's default
  Partitioner partitioner = Partitioner::kMurmur2;
  int64_t linger_ms = 5;
  size_t batch_bytes_max = 1'000'000;  // before compression
  int32_t batch_records_max = 10'000;
  size_t request_bytes_max = 1'048'576;        // max.request.size; a record that is larger is refused
  size_t buffer_bytes_max = size_t{32} << 20;  // buffer.memory: of records that have no outcome yet
  int32_t requests_in_flight_max = 5;          // to one broker
  int64_t delivery_timeout_ms = 120'000;       // from send() to the outcome
  int64_t request_timeout_ms = 30'000;
  int64_t retry_backoff_ms = 100;  // doubles with each attempt of a batch, with jitter
  int64_t retry_backoff_max_ms = 1'000;
  int32_t retries = std::numeric_limits<int32_t>::max();  // bounded by delivery_timeout_ms anyway
  int64_t unknown_topic_wait_ms = 30'000;                 // a topic that does not exist may be about to be made
};

struct DeliveredRecord {
  int32_t partition = -1;
  int64_t offset = -1;              // -1: not known, as with acks kNone
  int64_t log_append_time_ms = -1;  // where the topic has LogAppendTime
};

struct ProducerStats {
  uint64_t records_taken = 0;
  uint64_t records_delivered = 0;
  uint64_t records_failed = 0;
  uint64_t batches_sent = 0;  // with those sent again
  uint64_t batches_retried = 0;
  uint64_t batches_split = 0;  // refused as too large, and sent again as two each
  uint64_t requests_sent = 0;
  int64_t throttle_time_ms = 0;      // of the last answer: for so long the broker, by its quotas, was sent nothing more
  int64_t throttle_time_ms_max = 0;  // of all answers
  size_t buffered_bytes = 0;         // now
  size_t buffered_records = 0;
};

namespace detail {
class ProducerCore;
}

// A record that was given to send() and has no outcome yet. If there is no room for it, it waits for its turn, and then
// its bytes must stay where they are; they do while one awaits it in the expression that made it. Destroyed before its
// outcome, it gives up waiting: a record that was taken is sent all the same.
class [[nodiscard]] SendOperation {
 public:
  SendOperation(const SendOperation&) = delete;
  SendOperation& operator=(const SendOperation&) = delete;
  ~SendOperation();

  bool await_ready() noexcept;
  bool await_suspend(std::coroutine_handle<> awaiter) noexcept;
  Result<DeliveredRecord> await_resume() noexcept;

 private:
  friend class Producer;
  friend detail::ProducerCore;
  SendOperation(std::shared_ptr<detail::ProducerCore> core, const ProducerRecord& record);
  DeliveryCallback callback() noexcept;

  std::shared_ptr<detail::ProducerCore> core_;
  ProducerRecord record_;  // looked at until there is room for it
  std::optional<Result<DeliveredRecord>> outcome_;
  std::coroutine_handle<> awaiter_;
  detail::OutcomePlace place_;         // while a batch has its callback
  SendOperation* previous_ = nullptr;  // among those that wait for room
  SendOperation* next_ = nullptr;
  bool waits_for_room_ = false;
};

class Producer {
 public:
  explicit Producer(std::shared_ptr<detail::ProducerCore> core) noexcept;  // see Client::producer
  ~Producer();  // what has no outcome yet gets kClosed: close() first
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // The awaitable form. Waits for room where there is none.
  SendOperation send(const ProducerRecord& record);
  // The callback form. An error means that the record was not taken, and the callback will not be called: kQueueFull
  // (see ready()), kTooLarge, kInvalidArgument, kClosed.
  Result<> send(const ProducerRecord& record, DeliveryCallback on_delivery);

  // Answered when there is room again for records after kQueueFull: less than three quarters of buffer_bytes_max is
  // used.
  Pending<> ready();
  // Sends what lingers; answered when all records taken before this call have an outcome, kTimedOut when that is not so
  // after `timeout_ms` (they are tried on).
  Pending<> flush(int64_t timeout_ms);
  // Takes nothing any more, then as flush; what has no outcome when the time is over gets kClosed.
  Pending<> close(int64_t timeout_ms);

  ProducerStats stats() const;

 private:
  std::shared_ptr<detail::ProducerCore> core_;
};

}  // namespace leat::client
