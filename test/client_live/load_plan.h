// load_plan.h: what one load does, from its arguments and its seed: the same seed gives the same settings, so that a
// run that failed can be tried again. The times are short: who waits for a broker that is slow on purpose waits in
// vain.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <leat/client.h>

#include "test/client_live/arguments.h"
#include "test/client_live/read_back.h"
#include "test/client_live/waiting.h"

namespace leat::client_live {

enum class SendForm : uint8_t { kCallbacks, kAwaited };

struct LoadPlan {
  client::ClientSettings client_settings;
  client::ProducerSettings producer_settings;
  client::ConsumerSettings member_settings;  // of the group that reads along
  std::string topic;
  int32_t partition_count = 3;
  int16_t replication_factor = -1;
  int64_t min_in_sync_replicas = 0;  // 0: the broker's default
  uint64_t seed = 1;
  int64_t key_count = 8;
  uint64_t record_count = 500;     // or
  seconds duration{0};             // 0: by record_count
  int64_t records_per_second = 0;  // 0: as fast as outcomes come
  size_t open_max = 100;           // so many records have no outcome yet, at most
  uint64_t padding_bytes_max = 100;
  SendForm form = SendForm::kCallbacks;
  Promise promise = Promise::kExactlyOnce;
  bool follows = true;  // a consumer without a group reads along
  int64_t member_count = 0;
  Clock::time_point deadline;
};

LoadPlan make_load_plan(const Arguments& arguments);

std::unique_ptr<client::Client> make_client(const LoadPlan& plan);

}  // namespace leat::client_live
