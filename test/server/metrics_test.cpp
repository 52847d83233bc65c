// metrics_test.cpp: what is counted and how, and the page made of it.
#include "server/metrics.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/produce.h"
#include "server/handlers/error_census.h"
#include "server/metrics_page.h"
#include "test/support/catch.h"
#include "test/support/test_data.h"

namespace leat {
namespace {

size_t bucket_of(Nanos took) {
  Log2Histogram histogram;
  histogram.add(took);
  for (size_t i = 0; i < histogram.counts().size(); ++i) {
    if (histogram.counts()[i] == 1) return i;
  }
  return SIZE_MAX;
}

TEST_CASE("metrics: a time goes into the first bucket whose bound it does not pass", "[metrics]") {
  CHECK(bucket_of(Nanos(-5)) == 0);
  CHECK(bucket_of(Nanos(0)) == 0);
  CHECK(bucket_of(Micros(1)) == 0);
  CHECK(bucket_of(Nanos(1001)) == 1);
  CHECK(bucket_of(Micros(2)) == 1);
  CHECK(bucket_of(Nanos(2001)) == 2);
  const size_t last = Log2Histogram::kBuckets - 1;
  CHECK(bucket_of(Log2Histogram::upper_bound(last)) == last);
  CHECK(bucket_of(Log2Histogram::upper_bound(last) + Nanos(1)) == last + 1);
  CHECK(bucket_of(Nanos(INT64_MAX)) == last + 1);
}

TEST_CASE("metrics: refusals count by what the operator must do", "[metrics]") {
  LaneMetrics metrics;
  metrics.on_refused(Errc::kNoSpace);
  metrics.on_refused(Errc::kIo);
  metrics.on_refused(Errc::kOffline);
  metrics.on_refused(Errc::kOutOfOrderSequence);  // the producer's own mistake
  CHECK(metrics.refused_no_space == 1);
  CHECK(metrics.failed_storage == 2);
  metrics.on_wrote(Micros(10));
  CHECK(metrics.write_time.count() == 0);  // nobody asked for times
  metrics.timed = Timed::kYes;
  metrics.on_wrote(Micros(10));
  metrics.on_synced(Micros(20));
  CHECK(metrics.write_time.count() == 1);
  CHECK(metrics.sync_time.sum() == Nanos(Micros(20)));
}

template <class Response>
std::vector<ErrorCode> errors_of(const Response& response) {
  std::vector<ErrorCode> found;
  for_each_error(response, [&found](ErrorCode code) { found.push_back(code); });
  return found;
}

TEST_CASE("metrics: every error code of a response is found, at each level", "[metrics]") {
  FetchResponse fetch;
  CHECK(errors_of(fetch).empty());
  fetch.error_code = ErrorCode::kFetchSessionIdNotFound;
  FetchResponse::FetchableTopicResponse topic;
  topic.partitions.resize(3);
  topic.partitions[1].error_code = ErrorCode::kOffsetOutOfRange;
  fetch.responses.push_back(std::move(topic));
  CHECK(errors_of(fetch) == std::vector{ErrorCode::kFetchSessionIdNotFound, ErrorCode::kOffsetOutOfRange});
  ProduceResponse produce;
  produce.responses.emplace_back().partition_responses.emplace_back().error_code = ErrorCode::kKafkaStorageError;
  CHECK(errors_of(produce) == std::vector{ErrorCode::kKafkaStorageError});
}

MetricsSnapshot sample_snapshot() {
  MetricsSnapshot snapshot;
  snapshot.version = "1.2.3";
  Log2Histogram times;
  times.add(Micros(3));
  times.add(Micros(100));
  times.add(std::chrono::hours(1));
  snapshot.apis.push_back({"Produce", 3, times});
  snapshot.errors.push_back({"Produce", "KAFKA_STORAGE_ERROR", 2});
  snapshot.lanes.push_back({"client", {}, 77, 1});
  snapshot.directory = MetricsSnapshot::Directory{"/da\"ta\\", false, true, 4096};
  snapshot.partitions.push_back({"orders", 4, 1000, {Offset(1), Offset(2), Offset(2), Offset(9'007'199'254'740'991)}});
  snapshot.totals.unlisted = 5;
  snapshot.throttled[static_cast<size_t>(QuotaKey::kRequestPercentage)] = {4, Millis(2500)};
  return snapshot;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool has_line(const std::string& page, const std::string& wanted) {
  for (const std::string& line : lines_of(page)) {
    if (line == wanted) return true;
  }
  return false;
}

TEST_CASE("metrics page: values, labels and buckets", "[metrics]") {
  const std::string page = metrics_page(sample_snapshot(), {.resident_bytes = 4096, .open_descriptors = 7});
  INFO(page);
  CHECK(has_line(page, "leat_requests_total{api=\"Produce\"} 3"));
  CHECK(has_line(page, "leat_request_errors_total{api=\"Produce\",error=\"KAFKA_STORAGE_ERROR\"} 2"));
  CHECK(has_line(page, "leat_request_duration_seconds_bucket{api=\"Produce\",le=\"+Inf\"} 3"));
  CHECK(has_line(page, "leat_request_duration_seconds_count{api=\"Produce\"} 3"));
  CHECK(page.find("leat_request_duration_seconds_bucket{api=\"Produce\",le=\"0.000128\"} 2") != std::string::npos);
  CHECK(has_line(page, "leat_lane_queued_bytes{log_kind=\"client\"} 77"));
  CHECK(has_line(page, "leat_log_directory_online{directory=\"/da\\\"ta\\\\\"} 0"));
  CHECK(has_line(page, "leat_log_directory_below_reserve{directory=\"/da\\\"ta\\\\\"} 1"));
  CHECK(has_line(page, "leat_partition_log_end_offset{topic=\"orders\",partition=\"4\"} 9007199254740991"));
  CHECK(has_line(page, "leat_partitions_unlisted 5"));
  CHECK(has_line(page, "leat_quota_throttled_total{quota=\"request_percentage\"} 4"));
  CHECK(has_line(page, "leat_quota_throttle_seconds_total{quota=\"request_percentage\"} 2.5"));
  CHECK(has_line(page, "leat_quota_throttled_total{quota=\"connection_creation_rate\"} 0"));
  CHECK(has_line(page, "leat_build_info{version=\"1.2.3\"} 1"));
  CHECK(has_line(page, "process_resident_memory_bytes 4096"));
  CHECK(has_line(page, "process_open_fds 7"));
}

// Of a page without any value: a family is there before its first value, and a scrape in the first moment of a broker.
TEST_CASE("metrics page: docs/operations.md lists every family with its kind", "[metrics]") {
  std::set<std::string> served;
  for (const std::string& line : lines_of(metrics_page(MetricsSnapshot{}, ProcessFigures{}))) {
    if (!line.starts_with("# TYPE ")) continue;
    std::istringstream words(line.substr(7));
    std::string name;
    std::string kind;
    words >> name >> kind;
    CHECK(served.insert("| " + kind + " | `" + name + "` |").second);
    if (kind == "counter") CHECK(name.ends_with("_total"));
  }
  std::ifstream file(test_data_path("../../docs/operations.md"));
  REQUIRE(file.good());
  std::set<std::string> documented;
  for (std::string line; std::getline(file, line);) {
    for (const char* kind : {"| counter | `", "| gauge | `", "| histogram | `"}) {
      if (line.starts_with(kind)) documented.insert(line.substr(0, line.find("` |") + 3));
    }
  }
  CHECK(served == documented);
}

}  // namespace
}  // namespace leat
