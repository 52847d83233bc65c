// fake_cluster.h: a cluster of brokers without sockets, in manual time: the Dialer of client tests. Nodes "n1", "n2",
// ... share one log for each partition (replication is perfect and at once), keep the order of producers as Kafka does
// (epochs, sequences, the last five batches), and answer ApiVersions, Metadata, InitProducerId and Produce; for readers
// also Fetch, ListOffsets, and, in FakeReaders, what groups need. What goes wrong is scripted (errors to answer with,
// nodes that are down) or follows from the seed (delays, cut connections).
// Thread: the manual scheduler's.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/uuid.h"
#include "core/codec/message_reader.h"
#include "net/protocol/api_key.h"
#include "net/protocol/error_code.h"
#include "net/protocol/messages/metadata.h"
#include "net/protocol/messages/produce.h"
#include "net/transport/dialer.h"
#include "test/support/manual_scheduler.h"

namespace leat::test {

class FakeReaders;

struct StoredRecord {
  std::optional<std::string> key;
  std::string value;
  int64_t timestamp_ms = 0;
  int header_count = 0;
};

struct FakePartition {
  int32_t leader = 1;
  int32_t leader_epoch = 0;
  std::vector<StoredRecord> log;
  struct Producer {
    int16_t epoch = -1;
    int32_t last_sequence = -1;
    struct Batch {
      int32_t first;
      int32_t last;
      int64_t base_offset;
    };
    std::deque<Batch> recent;
  };
  std::map<int64_t, Producer> producers;
};

ErrorCode next_of(std::deque<ErrorCode>& scripted);  // kNone when nothing is scripted

class FakeCluster final : public Dialer {
 public:
  struct Faults {
    Millis delay_max{0};          // of each step: dialling, a request's way, an answer's way
    uint64_t cut_request_in = 0;  // one request in so many dies with its connection before it arrives
    uint64_t cut_answer_in = 0;   // one in so many was carried out, and its answer dies with the connection
    uint64_t error_in = 0;        // one partition of a Produce request in so many is refused with a retriable error
  };

  FakeCluster(ManualScheduler& scheduler, int32_t node_count, uint64_t seed = 1);
  ~FakeCluster() override;

  std::string bootstrap() const;
  static Uuid topic_id(const std::string& name);
  const std::map<std::string, std::vector<FakePartition>>& topics() const noexcept { return topics_; }
  FakeReaders& readers() noexcept { return *readers_; }
  void add_topic(const std::string& name, int32_t partition_count);  // leaders in turn
  FakePartition& partition(const std::string& topic, int32_t index) {
    return topics_.at(topic).at(static_cast<size_t>(index));
  }
  void move_leader(const std::string& topic, int32_t index, int32_t node);
  void kill(int32_t node);  // its connections break; its partitions go to another node that is alive
  void revive(int32_t node);
  void cut_connections(int32_t node);

  Faults faults;
  // Of each API, for how long the next answers throttle: as a broker does, the connection is not read meanwhile.
  std::map<ApiKey, std::deque<int32_t>> throttle_times_ms;
  std::deque<ErrorCode> produce_errors;   // the next partitions of Produce requests are answered with these
  std::deque<ErrorCode> metadata_errors;  // the next topics
  std::deque<ErrorCode> identity_errors;
  std::deque<ErrorCode> fetch_errors;  // the next partitions of Fetch requests are answered with these
  int32_t made_partitions = 0;         // above 0: topics that are asked about and may be made have so many
  size_t batch_bytes_max = SIZE_MAX;   // a larger one is refused
  bool silent = false;                 // requests arrive, and are carried out, but nobody answers
  int16_t versions_max = INT16_MAX;    // of ApiVersions itself: an old broker
  std::vector<int16_t> unknown_apis;   // left out of ApiVersions
  int64_t log_append_time_ms = -1;

  struct Counters {
    int dials = 0;
    int metadata = 0;
    int produce = 0;
    int identities = 0;
    int fetches = 0;
    int while_muted = 0;     // requests that came while their connection was throttled
    int in_flight_most = 0;  // Produce requests of one connection that were not answered
  } counters;

  std::unique_ptr<OutboundConnection> dial(const DialAddress& address, Millis timeout,
                                           OutboundHandler& handler) override;

  // Scripts what throttle_times_ms says into the answer that is given next.
  template <class Response>
  void throttle(Response& response) {
    std::deque<int32_t>& times_ms = throttle_times_ms[static_cast<ApiKey>(Response::kVersions.key)];
    if (times_ms.empty()) return;
    response.throttle_time_ms = times_ms.front();
    mute_next_ = Millis(times_ms.front());
    times_ms.pop_front();
  }

 private:
  struct Link;
  class LinkHandle;

  Millis delay() noexcept;
  enum class Lost : uint8_t { kWithConnection, kNever };  // kNever: bytes that have left arrive, whatever comes after
  void after_delay(const std::shared_ptr<Link>& link, Lost lost, std::function<void()> step);
  void cut(const std::shared_ptr<Link>& link, const std::string& reason);
  void on_request(const std::shared_ptr<Link>& link, const Slice& frame);
  void answer(const std::shared_ptr<Link>& link, const std::vector<Piece>& pieces);
  MetadataResponse metadata(const MetadataRequest& request);
  bool on_reading(const std::shared_ptr<Link>& link, ApiKey key, int16_t version, int32_t id, MessageReader& in);
  ProduceResponse produce(int32_t node, const ProduceRequest& request);
  ErrorCode append(FakePartition& partition, const Slice& batch, int64_t& base_offset);
  static ErrorCode check_sequence(const FakePartition& partition, const Slice& batch, int64_t& duplicate_offset);
  bool is_alive(int32_t node) const { return alive_.at(static_cast<size_t>(node)); }

  ManualScheduler& scheduler_;
  SeededRandom random_;
  int32_t node_count_;
  std::vector<bool> alive_;  // by node id
  std::map<std::string, std::vector<FakePartition>> topics_;
  std::vector<std::weak_ptr<Link>> links_;
  std::unique_ptr<FakeReaders> readers_;
  int64_t last_producer_id_ = 1000;
  Millis mute_next_{0};  // by the answer that is given next
};

}  // namespace leat::test
