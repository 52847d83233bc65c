// partition_reader.cpp: Fetch without sessions.
#include "client/partition_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/record/batch_builder.h"

namespace leat {
namespace {

// Producers whose transaction is aborted, as the walk over a partition's batches goes on (Kafka's order of events: a
// transaction begins to count when a batch reaches its first offset, and ends with its marker).
class AbortedTransactions {
 public:
  explicit AbortedTransactions(const std::optional<std::vector<FetchResponse::AbortedTransaction>>& list) {
    if (list) waiting_ = *list;
    std::sort(waiting_.begin(), waiting_.end(),
              [](const auto& a, const auto& b) { return a.first_offset > b.first_offset; });
  }
  bool holds(const BatchView& batch) {
    while (!waiting_.empty() && waiting_.back().first_offset <= batch.last_offset().v) {
      active_.insert(waiting_.back().producer_id);
      waiting_.pop_back();
    }
    return batch.is_transactional() && active_.contains(batch.producer_id());
  }
  void on_marker(const BatchView& batch) { active_.erase(batch.producer_id()); }

 private:
  std::vector<FetchResponse::AbortedTransaction> waiting_;  // latest first
  std::set<int64_t> active_;
};

}  // namespace

FetchRequest PartitionReader::request_for(const std::vector<int32_t>& partitions, Millis max_wait) const {
  FetchRequest request;
  request.max_wait_ms = static_cast<int32_t>(max_wait.count());
  request.min_bytes = 1;
  request.max_bytes = options_.max_bytes;
  request.isolation_level = static_cast<int8_t>(options_.isolation);
  auto& asked = request.topics.emplace_back();
  asked.topic = topic_.name.value_or("");
  for (const int32_t partition : partitions) {
    auto& one = asked.partitions.emplace_back();
    one.partition = partition;
    one.fetch_offset = positions_.at(partition);
    one.partition_max_bytes = options_.max_bytes;
  }
  return request;
}

Result<void> PartitionReader::poll(Millis max_wait, const OnRecord& on_record) {
  constexpr int kRetriesMax = 50;
  constexpr Millis kPause{100};
  std::vector<int32_t> partitions;
  for (const auto& [partition, position] : positions_) partitions.push_back(partition);
  TRY(by_leader, partitions_by_leader(topic_, partitions));
  const Millis wait_each = max_wait / static_cast<int64_t>(std::max<size_t>(by_leader.size(), 1));
  std::optional<Error> retriable;
  for (const auto& [leader, indexes] : by_leader) {
    TRY(broker, client_.broker(leader));
    TRY(response, broker->call<FetchResponse>(request_for(indexes, wait_each), kFetchVersionMax, wait_each));
    if (response.error_code != ErrorCode::kNone) return fail(to_error(response.error_code, "fetch"));
    for (const auto& answered : response.responses) {
      for (const auto& data : answered.partitions) {
        if (is_retriable(data.error_code) && data.error_code != ErrorCode::kCorruptMessage) {
          retriable = to_error(data.error_code, fmt::format("{}-{}", answered.topic, data.partition_index));
        } else {
          TRY(on_partition(data, on_record));
        }
      }
    }
  }
  if (!retriable) {
    retries_ = 0;
    return {};
  }
  if (++retries_ > kRetriesMax) return fail(*std::move(retriable));
  pause_for(kPause);
  TRY(topic, client_.topic(topic_.name.value_or(""), AutoCreate::kNo));
  topic_ = std::move(topic);
  return {};
}

Result<void> PartitionReader::on_partition(const FetchResponse::PartitionData& data, const OnRecord& on_record) {
  const std::string name = fmt::format("{}-{}", topic_.name.value_or(""), data.partition_index);
  int64_t& position = positions_.at(data.partition_index);
  if (data.error_code == ErrorCode::kOffsetOutOfRange) {
    TRY(earliest, list_offsets(client_, topic_, kEarliestOffset, {data.partition_index}));
    TRY(latest, list_offsets(client_, topic_, kLatestOffset, {data.partition_index}));
    return fail(offset_outside({.topic = topic_.name.value_or(""), .partition = data.partition_index}, position,
                               earliest[data.partition_index].offset, latest[data.partition_index].offset));
  }
  if (data.error_code != ErrorCode::kNone) return fail(to_error(data.error_code, name));
  if (!data.records) return {};
  AbortedTransactions aborted(data.aborted_transactions);
  ByteView left = data.records->first().view();
  while (!left.empty()) {
    Result<std::optional<BatchView>> found = BatchView::parse(left);
    if (!found)
      return fail(found.error().code, fmt::format("{} at offset {}: {}", name, position, found.error().context));
    if (!*found) break;  // a fetch may end inside a batch
    const BatchView& batch = **found;
    left = left.subspan(batch.bytes().size());
    if (!batch.crc_matches()) {
      return fail(Errc::kCorrupt, fmt::format("{} at offset {}: the batch's CRC is wrong. Look with: leat log verify",
                                              name, batch.base_offset()));
    }
    const bool left_out = options_.isolation == Isolation::kReadCommitted && aborted.holds(batch);
    if (batch.is_control()) {
      aborted.on_marker(batch);
    } else if (!left_out) {
      TRY(on_batch(data.partition_index, batch, on_record));
    }
    position = std::max(position, batch.next_offset().v);
  }
  return {};
}

Result<void> PartitionReader::on_batch(int32_t partition, const BatchView& batch, const OnRecord& on_record) {
  const int64_t position = positions_.at(partition);
  TRY(records, BatchRecords::open(batch, options_.unpacked_bytes_max));
  for (;;) {
    TRY(record, records.next());
    if (!record) return {};
    const int64_t offset = records.offset_of(*record).v;
    if (offset < position) continue;  // the batch began before what was asked for
    on_record(
        {.partition = partition, .offset = offset, .timestamp_ms = records.timestamp_of(*record), .record = *record});
  }
}

}  // namespace leat
