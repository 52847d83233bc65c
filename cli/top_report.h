// top_report.h: two samples, one after the other, as rates: the rows of `leat top`. Offsets and sizes that fall (a
// topic made anew, records deleted) count as standing still: a rate is of what was added. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/top_sample.h"

namespace leat::cli {

struct TopicRow {
  std::string name;
  int64_t partition_count = 0;
  std::optional<double> records_per_s;  // none, as all rates: there is no sample before
  std::optional<double> bytes_per_s;    // also none: the brokers do not tell sizes
  std::optional<int64_t> size_bytes;
};

struct GroupRow {
  std::string name;
  std::string state;
  int64_t lag = 0;                  // of partitions for which it has committed
  std::optional<double> lag_per_s;  // below 0: it catches up
  std::optional<double> committed_per_s;
};

struct BrokerRow {
  int32_t node_id = -1;
  std::string address;
  bool is_controller = false;
  int64_t leader_count = 0;
  std::optional<int64_t> log_bytes;
};

struct Report {
  int64_t wall_ms = 0;
  std::optional<double> elapsed_s;  // since the sample before
  std::string cluster_id;
  std::vector<BrokerRow> brokers;  // by id
  std::vector<TopicRow> topics;
  std::vector<GroupRow> groups;
  TopicRow total;  // of all topics; the name is empty
  int64_t lag = 0;
  std::optional<double> lag_per_s;
  std::optional<int64_t> connections;
  std::vector<std::string> troubles;
};

// `before`: null for the first one.
Report report_of(const Sample* before, const Sample& now);

// Which rows come first. Whatever has no figure of this kind keeps another order: topics by records where it is about
// groups, groups by lag where it is about sizes. Names decide where figures are equal.
enum class TopOrder : uint8_t { kLag, kRecords, kBytes, kSize, kName };
inline const std::vector<std::string> kTopOrders = {"lag", "records", "bytes", "size", "name"};
std::optional<TopOrder> parse_top_order(std::string_view name) noexcept;
std::string_view to_string(TopOrder order) noexcept;
void sort_rows(Report& report, TopOrder order);

}  // namespace leat::cli
