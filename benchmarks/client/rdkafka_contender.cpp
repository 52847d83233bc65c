// rdkafka_contender.cpp: librdkafka at the same work, by its C API: rd_kafka_produce with a copy of the value and a
// delivery report for each record, rd_kafka_poll now and then; rd_kafka_consume_batch_queue over assigned partitions.
// What an order leaves open has librdkafka's default, but for two: TCP_NODELAY, which Leat's client always has, and
// five requests in flight in place of a million, as Leat has.
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "benchmarks/client/order.h"

namespace leat::bench {
namespace {

constexpr uint64_t kRecordsPerPoll = 1'000;
constexpr int kPollWhenFullMs = 10;
constexpr size_t kMessagesPerCall = 1'000;

struct Free {
  void operator()(rd_kafka_t* handle) const noexcept { rd_kafka_destroy(handle); }
  void operator()(rd_kafka_conf_t* conf) const noexcept { rd_kafka_conf_destroy(conf); }
  void operator()(rd_kafka_topic_t* topic) const noexcept { rd_kafka_topic_destroy(topic); }
  void operator()(rd_kafka_queue_t* queue) const noexcept { rd_kafka_queue_destroy(queue); }
  void operator()(rd_kafka_topic_partition_list_t* list) const noexcept { rd_kafka_topic_partition_list_destroy(list); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

using Settings = std::vector<std::pair<const char*, std::string>>;

tl::unexpected<Error> refused(const char* call, rd_kafka_resp_err_t error) {
  return fail(Errc::kIo, std::string(call) + ": " + rd_kafka_err2str(error));
}

// Out of rd_kafka_poll.
void on_delivery(rd_kafka_t* /*handle*/, const rd_kafka_message_t* message, void* opaque) {
  auto* const told = static_cast<Told*>(opaque);
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    ++told->delivered;
  } else if (told->failed++ == 0) {
    told->words = rd_kafka_err2str(message->err);
  }
}

Result<Owned<rd_kafka_t>> make(rd_kafka_type_t type, const Settings& settings, Told* told) {
  std::array<char, 512> words{};
  Owned<rd_kafka_conf_t> conf(rd_kafka_conf_new());
  for (const auto& [name, value] : settings) {
    if (rd_kafka_conf_set(conf.get(), name, value.c_str(), words.data(), words.size()) != RD_KAFKA_CONF_OK) {
      return fail(Errc::kInvalidArgument, words.data());
    }
  }
  if (told != nullptr) {
    rd_kafka_conf_set_opaque(conf.get(), told);
    rd_kafka_conf_set_dr_msg_cb(conf.get(), on_delivery);
  }
  Owned<rd_kafka_t> handle(rd_kafka_new(type, conf.get(), words.data(), words.size()));
  if (!handle) return fail(Errc::kInvalidArgument, words.data());
  (void)conf.release();  // it belongs to the handle now
  return Result<Owned<rd_kafka_t>>(std::move(handle));
}

Settings producer_settings(const Order& order) {
  const bool idempotent = order.sequences == Order::Sequences::kOn;
  Settings settings{{"bootstrap.servers", order.broker},
                    {"acks", idempotent ? "all" : "1"},
                    {"enable.idempotence", idempotent ? "true" : "false"},
                    {"linger.ms", std::to_string(order.linger_ms)},
                    {"compression.codec", order.codec},
                    {"max.in.flight.requests.per.connection", "5"},
                    {"socket.nagle.disable", "true"}};
  if (order.work == Order::Work::kQueue) {
    settings.emplace_back("queue.buffering.max.messages", std::to_string(order.record_count + 1));
    settings.emplace_back("log_level", "0");  // that the broker cannot be reached
  }
  return settings;
}

class Producer {
 public:
  static Result<Producer> make_for(const Order& order) {
    Producer producer;
    TRY(made, make(RD_KAFKA_PRODUCER, producer_settings(order), producer.told_.get()));
    producer.handle_ = std::move(made);
    producer.topic_.reset(rd_kafka_topic_new(producer.handle_.get(), order.topic.c_str(), nullptr));
    if (!producer.topic_) return refused("rd_kafka_topic_new", rd_kafka_last_error());
    producer.values_ = make_values(order.record_bytes);
    return Result<Producer>(std::move(producer));
  }

  // The record with this number; its value is copied.
  rd_kafka_resp_err_t send(uint64_t number) {
    std::string& value = values_[number & (values_.size() - 1)];
    const int status = rd_kafka_produce(topic_.get(), RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY, value.data(),
                                        value.size(), nullptr, 0, nullptr);
    return status == 0 ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_last_error();
  }
  Result<void> send_all(uint64_t record_count) {
    *told_ = Told();
    for (uint64_t sent = 0; sent < record_count;) {
      const rd_kafka_resp_err_t error = send(sent);
      if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        rd_kafka_poll(handle_.get(), kPollWhenFullMs);
        continue;
      }
      if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return refused("rd_kafka_produce", error);
      if (++sent % kRecordsPerPoll == 0) rd_kafka_poll(handle_.get(), 0);
    }
    if (const auto error = rd_kafka_flush(handle_.get(), kPatienceMs); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return refused("rd_kafka_flush", error);
    }
    return told_->check(record_count);
  }
  // Until there are so many outcomes.
  Result<void> wait_for(uint64_t outcomes) {
    while (told_->outcomes() < outcomes) {
      if (rd_kafka_poll(handle_.get(), kPatienceMs) == 0) return fail(Errc::kTimedOut, "no delivery report came");
    }
    return {};
  }
  Told& told() noexcept { return *told_; }
  rd_kafka_t* handle() noexcept { return handle_.get(); }

 private:
  Producer() = default;

  std::unique_ptr<Told> told_ = std::make_unique<Told>();  // outlives the handle, which has its address
  Owned<rd_kafka_t> handle_;
  Owned<rd_kafka_topic_t> topic_;
  std::vector<std::string> values_;
};

Result<Figures> produce(const Order& order) {
  TRY(producer, Producer::make_for(order));
  if (order.warm_up_count > 0) TRY(producer.send_all(order.warm_up_count));
  const Stopwatch watch;
  TRY(producer.send_all(order.record_count));
  return measured(order, watch);
}

Result<Figures> round_trip(const Order& order) {
  TRY(producer, Producer::make_for(order));
  Histogram latency;
  const uint64_t count = order.warm_up_count + order.record_count;
  const Stopwatch watch;
  for (uint64_t i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    if (const auto error = producer.send(i); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return refused("rd_kafka_produce", error);
    }
    TRY(producer.wait_for(i + 1));
    if (i >= order.warm_up_count) latency.add(nanoseconds_since(begin));
  }
  TRY(producer.told().check(count));
  Figures figures = measured(order, watch);
  take_percentiles(latency, figures);
  return figures;
}

Result<Figures> queue(const Order& order) {
  TRY(producer, Producer::make_for(order));
  Figures figures{.records = static_cast<double>(order.record_count), .resident_before_mb = resident_mb()};
  const Stopwatch watch;
  for (uint64_t i = 0; i < order.record_count; ++i) {
    if (const auto error = producer.send(i); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return refused("rd_kafka_produce", error);
    }
  }
  watch.stop(figures);
  figures.resident_peak_mb = resident_peak_mb();
  rd_kafka_purge(producer.handle(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  TRY(producer.wait_for(order.record_count));
  return figures;
}

// The call waits until it has all that it was asked for, so nothing is asked for that will not come.
Result<void> read_some(rd_kafka_queue_t* queue, uint64_t wanted, Seen& seen) {
  std::array<rd_kafka_message_t*, kMessagesPerCall> messages{};
  const size_t asked = std::min<size_t>(messages.size(), wanted);
  const ssize_t count = rd_kafka_consume_batch_queue(queue, kPatienceMs, messages.data(), asked);
  if (count < 0) return refused("rd_kafka_consume_batch_queue", rd_kafka_last_error());
  if (count == 0) return fail(Errc::kTimedOut, "no more records came");
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    if (messages[i]->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      ++seen.records;
      seen.bytes += messages[i]->len;
    } else {
      error = messages[i]->err;
    }
    rd_kafka_message_destroy(messages[i]);
  }
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return refused("a message", error);
  seen.note_first();
  return {};
}

Result<Figures> consume(const Order& order) {
  const Settings settings{{"bootstrap.servers", order.broker},
                          {"group.id", "leat-bench"},  // which assignment asks for; nothing is committed
                          {"enable.auto.commit", "false"},
                          {"enable.auto.offset.store", "false"},
                          {"auto.offset.reset", "earliest"},
                          {"check.crcs", order.crcs == Order::Crcs::kChecked ? "true" : "false"},
                          {"socket.nagle.disable", "true"}};
  TRY(handle, make(RD_KAFKA_CONSUMER, settings, nullptr));
  rd_kafka_poll_set_consumer(handle.get());
  const Owned<rd_kafka_topic_partition_list_t> partitions(rd_kafka_topic_partition_list_new(order.partition_count));
  for (int32_t i = 0; i < order.partition_count; ++i) {
    rd_kafka_topic_partition_list_add(partitions.get(), order.topic.c_str(), i)->offset = RD_KAFKA_OFFSET_BEGINNING;
  }
  if (const auto error = rd_kafka_assign(handle.get(), partitions.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return refused("rd_kafka_assign", error);
  }
  Seen seen;
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_get_consumer(handle.get()));
  while (seen.records < order.record_count) TRY(read_some(queue.get(), order.record_count - seen.records, seen));
  return seen.figures();
}

}  // namespace

Result<Figures> carry_out(const Order& order) {
  return carry_out(order, {.produce = produce, .consume = consume, .round_trip = round_trip, .queue = queue});
}

}  // namespace leat::bench
