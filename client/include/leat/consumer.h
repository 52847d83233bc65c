// consumer.h: records out of topics: as a member of a group, which shares the partitions among its members, or of
// partitions that the program names. Records are fetched ahead, up to bounds, and handed out by poll() as views of the
// brokers' answers.
//   consumer->subscribe({"orders"});
//   Result<Records> records = co_await consumer->poll(1'000);
// Heartbeats and rebalances go on by themselves, whether or not the program polls, as long as it polls once in
// max_poll_interval_ms. Threads: as producer.h says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <leat/pending.h>
#include <leat/record.h>
#include <leat/result.h>
#include <leat/task.h>
#include <leat/topic_partition.h>

namespace leat::client {

enum class OffsetReset : uint8_t {
  kEarliest,
  kLatest,
  kNone,       // an error that poll() gives
  kTimestamp,  // the first record at or after auto_offset_reset_timestamp_ms; as kLatest where there is none
};
// Where a position goes that the log does not have, any more or yet.
enum class OutOfRange : uint8_t {
  kReset,    // as if there were none
  kNearest,  // to the nearest end of the log, so that no more is left out than is gone. poll() tells it, as an error
             // OFFSET_OUT_OF_RANGE, and reading goes on
};
enum class GroupProtocol : uint8_t {
  kAuto,      // kConsumer where the broker speaks it, else kClassic
  kConsumer,  // KIP-848: the broker assigns
  kClassic,
};
enum class ClassicAssignor : uint8_t { kRange, kRoundRobin, kCooperativeSticky };
enum class CrcCheck : uint8_t { kYes, kNo };
enum class AutoCommit : uint8_t { kYes, kNo };

// Told of rebalances, in the loop's thread. The rebalance waits until the task ends (in time: rebalance_timeout_ms), so
// that offsets can be committed before partitions go. The listener may call the consumer, but not poll().
class RebalanceListener {
 public:
  virtual ~RebalanceListener() = default;
  virtual Task<> on_assigned(std::vector<TopicPartition> partitions) = 0;  // new ones, in addition to those owned
  virtual Task<> on_revoked(std::vector<TopicPartition> partitions) = 0;   // still ours until the task ends
  virtual Task<> on_lost(std::vector<TopicPartition> partitions) = 0;      // somebody else's by now: do not commit
};

struct ConsumerSettings {
  std::string group_id = {};                          // empty: no group; then assign() only, and no commits
  std::optional<std::string> group_instance_id = {};  // a static member: its partitions wait for it over a restart
  GroupProtocol group_protocol = GroupProtocol::kAuto;
  std::optional<std::string> group_remote_assignor = {};  // kConsumer: "uniform" or "range"; none: the broker's choice
  std::vector<ClassicAssignor> classic_assignors = {ClassicAssignor::kRange, ClassicAssignor::kCooperativeSticky};
  std::shared_ptr<RebalanceListener> rebalance_listener = nullptr;
  AutoCreate allow_auto_create_topics = AutoCreate::kNo;  // kNo: a topic that is not there is waited for: see trouble()
  OffsetReset auto_offset_reset = OffsetReset::kLatest;
  int64_t auto_offset_reset_timestamp_ms = 0;  // since 1970; for kTimestamp
  OutOfRange out_of_range = OutOfRange::kReset;
  IsolationLevel isolation_level = IsolationLevel::kReadUncommitted;
  AutoCommit enable_auto_commit = AutoCommit::kYes;  // of what poll() has given, at the next poll() or close()
  int64_t auto_commit_interval_ms = 5'000;
  int64_t session_timeout_ms = 45'000;    // kClassic; in the other protocol the broker says
  int64_t heartbeat_interval_ms = 3'000;  // kClassic
  int64_t rebalance_timeout_ms = 60'000;
  int64_t max_poll_interval_ms = 300'000;  // a member that does not poll for so long leaves its group
  int32_t poll_records_max = 0;            // of one poll(); 0: whatever is there. Whole batches: it may be passed
  int32_t fetch_bytes_min = 1;
  int32_t fetch_bytes_max = 50 << 20;  // of one answer
  int32_t partition_fetch_bytes_max = 1 << 20;
  int64_t fetch_wait_max_ms = 500;
  size_t prefetch_bytes_max = size_t{64} << 20;  // fetched and not yet given back; above it nothing is fetched
  size_t partition_prefetch_bytes_max = size_t{8} << 20;
  int64_t unpacked_bytes_max = int64_t{128} << 20;  // of one compressed batch
  CrcCheck check_crcs = CrcCheck::kYes;
  std::optional<std::string> client_rack = {};  // for reading from the nearest replica
};

struct ConsumerStats {
  uint64_t records_given = 0;
  uint64_t bytes_fetched = 0;
  uint64_t fetches = 0;
  uint64_t rebalances = 0;
  int64_t throttle_time_ms = 0;      // of the last fetch: for so long the broker, by its quotas, was asked no more
  int64_t throttle_time_ms_max = 0;  // of all fetches
  size_t prefetched_bytes = 0;       // now
};

namespace detail {
class ConsumerCore;
}

class Consumer {
 public:
  explicit Consumer(std::shared_ptr<detail::ConsumerCore> core) noexcept;  // see Client::consumer
  ~Consumer();                                                             // leaves nothing in order: close() first
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  // By the group. A later call takes the place of the one before; a pattern is a regular expression (RE2) that the
  // broker (kConsumer) or the client (kClassic) matches with topics that come to be as well.
  Result<> subscribe(std::vector<std::string> topics);
  Result<> subscribe_pattern(std::string pattern);
  Result<> unsubscribe();  // subscribe() and assign() are refused, as kTimedOut, until the group has been left
  // Without a group's say. Positions come from the group's commits, where there is a group_id, else auto_offset_reset.
  Result<> assign(std::vector<TopicPartition> partitions);
  std::vector<TopicPartition> assignment() const;

  // Records as soon as there are any; none after `timeout_ms`. One poll at a time. An error that is not fatal is given
  // once, and the next poll goes on.
  Pending<Records> poll(int64_t timeout_ms);
  // The callback form of a loop of polls: `on_records` is called in the loop's thread whenever there are records, or an
  // error, until it gives kStop.
  enum class Continue : uint8_t { kGoOn, kStop };
  void poll_each(std::function<Continue(Result<Records>)> on_records);

  // Fetched records of these are kept for later, and nothing more is fetched.
  Result<> pause(const std::vector<TopicPartition>& partitions);
  Result<> resume(const std::vector<TopicPartition>& partitions);
  // What was fetched is dropped; the next poll begins there. Takes kLatestOffset and kEarliestOffset.
  Result<> seek(const TopicPartition& partition, int64_t offset);
  Result<int64_t> position(const TopicPartition& partition) const;  // of the next record that poll() gives

  // What poll() has given, or what the caller says. With no words of the caller's, all partitions owned.
  Pending<> commit();
  Pending<> commit(Offsets offsets);
  Pending<Offsets> committed(std::vector<TopicPartition> partitions);
  // The first record at or after each timestamp, or kLatestOffset, kEarliestOffset, kMaxTimestampOffset.
  Pending<std::map<TopicPartition, OffsetAndTimestamp>> offsets_for_times(std::map<TopicPartition, int64_t> times);

  // Commits (AutoCommit::kYes), leaves the group, and drops what was fetched; Records that the program still has stay.
  Pending<> close(int64_t timeout_ms);

  // What keeps records from coming, as long as it lasts and is tried on: a broker that cannot be reached or does not
  // answer, or, after a moment, another error that mostly passes. None: all is well. The consumer goes on by itself.
  std::optional<Error> trouble() const;
  ConsumerStats stats() const;
  std::string member_id() const;
  GroupProtocol group_protocol() const;  // what is spoken with the group; kAuto: nothing yet

 private:
  std::shared_ptr<detail::ConsumerCore> core_;
};

}  // namespace leat::client
