// partition_reader.h: reads partitions of one topic from given offsets onward, checking CRCs, leaving out control
// records and, with read_committed, aborted transactions. Thread: the client's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "client/simple_client.h"
#include "client/topic_offsets.h"
#include "core/record/record.h"
#include "net/protocol/messages/fetch.h"

namespace leat {

enum class Isolation : int8_t { kReadUncommitted = 0, kReadCommitted = 1 };

struct FetchedRecord {
  int32_t partition;
  int64_t offset;
  int64_t timestamp_ms;
  const RecordView& record;  // valid during the call
};

struct ReaderOptions {
  int32_t max_bytes = 8 << 20;
  Isolation isolation = Isolation::kReadUncommitted;
  int64_t unpacked_bytes_max = int64_t{256} << 20;  // of one batch
};

class PartitionReader {
 public:
  using OnRecord = std::function<void(const FetchedRecord&)>;

  PartitionReader(SimpleClient& client, Topic topic, std::map<int32_t, int64_t> positions, const ReaderOptions& options)
      : client_(client), topic_(std::move(topic)), positions_(std::move(positions)), options_(options) {}

  // One fetch to each leader, waiting up to `max_wait` for records. kOffsetOutOfRange names the offsets there are.
  Result<void> poll(Millis max_wait, const OnRecord& on_record);
  // The next offset of each partition; moves over records that are left out, too.
  const std::map<int32_t, int64_t>& positions() const noexcept { return positions_; }

 private:
  FetchRequest request_for(const std::vector<int32_t>& partitions, Millis max_wait) const;
  Result<void> on_partition(const FetchResponse::PartitionData& data, const OnRecord& on_record);
  Result<void> on_batch(int32_t partition, const BatchView& batch, const OnRecord& on_record);

  SimpleClient& client_;
  Topic topic_;
  std::map<int32_t, int64_t> positions_;
  ReaderOptions options_;
  int retries_ = 0;
};

}  // namespace leat
