// settings.cpp: collect (file, --set, flags), check each name and value, then read the typed fields off the result.
#include "server/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/metadata/broker_configs.h"
#include "core/metadata/config_resolution.h"
#include "core/metadata/topic_configs.h"
#include "server/group_settings.h"
#include "server/properties.h"

namespace leat {
namespace {

constexpr int64_t kQueuedRequestBytesMax = int64_t{1} << 30;
constexpr int64_t kQueuedRequestBytesMin = int64_t{64} << 20;
constexpr size_t kFileBytesMax = 4 << 20;
constexpr int64_t kQuotaWindowValueMax = 1'000'000;  // windows, or seconds: so that their product is a time
// What clocks count in nanoseconds cannot be asked to wait much longer.
constexpr int64_t kWaitMsMax = int64_t{100} * 365 * 24 * 3'600'000;  // a hundred years

// What clients are told in Kafka's words ("Invalid value abc for configuration num.partitions: ...") is shorter where
// the user has just written it: "num.partitions=abc: ...".
std::string value_fault(const std::string& name, const std::string& kafkas) {
  constexpr std::string_view kBegin = "Invalid value ";
  const std::string middle = fmt::format(" for configuration {}: ", name);
  const size_t at = kafkas.find(middle);
  if (!kafkas.starts_with(kBegin) || at == std::string::npos) return kafkas;
  return fmt::format("{}={}: {}", name, kafkas.substr(kBegin.size(), at - kBegin.size()),
                     kafkas.substr(at + middle.size()));
}

struct Collected {
  Settings& settings;

  // `where` begins the error line.
  Result<void> add(const std::string& where, const std::string& name, const std::string& value) {
    const ConfigKey* key = broker_configs().find(name);
    if (key == nullptr) {
      if (!is_inert_broker_setting(name)) {
        return fail(Errc::kInvalidArgument,
                    fmt::format("{}: unknown setting {}{}", where, name, broker_setting_hint(name)));
      }
      if (std::find(settings.inert.begin(), settings.inert.end(), name) == settings.inert.end())
        settings.inert.push_back(name);
      inert_values[name] = value;
      return {};
    }
    // An empty value in a file unsets what has no default: `broker.rack=`.
    if (trimmed(value).empty() && key->default_value == nullptr) {
      settings.given.erase(name);
      return {};
    }
    if (Result<void> valid = check_config_value(*key, value); !valid)
      return fail(valid.error().code, fmt::format("{}: {}", where, value_fault(name, valid.error().context)));
    settings.given.insert_or_assign(name, std::string(trimmed(value)));
    return {};
  }

  ConfigMap inert_values{};
};

Result<void> collect_file(const SettingsSources& sources, Collected& collected) {
  Result<std::vector<Property>> properties = parse_properties(sources.file_text);
  if (!properties)
    return fail(properties.error().code, fmt::format("{}: {}", sources.file_name, properties.error().context));
  std::map<std::string, int> lines;
  for (const Property& property : *properties) {
    const std::string where = fmt::format("{}:{}", sources.file_name, property.line);
    TRY(collected.add(where, property.name, property.value));
    const auto [at, is_new] = lines.try_emplace(property.name, property.line);
    if (!is_new) {
      collected.settings.warnings.push_back(
          fmt::format("{}: {} is given again (first at line {}); this value holds", where, property.name, at->second));
    }
  }
  return {};
}

Result<void> collect(const SettingsSources& sources, Collected& collected) {
  TRY(collect_file(sources, collected));
  for (const std::string& assignment : sources.assignments) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(Errc::kInvalidArgument, fmt::format("--set {}: write --set name=value", assignment));
    }
    TRY(collected.add("--set", std::string(trimmed(std::string_view(assignment).substr(0, equals))),
                      assignment.substr(equals + 1)));
  }
  for (const auto& [name, value] : sources.flags) TRY(collected.add("command line", name, value));
  std::sort(collected.settings.inert.begin(), collected.settings.inert.end());
  return {};
}

std::string inert_value(const Collected& collected, std::string_view name) {
  const auto at = collected.inert_values.find(name);
  return at == collected.inert_values.end() ? std::string() : std::string(trimmed(at->second));
}

// Settings of Kafka's that must not be ignored in silence: whoever gives them counts on them.
Result<void> check_refused(const Collected& collected) {
  if (const std::string authorizer = inert_value(collected, "authorizer.class.name"); !authorizer.empty()) {
    return fail(
        Errc::kUnsupported,
        fmt::format(
            "authorizer.class.name={}: this version has no authorizer and would let everybody in; take the line out to "
            "run without",
            authorizer));
  }
  const std::string roles = inert_value(collected, "process.roles");
  const std::vector<std::string> role_list = config_list(roles);
  if (!role_list.empty() && std::find(role_list.begin(), role_list.end(), "broker") == role_list.end()) {
    return fail(Errc::kUnsupported,
                fmt::format("process.roles={}: a controller alone is not served here; it must contain broker", roles));
  }
  return {};
}

Result<void> set_node(Settings& settings) {
  const auto broker_id = settings.given.find("broker.id");
  const auto node_id = settings.given.find("node.id");
  if (broker_id != settings.given.end() && node_id != settings.given.end() &&
      config_integer(broker_id->second) != config_integer(node_id->second)) {
    return fail(Errc::kInvalidArgument, fmt::format("node.id={} and broker.id={} differ; give one of them",
                                                    node_id->second, broker_id->second));
  }
  if (broker_id != settings.given.end()) settings.given["node.id"] = broker_id->second;
  if (node_id != settings.given.end()) settings.given["broker.id"] = node_id->second;
  return {};
}

Result<void> set_data_dir(Settings& settings, const BrokerConfigs& broker) {
  const bool has_dirs = settings.given.contains("log.dirs");
  const std::string value = broker_value(has_dirs ? "log.dirs" : "log.dir", broker);
  const std::vector<std::string> dirs = config_list(value);
  if (dirs.size() != 1 || dirs.front().empty()) {
    return fail(Errc::kInvalidArgument,
                fmt::format("{}={}: exactly one data directory is kept (put a file system over several disks)",
                            has_dirs ? "log.dirs" : "log.dir", value));
  }
  settings.data_dir = dirs.front();
  return {};
}

int64_t queued_request_bytes(int64_t given, int64_t memory_bytes) {
  if (given > 0) return given;
  if (memory_bytes <= 0) return kQueuedRequestBytesMax;
  return std::clamp(memory_bytes / 4, kQueuedRequestBytesMin, kQueuedRequestBytesMax);
}

// What no single setting shows, in Kafka's words where it has some.
Result<void> check_together(const BrokerConfigs& broker) {
  const int64_t queued_bytes_max = broker_integer("queued.max.request.bytes", broker);
  if (queued_bytes_max > 0 && queued_bytes_max < broker_integer("socket.request.max.bytes", broker)) {
    return fail(Errc::kInvalidArgument, "queued.max.request.bytes must be larger or equal to socket.request.max.bytes");
  }
  if (broker_integer("max.connections.per.ip", broker) == 0) {
    return fail(Errc::kInvalidArgument,
                "max.connections.per.ip=0 would let nobody in: max.connections.per.ip.overrides is not served here");
  }
  if (Result<void> agree = check_topic_configs(ConfigMap{}, broker); !agree)
    return fail(agree.error().code, fmt::format("log.cleaner.*.compaction.lag.ms: {}", agree.error().context));
  return check_group_settings(broker);
}

QuotaWindows quota_windows(const std::string& prefix, const BrokerConfigs& broker) {
  const auto integer = [&](const char* name) {
    return std::min(broker_integer(prefix + name, broker), kQuotaWindowValueMax);
  };
  return {.count = static_cast<int32_t>(integer("quota.window.num")),
          .size = Millis(integer("quota.window.size.seconds") * 1000)};
}

void set_limits(Settings& settings, const BrokerConfigs& broker, int64_t memory_bytes) {
  const auto integer = [&](std::string_view name) { return broker_integer(name, broker); };
  const auto wait_ms = [&](std::string_view name) { return std::min(broker_integer(name, broker), kWaitMsMax); };
  const auto small = [&](std::string_view name) { return static_cast<int32_t>(broker_integer(name, broker)); };
  settings.request_bytes_max = integer("socket.request.max.bytes");
  settings.queued_request_bytes_max = queued_request_bytes(integer("queued.max.request.bytes"), memory_bytes);
  settings.connection_requests_max = small("leat.connection.requests.max");
  settings.connections_max = integer("max.connections");
  settings.connections_per_ip_max = integer("max.connections.per.ip");
  settings.connections_idle_ms_max = wait_ms("connections.max.idle.ms");
  settings.listen_backlog = small("socket.listen.backlog.size");
  settings.fetch_bytes_max = integer("fetch.max.bytes");
  settings.fetch_sessions_max = small("max.incremental.fetch.session.cache.slots");
  settings.describe_partitions_max = small("max.request.partition.size.limit");
  settings.quota_windows = quota_windows("", broker);
  settings.controller_quota_windows = quota_windows("controller.", broker);
  settings.retention_check_interval_ms = wait_ms("log.retention.check.interval.ms");
  settings.checkpoint_interval_ms = integer("log.flush.offset.checkpoint.interval.ms");
  settings.recovery_threads = small("num.recovery.threads.per.data.dir");
  settings.sync_threads = small("leat.sync.threads");
  settings.worker_threads = small("leat.worker.threads");
  settings.append_inline_bytes_max = small("leat.append.inline.bytes.max");
  settings.tail_cache_bytes = integer("leat.tail.cache.bytes");
  settings.disk_reserve_bytes = integer("leat.disk.reserve.bytes");
  settings.metrics_partitions_max = small("leat.metrics.partitions.max");
}

Result<void> set_listeners(Settings& settings, const Collected& collected, const BrokerConfigs& broker,
                           std::string_view machine_name) {
  const std::string listeners = broker_value("listeners", broker);
  const std::string advertised = broker_value("advertised.listeners", broker);
  const std::string protocol_map = broker_value("listener.security.protocol.map", broker);
  const std::string not_opened = inert_value(collected, "controller.listener.names");
  TRY(plan, plan_listeners({.listeners = listeners,
                            .advertised = advertised,
                            .protocol_map = protocol_map,
                            .not_opened = not_opened,
                            .machine_name = machine_name}));
  settings.listeners = std::move(plan.listeners);
  settings.warnings.insert(settings.warnings.end(), plan.warnings.begin(), plan.warnings.end());
  return {};
}

Result<void> set_metrics_listener(Settings& settings, const BrokerConfigs& broker) {
  const std::string value = broker_value("leat.metrics.listener", broker);
  if (value.empty()) return {};
  Result<ListenerEndpoint> address = parse_listener_endpoint(value);
  if (!address) return fail(address.error().code, fmt::format("leat.metrics.listener: {}", address.error().context));
  if (is_wildcard_host(address->host)) address->host.clear();
  settings.metrics_listener = std::move(*address);
  return {};
}

}  // namespace

Result<Settings> Settings::load(const SettingsSources& sources) {
  Settings settings;
  Collected collected{settings};
  TRY(collect(sources, collected));
  TRY(check_refused(collected));
  TRY(set_node(settings));
  const ConfigMap none;
  const BrokerConfigs broker{.dynamic_broker = none, .dynamic_default = none, .static_broker = settings.given};
  settings.node_id = static_cast<int32_t>(broker_integer("node.id", broker));
  settings.rack = broker_value("broker.rack", broker);
  TRY(set_data_dir(settings, broker));
  settings.auto_create_topics = broker_boolean("auto.create.topics.enable", broker);
  settings.delete_topics = broker_boolean("delete.topic.enable", broker);
  settings.num_partitions = static_cast<int32_t>(broker_integer("num.partitions", broker));
  if (broker_integer("default.replication.factor", broker) > 1) {
    settings.warnings.push_back(
        "default.replication.factor is above 1: one node keeps one replica, topics are created with 1");
  }
  TRY(check_together(broker));
  set_limits(settings, broker, sources.memory_bytes);
  TRY(set_listeners(settings, collected, broker, sources.machine_name));
  TRY(set_metrics_listener(settings, broker));
  return settings;
}

Result<std::string> Settings::read_file(FileSystem& files, const std::string& path) {
  Result<std::string> text = read_text_file(files, path, kFileBytesMax);
  if (!text) return fail(text.error().code, fmt::format("settings file {}", text.error().context));
  return text;
}

}  // namespace leat
