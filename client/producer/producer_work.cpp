// producer_work.cpp: what a producer does on the loop: rounds of what the accumulator gives out, Produce requests and
// their answers, the producer id, reports, and those who wait.
#include <fmt/format.h>

#include <algorithm>

#include "client/producer/producer_core.h"
#include "core/base/check.h"
#include "net/protocol/messages/init_producer_id.h"

namespace leat::client::detail {
namespace {

constexpr int kRoundsPerTurnMax = 16;                       // then sockets get their chance
constexpr size_t kPackedOnLoopBytesMax = size_t{16} << 10;  // a hop to a worker and back costs as much
constexpr int16_t kProduceVersionMax = 12;                  // the last that names topics; later ones want ids

}  // namespace

// Compresses batches, one after the other.
class ProducerCore::PackJob final : public Job {
 public:
  PackJob(std::shared_ptr<ProducerCore> core, PackItem item) : core_(std::move(core)), item_(std::move(item)) {}
  void run() noexcept override {
    packed_.emplace(ProducerBatch::pack(static_cast<Codec>(core_->settings_.compression),
                                        core_->settings_.compression_level, item_.records.view()));
  }
  void done() noexcept override {
    if (cancelled) return;
    core_->on_packed(item_, *std::move(packed_));
  }

 private:
  const std::shared_ptr<ProducerCore> core_;  // its settings do not change
  const PackItem item_;
  std::optional<leat::Result<Slice>> packed_;
};

void ProducerCore::on_metadata() {
  const auto self = shared_from_this();  // a callback may drop the producer
  {
    const auto held = guard();
    for (const std::string& name : accumulator_.topic_names()) {
      if (const KnownTopic* known = cluster_.metadata().find(name)) accumulator_.on_topic(name, *known);
    }
  }
  work();
}

void ProducerCore::work() {
  for (int round = 0;; ++round) {
    Round todo;
    {
      const auto held = guard();
      woken_ = false;
      if (detached_) return;
      todo = take_round();
    }
    carry_out(std::move(todo));
    let_in();
    tell_flushed();
    const auto held = guard();
    if (detached_) return;
    if (!accumulator_.take_news()) break;
    if (round == kRoundsPerTurnMax) {
      wake();
      break;
    }
  }
  arm_timer();
}

ProducerCore::Round ProducerCore::take_round() {
  (void)accumulator_.take_news();
  accumulator_.tick();
  Round round;
  round.needs_identity = accumulator_.needs_identity();
  while (std::optional<Accumulator::Request> request = accumulator_.take_request()) {
    round.requests.push_back(*std::move(request));
  }
  round.to_pack = accumulator_.take_to_pack();
  round.reports = accumulator_.take_reports();
  round.wanted = accumulator_.take_wanted_topics();
  round.given_up = accumulator_.take_given_up_topics();
  round.metadata_is_stale = accumulator_.take_metadata_is_stale();
  return round;
}

void ProducerCore::carry_out(Round round) {
  for (const std::string& topic : round.given_up) cluster_.forget_topic(topic);
  for (const std::string& topic : round.wanted) {
    cluster_.want_topic(topic, AutoCreate::kYes);
    const KnownTopic* const known = cluster_.metadata().find(topic);
    if (known == nullptr || !known->answered) continue;
    const auto held = guard();
    accumulator_.on_topic(topic, *known);  // another producer or consumer has asked before
  }
  if (round.metadata_is_stale) cluster_.refresh_soon();
  if (round.needs_identity) ask_identity();
  pack(std::move(round.to_pack));
  for (Accumulator::Request& request : round.requests) transmit(std::move(request));
  report(std::move(round.reports));
}

void ProducerCore::pack(std::vector<PackItem> items) {
  for (PackItem& item : items) {
    if (item.records.size() > kPackedOnLoopBytesMax) {
      auto job = std::make_unique<PackJob>(shared_from_this(), std::move(item));
      cluster_.context().scheduler.workers().submit(WorkQueue::kCpu, std::move(job));
      continue;
    }
    const auto codec = static_cast<Codec>(settings_.compression);
    leat::Result<Slice> packed = ProducerBatch::pack(codec, settings_.compression_level, item.records.view());
    const auto held = guard();
    accumulator_.on_packed(item, codec, std::move(packed));
  }
}

void ProducerCore::on_packed(const PackItem& item, leat::Result<Slice> packed) {
  const auto held = guard();
  if (detached_) return;
  accumulator_.on_packed(item, static_cast<Codec>(settings_.compression), std::move(packed));
  wake();
}

void ProducerCore::transmit(Accumulator::Request taken) {
  auto in_flight = std::make_shared<InFlight>();
  in_flight->node = taken.node;
  in_flight->items = std::move(taken.items);
  ProduceRequest& request = in_flight->request;
  request.acks = static_cast<int16_t>(settings_.acks);
  request.timeout_ms = static_cast<int32_t>(settings_.request_timeout_ms);
  for (SendItem& item : in_flight->items) {
    const Slice& bytes = item.needs_stamp ? item.batch->stamp(item.identity, item.base_sequence) : item.batch->packed();
    const std::string& topic = item.partition->topic.name;
    if (request.topic_data.empty() || request.topic_data.back().name != topic) {
      request.topic_data.push_back({.name = topic, .topic_id = {}, .partition_data = {}});
    }
    request.topic_data.back().partition_data.push_back(
        {.index = item.partition->index, .records = leat::Records(bytes)});
    item.batch = nullptr;
  }
  BrokerLink* const link = cluster_.link(in_flight->node, LinkPurpose::kProduce);
  if (link == nullptr) {
    return fail_all(*in_flight,
                    Error(Cause::kNetwork, fmt::format("broker {} is not in the metadata any more", in_flight->node)));
  }
  LinkRequest call;
  call.key = ApiKey::kProduce;
  call.version_max = kProduceVersionMax;
  call.timeout = Millis(settings_.request_timeout_ms);
  call.answered = settings_.acks == Acks::kNone ? Answered::kNo : Answered::kYes;
  call.encode = [in_flight, client_id = cluster_.context().settings.client_id](int16_t version, int32_t correlation) {
    auto frame = encode_request(in_flight->request, version, correlation, client_id);
    in_flight->request = {};  // the frame holds the batches from here on
    return frame;
  };
  call.on_answer = [self = shared_from_this(), in_flight](Result<LinkAnswer> answer) {
    self->on_answer(*in_flight, std::move(answer));
  };
  link->call(std::move(call));
}

void ProducerCore::on_answer(const InFlight& in_flight, Result<LinkAnswer> answer) {
  if (!answer) return fail_all(in_flight, answer.error());
  if (settings_.acks == Acks::kNone) {
    const auto held = guard();
    for (const SendItem& item : in_flight.items) accumulator_.on_answer(item, {});
    accumulator_.on_request_ended(in_flight.node);
    return wake();
  }
  leat::Result<ProduceResponse> response =
      decode_response<ProduceResponse>(std::move(answer->payload), answer->version, answer->correlation_id);
  if (!response) return fail_all(in_flight, Error(Cause::kProtocol, std::move(response.error().context)));
  {
    const auto held = guard();
    accumulator_.on_throttle(in_flight.node, answer->throttle_time);
  }
  on_response(in_flight, *response);
}

void ProducerCore::fail_all(const InFlight& in_flight, const Error& error) {
  const auto held = guard();
  for (const SendItem& item : in_flight.items) accumulator_.on_failed(item, error);
  accumulator_.on_request_ended(in_flight.node);
  wake();
}

// Brokers answer in the order of the request: each item is looked for from where the last one was found.
void ProducerCore::on_response(const InFlight& in_flight, const ProduceResponse& response) {
  struct Found {
    const std::string* topic;
    const ProduceResponse::PartitionProduceResponse* partition;
  };
  std::vector<Found> answers;
  for (const auto& topic : response.responses) {
    for (const auto& partition : topic.partition_responses) answers.push_back({&topic.name, &partition});
  }
  std::vector<Found> moved;
  {
    const auto held = guard();
    size_t next = 0;
    for (const SendItem& item : in_flight.items) {
      const auto is_it = [&](const Found& found) {
        return found.partition->index == item.partition->index && *found.topic == item.partition->topic.name;
      };
      size_t looks = 0;
      while (looks < answers.size() && !is_it(answers[(next + looks) % answers.size()])) ++looks;
      if (looks == answers.size()) {
        accumulator_.on_failed(item, Error(Cause::kProtocol, "the broker's answer lacks the partition"));
        continue;
      }
      next = (next + looks) % answers.size();
      const Found& found = answers[next];
      std::optional<std::string> words = found.partition->error_message;
      if (!found.partition->record_errors.empty()) {
        const auto& first = found.partition->record_errors.front();
        if (first.batch_index_error_message) words = first.batch_index_error_message;
      }
      accumulator_.on_answer(item, {.code = found.partition->error_code,
                                    .base_offset = found.partition->base_offset,
                                    .log_append_time_ms = found.partition->log_append_time_ms,
                                    .words = std::move(words)});
      if (found.partition->current_leader.leader_id >= 0) moved.push_back(found);
    }
    accumulator_.on_request_ended(in_flight.node);
    wake();
    if (detached_) return;
  }
  for (const Found& found : moved) {
    const auto& leader = found.partition->current_leader;
    cluster_.note_leader(*found.topic, found.partition->index, leader.leader_id, leader.leader_epoch);
  }
}

void ProducerCore::ask_identity() {
  const Nanos now = cluster_.context().scheduler.clock().monotonic();
  if (asking_identity_ || now < identity_not_before_) return;
  asking_identity_ = true;
  LinkRequest call;
  call.key = ApiKey::kInitProducerId;
  call.timeout = Millis(settings_.request_timeout_ms);
  call.encode = [client_id = cluster_.context().settings.client_id](int16_t version, int32_t correlation_id) {
    InitProducerIdRequest request;
    request.transactional_id.reset();
    request.transaction_timeout_ms = INT32_MAX;
    return encode_request(request, version, correlation_id, client_id);
  };
  call.on_answer = [self = shared_from_this()](Result<LinkAnswer> answer) { self->on_identity(std::move(answer)); };
  cluster_.any_link().call(std::move(call));
}

void ProducerCore::on_identity(Result<LinkAnswer> answer) {
  asking_identity_ = false;
  {
    const auto held = guard();
    if (detached_) return;
  }
  std::optional<Error> error;
  if (!answer) {
    error = std::move(answer).error();
  } else {
    leat::Result<InitProducerIdResponse> response =
        decode_response<InitProducerIdResponse>(std::move(answer->payload), answer->version, answer->correlation_id);
    if (!response) {
      error = Error(Cause::kProtocol, std::move(response.error().context));
    } else if (response->error_code != ErrorCode::kNone) {
      error = Error::from_broker(response->error_code, "a producer id, which idempotence needs, was not given");
    } else {
      identity_failures_ = 0;
      const auto held = guard();
      accumulator_.set_identity({.producer_id = response->producer_id, .epoch = response->producer_epoch});
      return wake();
    }
  }
  if (!error->is_retriable() && error->cause() != Cause::kProtocol) {
    return end(Error(*error).as_fatal());
  }
  {
    const auto held = guard();
    accumulator_.note_no_identity(*error);
  }
  const BackoffSettings backoff{.base = Millis(settings_.retry_backoff_ms),
                                .max = Millis(settings_.retry_backoff_max_ms)};
  identity_not_before_ = cluster_.context().scheduler.clock().monotonic() +
                         backoff_delay(backoff, ++identity_failures_, cluster_.context().random);
  arm_timer();
}

void ProducerCore::report(std::vector<ReportItem> reports) {
  for (ReportItem& item : reports) {
    item.batch->report({.error = item.error ? &*item.error : nullptr,
                        .topic = item.topic->name,
                        .partition = item.partition,
                        .offset = item.base_offset,
                        .log_append_time_ms = item.log_append_time_ms});
    item.batch.reset();
  }
}

// Who waits for room, in order, as far as there is some.
void ProducerCore::let_in() {
  std::vector<std::pair<SendOperation*, Error>> refused;
  std::vector<Waiter> ready;
  {
    const auto held = guard();
    while (first_waiting_ != nullptr) {
      SendOperation& operation = *first_waiting_;
      DeliveryCallback on_delivery = operation.callback();
      const AppendStatus status = accumulator_.append(operation.record_, on_delivery, &operation.place_);
      if (status == AppendStatus::kFull) break;  // append() has made due what lingers, which those before it may be in
      unlink(operation);
      if (status != AppendStatus::kTaken) refused.emplace_back(&operation, refusal(status, operation.record_));
    }
    if (accumulator_.buffered_bytes() < settings_.buffer_bytes_max / 4 * 3) ready = std::exchange(ready_waiters_, {});
  }
  for (auto& [operation, error] : refused) resolve(*operation, std::move(error));
  for (const Waiter& waiter : ready) waiter->complete(Result<>());
}

void ProducerCore::tell_flushed() {
  std::vector<std::pair<Waiter, Result<>>> told;
  bool closes = false;
  {
    const auto held = guard();
    const Nanos now = cluster_.context().scheduler.clock().monotonic();
    std::erase_if(flush_waiters_, [&](const FlushWaiter& waiting) {
      const bool flushed = accumulator_.is_flushed(waiting.generation);
      if (!flushed && now < waiting.deadline) return false;
      told.emplace_back(waiting.waiter, flushed ? Result<>()
                                                : Result<>(Error(Cause::kTimedOut,
                                                                 fmt::format("{} records have no outcome yet",
                                                                             accumulator_.stats().buffered_records))));
      closes = closes || waiting.afterwards == Afterwards::kClose;
      return true;
    });
  }
  if (closes) end(Error(Cause::kClosed, "the producer was closed before the record was delivered"));
  for (auto& [waiter, result] : told) waiter->complete(std::move(result));
}

void ProducerCore::arm_timer() {
  Nanos next = Nanos::max();
  const Nanos now = cluster_.context().scheduler.clock().monotonic();
  {
    const auto held = guard();
    if (detached_) return;
    if (const std::optional<Nanos> deadline = accumulator_.next_deadline()) next = *deadline;
    for (const FlushWaiter& waiting : flush_waiters_) next = std::min(next, waiting.deadline);
    if (accumulator_.needs_identity() && !asking_identity_) next = std::min(next, identity_not_before_);
  }
  if (next == Nanos::max() || (timer_ != kNoTimer && timer_at_ <= next)) return;
  Timers& timers = cluster_.context().scheduler.timers();
  timers.cancel(timer_);
  timer_at_ = next;
  timer_ = timers.start(std::chrono::ceil<Millis>(std::max(next - now, Nanos(0))), [self = shared_from_this()] {
    self->timer_ = kNoTimer;
    self->work();
  });
}

void ProducerCore::end(const Error& error) {
  std::vector<ReportItem> reports;
  std::vector<SendOperation*> waiting;
  std::vector<Waiter> waiters;
  {
    const auto held = guard();
    refusing_ = true;
    accumulator_.abort(error);
    reports = accumulator_.take_reports();
    while (first_waiting_ != nullptr) {
      waiting.push_back(first_waiting_);
      unlink(*first_waiting_);
    }
    waiters = std::exchange(ready_waiters_, {});
    for (FlushWaiter& flushing : std::exchange(flush_waiters_, {})) waiters.push_back(std::move(flushing.waiter));
  }
  for (SendOperation* operation : waiting) resolve(*operation, error);
  report(std::move(reports));
  for (const Waiter& waiter : waiters) waiter->complete(error);
}

void ProducerCore::detach(const Error& error) {
  {
    const auto held = guard();
    if (detached_) return;
  }
  end(error);
  {
    const auto held = guard();
    detached_ = true;
  }
  cluster_.context().scheduler.timers().cancel(std::exchange(timer_, kNoTimer));
  cluster_.remove_listener(*this);
}

}  // namespace leat::client::detail
