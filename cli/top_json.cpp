// top_json.cpp: see top_json.h. Figures are exact where people get rounded ones.
#include "cli/top_json.h"

#include "cli/json_text.h"

namespace leat::cli {
namespace {

JsonRaw brokers_json(const Report& report) {
  std::vector<JsonValue> rows;
  for (const BrokerRow& row : report.brokers) {
    rows.emplace_back(JsonObject({{"node_id", row.node_id},
                                  {"address", row.address},
                                  {"controller", row.is_controller},
                                  {"leaders", row.leader_count},
                                  {"log_bytes", or_null(row.log_bytes)}})
                          .raw());
  }
  return json_array(rows);
}

JsonRaw topics_json(const Report& report) {
  std::vector<JsonValue> rows;
  for (const TopicRow& row : report.topics) {
    rows.emplace_back(JsonObject({{"topic", row.name},
                                  {"partitions", row.partition_count},
                                  {"records_per_second", or_null(row.records_per_s)},
                                  {"bytes_per_second", or_null(row.bytes_per_s)},
                                  {"size_bytes", or_null(row.size_bytes)}})
                          .raw());
  }
  return json_array(rows);
}

JsonRaw groups_json(const Report& report) {
  std::vector<JsonValue> rows;
  for (const GroupRow& row : report.groups) {
    rows.emplace_back(JsonObject({{"group", row.name},
                                  {"state", row.state},
                                  {"lag", row.lag},
                                  {"lag_per_second", or_null(row.lag_per_s)},
                                  {"committed_per_second", or_null(row.committed_per_s)}})
                          .raw());
  }
  return json_array(rows);
}

}  // namespace

std::string report_json(const Report& report) {
  JsonObject object({{"timestamp", report.wall_ms},
                     {"elapsed_seconds", or_null(report.elapsed_s)},
                     {"cluster_id", report.cluster_id},
                     {"connections", or_null(report.connections)},
                     {"records_per_second", or_null(report.total.records_per_s)},
                     {"bytes_per_second", or_null(report.total.bytes_per_s)},
                     {"size_bytes", or_null(report.total.size_bytes)},
                     {"lag", report.lag},
                     {"lag_per_second", or_null(report.lag_per_s)}});
  object.add("brokers", brokers_json(report));
  object.add("topics", topics_json(report));
  object.add("groups", groups_json(report));
  object.add("troubles", json_texts(report.troubles));
  return object.line();
}

}  // namespace leat::cli
