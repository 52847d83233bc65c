// top_report.cpp: sums over partitions. A rate takes only partitions that both samples know.
#include "cli/top_report.h"

#include <algorithm>
#include <array>
#include <map>

#include "client/host_port.h"

namespace leat::cli {
namespace {

struct Sums {
  int64_t partition_count = 0;
  int64_t added_records = 0;
  int64_t added_bytes = 0;
  std::optional<int64_t> size_bytes;
};

int64_t added(const std::optional<int64_t>& before, const std::optional<int64_t>& now) noexcept {
  return before && now ? std::max<int64_t>(*now - *before, 0) : 0;
}

std::map<std::string, Sums> sum_topics(const Sample* before, const Sample& now) {
  std::map<std::string, Sums> topics;
  for (const auto& [name, partition] : now.partitions) {
    Sums& sums = topics[name.topic];
    ++sums.partition_count;
    if (partition.size_bytes) sums.size_bytes = sums.size_bytes.value_or(0) + *partition.size_bytes;
    if (before == nullptr) continue;
    const auto known = before->partitions.find(name);
    if (known == before->partitions.end()) continue;
    sums.added_records += added(known->second.log_end, partition.log_end);
    // Another copy leads: its size says nothing about what was added.
    if (known->second.leader == partition.leader) {
      sums.added_bytes += added(known->second.size_bytes, partition.size_bytes);
    }
  }
  return topics;
}

std::optional<double> rate(int64_t amount, const std::optional<double>& elapsed_s) noexcept {
  if (!elapsed_s) return std::nullopt;
  return static_cast<double>(amount) / *elapsed_s;
}

TopicRow row_of(const std::string& name, const Sums& sums, const std::optional<double>& elapsed_s) {
  TopicRow row{.name = name,
               .partition_count = sums.partition_count,
               .records_per_s = rate(sums.added_records, elapsed_s),
               .bytes_per_s = std::nullopt,
               .size_bytes = sums.size_bytes};
  if (sums.size_bytes) row.bytes_per_s = rate(sums.added_bytes, elapsed_s);
  return row;
}

void add_topics(Report& report, const Sample* before, const Sample& now) {
  Sums total;
  for (const auto& [name, sums] : sum_topics(before, now)) {
    report.topics.push_back(row_of(name, sums, report.elapsed_s));
    total.partition_count += sums.partition_count;
    total.added_records += sums.added_records;
    total.added_bytes += sums.added_bytes;
    if (sums.size_bytes) total.size_bytes = total.size_bytes.value_or(0) + *sums.size_bytes;
  }
  report.total = row_of("", total, report.elapsed_s);
}

// A topic that is gone, or not looked at, lags nowhere.
int64_t lag_of(const GroupSample& group, const Sample& sample) {
  int64_t lag = 0;
  for (const auto& [name, offset] : group.committed) {
    const auto partition = sample.partitions.find(name);
    if (partition == sample.partitions.end() || !partition->second.log_end) continue;
    lag += std::max<int64_t>(*partition->second.log_end - offset, 0);
  }
  return lag;
}

void add_groups(Report& report, const Sample* before, const Sample& now) {
  int64_t lag_before = 0;
  for (const auto& [name, group] : now.groups) {
    GroupRow row{.name = name,
                 .state = group.state,
                 .lag = lag_of(group, now),
                 .lag_per_s = std::nullopt,
                 .committed_per_s = std::nullopt};
    report.lag += row.lag;
    const auto known = before == nullptr ? now.groups.end() : before->groups.find(name);
    if (before != nullptr && known != before->groups.end()) {
      const int64_t was = lag_of(known->second, *before);
      lag_before += was;
      int64_t committed = 0;
      for (const auto& [partition, offset] : group.committed) {
        const auto earlier = known->second.committed.find(partition);
        if (earlier != known->second.committed.end()) committed += std::max<int64_t>(offset - earlier->second, 0);
      }
      row.lag_per_s = rate(row.lag - was, report.elapsed_s);
      row.committed_per_s = rate(committed, report.elapsed_s);
    } else {
      lag_before += row.lag;  // a group that is new has not fallen behind meanwhile
    }
    report.groups.push_back(std::move(row));
  }
  report.lag_per_s = rate(report.lag - lag_before, report.elapsed_s);
}

void add_brokers(Report& report, const Sample& now) {
  std::map<int32_t, int64_t> leader_counts;
  for (const auto& [name, partition] : now.partitions) ++leader_counts[partition.leader];
  for (const client::BrokerInfo& broker : now.cluster.brokers) {
    const HostPort address{.host = broker.host, .port = static_cast<uint16_t>(broker.port)};
    const auto bytes = now.log_bytes.find(broker.node_id);
    report.brokers.push_back(
        {.node_id = broker.node_id,
         .address = address.to_string(),
         .is_controller = broker.node_id == now.cluster.controller_id,
         .leader_count = leader_counts[broker.node_id],
         .log_bytes = bytes == now.log_bytes.end() ? std::nullopt : std::optional<int64_t>(bytes->second)});
  }
}

constexpr std::array kOrders{TopOrder::kLag, TopOrder::kRecords, TopOrder::kBytes, TopOrder::kSize, TopOrder::kName};

double weight(const TopicRow& row, TopOrder order) noexcept {
  switch (order) {
    case TopOrder::kLag:
    case TopOrder::kRecords:
      return row.records_per_s.value_or(0);
    case TopOrder::kBytes:
      return row.bytes_per_s.value_or(0);
    case TopOrder::kSize:
      return static_cast<double>(row.size_bytes.value_or(0));
    case TopOrder::kName:
      break;
  }
  return 0;
}

double weight(const GroupRow& row, TopOrder order) noexcept {
  switch (order) {
    case TopOrder::kRecords:
    case TopOrder::kBytes:
      return row.committed_per_s.value_or(0);
    case TopOrder::kLag:
    case TopOrder::kSize:
      return static_cast<double>(row.lag);
    case TopOrder::kName:
      break;
  }
  return 0;
}

template <class Row>
void sort_by_weight(std::vector<Row>& rows, TopOrder order) {
  std::sort(rows.begin(), rows.end(), [order](const Row& a, const Row& b) {
    const double a_weight = weight(a, order);
    const double b_weight = weight(b, order);
    return a_weight != b_weight ? a_weight > b_weight : a.name < b.name;
  });
}

}  // namespace

Report report_of(const Sample* before, const Sample& now) {
  Report report;
  report.wall_ms = now.wall_ms;
  report.cluster_id = now.cluster.cluster_id;
  report.connections = now.connections;
  report.troubles = now.troubles;
  if (before != nullptr && now.taken_at > before->taken_at) {
    report.elapsed_s = std::chrono::duration<double>(now.taken_at - before->taken_at).count();
  }
  add_brokers(report, now);
  add_topics(report, before, now);
  add_groups(report, before, now);
  return report;
}

std::optional<TopOrder> parse_top_order(std::string_view name) noexcept {
  for (const TopOrder order : kOrders) {
    if (to_string(order) == name) return order;
  }
  return std::nullopt;
}

std::string_view to_string(TopOrder order) noexcept {
  switch (order) {
    case TopOrder::kLag:
      return "lag";
    case TopOrder::kRecords:
      return "records";
    case TopOrder::kBytes:
      return "bytes";
    case TopOrder::kSize:
      return "size";
    case TopOrder::kName:
      break;
  }
  return "name";
}

void sort_rows(Report& report, TopOrder order) {
  sort_by_weight(report.topics, order);
  sort_by_weight(report.groups, order);
}

}  // namespace leat::cli
