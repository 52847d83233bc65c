// leat_on_loop.cpp: the client on a libuv loop of the program's, as in a program that embeds it: all in one thread, but
// for workers that pack and unpack. The program sends from an idle handle, some records a turn, so that the loop has
// sockets and records in turn.
#include <uv.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "benchmarks/client/leat_work.h"

namespace leat::bench {
namespace {

constexpr int kRecordsPerTurn = 1'000;

client::Task<> stop_after(client::Task<> task, uv_loop_t* loop) {
  co_await std::move(task);
  uv_stop(loop);
}

// The loop, and the client on it.
class Embedding {
 public:
  Embedding() {
    if (uv_loop_init(&loop_) != 0 || uv_idle_init(&loop_, &idle_) != 0) std::abort();
  }
  ~Embedding() {
    producer.reset();
    consumer.reset();
    client_.reset();
    uv_close(reinterpret_cast<uv_handle_t*>(&idle_), nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);  // the handles are closed in it
    (void)uv_loop_close(&loop_);
  }
  Embedding(const Embedding&) = delete;
  Embedding& operator=(const Embedding&) = delete;

  Result<void> begin(const Order& order) {
    auto made = client::Client::create_on(&loop_, client_settings(order));
    if (!made) return refused(made.error());
    client_ = *std::move(made);
    return {};
  }
  Result<void> make_producer(const Order& order) {
    TRY(begin(order));
    auto made = client_->producer(producer_settings(order));
    if (!made) return refused(made.error());
    producer = *std::move(made);
    return {};
  }
  Result<void> make_consumer(const Order& order) {
    TRY(begin(order));
    auto made = client_->consumer(consumer_settings(order));
    if (!made) return refused(made.error());
    consumer = *std::move(made);
    return {};
  }
  void run_to_end(client::Task<> task) {
    client_->spawn(stop_after(std::move(task), &loop_));
    uv_run(&loop_, UV_RUN_DEFAULT);
  }

  uv_loop_t& loop() noexcept { return loop_; }
  uv_idle_t& idle() noexcept { return idle_; }
  std::unique_ptr<client::Producer> producer;
  std::unique_ptr<client::Consumer> consumer;

 private:
  uv_loop_t loop_;
  uv_idle_t idle_;
  std::unique_ptr<client::Client> client_;
};

// Sends a number of records and runs the loop until all have their outcome. Outlives the producer, which tells it.
class Sender {
 public:
  explicit Sender(const Order& order) : order_(order), values_(make_values(order.record_bytes)) {}
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  Result<void> send_all(Embedding& on, uint64_t record_count) {
    told_ = Told();
    on_ = &on;
    left_ = record_count;
    on.idle().data = this;
    go_on();
    uv_run(&on.loop(), UV_RUN_DEFAULT);
    if (!trouble_.empty()) return fail(Errc::kIo, trouble_);
    return told_.check(record_count);
  }

 private:
  void go_on() noexcept {
    uv_idle_start(&on_->idle(), [](uv_idle_t* idle) noexcept { static_cast<Sender*>(idle->data)->send_some(); });
  }
  void send_some() noexcept {
    for (int i = 0; i < kRecordsPerTurn && left_ > 0; ++i) {
      const client::ProducerRecord record{.topic = order_.topic, .value = values_[left_ & (values_.size() - 1)]};
      const client::Result<> taken =
          on_->producer->send(record, [this](const client::DeliveryReport& report) { note(report, told_); });
      if (!taken) [[unlikely]]
        return refused_by(taken.error());
      --left_;
    }
    if (left_ > 0) return;
    uv_idle_stop(&on_->idle());
    on_->producer->flush(kPatienceMs).then([this](const client::Result<>& flushed) {
      if (!flushed) trouble_ = flushed.error().message();
      uv_stop(&on_->loop());
    });
  }
  void refused_by(const client::Error& error) {
    uv_idle_stop(&on_->idle());
    if (error.cause() != client::Cause::kQueueFull) return end(error);
    on_->producer->ready().then([this](const client::Result<>& room) {
      if (!room) return end(room.error());
      go_on();
    });
  }
  void end(const client::Error& error) {
    trouble_ = error.message();
    uv_stop(&on_->loop());
  }

  const Order& order_;
  const std::vector<std::string> values_;
  Embedding* on_ = nullptr;
  uint64_t left_ = 0;
  Told told_;
  std::string trouble_;
};

Result<Figures> produce(const Order& order) {
  Sender sender(order);
  Embedding on;
  TRY(on.make_producer(order));
  if (order.warm_up_count > 0) TRY(sender.send_all(on, order.warm_up_count));
  const Stopwatch watch;
  TRY(sender.send_all(on, order.record_count));
  return measured(order, watch);
}

Result<Figures> consume(const Order& order) {
  Reading reading;
  Embedding on;
  TRY(on.make_consumer(order));
  const client::Result<> assigned = on.consumer->assign(all_partitions(order));
  if (!assigned) return refused(assigned.error());
  reading.seen = Seen();  // its clock starts where those of the other contenders do
  on.run_to_end(consume_all(on.consumer.get(), &reading, order.record_count));
  if (!reading.trouble.empty()) return fail(Errc::kIo, reading.trouble);
  return reading.seen.figures();
}

Result<Figures> round_trip(const Order& order) {
  RoundTrips result;
  Embedding on;
  TRY(on.make_producer(order));
  const Stopwatch watch;
  on.run_to_end(round_trips(on.producer.get(), &order, &result));
  return result.figures(order, watch);
}

Result<Figures> queue(const Order& /*order*/) {
  return fail(Errc::kInvalidArgument, "what is queued weighs the same in either style: ask for style=thread");
}

}  // namespace

Result<Figures> work_on_loop(const Order& order) {
  return carry_out(order, {.produce = produce, .consume = consume, .round_trip = round_trip, .queue = queue});
}

}  // namespace leat::bench
