// fake_broker.h: a broker of one topic, "orders" with one partition, in a thread of its own on a free port of the
// loopback. Its answers can be made wrong, to see what clients make of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/bytes.h"
#include "net/protocol/error_code.h"
#include "net/protocol/messages/create_partitions.h"
#include "net/protocol/messages/describe_configs.h"
#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/incremental_alter_configs.h"
#include "net/protocol/messages/metadata.h"
#include "net/protocol/messages/produce.h"
#include "test/client/fake_groups.h"
#include "test/client/fake_quotas.h"

namespace leat::test {

class FakeBroker {
 public:
  // What is wrong; set before the first connection.
  struct Script {
    int produce_errors = 0;  // so many Produce answers carry produce_error
    ErrorCode produce_error = ErrorCode::kNotLeaderOrFollower;
    int fetch_errors = 0;
    ErrorCode fetch_error = ErrorCode::kNotLeaderOrFollower;
    int leaderless_metadata = 0;  // so many Metadata answers about the topic know no leader
    bool knows_topic = true;
    bool answers_nonsense = false;        // instead of ApiVersions
    bool closes_after_handshake = false;  // instead of the next answer
    std::vector<FetchResponse::AbortedTransaction> aborted = {};
    std::vector<Slice> stored = {};                   // batches that are there already
    std::shared_ptr<FakeGroups> groups = {};          // who answers about groups; without it nobody does
    uint16_t advertised_port = 0;                     // told instead of its own, when not 0
    std::map<std::string, std::string> configs = {};  // settings, of whatever it is asked about
    int32_t partitions_max = 100;                     // more than so many are refused
  };

  explicit FakeBroker(Script script);
  ~FakeBroker();

  std::string address() const;
  int64_t record_count() const noexcept { return next_offset_; }
  // What was changed of topics, and what was only asked about: "check partitions 3", "set retention.ms".
  std::vector<std::string> changes() const;

 private:
  void serve();
  // False: close the connection.
  bool on_frame(int connection, const Slice& frame);
  std::vector<Piece> answer(int16_t key, int16_t version, int32_t correlation_id, const Slice& body);
  MetadataResponse metadata(const MetadataRequest& request);
  FetchResponse fetch(const FetchRequest& request);
  ProduceResponse produce(const ProduceRequest& request);
  DescribeConfigsResponse configs(const DescribeConfigsRequest& request) const;
  CreatePartitionsResponse add_partitions(const CreatePartitionsRequest& request);
  IncrementalAlterConfigsResponse alter_configs(const IncrementalAlterConfigsRequest& request);
  void note_change(std::string change);
  void store(const Slice& batch);

  Script script_;
  int listener_;
  int wake_[2];
  uint16_t port_ = 0;
  std::map<int64_t, Slice> log_;  // by base offset
  FakeQuotas quotas_;
  std::atomic<int64_t> next_offset_{0};
  mutable std::mutex changes_mutex_;
  std::vector<std::string> changes_;
  std::thread thread_;
};

}  // namespace leat::test
