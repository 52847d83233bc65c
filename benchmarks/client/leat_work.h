// leat_work.h: Leat's client at work, in the two shapes that it has: a client with a thread of its own, called from the
// program's (leat_on_thread.cpp), and one on the program's own libuv loop, with no other thread (leat_on_loop.cpp).
// Here is what both share. Nothing but the installed headers is used, as in a program of a user's.
#pragma once

#include <leat/client.h>

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/client/order.h"

namespace leat::bench {

inline tl::unexpected<Error> refused(const client::Error& error) { return fail(Errc::kIo, error.message()); }

client::ClientSettings client_settings(const Order& order);
client::ProducerSettings producer_settings(const Order& order);
client::ConsumerSettings consumer_settings(const Order& order);
std::vector<client::TopicPartition> all_partitions(const Order& order);

// Thread: the client's loop, until a flush is answered.
inline void note(const client::DeliveryReport& report, Told& told) {
  if (report.ok()) [[likely]] {
    ++told.delivered;
    return;
  }
  if (told.failed++ == 0) told.words = report.error->message();
}

void note(const client::Records& read, Seen& seen);

struct Reading {
  Seen seen = {};
  std::string trouble = {};
};

struct RoundTrips {
  Histogram latency;
  std::string trouble;

  Result<Figures> figures(const Order& order, const Stopwatch& watch) const;
};

// Coroutines: what they point to outlives them.
client::Task<> consume_all(client::Consumer* consumer, Reading* reading, uint64_t record_count);
client::Task<> round_trips(client::Producer* producer, const Order* order, RoundTrips* result);

Result<Figures> work_on_thread(const Order& order);
Result<Figures> work_on_loop(const Order& order);

}  // namespace leat::bench
