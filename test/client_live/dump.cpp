// dump.cpp: what a topic's partition 0 holds for a reader of either isolation level: see commands.h.
#include <cstdio>

#include <leat/client.h>

#include "test/client_live/commands.h"
#include "test/client_live/waiting.h"

namespace leat::client_live {

void dump(const Arguments& arguments) {
  client::ClientSettings settings;
  settings.bootstrap_servers = arguments.text("bootstrap");
  const auto client = need(client::Client::create(settings), "a client");
  const client::TopicPartition name{.topic = arguments.text("topic"), .partition = 0};
  client::ConsumerSettings reads;
  reads.auto_offset_reset = client::OffsetReset::kEarliest;
  if (arguments.text("isolation", "uncommitted") == "committed") {
    reads.isolation_level = client::IsolationLevel::kReadCommitted;
  }
  const auto consumer = need(client->consumer(reads), "a consumer");
  need(consumer->assign({name}), "assign()");
  // With read_committed the latest is the last stable offset.
  const auto ends = need(consumer->offsets_for_times({{name, client::kLatestOffset}}), "the end");
  const int64_t end = ends.at(name).offset;
  const Clock::time_point deadline = Clock::now() + seconds(30);
  for (;;) {
    const client::Result<int64_t> position = consumer->position(name);
    if (position && *position >= end) break;
    require(Clock::now() < deadline, "the end, offset " + std::to_string(end) + ", is not reached");
    const client::Records records = need(consumer->poll(200), "poll()");
    for (const client::RecordView& record : records) {
      const std::string_view value = record.value.value_or("");
      std::printf("%.*s\n", static_cast<int>(value.size()), value.data());
    }
  }
}

}  // namespace leat::client_live
