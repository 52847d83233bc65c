// cases.cpp: runs cases, each with its time, and what they share: see case.h.
#include <array>
#include <cstdio>
#include <exception>

#include "test/client_live/case.h"
#include "test/client_live/commands.h"

namespace leat::client_live {
namespace {

constexpr seconds kPatience{30};

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const std::span<const Case> some :
       {admin_cases(), produce_cases(), consume_cases(), group_cases(), membership_cases()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

bool run_one(const Case& one, const Place& place) {
  const Clock::time_point begin = Clock::now();
  std::string failure;
  try {
    one.run(place);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  std::printf("%s: %s (%.1f s)\n", one.name, failure.empty() ? "ok" : ("FAILED: " + failure).c_str(),
              static_cast<double>(took.count()) / 1'000);
  std::fflush(stdout);
  return failure.empty();
}

}  // namespace

std::unique_ptr<client::Client> connect(const Place& place) {
  client::ClientSettings settings;
  settings.bootstrap_servers = place.bootstrap;
  settings.metadata_max_age_ms = 1'000;  // a member of the classic protocol looks for topics of its pattern as often
  settings.retry_backoff_ms = 20;
  return need(client::Client::create(settings), "a client");
}

std::string make_topic(const Place& place, client::Client& client, const std::string& name, int32_t partition_count,
                       const std::map<std::string, std::string>& configs) {
  const std::string full = place.prefix + "-" + name;
  need(client.admin().create_topic({.name = full, .partition_count = partition_count, .configs = configs}),
       "topic " + full);
  eventually(kPatience, "topic " + full + " has its leaders", [&] {
    const auto topics = client.admin().describe_topics({full}).wait();
    if (!topics) return false;
    for (const client::PartitionInfo& partition : topics->front().partitions) {
      if (partition.leader < 0) return false;
    }
    return topics->front().partitions.size() == static_cast<size_t>(partition_count);
  });
  return full;
}

void fill(client::Client& client, const std::string& topic, int32_t partition_count, int count, int first) {
  const auto producer = need(client.producer(), "a producer");
  int refused = 0;
  for (int i = first; i < first + count; ++i) {
    const std::string value = std::to_string(i);
    const client::ProducerRecord record{.topic = topic, .value = value, .partition = i % partition_count};
    need(producer->send(record, [&refused](const client::DeliveryReport& report) { refused += report.ok() ? 0 : 1; }),
         "send()");
  }
  need(producer->flush(30'000), "flush()");
  require(refused == 0, std::to_string(refused) + " records were refused");
}

std::vector<Stored> read(client::Consumer& consumer, size_t count) {
  std::vector<Stored> got;
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (got.size() < count) {
    require(Clock::now() < deadline, std::to_string(got.size()) + " records came of " + std::to_string(count));
    const client::Records records = need(consumer.poll(500), "poll()");
    for (const client::RecordView& record : records) {
      got.push_back({record.partition, record.offset, std::string(record.value.value_or(""))});
    }
  }
  return got;
}

void expect_nothing(client::Consumer& consumer, milliseconds during) {
  const Clock::time_point end = Clock::now() + during;
  while (Clock::now() < end) {
    const client::Records records = need(consumer.poll(100), "poll()");
    require(records.empty(), "a record came where none was due");
  }
}

std::vector<client::TopicPartition> partitions_of(const std::string& topic, int32_t count) {
  std::vector<client::TopicPartition> names;
  for (int32_t i = 0; i < count; ++i) names.push_back({.topic = topic, .partition = i});
  return names;
}

void cases(const Arguments& arguments) {
  const Place place{.bootstrap = arguments.text("bootstrap"), .prefix = arguments.text("prefix")};
  const std::string wanted = arguments.text("case", "");
  int run_count = 0;
  int failed = 0;
  for (const Case& one : all_cases()) {
    if (!wanted.empty() && wanted != one.name) continue;
    ++run_count;
    failed += run_one(one, place) ? 0 : 1;
  }
  require(run_count > 0, "no case '" + wanted + "': see list-cases");
  require(failed == 0, std::to_string(failed) + " of " + std::to_string(run_count) + " cases failed");
}

void list_cases() {
  for (const Case& one : all_cases()) std::printf("%s\n", one.name);
}

}  // namespace leat::client_live
