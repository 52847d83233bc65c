// commands.h: what leat_client_live does, a function a command. Each throws Failed when something does not hold.
#pragma once

#include "test/client_live/arguments.h"

namespace leat::client_live {

// Produces records of many keys while the broker has trouble, reads along, then reads all back and checks it against
// what was acknowledged. Prints PRODUCED when every record has its outcome, and a line of counts at the end.
//   --bootstrap --topic --seed          the seed chooses settings: batches, codec, requests in flight, form of send()
//   --records N | --seconds S [--rate]  how much
//   --promise exactly-once (default), given-up (delivery timeouts are short), at-least-once (no idempotence)
//   --partitions --replicas --min-isr --keys --window --members --protocol --follow --deadline
void load(const Arguments& arguments);

// Ends producers, consumers and clients at any moment: every record that was taken has its outcome once, every call its
// answer, every coroutine its end.   --bootstrap --topic --seed --rounds
void ends(const Arguments& arguments);

// Calls of the interface, case by case.   --bootstrap --prefix [--case NAME]; list_cases prints the names
void cases(const Arguments& arguments);
void list_cases();

// Prints the values of a topic's partition 0, a line each, up to its end.   --bootstrap --topic --isolation
void dump(const Arguments& arguments);

}  // namespace leat::client_live
