// batch_sender.h: finished batches to the leaders of their partitions, one request a leader, each answered before the
// next. What the broker calls retriable is tried again, with fresh metadata. Thread: the client's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/simple_client.h"
#include "client/topic_offsets.h"
#include "core/base/bytes.h"

namespace leat {

enum class Acks : int16_t { kNone = 0, kLeader = 1, kAll = -1 };

struct SentBatch {
  int32_t partition = 0;
  int64_t base_offset = -1;  // -1 without acks
  int32_t record_count = 0;
};

class BatchSender {
 public:
  BatchSender(SimpleClient& client, Topic topic, Acks acks) : client_(client), topic_(std::move(topic)), acks_(acks) {}

  // One batch a partition. Fails on the first that the broker refuses, with its reason.
  Result<std::vector<SentBatch>> send(std::map<int32_t, Slice> batches);
  const Topic& topic() const noexcept { return topic_; }

 private:
  // Sends what is left in `batches` once, and takes out what was taken.
  Result<void> send_once(std::map<int32_t, Slice>& batches, std::vector<SentBatch>& sent);
  int32_t leader_of(int32_t partition) const noexcept;

  SimpleClient& client_;
  Topic topic_;
  Acks acks_;
  std::string last_retriable_;
};

}  // namespace leat
