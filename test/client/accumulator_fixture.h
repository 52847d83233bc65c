// accumulator_fixture.h: the producer's machine without I/O, driven by hand: what tests of the accumulator share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/producer/accumulator.h"
#include "core/base/clock.h"
#include "core/base/random.h"
#include "test/support/catch.h"

namespace leat::test {

struct AccumulatorFixture {
  using Request = client::detail::Accumulator::Request;

  explicit AccumulatorFixture(const client::ProducerSettings& made_with = {}, bool with_idempotence = true)
      : settings(made_with), accumulator(settings, with_idempotence, clock, random) {
    if (with_idempotence) accumulator.set_identity({.producer_id = 9, .epoch = 0});
  }
  ~AccumulatorFixture() {
    accumulator.abort(client::Error(client::Cause::kClosed, "end of the test"));
    take_reports();
  }

  void know(const std::string& topic, const std::vector<int32_t>& leaders) {
    client::detail::KnownTopic known{.error = ErrorCode::kNone, .topic_id = {}, .partitions = {}, .answered = true};
    for (const int32_t leader : leaders) known.partitions.push_back({ErrorCode::kNone, leader, 0});
    accumulator.on_topic(topic, known);
    metadata[topic] = std::move(known);
  }
  client::detail::AppendStatus append(std::string_view topic, std::string_view value,
                                      int32_t partition = client::kAnyPartition) {
    const size_t number = sent++;
    client::DeliveryCallback callback = [this, number](const client::DeliveryReport& report) {
      REQUIRE(outcomes.emplace(number, report.ok() ? report.offset : -100).second);
    };
    const client::detail::AppendStatus status =
        accumulator.append({.topic = topic, .value = value, .partition = partition}, callback);
    // As the producer does: a topic that is met for the first time is looked up in what is known already.
    const auto known = metadata.find(std::string(topic));
    if (known != metadata.end() && met.insert(known->first).second) accumulator.on_topic(topic, known->second);
    return status;
  }
  std::vector<Request> requests() {
    std::vector<Request> all;
    accumulator.tick();
    while (auto request = accumulator.take_request()) {
      for (client::detail::SendItem& item : request->items) {
        if (item.needs_stamp) item.batch->stamp(item.identity, item.base_sequence);
      }
      all.push_back(*std::move(request));
    }
    return all;
  }
  void answer(const Request& request, ErrorCode code, int64_t base_offset = 0) {
    for (const client::detail::SendItem& item : request.items) {
      accumulator.on_answer(item, {.code = code, .base_offset = base_offset});
    }
    accumulator.on_request_ended(request.node);
    take_reports();
  }
  void take_reports() {
    for (client::detail::ReportItem& item : accumulator.take_reports()) {
      if (item.error) last_error = item.error->message();
      if (item.error) last_refusal = item.error->last_refusal();
      item.batch->report({.error = item.error ? &*item.error : nullptr,
                          .topic = item.topic->name,
                          .partition = item.partition,
                          .offset = item.base_offset});
    }
  }
  void advance(int64_t ms) { clock.advance(Millis(ms)); }
  // One batch of one record, sent: for tests of order.
  Request send_one(const std::string& value) {
    REQUIRE(append("t", value, 0) == client::detail::AppendStatus::kTaken);
    (void)accumulator.begin_flush();
    auto sent_now = requests();
    REQUIRE(sent_now.size() == 1);
    return std::move(sent_now.front());
  }

  // One record of "t"-0 is stored: the broker knows the producer, and more than one batch may be in flight. It is
  // counted nowhere but in the sequence.
  void greet() {
    const auto first = send_one("hello");
    answer(first, ErrorCode::kNone);
    outcomes.clear();
    sent = 0;
  }

  client::ProducerSettings settings;
  ManualClock clock;
  SeededRandom random{1};
  std::map<std::string, client::detail::KnownTopic> metadata;
  std::set<std::string> met;
  std::map<size_t, int64_t> outcomes;  // by number; -100: failed
  size_t sent = 0;
  std::string last_error;
  std::optional<ErrorCode> last_refusal;
  client::detail::Accumulator accumulator;
};

}  // namespace leat::test
