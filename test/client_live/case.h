// case.h: one thing that a case tries against a live broker, and what cases share: a client whose waits are short,
// topics with names of their own, records in and out. Cases run one after the other, in the main thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <leat/client.h>

#include "test/client_live/require.h"
#include "test/client_live/waiting.h"

namespace leat::client_live {

struct Place {
  std::string bootstrap;
  std::string prefix;  // of the names of topics and groups, so that runs against one broker do not meet
};

struct Case {
  const char* name;
  void (*run)(const Place& place);
};

std::span<const Case> admin_cases();
std::span<const Case> produce_cases();
std::span<const Case> consume_cases();
std::span<const Case> group_cases();
std::span<const Case> membership_cases();

std::unique_ptr<client::Client> connect(const Place& place);

// Made, and led by somebody: the name, which begins with the place's prefix.
std::string make_topic(const Place& place, client::Client& client, const std::string& name, int32_t partition_count,
                       const std::map<std::string, std::string>& configs = {});

struct Stored {
  int32_t partition = 0;
  int64_t offset = 0;
  std::string value;

  friend bool operator==(const Stored&, const Stored&) = default;
};

// `count` records, "0", "1", ..., each to the next partition in turn; all acknowledged.
void fill(client::Client& client, const std::string& topic, int32_t partition_count, int count, int first = 0);
// Polls until so many records came; fails after 30 s.
std::vector<Stored> read(client::Consumer& consumer, size_t count);
// Polls for a while; nothing may come.
void expect_nothing(client::Consumer& consumer, milliseconds during);
std::vector<client::TopicPartition> partitions_of(const std::string& topic, int32_t count);

}  // namespace leat::client_live
