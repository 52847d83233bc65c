// leat_work.h: Leat's client at work, in the two shapes that it has: a client with a thread of its own, called from the
// program's (leat_on_thread.cpp), and one on the program's own libuv loop, with no other thread (leat_on_loop.cpp).
// Here is what both share. Nothing but the installed headers is used, as in a program of a user's.
#pragma once

#include <leat/client.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/client/order.h"

namespace leat::bench {

inline tl::unexpected<Error> refused(const client::Error& error) { return fail(Errc::kIo, error.message()); }

client::ClientSettings client_settings(const Order& order);
client::ProducerSettings producer_settings(const Order& order);
client::ConsumerSettings consumer_settings(const Order& order);
std::vector<client::TopicPartition> all_partitions(const Order& order);

// What delivery reports have told. Thread: the client's loop, until a flush is answered.
struct Told {
  uint64_t delivered = 0;
  uint64_t failed = 0;
  std::string words;  // of the first failure

  void note(const client::DeliveryReport& report) {
    if (report.ok()) [[likely]] {
      ++delivered;
      return;
    }
    if (failed++ == 0) words = report.error->message();
  }
  Result<void> check(uint64_t expected) const;
};

// What a consumer has read. The clock starts with the first records, which are not counted; where they were all, it has
// run from the beginning.
struct Seen {
  uint64_t records = 0;
  uint64_t first_records = 0;
  uint64_t bytes = 0;
  Stopwatch from_beginning = {};
  std::optional<Stopwatch> from_first = std::nullopt;
  std::string trouble = {};

  void take(const client::Records& read);
  Result<Figures> figures() const;
};

struct RoundTrips {
  Histogram latency;
  std::string trouble;
};

// Coroutines: what they point to outlives them.
client::Task<> consume_all(client::Consumer* consumer, Seen* seen, uint64_t record_count);
client::Task<> round_trips(client::Producer* producer, const Order* order, RoundTrips* result);

Result<Figures> work_on_thread(const Order& order);
Result<Figures> work_on_loop(const Order& order);

}  // namespace leat::bench
