// consumer_fixture.h: a consumer in manual time against a FakeCluster: topics that are filled, and what is read of
// them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test/client/client_fixture.h"

namespace leat::test {

struct ReadRecord {
  int32_t partition;
  int64_t offset;
  std::string value;
};

struct ConsumerFixture : ClientFixture {
  explicit ConsumerFixture(int32_t node_count = 1, uint64_t seed = 1,
                           client::WhenUnreachable when_unreachable = client::WhenUnreachable::kTryOn)
      : ClientFixture(node_count, seed, when_unreachable) {}

  void fill(const std::string& topic, int32_t partition, int count) {
    auto& log = cluster.partition(topic, partition).log;
    for (int i = 0; i < count; ++i) {
      StoredRecord record;
      record.value = std::to_string(log.size());
      record.timestamp_ms = 1'000 + static_cast<int64_t>(log.size());
      log.push_back(std::move(record));
    }
  }
  std::unique_ptr<client::Consumer> consumer(const client::ConsumerSettings& settings) {
    auto made = client->consumer(settings);
    REQUIRE(made);
    return *std::move(made);
  }
  // Polls until so many records came, or nothing comes any more.
  std::vector<ReadRecord> read(client::Consumer& from, size_t at_least, std::vector<std::string>* errors = nullptr) {
    std::vector<ReadRecord> got;
    int vain = 0;
    while (got.size() < at_least && vain < 20) {
      const client::Result<client::Records> records = wait(from.poll(1'000));
      if (!records) {
        if (errors == nullptr) FAIL(records.error().message());
        errors->push_back(records.error().message());
        ++vain;
        continue;
      }
      if (records->empty()) ++vain;
      for (const client::RecordView& record : *records) {
        got.push_back({record.partition, record.offset, std::string(record.value.value_or(""))});
      }
    }
    return got;
  }
};

// In each partition from `first` on, without a gap, with the values that fill() gave.
inline void check_in_order(const std::vector<ReadRecord>& got, int64_t first = 0) {
  std::map<int32_t, int64_t> next;
  for (const ReadRecord& record : got) {
    const auto [at, is_new] = next.try_emplace(record.partition, first);
    REQUIRE(record.offset == at->second);
    REQUIRE(record.value == std::to_string(record.offset));
    ++at->second;
  }
}

}  // namespace leat::test
