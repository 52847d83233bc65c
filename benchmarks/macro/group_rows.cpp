// group_rows.cpp: suite 6, consumer groups: offset commits of one group and of a hundred, from a member's start to its
// first record, and a rebalance. Durable rows give the offsets topic flush.messages=1, all others take that away again.
// Start the broker with group.initial.rebalance.delay.ms=0, or classic rows measure that delay.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "benchmarks/load/group_load.h"
#include "benchmarks/load/scratch.h"
#include "benchmarks/macro/broker.h"

namespace leat::bench {
namespace {

constexpr double kCommitsMax = 1e6;         // more than any broker does in throughput_seconds()
constexpr double kDurableCommitsMax = 2e5;  // some 30 MB, all of which reach the disk

struct CommitRow {
  std::string name;
  int groups = 1;
  int connections = 1;
  int in_flight = 8;
};

CommitLoad load_of(const CommitRow& row, const Address& broker, const std::string& topic, double commits_max) {
  CommitLoad load{.broker = broker, .topic = topic};
  load.groups = row.groups;
  load.connections = row.connections;
  load.in_flight = row.in_flight;
  load.request_count = scaled(commits_max) + static_cast<uint64_t>(row.connections);
  load.seconds_max = throughput_seconds();
  return load;
}

void add_commits(const CommitRow& commits, Keep keep) {
  const bool is_durable = keep == Keep::kDurable;
  const double commits_max = is_durable ? kDurableCommitsMax : kCommitsMax;
  Row row{.name = commits.name + (is_durable ? "_durable" : ""), .run = nullptr};
  row.prepare = [commits, is_durable](const Address& broker, const std::string& topic) -> Result<void> {
    TRY(set_offsets_flush(broker, is_durable ? OffsetsFlush::kEach : OffsetsFlush::kBrokers));
    return prepare_commits(load_of(commits, broker, topic, 1));
  };
  row.run = [commits, commits_max](const Address& broker, const std::string& topic) {
    return run_commits(load_of(commits, broker, topic, commits_max));
  };
  row.ceiling_keeps = keep;
  add_row(std::move(row));
}

// --- members --------------------------------------------------------------------------------------------------------

const char* name_of(GroupProtocol protocol) { return protocol == GroupProtocol::kClassic ? "classic" : "consumer"; }

// A record in each partition, and no policy but the broker's for the offsets.
Result<void> fill_topic(const Address& broker, const std::string& topic, int32_t partition_count) {
  TRY(set_offsets_flush(broker, OffsetsFlush::kBrokers));
  ProduceLoad fill{.broker = broker, .target = {.topic = topic, .partition_count = partition_count}, .shape = {}};
  fill.connections = partition_count;
  fill.in_flight = 1;
  fill.request_count = static_cast<uint64_t>(partition_count);
  TRY(run_produce(fill));
  return {};
}

// A new group each time: what is seen is a start, and no member that has been there before.
void add_first_records(int members, GroupProtocol protocol) {
  Row row{.name = fmt::format("groups/first_record_{}_{}", members, name_of(protocol)), .run = nullptr};
  row.plan.partition_count = members;
  row.prepare = [members](const Address& broker, const std::string& topic) {
    return fill_topic(broker, topic, members);
  };
  row.run = [members, protocol](const Address& broker, const std::string& topic) -> Result<LoadResult> {
    LoadResult sum;
    for (uint64_t start = 0; start < scaled(members == 1 ? 100 : 10); ++start) {
      MemberLoad load{.broker = broker, .topic = topic, .group = fmt::format("{}-starts-{}", topic, start)};
      load.partition_count = members;
      load.members = members;
      load.protocol = protocol;
      TRY(one, run_first_records(load));
      sum.requests += one.requests;
      sum.seconds += one.seconds;
      sum.latency.merge(one.latency);
    }
    return sum;
  };
  row.ceiling = Row::Ceiling::kNone;
  add_row(std::move(row));
}

// 100 members over 1,000 partitions, whatever the scale, but for a run that asks only whether the row works.
void add_rebalance(GroupProtocol protocol) {
  constexpr int kPartitionsEach = 10;
  const int members = scaled(100) < 5 ? 4 : 100;
  Row row{.name = fmt::format("groups/rebalance_100_{}", name_of(protocol)), .run = nullptr};
  row.plan.partition_count = members * kPartitionsEach;
  row.prepare = [](const Address& broker, const std::string& /*topic*/) {
    return set_offsets_flush(broker, OffsetsFlush::kBrokers);
  };
  row.run = [members, protocol](const Address& broker, const std::string& topic) {
    MemberLoad load{.broker = broker, .topic = topic, .group = topic + "-rebalances"};
    load.partition_count = members * kPartitionsEach;
    load.members = members;
    load.protocol = protocol;
    load.heartbeat_every = Millis(50);
    return run_rebalance(load);
  };
  row.ceiling = Row::Ceiling::kNone;
  add_row(std::move(row));
}

// --- limits ---------------------------------------------------------------------------------------------------------

void add_commit_ceiling(const char* name, const CommitRow& commits, Keep keep) {
  auto* registered = benchmark::RegisterBenchmark(name, [commits, keep](benchmark::State& state) {
    const double commits_max = keep == Keep::kDurable ? kDurableCommitsMax : 4 * kCommitsMax;
    if (keep == Keep::kDurable) settle_disk();
    const NullResponder responder({.topic = "null", .keep = keep});
    for ([[maybe_unused]] auto _ : state) {
      const Result<LoadResult> result = run_commits(load_of(commits, responder.address(), "null", commits_max));
      if (!result) return state.SkipWithError(result.error().context.c_str());
      report(state, *result);
    }
  });
  configure(registered);
}

}  // namespace

void register_group_rows() {
  const CommitRow one{.name = "groups/commit_1_group"};
  const CommitRow hundred{.name = "groups/commit_100_groups", .groups = 100, .connections = 100};
  // Each waits for its answer: 100 connections, of which none has two requests in a row to read or to answer at once.
  CommitRow in_turn = hundred;
  in_turn.name += "_in_turn";
  in_turn.in_flight = 1;
  for (const Keep keep : {Keep::kNothing, Keep::kDurable}) {
    add_commits(one, keep);
    add_commits(hundred, keep);
    add_commits(in_turn, keep);
  }
  for (const GroupProtocol protocol : {GroupProtocol::kClassic, GroupProtocol::kConsumer}) {
    add_first_records(1, protocol);
    add_first_records(10, protocol);
    add_rebalance(protocol);
  }
  add_commit_ceiling("ceiling/offset_commit_1_group", one, Keep::kNothing);
  add_commit_ceiling("ceiling/offset_commit_100_groups", hundred, Keep::kNothing);
  add_commit_ceiling("ceiling/offset_commit_100_groups_in_turn", in_turn, Keep::kNothing);
  add_commit_ceiling("ceiling/offset_commit_1_group_durable", one, Keep::kDurable);
  add_commit_ceiling("ceiling/offset_commit_100_groups_durable", hundred, Keep::kDurable);
  add_commit_ceiling("ceiling/offset_commit_100_groups_in_turn_durable", in_turn, Keep::kDurable);
}

}  // namespace leat::bench
