// text_test.cpp: times, formats, JSON, tables, settings and histograms: what goes in and out of commands as text.
#include "cli/json_text.h"
#include "cli/key_value.h"
#include "cli/latency_histogram.h"
#include "cli/moment.h"
#include "cli/record_text.h"
#include "cli/text_table.h"
#include "core/record/batch_builder.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;

namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;

struct OneRecord {
  explicit OneRecord(const NewRecord& record) {
    BatchBuilder builder;
    builder.append(record);
    batch = *builder.finish();
    BatchRecords records = *BatchRecords::open(BatchView(batch.view()), 1000);
    const RecordView stored = **records.next();
    view.topic = "orders";
    view.partition = 2;
    view.offset = 41;
    view.timestamp_ms = 1234;
    if (stored.key) view.key = as_text(*stored.key);
    if (stored.value) view.value = as_text(*stored.value);
    const ByteView headers = stored.encoded_headers;
    view.headers = client::HeaderRange(headers.data(), headers.size(), stored.header_count);
  }
  Slice batch;
  client::RecordView view;  // as a consumer gets it
};

std::string formatted(std::string_view format, const client::RecordView& record) {
  const Result<RecordFormat> parsed = RecordFormat::parse(format);
  REQUIRE(parsed.has_value());
  std::string out;
  parsed->append_to(out, record);
  return out;
}

}  // namespace

TEST_CASE("moment: numbers, dates and how long ago", "[cli]") {
  CHECK(*parse_moment("0", kNowMs) == 0);
  CHECK(*parse_moment("1699999999999", kNowMs) == 1'699'999'999'999);
  CHECK(*parse_moment("90s", kNowMs) == kNowMs - 90'000);
  CHECK(*parse_moment("2h", kNowMs) == kNowMs - 7'200'000);
  CHECK(*parse_moment("1d", kNowMs) == kNowMs - 86'400'000);
  CHECK(*parse_moment("2023-11-14T22:13:20Z", kNowMs) == kNowMs);
  CHECK(*parse_moment("1970-01-02", kNowMs) == 86'400'000);
  CHECK(format_moment(kNowMs) == "2023-11-14T22:13:20.000Z");
  for (const char* wrong :
       {"", "yesterday", "5 parsecs", "-1", "10x", "2023-13-01", "2023-02-30", "2023-11-14T25:00:00Z",
        "2023-11-14T22:13:20+01:00", "99999999999999999999", "999999999999d"}) {
    INFO(wrong);
    CHECK(parse_moment(wrong, kNowMs).error().code == Errc::kInvalidArgument);
  }
}

TEST_CASE("record format: fields and escapes", "[cli]") {
  const HeaderView headers[] = {{.key = "a", .value = as_bytes("1")}, {.key = "b", .value = std::nullopt}};
  const OneRecord record({.key = as_bytes("anna"), .value = as_bytes("bread"), .headers = headers});
  CHECK(formatted("%v\\n", record.view) == "bread\n");
  CHECK(formatted("%t-%p@%o %T %k=%s %K %S %h%%\\t\\x41", record.view) == "orders-2@41 1234 anna=bread 4 5 a=1,b=%\tA");
  const OneRecord nothing({});
  CHECK(formatted("[%k][%v][%K][%S][%h]", nothing.view) == "[][][-1][-1][]");
  for (const char* wrong : {"%", "%q", "\\q", "\\x4", "\\xzz", "trailing\\"}) {
    INFO(wrong);
    CHECK(RecordFormat::parse(wrong).error().code == Errc::kInvalidArgument);
  }
}

TEST_CASE("record json: text as text, other bytes as base64", "[cli]") {
  const HeaderView headers[] = {{.key = "h", .value = as_bytes("\xff\xfe")}};
  const OneRecord record({.key = std::nullopt, .value = as_bytes("say \"hi\"\n"), .headers = headers});
  CHECK(record_json(record.view).line() ==
        R"({"topic":"orders","partition":2,"offset":41,"timestamp":1234,"key":null,"value":"say \"hi\"\n",)"
        R"("headers":[{"key":"h","value_base64":"//4="}]})"
        "\n");
}

TEST_CASE("json text: values of every kind", "[cli]") {
  CHECK(json_line({}) == "{}\n");
  CHECK(
      json_line(
          {{"a", nullptr}, {"b", true}, {"c", int64_t{-5}}, {"d", 1.5}, {"e", "x\ty"}, {"f", json_array({1, "z"})}}) ==
      R"({"a":null,"b":true,"c":-5,"d":1.5,"e":"x\ty","f":[1,"z"]})"
      "\n");
}

TEST_CASE("key value: the first equals sign divides", "[cli]") {
  CHECK(parse_key_value("a=b=c", "--config")->value == "b=c");
  CHECK(parse_key_value("a=", "--config")->value.empty());
  CHECK(parse_key_value("a", "--config").error().context.find("--config") != std::string::npos);
  CHECK(parse_key_value("=b", "--config").error().code == Errc::kInvalidArgument);
}

TEST_CASE("text table: columns are aligned, line ends bare", "[cli]") {
  TextTable table({"NAME", "N"});
  table.add({"a", "1"});
  table.add({"longer", "22"});
  CHECK(table.to_string() == "NAME    N\na       1\nlonger  22\n");
}

TEST_CASE("latency histogram: percentiles within two per cent", "[cli]") {
  LatencyHistogram histogram;
  CHECK(histogram.percentile(0.5) == Nanos(0));
  for (int64_t i = 1; i <= 100'000; ++i) histogram.add(Nanos(i * 1000));
  const auto near = [](Nanos found, double expected) {
    return std::abs(static_cast<double>(found.count()) - expected) < expected * 0.02;
  };
  CHECK(near(histogram.percentile(0.5), 50'000'000));
  CHECK(near(histogram.percentile(0.99), 99'000'000));
  CHECK(histogram.max() == Nanos(100'000'000));
  CHECK(histogram.percentile(1.0) == histogram.max());
  histogram.add(Nanos(-5));
  CHECK(histogram.count() == 100'001);
}
