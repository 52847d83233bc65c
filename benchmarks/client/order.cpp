// order.cpp: see order.h.
#include "benchmarks/client/order.h"

#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/base/parse_int.h"

namespace leat::bench {
namespace {

constexpr std::array<std::string_view, 4> kWorks{"produce", "consume", "round_trip", "queue"};
constexpr std::array<std::string_view, 2> kSwitch{"off", "on"};
constexpr size_t kValueCount = 1024;

constexpr std::array<std::pair<std::string_view, double Figures::*>, 7> kFigures{{
    {"records", &Figures::records},
    {"seconds", &Figures::seconds},
    {"cpu_seconds", &Figures::cpu_seconds},
    {"p50_us", &Figures::p50_us},
    {"p99_us", &Figures::p99_us},
    {"resident_before_mb", &Figures::resident_before_mb},
    {"resident_peak_mb", &Figures::resident_peak_mb},
}};

template <size_t kCount, class Enum>
Result<void> pick(const std::array<std::string_view, kCount>& names, std::string_view text, Enum& chosen) {
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] != text) continue;
    chosen = static_cast<Enum>(i);
    return {};
  }
  return fail(Errc::kInvalidArgument, "an order cannot say '" + std::string(text) + "' there");
}

template <size_t kCount, class Enum>
std::string name_of(const std::array<std::string_view, kCount>& names, Enum chosen) {
  return std::string(names[static_cast<size_t>(chosen)]);
}

template <class Int>
Result<void> number(std::string_view text, Int& value) {
  const std::optional<Int> parsed = parse_int<Int>(text);
  if (!parsed) return fail(Errc::kInvalidArgument, "'" + std::string(text) + "' is no number");
  value = *parsed;
  return {};
}

Result<void> set(Order& order, std::string_view name, std::string_view text) {
  if (name == "work") return pick(kWorks, text, order.work);
  if (name == "sequences") return pick(kSwitch, text, order.sequences);
  if (name == "crcs") return pick(kSwitch, text, order.crcs);
  if (name == "partitions") return number(text, order.partition_count);
  if (name == "records") return number(text, order.record_count);
  if (name == "warm_up") return number(text, order.warm_up_count);
  if (name == "record_bytes") return number(text, order.record_bytes);
  if (name == "linger_ms") return number(text, order.linger_ms);
  for (const auto& [text_name, member] : {std::pair{"style", &Order::style},
                                          {"broker", &Order::broker},
                                          {"topic", &Order::topic},
                                          {"codec", &Order::codec}}) {
    if (name != text_name) continue;
    order.*member = text;
    return {};
  }
  return fail(Errc::kInvalidArgument, "an order has no '" + std::string(name) + "'");
}

double cpu_seconds_now() noexcept {
  rusage used{};
  if (getrusage(RUSAGE_SELF, &used) != 0) return 0;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double status_mb(const std::string& field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(field + ":", 0) == 0) return std::atof(line.c_str() + field.size() + 1) * 1024 / 1e6;  // in KiB
  }
  return 0;
}

}  // namespace

std::vector<std::string> to_arguments(const Order& order) {
  return {"work=" + name_of(kWorks, order.work),
          "style=" + order.style,
          "broker=" + order.broker,
          "topic=" + order.topic,
          "partitions=" + std::to_string(order.partition_count),
          "records=" + std::to_string(order.record_count),
          "warm_up=" + std::to_string(order.warm_up_count),
          "record_bytes=" + std::to_string(order.record_bytes),
          "linger_ms=" + std::to_string(order.linger_ms),
          "sequences=" + name_of(kSwitch, order.sequences),
          "codec=" + order.codec,
          "crcs=" + name_of(kSwitch, order.crcs)};
}

Result<Order> parse_order(const std::vector<std::string>& arguments) {
  Order order;
  for (const std::string_view argument : arguments) {
    const size_t sign = argument.find('=');
    if (sign == std::string_view::npos) {
      return fail(Errc::kInvalidArgument, "an order is made of name=value, not '" + std::string(argument) + "'");
    }
    TRY(set(order, argument.substr(0, sign), argument.substr(sign + 1)));
  }
  const bool sensible = order.partition_count > 0 && order.record_count > 0 && order.record_bytes > 0;
  if (!sensible) return fail(Errc::kInvalidArgument, "an order needs records and partitions");
  return order;
}

std::string to_text(const Figures& figures) {
  std::string text;
  for (const auto& [name, member] : kFigures) {
    char line[96];
    std::snprintf(line, sizeof line, "%s %.9g\n", name.data(), figures.*member);
    text += line;
  }
  return text;
}

Result<Figures> parse_figures(std::string_view text) {
  std::istringstream lines{std::string(text)};
  Figures figures;
  std::string name;
  size_t found = 0;
  for (double value = 0; lines >> name >> value;) {
    for (const auto& [known, member] : kFigures) {
      if (known != name) continue;
      figures.*member = value;
      ++found;
    }
  }
  if (found == kFigures.size()) return figures;
  return fail(Errc::kProtocol, "a contender told something else than figures: " + std::string(text));
}

Stopwatch::Stopwatch() noexcept : begin_(std::chrono::steady_clock::now()), cpu_seconds_(cpu_seconds_now()) {}

void Stopwatch::stop(Figures& figures) const noexcept {
  figures.seconds = static_cast<double>(nanoseconds_since(begin_)) / 1e9;
  figures.cpu_seconds = cpu_seconds_now() - cpu_seconds_;
}

uint64_t nanoseconds_since(std::chrono::steady_clock::time_point begin) noexcept {
  return static_cast<uint64_t>((std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1));
}

Figures measured(const Order& order, const Stopwatch& watch) noexcept {
  Figures figures{.records = static_cast<double>(order.record_count)};
  watch.stop(figures);
  return figures;
}

void take_percentiles(const Histogram& latency, Figures& figures) noexcept {
  figures.p50_us = static_cast<double>(latency.percentile(0.5)) / 1000;
  figures.p99_us = static_cast<double>(latency.percentile(0.99)) / 1000;
}

double resident_mb() { return status_mb("VmRSS"); }
double resident_peak_mb() { return status_mb("VmHWM"); }

std::vector<std::string> make_values(int32_t record_bytes) {
  std::vector<std::string> values(kValueCount);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].resize(static_cast<size_t>(record_bytes));
    for (size_t k = 0; k < values[i].size(); ++k) {
      values[i][k] = static_cast<char>('a' + (k * 7 + i * (k % 5)) % 26);
    }
  }
  return values;
}

Result<void> Told::check(uint64_t expected) const {
  if (failed > 0) return fail(Errc::kIo, std::to_string(failed) + " records were not delivered, the first: " + words);
  if (delivered == expected) return {};
  return fail(Errc::kIo, std::to_string(delivered) + " outcomes were told of " + std::to_string(expected) + " records");
}

void Seen::note_first() {
  if (from_first || records == 0) return;
  from_first.emplace();
  first_records = records;
}

Figures Seen::figures() const noexcept {
  const bool came_at_once = !from_first || records == first_records;
  Figures figures{.records = static_cast<double>(came_at_once ? records : records - first_records)};
  (came_at_once ? from_beginning : *from_first).stop(figures);
  return figures;
}

Result<Figures> carry_out(const Order& order, const Works& works) {
  switch (order.work) {
    case Order::Work::kProduce:
      return works.produce(order);
    case Order::Work::kConsume:
      return works.consume(order);
    case Order::Work::kRoundTrip:
      return works.round_trip(order);
    case Order::Work::kQueue:
      return works.queue(order);
  }
  return fail(Errc::kInvalidArgument, "no such work");
}

}  // namespace leat::bench
