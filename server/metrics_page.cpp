// metrics_page.cpp: the families of metrics, by subject.
#include "server/metrics_page.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <utility>
#include <vector>

namespace leat {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

double seconds(Nanos time) noexcept { return std::chrono::duration<double>(time).count(); }

ClientMetric::Histogram histogram_of(const Log2Histogram& from) {
  ClientMetric::Histogram histogram;
  histogram.sample_sum = seconds(from.sum());
  for (size_t i = 0; i < Log2Histogram::kBuckets; ++i) {
    histogram.sample_count += from.counts()[i];
    histogram.bucket.push_back({histogram.sample_count, seconds(Log2Histogram::upper_bound(i))});
  }
  histogram.sample_count += from.counts().back();
  return histogram;
}

class Page {
 public:
  // Begins a family: what is added next belongs to it.
  Page& counter(const char* name, const char* help) { return begin(name, help, MetricType::Counter); }
  Page& gauge(const char* name, const char* help) { return begin(name, help, MetricType::Gauge); }
  Page& histogram(const char* name, const char* help) { return begin(name, help, MetricType::Histogram); }

  template <class Number>
  Page& add(Number value, Labels labels = {}) {
    ClientMetric& metric = families_.back().metric.emplace_back();
    metric.label = std::move(labels);
    (families_.back().type == MetricType::Counter ? metric.counter.value : metric.gauge.value) =
        static_cast<double>(value);
    return *this;
  }
  Page& add(const Log2Histogram& value, Labels labels = {}) {
    ClientMetric& metric = families_.back().metric.emplace_back();
    metric.label = std::move(labels);
    metric.histogram = histogram_of(value);
    return *this;
  }
  std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  Page& begin(const char* name, const char* help, MetricType type) {
    MetricFamily& family = families_.emplace_back();
    family.name = name;
    family.help = help;
    family.type = type;
    return *this;
  }

  std::vector<MetricFamily> families_;
};

void add_requests(const MetricsSnapshot& from, Page& page) {
  page.counter("leat_requests_total", "Requests answered, by API.");
  for (const auto& api : from.apis) page.add(api.requests, {{"api", std::string(api.name)}});
  page.counter("leat_request_errors_total", "Error codes in responses; one response may hold several.");
  for (const auto& error : from.errors) {
    page.add(error.count, {{"api", std::string(error.api)}, {"error", error.error}});
  }
  page.histogram("leat_request_duration_seconds",
                 "From a request's arrival to its answer; a Fetch that waits for records waits in here too.");
  for (const auto& api : from.apis) page.add(api.times, {{"api", std::string(api.name)}});
  page.counter("leat_requests_refused_total",
               "Requests that closed their connection: malformed, not served, or failed with acks=0.")
      .add(from.requests_refused);
  page.gauge("leat_request_in_flight_bytes", "Bytes of requests that are not answered yet.")
      .add(from.request_bytes_in_flight);
}

void add_quotas(const MetricsSnapshot& from, Page& page) {
  const auto each = [&from, &page](auto value_of) {
    for (size_t i = 0; i < from.throttled.size(); ++i) {
      page.add(value_of(from.throttled[i]), {{"quota", std::string(name_of(static_cast<QuotaKey>(i)))}});
    }
  };
  using Throttled = ClientQuotas::Throttled;
  page.counter("leat_quota_throttled_total",
               "Requests (for connection_creation_rate: connections) held back, by each quota that asked for it.");
  each([](const Throttled& throttled) { return throttled.count; });
  page.counter("leat_quota_throttle_seconds_total",
               "Throttle time that they were told; where several quotas ask for one, the longest holds.");
  each([](const Throttled& throttled) { return seconds(throttled.time); });
}

void add_connections(const MetricsSnapshot& from, Page& page) {
  static constexpr std::array<const char*, kClosedByCount> kReasons{"peer", "server", "idle", "limit"};
  page.gauge("leat_connections", "Connections that are open.").add(from.connections);
  page.counter("leat_connections_accepted_total", "Connections accepted.").add(from.transport.accepted);
  page.counter("leat_connections_refused_total", "Connections closed at once: a limit, or no descriptors left.")
      .add(from.transport.refused);
  page.counter("leat_connections_closed_total",
               "Connections closed, by whom or why: peer, server, idle, limit (a request too large, or room that "
               "others need).");
  for (size_t i = 0; i < kReasons.size(); ++i) page.add(from.transport.closed[i], {{"reason", kReasons[i]}});
  page.counter("leat_received_bytes_total", "Bytes read from clients.").add(from.transport.received_bytes);
  page.counter("leat_sent_bytes_total", "Bytes written to clients.").add(from.transport.sent_bytes);
}

void add_appends(const MetricsSnapshot& from, Page& page) {
  const auto each = [&from, &page](auto value_of) {
    for (const MetricsSnapshot::Lanes& lanes : from.lanes) {
      page.add(value_of(lanes), {{"log_kind", std::string(lanes.log_kind)}});
    }
  };
  using Lanes = MetricsSnapshot::Lanes;
  page.counter("leat_append_records_total", "Records appended; client: to topics, internal: to the metadata journal.");
  each([](const Lanes& lanes) { return lanes.done.records; });
  page.counter("leat_append_bytes_total", "Bytes of record batches appended.");
  each([](const Lanes& lanes) { return lanes.done.bytes; });
  page.counter("leat_append_batches_total", "Record batches that reached a lane's job, refused ones too.");
  each([](const Lanes& lanes) { return lanes.done.batches; });
  page.counter("leat_append_jobs_total", "Writes to logs, of one batch or of many.");
  each([](const Lanes& lanes) { return lanes.done.jobs; });
  page.counter("leat_append_refused_disk_full_total",
               "Record batches refused because the disk is full or below leat.disk.reserve.bytes.");
  each([](const Lanes& lanes) { return lanes.done.refused_no_space; });
  page.counter("leat_append_failed_total",
               "Record batches that failed: a write or sync failed, or the log directory is offline.");
  each([](const Lanes& lanes) { return lanes.done.failed_storage; });
  page.histogram("leat_write_duration_seconds", "Time of one write to a log.");
  each([](const Lanes& lanes) { return lanes.done.write_time; });
  page.histogram("leat_sync_duration_seconds", "Time of one sync of a log, as leat.flush asks for it.");
  each([](const Lanes& lanes) { return lanes.done.sync_time; });
  page.gauge("leat_lane_queued_bytes", "Bytes of record batches that wait to be written, or are being written.");
  each([](const Lanes& lanes) { return lanes.queued_bytes; });
  page.gauge("leat_lane_jobs", "Jobs of append lanes that workers have: writes, and checks of large batches.");
  each([](const Lanes& lanes) { return lanes.jobs; });
  page.gauge("leat_append_budget_used_bytes", "Bytes of Produce requests held until they are written.")
      .add(from.budgets.append_bytes);
  page.gauge("leat_append_budget_waiting", "Produce requests that wait for that budget.")
      .add(from.budgets.append_waiting);
}

void add_fetches(const MetricsSnapshot& from, Page& page) {
  page.gauge("leat_fetches_parked", "Fetch requests that wait for records.").add(from.fetches.parked);
  page.gauge("leat_fetch_sessions", "Fetch sessions that are kept.").add(from.fetches.sessions);
  page.gauge("leat_fetch_session_partitions", "Partitions of all fetch sessions together.")
      .add(from.fetches.session_partitions);
  page.counter("leat_fetch_sessions_evicted_total", "Fetch sessions that gave way to newer ones.")
      .add(from.fetches.sessions_evicted);
  page.gauge("leat_response_budget_used_bytes", "Bytes of Fetch responses that have not left yet.")
      .add(from.budgets.response_bytes);
  page.counter("leat_tail_cache_hits_total", "Reads answered from the tail cache.").add(from.cache.counters.hits);
  page.counter("leat_tail_cache_misses_total", "Reads that had to go to files.").add(from.cache.counters.misses);
  page.counter("leat_tail_cache_hit_bytes_total", "Bytes read from the tail cache.").add(from.cache.counters.hit_bytes);
  page.gauge("leat_tail_cache_bytes", "Memory that the tail cache holds.").add(from.cache.bytes);
  page.gauge("leat_tail_cache_limit_bytes", "Memory that it may hold: leat.tail.cache.bytes.")
      .add(from.cache.bytes_max);
}

void add_directory(const MetricsSnapshot& from, Page& page) {
  const auto each = [&from, &page](auto value_of) {
    if (from.directory) page.add(value_of(*from.directory), {{"directory", from.directory->path}});
  };
  using Directory = MetricsSnapshot::Directory;
  page.gauge("leat_log_directory_online",
             "1, or 0 after a failed sync or cut: then it takes no writes until a restart.");
  each([](const Directory& directory) { return directory.online ? 1 : 0; });
  page.gauge("leat_log_directory_below_reserve", "1 while appends of clients are refused for want of disk space.");
  each([](const Directory& directory) { return directory.below_reserve ? 1 : 0; });
  page.gauge("leat_log_directory_free_bytes", "Free space of its volume.");
  if (from.directory && from.directory->free_bytes) {
    page.add(*from.directory->free_bytes, {{"directory", from.directory->path}});
  }
}

void add_logs(const MetricsSnapshot& from, Page& page) {
  const MetricsSnapshot::Totals& totals = from.totals;
  page.gauge("leat_topics", "Topics.").add(totals.topics);
  page.gauge("leat_partitions", "Partitions of topics.").add(totals.partitions);
  page.gauge("leat_partitions_offline", "Partitions whose log could not be opened.").add(totals.offline);
  page.gauge("leat_partitions_unlisted",
             "Partitions beyond leat.metrics.partitions.max, which have no figures of their own here.")
      .add(totals.unlisted);
  page.gauge("leat_log_segments", "Segments of all logs.").add(totals.segments);
  page.gauge("leat_log_bytes", "Size of all logs.").add(totals.log_bytes);
  page.gauge("leat_producer_ids", "Idempotent producers that partitions remember, each counted where it wrote.")
      .add(totals.producer_ids);
}

void add_partitions(const MetricsSnapshot& from, Page& page) {
  const auto each = [&from, &page](auto value_of) {
    for (const MetricsSnapshot::PartitionFigures& one : from.partitions) {
      page.add(value_of(one), {{"topic", one.topic}, {"partition", std::to_string(one.partition)}});
    }
  };
  using One = MetricsSnapshot::PartitionFigures;
  page.gauge("leat_partition_log_bytes", "Size of the partition's log.");
  each([](const One& one) { return one.size_bytes; });
  page.gauge("leat_partition_log_start_offset", "First offset that can be read.");
  each([](const One& one) { return one.offsets.log_start.v; });
  page.gauge("leat_partition_log_end_offset", "Offset of the next record.");
  each([](const One& one) { return one.offsets.log_end.v; });
  page.gauge("leat_partition_high_watermark", "Offset below which records are durable and shown to consumers.");
  each([](const One& one) { return one.offsets.high_watermark.v; });
}

void add_groups(const MetricsSnapshot& from, Page& page) {
  const auto each = [&from, &page](auto value_of) {
    for (const MetricsSnapshot::GroupFigures& one : from.group_offsets) {
      page.add(value_of(one),
               {{"group", one.group}, {"topic", one.topic}, {"partition", std::to_string(one.partition)}});
    }
  };
  using One = MetricsSnapshot::GroupFigures;
  page.gauge("leat_groups", "Groups, with members or without.").add(from.groups);
  page.gauge("leat_group_committed_offset", "Offset that the group has committed.");
  each([](const One& one) { return one.committed; });
  page.gauge("leat_group_lag", "Offsets between it and the high watermark; -1 when the partition is not there.");
  each([](const One& one) { return one.lag; });
}

void add_process(const MetricsSnapshot& from, const ProcessFigures& process, Page& page) {
  page.histogram("leat_loop_lag_seconds",
                 "From a post by another thread until the loop takes it up; sampled a few times a second.")
      .add(from.loop_lag);
  page.gauge("leat_worker_jobs", "Jobs that wait for workers or run on them, by queue.")
      .add(from.worker_jobs[0], {{"queue", "sync"}})
      .add(from.worker_jobs[1], {{"queue", "read"}})
      .add(from.worker_jobs[2], {{"queue", "cpu"}})
      .add(from.worker_jobs[3], {{"queue", "write"}});
  page.gauge("leat_ready", "1 while /readyz says so.").add(from.ready ? 1 : 0);
  page.gauge("leat_build_info", "Always 1; the version is its label.").add(1, {{"version", from.version}});
  page.gauge("leat_uptime_seconds", "Since the start of the process.").add(seconds(from.uptime));
  page.gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.")
      .add(static_cast<double>(from.taken_at_ms) / 1e3 - seconds(from.uptime));
  page.counter("process_cpu_seconds_total", "CPU time of all threads, user and system.").add(process.cpu_seconds);
  page.gauge("process_resident_memory_bytes", "Memory in use.").add(process.resident_bytes);
  page.gauge("process_open_fds", "Open file descriptors.").add(process.open_descriptors);
  page.gauge("process_max_fds", "File descriptors that may be open.").add(process.descriptors_max);
}

}  // namespace

std::string metrics_page(const MetricsSnapshot& snapshot, const ProcessFigures& process) {
  Page page;
  add_requests(snapshot, page);
  add_quotas(snapshot, page);
  add_connections(snapshot, page);
  add_appends(snapshot, page);
  add_fetches(snapshot, page);
  add_directory(snapshot, page);
  add_logs(snapshot, page);
  add_partitions(snapshot, page);
  add_groups(snapshot, page);
  add_process(snapshot, process, page);
  return page.text();
}

}  // namespace leat
