// group_load.h: what the suite of groups puts on a broker: offset commits, as streams of one request each, and members
// of both protocols, each a thread with one connection of its own and raw requests, so that no client library is
// measured. Works against any Kafka that has the protocol asked for. Thread: the caller's, and those of the members.
#pragma once

#include <cstdint>
#include <string>

#include "benchmarks/load/load.h"
#include "core/base/clock.h"
#include "core/base/result.h"

namespace leat::bench {

// Asks for the group's coordinator until there is one: Kafka makes its offsets topic when it is first asked.
Result<void> wait_for_coordinator(Socket& socket, const std::string& group);

// Commits of consumers without membership, as those make that assign themselves their partitions.
struct CommitLoad {
  Address broker;
  std::string topic;
  int groups = 1;  // connection i commits for group i mod this
  int connections = 1;
  int in_flight = 8;
  uint64_t request_count = 10'000;  // over all connections
  double seconds_max = 0;           // 0: no such limit
};
// Each group's first commit, as soon as its coordinator takes it.
Result<void> prepare_commits(const CommitLoad& load);
Result<LoadResult> run_commits(const CommitLoad& load);

// Whether the offsets topic has flush.messages=1, which leatd reads as its policy commit.
enum class OffsetsFlush : uint8_t { kBrokers, kEach };
Result<void> set_offsets_flush(const Address& broker, OffsetsFlush flush);

enum class GroupProtocol : uint8_t { kClassic, kConsumer };

struct MemberLoad {
  Address broker;
  std::string topic;
  std::string group;
  int32_t partition_count = 1;
  int members = 1;
  GroupProtocol protocol = GroupProtocol::kClassic;
  // What members wait between heartbeats: shorter than clients do, so that it is the broker that is seen.
  Millis heartbeat_every{20};
};
// All members start at once, on a topic with a record in each partition. Latency: from each one's start to its first
// record. There are no more members than partitions.
Result<LoadResult> run_first_records(const MemberLoad& load);
// All but one are settled; then the last one joins. Latency, of one request: from its start until every member has its
// even share of the partitions, and nobody has any other.
Result<LoadResult> run_rebalance(const MemberLoad& load);

}  // namespace leat::bench
