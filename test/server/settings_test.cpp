// settings_test.cpp: a settings file, --set and flags become Settings, or one line that says what to do (CASES L39).
#include "server/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "core/metadata/broker_configs.h"
#include "core/metadata/group_configs.h"
#include "core/metadata/topic_configs.h"

#include "test/support/catch.h"
#include "test/support/test_data.h"

namespace leat {
namespace {

SettingsSources file(std::string text) {
  SettingsSources sources;
  sources.file_name = "server.properties";
  sources.file_text = std::move(text);
  sources.machine_name = "mill";
  return sources;
}

Settings loaded(const SettingsSources& sources) {
  Result<Settings> settings = Settings::load(sources);
  INFO((settings ? "" : settings.error().context));
  REQUIRE(settings.has_value());
  return *std::move(settings);
}

std::string error_of(const SettingsSources& sources) {
  const Result<Settings> settings = Settings::load(sources);
  REQUIRE_FALSE(settings.has_value());
  return settings.error().context;
}

TEST_CASE("settings: none at all is enough", "[settings]") {
  const Settings settings = loaded({});
  CHECK(settings.node_id == 1);
  CHECK(settings.data_dir == "./leat-data");
  REQUIRE(settings.listeners.size() == 1);
  CHECK(settings.listeners[0].host == "localhost");
  CHECK(settings.listeners[0].port == 9092);
  CHECK(settings.auto_create_topics);
  CHECK(settings.num_partitions == 1);
  CHECK(settings.warnings.empty());
  CHECK(settings.inert.empty());
  CHECK(settings.given.empty());
}

// Every typed field starts with the default of its table, so that a Settings made by a test is what leatd would have.
TEST_CASE("settings: the defaults in the struct are those of the table", "[settings]") {
  const Settings made;
  const Settings read = loaded({});
  CHECK(made.request_bytes_max == read.request_bytes_max);
  CHECK(made.queued_request_bytes_max == read.queued_request_bytes_max);
  CHECK(made.connection_requests_max == read.connection_requests_max);
  CHECK(made.connections_max == read.connections_max);
  CHECK(made.connections_per_ip_max == read.connections_per_ip_max);
  CHECK(made.connections_idle_ms_max == read.connections_idle_ms_max);
  CHECK(made.listen_backlog == read.listen_backlog);
  CHECK(made.fetch_bytes_max == read.fetch_bytes_max);
  CHECK(made.fetch_sessions_max == read.fetch_sessions_max);
  CHECK(made.describe_partitions_max == read.describe_partitions_max);
  CHECK(made.retention_check_interval_ms == read.retention_check_interval_ms);
  CHECK(made.checkpoint_interval_ms == read.checkpoint_interval_ms);
  CHECK(made.recovery_threads == read.recovery_threads);
  CHECK(made.worker_threads == read.worker_threads);
  CHECK(made.tail_cache_bytes == read.tail_cache_bytes);
  CHECK(made.disk_reserve_bytes == read.disk_reserve_bytes);
}

TEST_CASE("settings: flags win over --set, --set over the file", "[settings]") {
  SettingsSources sources = file("num.partitions=2\nlog.dirs=/file\nnode.id=7\n");
  sources.assignments = {"num.partitions=3", "log.dirs=/set"};
  sources.flags = {{"log.dirs", "/flag"}};
  const Settings settings = loaded(sources);
  CHECK(settings.num_partitions == 3);
  CHECK(settings.data_dir == "/flag");
  CHECK(settings.node_id == 7);
  CHECK(settings.given.at("broker.id") == "7");
}

TEST_CASE("settings: a file as Kafka's quickstart has it starts, and what means nothing is listed", "[settings]") {
  const Settings settings = loaded(
      file("process.roles=broker,controller\r\nnode.id=1\r\ncontroller.quorum.bootstrap.servers=localhost:9093\r\n"
           "listeners=PLAINTEXT://:9092,CONTROLLER://:9093\r\ninter.broker.listener.name=PLAINTEXT\r\n"
           "advertised.listeners=PLAINTEXT://localhost:9092,CONTROLLER://"
           "localhost:9093\r\ncontroller.listener.names=CONTROLLER\r\n"
           "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_"
           "PLAINTEXT,SASL_SSL:SASL_SSL\r\n"
           "num.network.threads=3\r\nnum.io.threads=8\r\nsocket.send.buffer.bytes=102400\r\nsocket.request.max.bytes="
           "104857600\r\n"
           "log.dirs=/tmp/kraft-combined-logs\r\nnum.partitions=1\r\noffsets.topic.replication.factor=1\r\n"
           "transaction.state.log.min.isr=1\r\nlog.retention.hours=168\r\nlog.segment.bytes=1073741824\r\n"
           "log.retention.check.interval.ms=300000\r\nzookeeper.connect=localhost:2181\r\n"));
  REQUIRE(settings.listeners.size() == 1);
  CHECK(settings.listeners[0].advertised_host == "localhost");
  CHECK(settings.data_dir == "/tmp/kraft-combined-logs");
  CHECK(settings.inert.size() == 9);
  CHECK(std::is_sorted(settings.inert.begin(), settings.inert.end()));
}

TEST_CASE("settings: an unknown name stops the start with its line and the nearest name", "[settings]") {
  CHECK(error_of(file("node.id=1\nnum.partition=3\n")) ==
        "server.properties:2: unknown setting num.partition, did you mean num.partitions?");
  CHECK(error_of(file("log.retention.mss=3\n")).find("did you mean log.retention.ms?") != std::string::npos);
  CHECK(error_of(file("leat.flsuh=none\n")).find("did you mean leat.flush?") != std::string::npos);
  CHECK(error_of(file("group.inital.rebalance.delay.ms=0\n")).find("group.initial.rebalance.delay.ms?") !=
        std::string::npos);
  CHECK(error_of(file("wholly.different=1\n")) == "server.properties:1: unknown setting wholly.different");
  SettingsSources set;
  set.assignments = {"auto.create.topic.enable=true"};
  CHECK(error_of(set) == "--set: unknown setting auto.create.topic.enable, did you mean auto.create.topics.enable?");
}

TEST_CASE("settings: values are checked, and a size suffix is refused in plain words", "[settings]") {
  CHECK(error_of(file("log.segment.bytes=1G\n")) ==
        "server.properties:1: log.segment.bytes=1G: Not a number of type INT (write the number in full, without a "
        "unit)");
  CHECK(error_of(file("num.partitions=0\n")).find("Value must be at least 1") != std::string::npos);
  CHECK(error_of(file("\nauto.create.topics.enable=yes\n"))
            .find("server.properties:2: auto.create.topics.enable=yes: Expected value to be either true or false") ==
        0);
  CHECK(error_of(file("leat.flush=fsync\n")).find("String must be one of: commit, full, none") != std::string::npos);
  CHECK(error_of(file("log.segment.bytes=99999999999\n")).find("Not a number of type INT") != std::string::npos);
  CHECK(error_of(file("log.segment.bytes=1000\n")).find("at least 1048576") != std::string::npos);
  CHECK(error_of(file("socket.request.max.bytes=\n")) ==
        "server.properties:1: socket.request.max.bytes='': Not a number of type INT");
  CHECK(error_of(file("log.cleanup.policy=compact,gone\n")).find("log.cleanup.policy=gone: String must be one of") !=
        std::string::npos);
  SettingsSources set;
  set.assignments = {"num.partitions=abc"};
  CHECK(error_of(set) == "--set: num.partitions=abc: Not a number of type INT");
  CHECK(error_of(file("log.cleanup.policy=remove\n")).find("compact, delete") != std::string::npos);
  CHECK(loaded(file("socket.request.max.bytes=+2000000 \n")).request_bytes_max == 2'000'000);
}

TEST_CASE("settings: broken lines and assignments are errors", "[settings]") {
  CHECK(error_of(file("node.id=1\nlisteners\n")).find("server.properties: line 2: 'listeners' has no value") == 0);
  SettingsSources set;
  set.assignments = {"num.partitions"};
  CHECK(error_of(set) == "--set num.partitions: write --set name=value");
  set.assignments = {"=3"};
  CHECK(error_of(set).find("write --set name=value") != std::string::npos);
}

TEST_CASE("settings: a name given twice in a file holds its last value, with a warning", "[settings]") {
  const Settings settings = loaded(file("num.partitions=2\nnode.id=1\nnum.partitions=5\n"));
  CHECK(settings.num_partitions == 5);
  REQUIRE(settings.warnings.size() == 1);
  CHECK(settings.warnings[0] ==
        "server.properties:3: num.partitions is given again (first at line 1); this value holds");
}

TEST_CASE("settings: what cannot be kept is refused, not ignored", "[settings]") {
  CHECK(error_of(file("log.dirs=/a,/b\n")).find("exactly one data directory") != std::string::npos);
  CHECK(error_of(file("authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n"))
            .find("let everybody in") != std::string::npos);
  CHECK(error_of(file("process.roles=controller\n")).find("must contain broker") != std::string::npos);
  CHECK(error_of(file("node.id=1\nbroker.id=2\n")).find("differ") != std::string::npos);
  CHECK(error_of(file("listeners=SASL_SSL://:9092\n")).find("only PLAINTEXT") != std::string::npos);
  CHECK(loaded(file("broker.id=4\n")).node_id == 4);
  CHECK(loaded(file("default.replication.factor=3\n")).warnings.size() == 1);
}

TEST_CASE("settings: memory for queued requests follows the machine within bounds", "[settings]") {
  SettingsSources sources;
  sources.memory_bytes = int64_t{1} << 30;
  CHECK(loaded(sources).queued_request_bytes_max == int64_t{256} << 20);
  sources.memory_bytes = int64_t{1} << 40;
  CHECK(loaded(sources).queued_request_bytes_max == int64_t{1} << 30);
  sources.assignments = {"queued.max.request.bytes=5000000", "socket.request.max.bytes=5000000"};
  CHECK(loaded(sources).queued_request_bytes_max == 5'000'000);
  sources.assignments = {"queued.max.request.bytes=0"};
  CHECK(loaded(sources).queued_request_bytes_max == int64_t{1} << 30);
}

TEST_CASE("settings: values that contradict each other stop the start, as in Kafka", "[settings]") {
  CHECK(error_of(file("queued.max.request.bytes=5000000\n")) ==
        "queued.max.request.bytes must be larger or equal to socket.request.max.bytes");
  CHECK(error_of(file("max.connections.per.ip=0\n")).find("would let nobody in") != std::string::npos);
  CHECK(error_of(file("log.cleaner.min.compaction.lag.ms=2\nlog.cleaner.max.compaction.lag.ms=1\n"))
            .find("min.compaction.lag.ms (2) > max.compaction.lag.ms (1)") != std::string::npos);
  CHECK(error_of(file("log.retention.ms=-7\n")) ==
        "server.properties:1: log.retention.ms=-7: Value must be unlimited (-1) or at least 1");
  CHECK(error_of(file("log.roll.ms=0\n")).find("Value must be at least 1") != std::string::npos);
  CHECK(error_of(file("log.roll.jitter.ms=-1\n")).find("Value must be at least 0") != std::string::npos);
  CHECK(error_of(file("log.cleanup.policy=compact,compact\n")).find("must not be duplicated") != std::string::npos);
}

// As nanoseconds, what clocks count in, they would be negative, and what shall never happen would never end.
TEST_CASE("settings: the longest times are waited for, not turned round", "[settings]") {
  const std::string longest = std::to_string(INT64_MAX);
  const Settings settings =
      loaded(file("connections.max.idle.ms=" + longest + "\nlog.retention.check.interval.ms=" + longest +
                  "\nleat.disk.reserve.bytes=" + longest + "\nleat.tail.cache.bytes=" + longest + "\n"));
  for (const int64_t wait_ms : {settings.connections_idle_ms_max, settings.retention_check_interval_ms}) {
    CHECK(wait_ms > int64_t{50} * 365 * 24 * 3'600'000);
    CHECK(wait_ms < INT64_MAX / 1'000'000 / 2);
  }
  CHECK(settings.disk_reserve_bytes == INT64_MAX);
  CHECK(settings.tail_cache_bytes == INT64_MAX);
}

TEST_CASE("settings: the metrics listener is an address, or nowhere", "[settings]") {
  CHECK_FALSE(loaded(file("")).metrics_listener.has_value());
  SettingsSources sources = file("leat.metrics.listener=localhost:1\nleat.metrics.partitions.max=7\n");
  sources.flags.emplace_back("leat.metrics.listener", "[::1]:9644");
  const Settings settings = loaded(sources);
  REQUIRE(settings.metrics_listener.has_value());
  CHECK(settings.metrics_listener->host == "::1");
  CHECK(settings.metrics_listener->port == 9644);
  CHECK(settings.metrics_partitions_max == 7);
  CHECK(loaded(file("leat.metrics.listener=*:0\n")).metrics_listener->host.empty());
  CHECK(error_of(file("leat.metrics.listener=9644\n")).find("leat.metrics.listener: '9644' is not") !=
        std::string::npos);
  CHECK(error_of(file("leat.metrics.partitions.max=-1\n")).find("leat.metrics.partitions.max") != std::string::npos);
}

// The document and the tables say the same.
TEST_CASE("settings: docs/operations.md names every setting with its default", "[settings]") {
  std::ifstream file(test_data_path("../../docs/operations.md"));
  REQUIRE(file.good());
  std::set<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `")) rows.insert(line.substr(0, line.find(" | ", line.find(" | ") + 1)));
  }
  std::set<std::string> expected;
  for (const ConfigTable* table : {&topic_configs(), &broker_configs(), &group_configs()}) {
    for (const ConfigKey& key : table->keys()) {
      std::string shown = key.default_value == nullptr || *key.default_value == 0 ? "\xe2\x80\x93" : key.default_value;
      if (key.name == "leat.flush") shown = "commit (macOS: full)";
      expected.insert(fmt::format("| `{}` | {}", key.name, shown));
    }
  }
  CHECK(rows == expected);
}

}  // namespace
}  // namespace leat
