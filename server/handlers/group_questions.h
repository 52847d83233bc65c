// group_questions.h: what the handlers of groups share: several groups asked at once, who asks as Kafka shows it, and
// what may be done to a group. Thread: the loop.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/broker.h"
#include "server/countdown.h"
#include "server/group_coordinator.h"
#include "server/request.h"

namespace leat {

// Bits by Kafka's AclOperation code: READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS; nobody is authorized yet.
inline constexpr int32_t kGroupOperations = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11;

// "/127.0.0.1" for "127.0.0.1:51234", and IPv6 addresses with all their parts, as Java has them.
std::string kafka_host_of(std::string_view peer);
GroupClient group_client_of(const Request& request);

// The replies in the order of the events.
template <class Event>
Task<std::vector<ReplyTo<Event>>> ask_all(Broker& broker, std::vector<Event> events) {
  std::vector<ReplyTo<Event>> replies(events.size());
  Countdown left(broker.scheduler, events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    spawn(counted(delivered(broker.groups->ask(std::move(events[i])), replies[i]), left));
  }
  const Woken woken = co_await left.reached.wait();
  (void)woken;
  co_return replies;
}

}  // namespace leat
