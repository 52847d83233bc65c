// top_test.cpp: what leat top makes of samples: rates, lines of a given size, JSON; and what it reads of metrics. No
// terminal, no broker: the live view is test/conformance's.
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/amount_text.h"
#include "cli/session.h"
#include "cli/top_json.h"
#include "cli/top_metrics.h"
#include "cli/top_report.h"
#include "cli/top_screen.h"
#include "test/cli/captured.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;
using leat::test::Captured;
using leat::test::contains;
using leat::test::run_leat;

namespace {

client::TopicPartition at(const char* topic, int32_t partition) { return {.topic = topic, .partition = partition}; }

Sample sample_at(int64_t second) {
  Sample sample;
  sample.taken_at = std::chrono::seconds(second);
  sample.wall_ms = 1'700'000'000'000 + second * 1000;
  sample.cluster = {.cluster_id = "C", .controller_id = 1, .brokers = {}};
  sample.cluster.brokers.push_back({.node_id = 1, .host = "one", .port = 9092, .rack = std::nullopt});
  sample.cluster.brokers.push_back({.node_id = 2, .host = "::1", .port = 9093, .rack = std::nullopt});
  sample.log_bytes = {{1, 3'000'000}, {2, 500}};
  return sample;
}

PartitionSample partition(int32_t leader, int64_t log_end, int64_t size_bytes) {
  return {.leader = leader, .log_end = log_end, .size_bytes = size_bytes};
}

// Two topics, a group: two seconds apart.
std::pair<Sample, Sample> two_samples() {
  Sample before = sample_at(10);
  before.partitions[at("orders", 0)] = partition(1, 100, 10'000);
  before.partitions[at("orders", 1)] = partition(2, 50, 5'000);
  before.partitions[at("prices", 0)] = partition(1, 7, 700);
  before.groups["billing"] = {.state = "Stable", .committed = {{at("orders", 0), 40}, {at("orders", 1), 50}}};
  Sample now = sample_at(12);
  now.partitions[at("orders", 0)] = partition(1, 300, 30'000);
  now.partitions[at("orders", 1)] = partition(2, 52, 5'200);
  now.partitions[at("prices", 0)] = partition(1, 7, 700);
  now.groups["billing"] = {.state = "Stable", .committed = {{at("orders", 0), 280}, {at("orders", 1), 52}}};
  return {before, now};
}

Report two_seconds() {
  const auto [before, now] = two_samples();
  Report report = report_of(&before, now);
  sort_rows(report, TopOrder::kLag);
  return report;
}

std::string text_of(const std::vector<ScreenLine>& lines) {
  std::string text;
  for (const ScreenLine& line : lines) text += line.text + "\n";
  return text;
}

size_t columns_of(const std::string& text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;
  return count;
}

Report wide_report(size_t topic_count, size_t group_count) {
  Sample before = sample_at(1);
  Sample now = sample_at(2);
  for (size_t i = 0; i < topic_count; ++i) {
    const std::string name = "a-topic-with-a-long-name-" + std::to_string(1000 + i);
    before.partitions[at(name.c_str(), 0)] = partition(1, 0, 0);
    now.partitions[at(name.c_str(), 0)] = partition(1, static_cast<int64_t>(i), 1);
  }
  for (size_t i = 0; i < group_count; ++i) now.groups["group-" + std::to_string(i)].state = "Empty";
  Report report = report_of(&before, now);
  sort_rows(report, TopOrder::kRecords);
  return report;
}

}  // namespace

TEST_CASE("top: two samples make rates", "[cli][top]") {
  const Report report = two_seconds();
  CHECK(report.elapsed_s == 2.0);
  REQUIRE(report.topics.size() == 2);
  CHECK(report.topics[0].name == "orders");
  CHECK(report.topics[0].partition_count == 2);
  CHECK(report.topics[0].records_per_s == 101.0);
  CHECK(report.topics[0].bytes_per_s == 10'100.0);
  CHECK(report.topics[0].size_bytes == 35'200);
  CHECK(report.topics[1].records_per_s == 0.0);
  CHECK(report.total.records_per_s == 101.0);
  CHECK(report.total.size_bytes == 35'900);
  REQUIRE(report.groups.size() == 1);
  CHECK(report.groups[0].lag == 20);
  CHECK(report.groups[0].lag_per_s == -20.0);  // it was 60
  CHECK(report.groups[0].committed_per_s == 121.0);
  CHECK(report.lag == 20);
  REQUIRE(report.brokers.size() == 2);
  CHECK(report.brokers[0].leader_count == 2);
  CHECK(report.brokers[0].is_controller);
  CHECK(report.brokers[0].log_bytes == 3'000'000);
  CHECK(report.brokers[1].address == "[::1]:9093");
}

TEST_CASE("top: the first sample has no rates", "[cli][top]") {
  const Sample now = two_samples().second;
  const Report report = report_of(nullptr, now);
  CHECK(!report.elapsed_s);
  CHECK(!report.total.records_per_s);
  CHECK(!report.groups.at(0).lag_per_s);
  CHECK(report.groups.at(0).lag == 20);
  CHECK(report.total.size_bytes == 35'900);
}

TEST_CASE("top: what falls, moves or appears is no rate", "[cli][top]") {
  auto [before, now] = two_samples();
  now.partitions[at("orders", 0)] = partition(2, 5, 100);       // made anew
  now.partitions[at("orders", 1)] = partition(1, 60, 900'000);  // another copy leads
  now.partitions[at("new", 0)] = partition(1, 1'000, 100'000);  // was not there
  now.partitions[at("leaderless", 0)] = {};
  now.groups["billing"].committed[at("gone", 0)] = 5;
  now.groups["billing"].committed[at("leaderless", 0)] = 5;
  now.groups["billing"].committed[at("orders", 1)] = 20;  // moved back
  now.groups["late"] = {.state = "Empty", .committed = {{at("new", 0), 0}}};
  Report report = report_of(&before, now);
  sort_rows(report, TopOrder::kName);
  REQUIRE(report.topics.size() == 4);
  CHECK(report.topics[0].name == "leaderless");
  CHECK(!report.topics[0].size_bytes);
  CHECK(report.topics[1].records_per_s == 0.0);
  CHECK(report.topics[2].name == "orders");
  CHECK(report.topics[2].records_per_s == 5.0);
  CHECK(report.topics[2].bytes_per_s == 0.0);
  CHECK(report.groups.at(0).lag == 40);  // 5 is beyond the end of orders-0, which is made anew
  CHECK(report.groups.at(0).committed_per_s == 120.0);
  CHECK(report.groups.at(1).lag == 1'000);
  CHECK(!report.groups.at(1).lag_per_s);
  CHECK(report.lag == 1'040);
  CHECK(report.lag_per_s == -10.0);  // billing was at 60; the new group has not fallen behind
}

TEST_CASE("top: orders of rows", "[cli][top]") {
  Report report = two_seconds();
  report.topics[1].size_bytes = 99'999'999;
  report.groups.push_back({.name = "a", .state = "Empty", .lag = 5, .lag_per_s = 0.0, .committed_per_s = 999.0});
  const auto first = [&report](TopOrder order) {
    sort_rows(report, order);
    return report.topics[0].name + " " + report.groups[0].name;
  };
  CHECK(first(TopOrder::kLag) == "orders billing");
  CHECK(first(TopOrder::kRecords) == "orders a");
  CHECK(first(TopOrder::kBytes) == "orders a");
  CHECK(first(TopOrder::kSize) == "prices billing");
  CHECK(first(TopOrder::kName) == "orders a");
  for (const std::string& name : kTopOrders) CHECK(to_string(*parse_top_order(name)) == name);
  CHECK(!parse_top_order("speed"));
}

TEST_CASE("top: without an end everything is shown", "[cli][top]") {
  const std::string text =
      text_of(render_screen(two_seconds(), {.address = "one:9092", .status = "", .order = {}}, {}));
  CHECK(text ==
        "leat top  one:9092  22:13:32 UTC  cluster C\n"
        "2 brokers, 2 topics, 3 partitions, 1 group\n"
        "records/s 101  bytes/s 10.1 kB  size 35.9 kB  lag 20 (-20/s)\n"
        "\n"
        "BROKER          ADDRESS     LEADERS    LOGS\n"
        "1 (controller)  one:9092          2  3.0 MB\n"
        "2               [::1]:9093        1   500 B\n"
        "\n"
        "TOPIC   PARTITIONS  RECORDS/S  BYTES/S     SIZE\n"
        "orders           2        101  10.1 kB  35.2 kB\n"
        "prices           1          0      0 B    700 B\n"
        "\n"
        "GROUP    STATE   LAG  LAG/S  COMMITTED/S\n"
        "billing  Stable   20    -20          121\n");
}

TEST_CASE("top: what nobody tells has no column", "[cli][top]") {
  auto [before, now] = two_samples();
  for (auto& [name, one] : now.partitions) one.size_bytes.reset();
  now.log_bytes.clear();
  now.groups.clear();
  now.connections = 1;
  now.troubles.push_back("no sizes: \x1b[31mbecause");
  const std::string text =
      text_of(render_screen(report_of(&before, now), {.address = "", .status = "late", .order = {}}, {}));
  CHECK(!contains(text, "SIZE"));
  CHECK(!contains(text, "BYTES/S"));
  CHECK(!contains(text, "LOGS"));
  CHECK(!contains(text, "GROUP"));
  CHECK(contains(text, ", 0 groups, 1 connection\n"));
  CHECK(contains(text, "\nlate\nno sizes: ?[31mbecause\n"));
}

TEST_CASE("top: a screen is filled, and never more than that", "[cli][top]") {
  for (const size_t topics : {0, 1, 5, 300}) {
    const Report report = wide_report(topics, topics / 3);
    for (const size_t columns : {1, 2, 10, 20, 39, 80, 200}) {
      for (const size_t rows : {1, 2, 3, 5, 8, 12, 24, 60}) {
        const ScreenSize size{.columns = columns, .rows = rows};
        const auto lines = render_screen(report, {.address = "somewhere:9092", .status = "", .order = {}}, size);
        INFO(topics << " topics on " << columns << " x " << rows);
        CHECK(lines.size() == rows);
        for (const ScreenLine& line : lines) CHECK(columns_of(line.text) <= columns);
        CHECK(lines.back().style == LineStyle::kHelp);
      }
    }
  }
}

TEST_CASE("top: a table that is too long says how much is left out", "[cli][top]") {
  const Report report = wide_report(300, 2);
  const std::string text =
      text_of(render_screen(report, {.address = "a", .status = "", .order = {}}, {.columns = 80, .rows = 30}));
  CHECK(contains(text, "group-1"));  // the short tables are whole
  CHECK(contains(text, "a-topic-with-a-long-name-1299"));
  CHECK(!contains(text, "a-topic-with-a-long-name-1000"));
  const size_t more = text.find("... ");
  REQUIRE(more != std::string::npos);
  size_t shown = 0;
  for (size_t place = text.find("a-topic"); place != std::string::npos; place = text.find("a-topic", place + 1))
    ++shown;
  CHECK(text.substr(more, text.find('\n', more) - more) == "... " + std::to_string(300 - shown) + " more");
}

TEST_CASE("top: names give way to figures", "[cli][top]") {
  const Report report = wide_report(1, 0);
  const std::string text =
      text_of(render_screen(report, {.address = "a", .status = "", .order = {}}, {.columns = 60, .rows = 20}));
  CHECK(contains(text, "PARTITIONS  RECORDS/S  BYTES/S  SIZE\n"));
  CHECK(contains(text, "a-topic-with"));
  CHECK(!contains(text, "a-topic-with-a-long-name-1000"));
}

TEST_CASE("top: names cannot command a terminal", "[cli][top]") {
  CHECK(printable("orders") == "orders");
  CHECK(printable("a\x1b[2Jb\x07\x7f\n") == "a?[2Jb???");
  CHECK(printable("gr\xc3\xbc\xc3\x9f"
                  "e \xe2\x82\xac") ==
        "gr\xc3\xbc\xc3\x9f"
        "e \xe2\x82\xac");
  CHECK(printable("\xc2\x9b"
                  "31m") == "?31m");  // CSI in one character
  CHECK(printable("\xc2\xa0") == "\xc2\xa0");
  CHECK(printable("x\xff\xfey") == "x??y");
  CHECK(printable("a\x80"
                  "b") == "a?b");
  CHECK(printable("\xe2\x82") == "?");
  CHECK(cut_to("orders", 6) == "orders");
  CHECK(cut_to("orders", 4) == "ord~");
  CHECK(cut_to("gr\xc3\xbc\xc3\x9f"
               "e",
               4) == "gr\xc3\xbc~");
  CHECK(cut_to("orders", 1) == "~");
  CHECK(cut_to("orders", 0).empty());
}

TEST_CASE("top: amounts for people", "[cli][top]") {
  CHECK(rate_text(0) == "0");
  CHECK(rate_text(0.04) == "0");
  CHECK(rate_text(0.26) == "0.3");
  CHECK(rate_text(9.96) == "10");
  CHECK(rate_text(123'456) == "123456");
  CHECK(rate_text(999'999.9) == "1.00 M");
  CHECK(rate_text(2.5e9) == "2.50 G");
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(999.9) == "1.0 kB");
  CHECK(bytes_text(999'960) == "1.0 MB");
  CHECK(bytes_text(1.5e12) == "1.5 TB");
  CHECK(bytes_text(9e18) == "9000.0 PB");
}

TEST_CASE("top: a report as JSON", "[cli][top][json]") {
  const nlohmann::json object = nlohmann::json::parse(report_json(two_seconds()));
  CHECK(object["timestamp"] == 1'700'000'012'000);
  CHECK(object["elapsed_seconds"] == 2.0);
  CHECK(object["connections"].is_null());
  CHECK(object["records_per_second"] == 101.0);
  CHECK(object["lag_per_second"] == -20.0);
  CHECK(object["topics"].size() == 2);
  CHECK(object["topics"][0]["topic"] == "orders");
  CHECK(object["topics"][0]["size_bytes"] == 35'200);
  CHECK(object["groups"][0] == nlohmann::json::parse(R"({"group":"billing","state":"Stable","lag":20,)"
                                                     R"("lag_per_second":-20.0,"committed_per_second":121.0})"));
  CHECK(object["brokers"][1]["address"] == "[::1]:9093");
  CHECK(object["troubles"].empty());
  const nlohmann::json first = nlohmann::json::parse(report_json(report_of(nullptr, two_samples().second)));
  CHECK(first["records_per_second"].is_null());
  CHECK(first["groups"][0]["lag_per_second"].is_null());
}

TEST_CASE("top: connections are read from metrics, and nothing else is taken for them", "[cli][top]") {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
  CHECK(*connections_in(head + "# TYPE leat_connections gauge\nleat_connections 14\nleat_x 1\n") == 14);
  CHECK(*connections_in(head + "leat_connections_accepted_total 9\nleat_connections 0") == 0);
  struct Wrong {
    std::string answer;
    const char* told;
  };
  const Wrong wrongs[] = {
      {"", "does not speak HTTP"},
      {"leat_connections 14\n", "does not speak HTTP"},
      {"HTTP/1.1 404 Not Found\r\n\r\nleat_connections 14\n", "it answered 'HTTP/1.1 404 Not Found'"},
      {"HTTP/1.1 200 OK\r\nleat_connections 14\n", "is not among its metrics"},
      {head + "kafka_connections 3\n", "is not among its metrics"},
      {head + "leat_connections many\n", "is no count of connections"},
      {head + "leat_connections -1\n", "is no count of connections"},
      {head + "leat_connections 1e300\n", "is no count of connections"},
      {head + "leat_connections nan\n", "is no count of connections"},
  };
  for (const Wrong& wrong : wrongs) {
    const Result<int64_t> read = connections_in(wrong.answer);
    INFO(wrong.answer);
    REQUIRE(!read.has_value());
    CHECK(contains(read.error().context, wrong.told));
  }
}

TEST_CASE("top: wrong use, and nobody there", "[cli][top]") {
  CHECK(contains(run_leat({"top", "--sort", "lags"}).errors, "did you mean 'lag'?"));
  CHECK(run_leat({"top", "--interval", "0"}).exit_code == kExitUsage);
  CHECK(run_leat({"top", "--metrics", "a:b:c"}).exit_code == kExitUsage);
  const Captured nobody = run_leat({"-b", "127.0.0.1:1", "top", "-n", "1"});
  CHECK(nobody.exit_code == kExitUnreachable);
  CHECK(nobody.out.empty());
  CHECK(contains(nobody.errors, "127.0.0.1:1"));
}
