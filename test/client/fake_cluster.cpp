// fake_cluster.cpp: see fake_cluster.h.
#include "test/client/fake_cluster.h"

#include <algorithm>
#include <utility>

#include "core/record/record.h"
#include "net/protocol/api_table.h"
#include "net/protocol/frame.h"
#include "net/protocol/messages/api_versions.h"
#include "net/protocol/messages/init_producer_id.h"
#include "test/client/fake_readers.h"
#include "test/support/catch.h"

namespace leat::test {
namespace {

// A frame without the size that it begins with.
template <class PieceOrSlice>
Slice payload_of(const std::vector<PieceOrSlice>& pieces) {
  std::vector<uint8_t> bytes;
  for (const PieceOrSlice& piece : pieces) bytes.insert(bytes.end(), piece.view().begin(), piece.view().end());
  return Slice::copy_of(ByteView(bytes).subspan(kFrameSizeBytes));
}

}  // namespace

ErrorCode next_of(std::deque<ErrorCode>& scripted) {
  if (scripted.empty()) return ErrorCode::kNone;
  const ErrorCode code = scripted.front();
  scripted.pop_front();
  return code;
}

// One connection. Each way is a queue: a step never overtakes the one before it.
struct FakeCluster::Link {
  int32_t node = 0;
  OutboundHandler* handler = nullptr;  // null: dropped or cut
  Nanos next_step{0};
  Nanos muted_until{0};
  int produce_in_flight = 0;
};

class FakeCluster::LinkHandle final : public OutboundConnection {
 public:
  LinkHandle(FakeCluster& cluster, std::shared_ptr<Link> link) : cluster_(cluster), link_(std::move(link)) {}
  ~LinkHandle() override { link_->handler = nullptr; }
  void send(std::vector<Slice> pieces) override {
    const Slice frame = payload_of(pieces);
    cluster_.after_delay(link_, Lost::kNever,
                         [cluster = &cluster_, link = link_, frame] { cluster->on_request(link, frame); });
  }

 private:
  FakeCluster& cluster_;
  std::shared_ptr<Link> link_;
};

FakeCluster::FakeCluster(ManualScheduler& scheduler, int32_t node_count, uint64_t seed)
    : scheduler_(scheduler),
      random_(seed),
      node_count_(node_count),
      alive_(static_cast<size_t>(node_count) + 1, true),
      readers_(std::make_unique<FakeReaders>(*this)) {}
FakeCluster::~FakeCluster() = default;

Uuid FakeCluster::topic_id(const std::string& name) {
  Uuid id;
  for (size_t i = 0; i < name.size() && i < id.bytes.size(); ++i) id.bytes.at(i) = static_cast<uint8_t>(name[i]);
  return id;
}

// What readers ask: carried out at once, but for a fetch that finds nothing, which waits.
bool FakeCluster::on_reading(const std::shared_ptr<Link>& link, ApiKey key, int16_t version, int32_t id,
                             MessageReader& in) {
  if (key == ApiKey::kFetch) {
    ++counters.fetches;
    FetchRequest request;
    REQUIRE(decode(in, version, request));
    FetchResponse response;
    const FakeReaders::Found found = readers_->fetch(link->node, request, response);
    throttle(response);
    if (found == FakeReaders::Found::kNothing) {
      const Nanos now = scheduler_.clock().monotonic();
      link->next_step = std::max(link->next_step, now + Millis(request.max_wait_ms));
    }
    answer(link, *encode_response(response, version, id));
    return true;
  }
  const std::optional<std::vector<Piece>> answered = readers_->answer(link->node, key, version, id, in);
  if (!answered) return false;
  if (faults.cut_answer_in > 0 && random_.one_in(faults.cut_answer_in)) {
    cut(link, "cut after it was done");
  } else {
    answer(link, *answered);
  }
  return true;
}

std::string FakeCluster::bootstrap() const {
  std::string text;
  for (int32_t node = 1; node <= node_count_; ++node) text += (node > 1 ? ",n" : "n") + std::to_string(node) + ":9092";
  return text;
}

void FakeCluster::add_topic(const std::string& name, int32_t partition_count) {
  auto& partitions = topics_[name];
  for (int32_t i = 0; i < partition_count; ++i) {
    partitions.emplace_back();
    partitions.back().leader = i % node_count_ + 1;
  }
}

void FakeCluster::move_leader(const std::string& topic, int32_t index, int32_t node) {
  FakePartition& moved = partition(topic, index);
  moved.leader = node;
  ++moved.leader_epoch;
}

void FakeCluster::kill(int32_t node) {
  alive_.at(static_cast<size_t>(node)) = false;
  for (auto& [name, partitions] : topics_) {
    for (size_t i = 0; i < partitions.size(); ++i) {
      if (partitions[i].leader != node) continue;
      for (int32_t other = 1; other <= node_count_; ++other) {
        if (!is_alive(other)) continue;
        move_leader(name, static_cast<int32_t>(i), other);
        break;
      }
    }
  }
  cut_connections(node);
}

void FakeCluster::revive(int32_t node) { alive_.at(static_cast<size_t>(node)) = true; }

void FakeCluster::cut_connections(int32_t node) {
  for (const auto& weak : std::vector(links_)) {
    const std::shared_ptr<Link> link = weak.lock();
    if (link && link->node == node) cut(link, "connection reset by peer");
  }
}

Millis FakeCluster::delay() noexcept {
  return Millis(static_cast<int64_t>(random_.below(static_cast<uint64_t>(faults.delay_max.count()) + 1)));
}

void FakeCluster::after_delay(const std::shared_ptr<Link>& link, Lost lost, std::function<void()> step) {
  const Nanos now = scheduler_.clock().monotonic();
  link->next_step = std::max(link->next_step, now + delay());
  const auto wait = std::chrono::ceil<Millis>(link->next_step - now);
  scheduler_.timers().start(wait, [link, lost, step = std::move(step)] {
    if (lost == Lost::kNever || link->handler != nullptr) step();
  });
}

void FakeCluster::cut(const std::shared_ptr<Link>& link, const std::string& reason) {
  scheduler_.call_soon([link, reason] {
    OutboundHandler* const handler = std::exchange(link->handler, nullptr);
    if (handler != nullptr) handler->on_closed(reason);
  });
}

std::unique_ptr<OutboundConnection> FakeCluster::dial(const DialAddress& address, Millis, OutboundHandler& handler) {
  ++counters.dials;
  auto link = std::make_shared<Link>();
  link->node = std::stoi(address.host.substr(1));
  link->handler = &handler;
  std::erase_if(links_, [](const std::weak_ptr<Link>& old) { return old.expired(); });
  links_.push_back(link);
  after_delay(link, Lost::kWithConnection, [this, link] {
    if (is_alive(link->node)) return link->handler->on_connected();
    OutboundHandler* const refused = std::exchange(link->handler, nullptr);
    refused->on_closed("connection refused");
  });
  return std::make_unique<LinkHandle>(*this, link);
}

void FakeCluster::answer(const std::shared_ptr<Link>& link, const std::vector<Piece>& pieces) {
  const Millis mute = std::exchange(mute_next_, Millis(0));
  if (mute > Millis(0)) link->muted_until = scheduler_.clock().monotonic() + mute;
  if (silent) return;
  const Slice payload = payload_of(pieces);
  after_delay(link, Lost::kWithConnection, [link, payload] { link->handler->on_frame(payload); });
}

void FakeCluster::on_request(const std::shared_ptr<Link>& link, const Slice& frame) {
  if (!is_alive(link->node)) return;
  if (scheduler_.clock().monotonic() < link->muted_until) {
    ++counters.while_muted;
    link->next_step = std::max(link->next_step, link->muted_until);
    return after_delay(link, Lost::kNever, [this, link, frame] { on_request(link, frame); });
  }
  MessageReader in(frame);
  const Result<RequestHeader> header = decode_request_header(in);
  REQUIRE(header);
  const int16_t version = header->request_api_version;
  const int32_t id = header->correlation_id;
  const auto key = static_cast<ApiKey>(header->request_api_key);
  if (key != ApiKey::kApiVersions && faults.cut_request_in > 0 && random_.one_in(faults.cut_request_in)) {
    return cut(link, "cut before it arrived");
  }
  const auto encoded = [&](auto response) {
    throttle(response);
    return *encode_response(response, version, id);
  };
  if (key == ApiKey::kApiVersions) {
    ApiVersionsResponse response;
    const bool refused = version > versions_max;
    if (refused) response.error_code = ErrorCode::kUnsupportedVersion;
    for (const ApiSpec& api : kApis) {
      const auto number = static_cast<int16_t>(api.key);
      if (std::find(unknown_apis.begin(), unknown_apis.end(), number) != unknown_apis.end()) continue;
      response.api_keys.push_back({.api_key = number, .min_version = api.min, .max_version = api.max});
    }
    return answer(link, *encode_response(response, refused ? int16_t{0} : version, id));
  }
  if (key == ApiKey::kMetadata) {
    ++counters.metadata;
    MetadataRequest request;
    REQUIRE(decode(in, version, request));
    return answer(link, encoded(metadata(request)));
  }
  if (key == ApiKey::kInitProducerId) {
    ++counters.identities;
    InitProducerIdResponse response;
    response.error_code = next_of(identity_errors);
    if (response.error_code == ErrorCode::kNone) response.producer_id = ++last_producer_id_;
    return answer(link, encoded(response));
  }
  if (on_reading(link, key, version, id, in)) return;
  REQUIRE(key == ApiKey::kProduce);
  ++counters.produce;
  counters.in_flight_most = std::max(counters.in_flight_most, ++link->produce_in_flight);
  ProduceRequest request;
  REQUIRE(decode(in, version, request));
  const ProduceResponse response = produce(link->node, request);
  if (request.acks == 0) return;
  if (faults.cut_answer_in > 0 && random_.one_in(faults.cut_answer_in)) return cut(link, "cut after it was done");
  answer(link, encoded(response));
  after_delay(link, Lost::kWithConnection, [link] { --link->produce_in_flight; });
}

MetadataResponse FakeCluster::metadata(const MetadataRequest& request) {
  MetadataResponse response;
  for (int32_t node = 1; node <= node_count_; ++node) {
    if (is_alive(node)) {
      response.brokers.push_back({.node_id = node, .host = "n" + std::to_string(node), .port = 9092, .rack = {}});
    }
  }
  response.controller_id = 1;
  auto all = request.topics.value_or(std::vector<MetadataRequest::MetadataRequestTopic>{});
  if (!request.topics) {
    for (const auto& [name, partitions] : topics_) all.push_back({.topic_id = {}, .name = name});
  }
  for (auto& asked : all) {
    if (!asked.name) {
      for (const auto& [name, partitions] : topics_) {
        if (topic_id(name) == asked.topic_id) asked.name = name;
      }
    }
    auto& topic = response.topics.emplace_back();
    topic.name = asked.name;
    topic.topic_id = topic_id(asked.name.value_or(""));
    topic.error_code = next_of(metadata_errors);
    if (topic.error_code != ErrorCode::kNone) continue;
    const bool makes = made_partitions > 0 && request.allow_auto_topic_creation && asked.name;
    if (makes && !topics_.contains(*asked.name)) add_topic(*asked.name, made_partitions);
    const auto found = topics_.find(asked.name.value_or(""));
    if (found == topics_.end()) {
      topic.error_code = ErrorCode::kUnknownTopicOrPartition;
      continue;
    }
    for (size_t i = 0; i < found->second.size(); ++i) {
      const FakePartition& partition = found->second[i];
      const bool led = partition.leader > 0 && is_alive(partition.leader);
      topic.partitions.push_back({.error_code = led ? ErrorCode::kNone : ErrorCode::kLeaderNotAvailable,
                                  .partition_index = static_cast<int32_t>(i),
                                  .leader_id = led ? partition.leader : -1,
                                  .leader_epoch = partition.leader_epoch,
                                  .replica_nodes = {},
                                  .isr_nodes = {},
                                  .offline_replicas = {}});
    }
  }
  return response;
}

ProduceResponse FakeCluster::produce(int32_t node, const ProduceRequest& request) {
  constexpr std::array kPassing{ErrorCode::kNotLeaderOrFollower, ErrorCode::kRequestTimedOut,
                                ErrorCode::kNotEnoughReplicas, ErrorCode::kKafkaStorageError};
  ProduceResponse response;
  for (const auto& topic : request.topic_data) {
    auto& answered = response.responses.emplace_back();
    answered.name = topic.name;
    for (const auto& data : topic.partition_data) {
      auto& part = answered.partition_responses.emplace_back();
      part.index = data.index;
      part.log_append_time_ms = log_append_time_ms;
      const auto found = topics_.find(topic.name);
      part.error_code = next_of(produce_errors);
      if (part.error_code != ErrorCode::kNone) continue;
      if (faults.error_in > 0 && random_.one_in(faults.error_in)) {
        part.error_code = kPassing.at(random_.below(kPassing.size()));
        continue;
      }
      if (found == topics_.end() || static_cast<size_t>(data.index) >= found->second.size()) {
        part.error_code = ErrorCode::kUnknownTopicOrPartition;
        continue;
      }
      FakePartition& partition = found->second[static_cast<size_t>(data.index)];
      if (partition.leader != node) {
        part.error_code = ErrorCode::kNotLeaderOrFollower;
        continue;
      }
      const Slice& batch = data.records->first();
      part.error_code =
          batch.size() > batch_bytes_max ? ErrorCode::kMessageTooLarge : append(partition, batch, part.base_offset);
    }
  }
  return response;
}

ErrorCode FakeCluster::check_sequence(const FakePartition& partition, const Slice& bytes, int64_t& duplicate_offset) {
  const BatchView batch(bytes.view());
  const auto found = partition.producers.find(batch.producer_id());
  if (found == partition.producers.end()) return ErrorCode::kNone;
  const FakePartition::Producer& producer = found->second;
  if (batch.producer_epoch() < producer.epoch) return ErrorCode::kInvalidProducerEpoch;
  if (batch.producer_epoch() > producer.epoch) {
    return batch.base_sequence() == 0 ? ErrorCode::kNone : ErrorCode::kOutOfOrderSequenceNumber;
  }
  for (const auto& recent : producer.recent) {
    if (recent.first == batch.base_sequence() && recent.last == batch.last_sequence()) {
      duplicate_offset = recent.base_offset;
      return ErrorCode::kNone;
    }
  }
  const bool next = batch.base_sequence() == producer.last_sequence + 1;
  return next ? ErrorCode::kNone : ErrorCode::kOutOfOrderSequenceNumber;
}

ErrorCode FakeCluster::append(FakePartition& partition, const Slice& bytes, int64_t& base_offset) {
  const BatchView batch(bytes.view());
  REQUIRE(batch.size_bytes() == static_cast<int64_t>(bytes.size()));
  REQUIRE(batch.crc_matches());
  int64_t duplicate_offset = -1;
  if (batch.has_producer_id()) {
    const ErrorCode code = check_sequence(partition, bytes, duplicate_offset);
    if (code != ErrorCode::kNone) return code;
  }
  base_offset = duplicate_offset >= 0 ? duplicate_offset : static_cast<int64_t>(partition.log.size());
  if (duplicate_offset >= 0) return ErrorCode::kNone;
  if (batch.has_producer_id()) {
    FakePartition::Producer& producer = partition.producers[batch.producer_id()];
    if (producer.epoch != batch.producer_epoch()) producer.recent.clear();
    producer.epoch = batch.producer_epoch();
    producer.last_sequence = batch.last_sequence();
    producer.recent.push_back({batch.base_sequence(), batch.last_sequence(), base_offset});
    if (producer.recent.size() > 5) producer.recent.pop_front();
  }
  Result<BatchRecords> records = BatchRecords::open(batch, int64_t{1} << 30);
  REQUIRE(records);
  for (;;) {
    const Result<std::optional<RecordView>> record = records->next();
    REQUIRE(record);
    if (!*record) break;
    StoredRecord stored;
    if ((*record)->key) stored.key = std::string(as_text(*(*record)->key));
    if ((*record)->value) stored.value = as_text(*(*record)->value);
    stored.timestamp_ms = records->timestamp_of(**record);
    stored.header_count = (*record)->header_count;
    partition.log.push_back(std::move(stored));
  }
  return ErrorCode::kNone;
}

}  // namespace leat::test
