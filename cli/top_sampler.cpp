// top_sampler.cpp: three rounds: what there is; what groups have committed; where logs end, last, so that what a group
// commits meanwhile does not look like an offset beyond the log.
#include "cli/top_sampler.h"

#include <algorithm>

#include "core/base/check.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

constexpr int kAttemptsMax = 3;

}  // namespace

void Sampler::begin() {
  ENSURE(step_ == Step::kIdle, "a sample was begun while one is under way");
  attempts_ = 0;
  step_ = Step::kListing;
  sample_ = Sample();
  cluster_.await(admin_.describe_cluster(), wake_);
  topics_.await(admin_.list_topics(), wake_);
  log_dirs_.await(admin_.describe_log_dirs(), wake_);
  groups_.await(admin_.list_groups(), wake_);
}

bool Sampler::has_listing() const {
  return cluster_.is_there() && topics_.is_there() && log_dirs_.is_there() && groups_.is_there();
}

std::optional<client::Error> Sampler::take_listing() {
  client::Result<client::ClusterInfo> cluster = cluster_.take();
  if (!cluster) return cluster.error();
  sample_.cluster = *std::move(cluster);
  const client::Result<std::vector<client::TopicInfo>> topics = topics_.take();
  if (!topics) return topics.error();
  for (const client::TopicInfo& topic : *topics) {
    if (topic.internal == client::Internal::kYes && internal_ == InternalTopics::kLeftOut) continue;
    for (const client::PartitionInfo& partition : topic.partitions) {
      PartitionSample& sampled = sample_.partitions[{.topic = topic.name, .partition = partition.partition}];
      sampled.leader = partition.leader;
    }
  }
  take_sizes();
  const client::Result<std::vector<client::GroupSummary>> groups = groups_.take();
  if (!groups) {
    sample_.troubles.push_back("no groups: " + groups.error().message());
    return std::nullopt;
  }
  for (const client::GroupSummary& group : *groups) sample_.groups[group.group_id].state = group.state;
  return std::nullopt;
}

void Sampler::take_sizes() {
  const client::Result<std::vector<client::LogDirInfo>> dirs = log_dirs_.take();
  if (!dirs) {
    sample_.troubles.push_back("no sizes: " + dirs.error().message());
    return;
  }
  for (const client::LogDirInfo& dir : *dirs) {
    for (const client::LogDirPartition& copy : dir.partitions) {
      sample_.log_bytes[dir.node_id] += copy.size_bytes;
      const auto known = sample_.partitions.find(copy.partition);
      if (known == sample_.partitions.end() || known->second.leader != dir.node_id) continue;
      known->second.size_bytes = copy.size_bytes;
    }
  }
}

void Sampler::ask_committed() {
  step_ = Step::kCommitted;
  committed_.clear();
  for (const auto& [name, group] : sample_.groups) committed_[name].await(admin_.list_group_offsets(name), wake_);
}

bool Sampler::has_committed() const {
  return std::all_of(committed_.begin(), committed_.end(), [](const auto& asked) { return asked.second.is_there(); });
}

// A group that is refused (it may just have been deleted) has nothing; without a broker there is no sample.
std::optional<client::Error> Sampler::take_committed() {
  for (auto& [name, asked] : committed_) {
    const client::Result<client::Offsets> offsets = asked.take();
    if (!offsets && offsets.error().cause() != client::Cause::kBroker) return offsets.error();
    if (!offsets) continue;
    auto& committed = sample_.groups[name].committed;
    for (const auto& [partition, offset] : *offsets) committed[partition] = offset.offset;
  }
  committed_.clear();
  return std::nullopt;
}

void Sampler::ask_log_ends() {
  step_ = Step::kLogEnds;
  std::map<client::TopicPartition, int64_t> times;
  for (const auto& [name, partition] : sample_.partitions) {
    if (partition.leader >= 0) times[name] = client::kLatestOffset;
  }
  log_ends_.await(admin_.list_offsets(std::move(times)), wake_);
}

// A topic that was deleted since it was listed is no trouble: then all is asked again.
std::optional<client::Result<Sample>> Sampler::finish() {
  const client::Result<std::map<client::TopicPartition, client::OffsetAndTimestamp>> ends = log_ends_.take();
  step_ = Step::kIdle;
  if (ends) {
    for (const auto& [name, end] : *ends) sample_.partitions[name].log_end = end.offset;
    return client::Result<Sample>(std::move(sample_));
  }
  const int attempts = attempts_ + 1;
  if (ends.error().kafka_code() != ErrorCode::kUnknownTopicOrPartition || attempts >= kAttemptsMax) {
    return client::Result<Sample>(ends.error());
  }
  begin();
  attempts_ = attempts;
  return std::nullopt;
}

std::optional<client::Result<Sample>> Sampler::advance() {
  if (step_ == Step::kListing && has_listing()) {
    if (std::optional<client::Error> error = take_listing()) {
      step_ = Step::kIdle;
      return client::Result<Sample>(*std::move(error));
    }
    ask_committed();
  }
  if (step_ == Step::kCommitted && has_committed()) {
    if (std::optional<client::Error> error = take_committed()) {
      step_ = Step::kIdle;
      return client::Result<Sample>(*std::move(error));
    }
    ask_log_ends();
  }
  if (step_ == Step::kLogEnds && log_ends_.is_there()) return finish();
  return std::nullopt;
}

}  // namespace leat::cli
