// bench_target.cpp: metadata, and a look at the versions.
#include "cli/bench_target.h"

#include <fmt/format.h>

#include <algorithm>

namespace leat::cli {

Result<BenchTarget> find_bench_target(Session& session, const std::string& name) {
  TRY(client, session.client());
  TRY(topic, client->topic(name, AutoCreate::kYes));
  std::sort(topic.partitions.begin(), topic.partitions.end(),
            [](const auto& a, const auto& b) { return a.partition_index < b.partition_index; });
  BenchTarget target{.client = client, .topic = std::move(topic), .leaders = {}};
  for (const auto& partition : target.topic.partitions) {
    TRY(broker, client->broker(partition.leader_id));
    TRY(produce_version, broker->version_of(ApiKey::kProduce, kBenchProduceVersion));
    TRY(fetch_version, broker->version_of(ApiKey::kFetch, kBenchFetchVersion));
    if (produce_version != kBenchProduceVersion || fetch_version != kBenchFetchVersion) {
      return fail(Errc::kUnsupported,
                  fmt::format("broker {} is too old for bench: it needs Produce v{} and Fetch v{}",
                              broker->address().to_string(), kBenchProduceVersion, kBenchFetchVersion));
    }
    target.leaders.push_back(broker->address());
  }
  return target;
}

}  // namespace leat::cli
