// producer_core.h: the thin part of a producer: it guards the accumulator, carries out on the loop what that one says,
// and tells those who wait. Everything but send() and the registration of waiters happens in work(), once before the
// loop polls when there is something to do, or when the accumulator's next deadline comes.
// Locks: mutex_ guards the accumulator and the lists of waiters; it is taken only by clients with a thread of their
// own, and never held while a callback runs or a broker is called. Thread: as said at each function.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <leat/producer.h>

#include "client/cluster/cluster.h"
#include "client/participant.h"
#include "client/producer/accumulator.h"
#include "net/protocol/messages/produce.h"

namespace leat::client::detail {

enum class Locking : uint8_t { kNone, kMutex };  // kNone: one thread does everything

class ProducerCore final : public std::enable_shared_from_this<ProducerCore>,
                           public Participant,
                           private ClusterListener {
 public:
  // kInvalidArgument names the setting. On the loop.
  static Result<std::shared_ptr<ProducerCore>> create(Cluster& cluster, const ProducerSettings& settings,
                                                      Locking locking);
  ~ProducerCore() override;

  // From any thread.
  Result<> send(const ProducerRecord& record, DeliveryCallback on_delivery);
  void begin(SendOperation& operation);
  bool is_resolved(const SendOperation& operation);
  bool suspend(SendOperation& operation, std::coroutine_handle<> awaiter);
  void abandon(SendOperation& operation) noexcept;
  void resolve(SendOperation& operation, Result<DeliveredRecord> outcome);  // on the loop
  Pending<> ready();
  Pending<> flush(int64_t timeout_ms);
  Pending<> close(int64_t timeout_ms);
  ProducerStats stats();
  void shut_down();  // see Producer::~Producer

  void detach(const Error& error) override;

 private:
  using Waiter = std::shared_ptr<PendingState<void>>;
  enum class Afterwards : uint8_t { kGoOn, kClose };
  struct FlushWaiter {
    uint64_t generation;
    Nanos deadline;
    Afterwards afterwards;
    Waiter waiter;
  };
  struct InFlight {  // one Produce request
    int32_t node;
    std::vector<SendItem> items;
    ProduceRequest request;
  };
  // What the accumulator gave out in one round, to be carried out without the lock.
  struct Round {
    std::vector<PackItem> to_pack;
    std::vector<Accumulator::Request> requests;
    std::vector<ReportItem> reports;
    std::vector<std::string> wanted;
    std::vector<std::string> given_up;
    bool metadata_is_stale = false;
    bool needs_identity = false;
  };

  ProducerCore(Cluster& cluster, const ProducerSettings& settings, bool idempotent, Locking locking);
  std::unique_lock<std::mutex> guard() {
    return locking_ == Locking::kMutex ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }
  Error refusal(AppendStatus status, const ProducerRecord& record) const;
  void link(SendOperation& operation) noexcept;
  void unlink(SendOperation& operation) noexcept;
  void wake();  // under the lock

  // On the loop, without the lock.
  void on_metadata() override;
  void work();
  Round take_round();
  void carry_out(Round round);
  void pack(std::vector<PackItem> items);
  void on_packed(const PackItem& item, leat::Result<Slice> packed);
  void transmit(Accumulator::Request request);
  void on_answer(const InFlight& in_flight, Result<LinkAnswer> answer);
  void on_response(const InFlight& in_flight, const ProduceResponse& response);
  void fail_all(const InFlight& in_flight, const Error& error);
  void ask_identity();
  void on_identity(Result<LinkAnswer> answer);
  void report(std::vector<ReportItem> reports);
  void let_in();
  void tell_flushed();
  void arm_timer();
  void end(const Error& error);  // all that is under way, and all who wait

  class PackJob;
  Cluster& cluster_;  // not to be touched once detached_
  const ProducerSettings settings_;
  const bool idempotent_;
  const Locking locking_;
  const std::shared_ptr<Executor> executor_;

  std::mutex mutex_;
  SeededRandom random_;  // the accumulator's, under the lock: the context's is the loop's
  Accumulator accumulator_;
  SendOperation* first_waiting_ = nullptr;  // for room, in order
  SendOperation* last_waiting_ = nullptr;
  std::vector<Waiter> ready_waiters_;
  std::vector<FlushWaiter> flush_waiters_;
  bool woken_ = false;     // work() will come
  bool refusing_ = false;  // close() was called
  bool detached_ = false;

  TimerId timer_ = kNoTimer;  // these belong to the loop
  Nanos timer_at_{0};
  bool asking_identity_ = false;
  int identity_failures_ = 0;
  Nanos identity_not_before_{0};
};

}  // namespace leat::client::detail
