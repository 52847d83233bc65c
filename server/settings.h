// settings.h: every setting of the broker as it stands at start: from the settings file, --set, and flags, checked as a
// whole before anything is opened. Names and values are Kafka's. A mistyped name stops the start with the nearest known
// one; Kafka settings that mean nothing on one node are accepted and listed. Does not change once made; what clients
// alter while running is in MetadataStore, which lays it over `given`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/metadata/config_key.h"
#include "core/quota/quota_rate.h"
#include "core/storage/file_system.h"
#include "server/listeners.h"

namespace leat {

// Later ones win: file, then --set, then flags.
struct SettingsSources {
  std::string file_name;  // for error texts; "" when there is no file
  std::string file_text;
  std::vector<std::string> assignments;  // --set name=value
  std::vector<std::pair<std::string, std::string>>
      flags;                 // by setting name: {"log.dirs", DIR}, {"listeners", "PLAINTEXT://..."}
  std::string machine_name;  // advertised in place of a wildcard address
  int64_t memory_bytes = 0;  // of the machine; 0: unknown
};

class Settings {
 public:
  ConfigMap given;                    // set by the user, by Kafka's name; the static layer of BrokerConfigs
  std::vector<std::string> inert;     // given, known to Kafka, without meaning here; sorted
  std::vector<std::string> warnings;  // to be logged at start, one line each

  int32_t node_id = 1;
  std::string rack;  // broker.rack; "" is none
  std::string data_dir = "./leat-data";
  std::vector<Listener> listeners;

  bool auto_create_topics = true;
  bool delete_topics = true;
  int32_t num_partitions = 1;

  int64_t request_bytes_max = 100 << 20;                // socket.request.max.bytes
  int64_t queued_request_bytes_max = int64_t{1} << 30;  // queued.max.request.bytes
  int32_t connection_requests_max = 100;                // leat.connection.requests.max
  int64_t connections_max = INT32_MAX;                  // max.connections
  int64_t connections_per_ip_max = INT32_MAX;           // max.connections.per.ip
  int64_t connections_idle_ms_max = 600'000;            // connections.max.idle.ms; negative: never
  int32_t listen_backlog = 511;                         // socket.listen.backlog.size
  int64_t fetch_bytes_max = 55 << 20;                   // fetch.max.bytes
  int32_t fetch_sessions_max = 1000;                    // max.incremental.fetch.session.cache.slots
  int32_t describe_partitions_max = 2000;               // max.request.partition.size.limit

  QuotaWindows quota_windows;             // quota.window.*
  QuotaWindows controller_quota_windows;  // controller.quota.window.*

  int64_t retention_check_interval_ms = 300'000;     // log.retention.check.interval.ms
  int64_t checkpoint_interval_ms = 60'000;           // log.flush.offset.checkpoint.interval.ms
  int32_t recovery_threads = 2;                      // num.recovery.threads.per.data.dir
  int32_t append_inline_bytes_max = 32'768;          // leat.append.inline.bytes.max
  int32_t sync_threads = 16;                         // leat.sync.threads
  int32_t worker_threads = 4;                        // leat.worker.threads
  int64_t tail_cache_bytes = 64 << 20;               // leat.tail.cache.bytes
  int64_t disk_reserve_bytes = 64 << 20;             // leat.disk.reserve.bytes
  std::optional<ListenerEndpoint> metrics_listener;  // leat.metrics.listener
  int32_t metrics_partitions_max = 1000;             // leat.metrics.partitions.max

  // One line for a person: where (file and line, or flag), what, and the nearest name.
  static Result<Settings> load(const SettingsSources& sources);
  // The file's text, with its name in the error.
  static Result<std::string> read_file(FileSystem& files, const std::string& path);
};

}  // namespace leat
