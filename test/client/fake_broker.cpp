// fake_broker.cpp: one thread, blocking reads: requests are carried out one at a time, in the order of each connection.
#include "test/client/fake_broker.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "core/record/batch.h"
#include "net/protocol/frame.h"
#include "net/protocol/messages/api_versions.h"
#include "net/protocol/messages/init_producer_id.h"
#include "net/protocol/messages/list_offsets.h"
#include "test/support/catch.h"

namespace leat::test {
namespace {

constexpr int32_t kNodeId = 7;
constexpr int kEmptyFetchMs = 3;  // a Fetch at the log's end is held for so long: nobody shall spin

bool read_exactly(int descriptor, MutableByteView into) {
  while (!into.empty()) {
    const ssize_t size = ::read(descriptor, into.data(), into.size());
    if (size <= 0) return false;
    into = into.subspan(static_cast<size_t>(size));
  }
  return true;
}

bool write_exactly(int descriptor, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(descriptor, bytes.data(), bytes.size());
    if (size <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(size));
  }
  return true;
}

template <class Request>
Request decoded(MessageReader& in, int16_t version) {
  Request request;
  (void)decode(in, version, request);
  return request;
}

}  // namespace

FakeBroker::FakeBroker(Script script) : script_(std::move(script)) {
  for (const Slice& batch : script_.stored) store(batch);
  listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(listener_ >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(::bind(listener_, generic, sizeof address) == 0);
  REQUIRE(::listen(listener_, 16) == 0);
  socklen_t size = sizeof address;
  REQUIRE(::getsockname(listener_, generic, &size) == 0);
  port_ = ntohs(address.sin_port);
  REQUIRE(::pipe(wake_) == 0);
  thread_ = std::thread([this] { serve(); });
}

FakeBroker::~FakeBroker() {
  (void)!::write(wake_[1], "x", 1);
  thread_.join();
  for (const int descriptor : {listener_, wake_[0], wake_[1]}) ::close(descriptor);
}

std::string FakeBroker::address() const { return "127.0.0.1:" + std::to_string(port_); }

void FakeBroker::store(const Slice& batch) {
  const Slice copy = Slice::copy_of(batch.view());
  const BatchView view(copy.view());
  if (view.base_offset() == Offset(0)) set_base_offset(copy.unpublished(), Offset(next_offset_));
  log_[view.base_offset().v] = copy;
  next_offset_ = view.next_offset().v;
}

void FakeBroker::serve() {
  std::vector<pollfd> waiting{{.fd = wake_[0], .events = POLLIN, .revents = 0},
                              {.fd = listener_, .events = POLLIN, .revents = 0}};
  while (::poll(waiting.data(), waiting.size(), -1) > 0 && waiting[0].revents == 0) {
    for (size_t i = waiting.size(); i-- > 2;) {
      if (waiting[i].revents == 0) continue;
      uint8_t size_bytes[kFrameSizeBytes];
      bool open = read_exactly(waiting[i].fd, size_bytes);
      if (open) {
        const auto size = static_cast<size_t>(from_big_endian<int32_t>(size_bytes));
        BlockRef block = BlockRef::allocate(size);
        open = read_exactly(waiting[i].fd, {block.data(), size}) && on_frame(waiting[i].fd, Slice(block, 0, size));
      }
      if (open) continue;
      ::close(waiting[i].fd);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (waiting[1].revents != 0)
      waiting.push_back({.fd = ::accept(listener_, nullptr, nullptr), .events = POLLIN, .revents = 0});
  }
  for (size_t i = 2; i < waiting.size(); ++i) ::close(waiting[i].fd);
}

bool FakeBroker::on_frame(int connection, const Slice& frame) {
  MessageReader in(frame);
  const Result<RequestHeader> header = decode_request_header(in);
  if (!header) return false;
  const bool handshake = header->request_api_key == static_cast<int16_t>(ApiKey::kApiVersions);
  if (script_.answers_nonsense) return write_exactly(connection, as_bytes("HTTP/1.1 400 Bad Request\r\n\r\n"));
  if (script_.closes_after_handshake && !handshake) return false;
  const auto used = static_cast<size_t>(in.position() - frame.data());
  const std::vector<Piece> pieces = answer(header->request_api_key, header->request_api_version, header->correlation_id,
                                           frame.sub(used, frame.size() - used));
  return std::all_of(pieces.begin(), pieces.end(),
                     [&](const Piece& piece) { return write_exactly(connection, piece.view()); });
}

MetadataResponse FakeBroker::metadata(const MetadataRequest& request) {
  MetadataResponse response;
  const uint16_t port = script_.advertised_port == 0 ? port_ : script_.advertised_port;
  response.brokers.push_back({.node_id = kNodeId, .host = "127.0.0.1", .port = port, .rack = {}});
  response.controller_id = kNodeId;
  if (request.topics && request.topics->empty()) return response;  // the brokers are asked for
  auto& topic = response.topics.emplace_back();
  topic.name = "orders";
  if (!script_.knows_topic) topic.error_code = ErrorCode::kUnknownTopicOrPartition;
  if (script_.knows_topic) {
    const bool leaderless = script_.leaderless_metadata-- > 0;
    topic.partitions.push_back({.error_code = leaderless ? ErrorCode::kLeaderNotAvailable : ErrorCode::kNone,
                                .partition_index = 0,
                                .leader_id = leaderless ? -1 : kNodeId,
                                .leader_epoch = 0,
                                .replica_nodes = {kNodeId},
                                .isr_nodes = {kNodeId},
                                .offline_replicas = {}});
  }
  return response;
}

FetchResponse FakeBroker::fetch(const FetchRequest& request) {
  const int64_t offset = request.topics.at(0).partitions.at(0).fetch_offset;
  FetchResponse response;
  auto& topic = response.responses.emplace_back();
  topic.topic = "orders";
  auto& partition = topic.partitions.emplace_back();
  partition.aborted_transactions = script_.aborted;
  partition.records.emplace();
  if (script_.fetch_errors-- > 0) {
    partition.error_code = script_.fetch_error;
  } else if (offset > next_offset_) {
    partition.error_code = ErrorCode::kOffsetOutOfRange;
  } else {
    for (const auto& [base_offset, batch] : log_) {
      if (BatchView(batch.view()).next_offset() > Offset(offset)) partition.records->append(batch);
    }
    if (partition.records->empty()) {
      if (script_.groups) script_.groups->note_read();
      pollfd end{.fd = wake_[0], .events = POLLIN, .revents = 0};
      (void)::poll(&end, 1, kEmptyFetchMs);
    }
  }
  return response;
}

ProduceResponse FakeBroker::produce(const ProduceRequest& request) {
  ProduceResponse response;
  auto& topic = response.responses.emplace_back();
  topic.name = "orders";
  auto& partition = topic.partition_responses.emplace_back();
  if (script_.produce_errors-- > 0) {
    partition.error_code = script_.produce_error;
  } else {
    partition.base_offset = next_offset_;
    store(request.topic_data.at(0).partition_data.at(0).records->first());
  }
  return response;
}

DescribeConfigsResponse FakeBroker::configs(const DescribeConfigsRequest& request) const {
  DescribeConfigsResponse response;
  for (const auto& asked : request.resources) {
    auto& result = response.results.emplace_back();
    result.resource_type = asked.resource_type;
    result.resource_name = asked.resource_name;
    for (const auto& [name, value] : script_.configs) {
      const auto& names = asked.configuration_keys;
      if (names && std::find(names->begin(), names->end(), name) == names->end()) continue;
      auto& config = result.configs.emplace_back();
      config.name = name;
      config.value = value;
      config.config_source = 5;  // a default
    }
  }
  return response;
}

void FakeBroker::note_change(std::string change) {
  const std::lock_guard held(changes_mutex_);
  changes_.push_back(std::move(change));
}

std::vector<std::string> FakeBroker::changes() const {
  const std::lock_guard held(changes_mutex_);
  return changes_;
}

CreatePartitionsResponse FakeBroker::add_partitions(const CreatePartitionsRequest& request) {
  CreatePartitionsResponse response;
  for (const auto& topic : request.topics) {
    auto& answered = response.results.emplace_back();
    answered.name = topic.name;
    if (topic.count > script_.partitions_max) {
      answered.error_code = ErrorCode::kInvalidPartitions;
      continue;
    }
    note_change((request.validate_only ? "check partitions " : "make partitions ") + std::to_string(topic.count));
  }
  return response;
}

// It has the settings of its script, and no others.
IncrementalAlterConfigsResponse FakeBroker::alter_configs(const IncrementalAlterConfigsRequest& request) {
  IncrementalAlterConfigsResponse response;
  for (const auto& resource : request.resources) {
    auto& answered = response.responses.emplace_back();
    answered.resource_name = resource.resource_name;
    for (const auto& config : resource.configs) {
      if (!script_.configs.contains(config.name)) answered.error_code = ErrorCode::kInvalidConfig;
    }
    if (answered.error_code != ErrorCode::kNone) continue;
    for (const auto& config : resource.configs) {
      note_change((request.validate_only ? "check " : "set ") + config.name);
    }
  }
  return response;
}

std::vector<Piece> FakeBroker::answer(int16_t key, int16_t version, int32_t correlation_id, const Slice& body) {
  MessageReader in(body);
  const auto encoded = [&](const auto& response) { return *encode_response(response, version, correlation_id); };
  switch (static_cast<ApiKey>(key)) {
    case ApiKey::kApiVersions: {
      ApiVersionsResponse response;
      for (const ApiSpec& api : kApis) {
        if (script_.groups && !script_.groups->offers(api.key)) continue;
        response.api_keys.push_back(
            {.api_key = static_cast<int16_t>(api.key), .min_version = api.min, .max_version = api.max});
      }
      return encoded(response);
    }
    case ApiKey::kMetadata:
      return encoded(metadata(decoded<MetadataRequest>(in, version)));
    case ApiKey::kCreatePartitions:
      return encoded(add_partitions(decoded<CreatePartitionsRequest>(in, version)));
    case ApiKey::kIncrementalAlterConfigs:
      return encoded(alter_configs(decoded<IncrementalAlterConfigsRequest>(in, version)));
    case ApiKey::kListOffsets: {
      const auto request = decoded<ListOffsetsRequest>(in, version);
      ListOffsetsResponse response;
      auto& topic = response.topics.emplace_back();
      topic.name = "orders";
      auto& partition = topic.partitions.emplace_back();
      partition.offset = request.topics.at(0).partitions.at(0).timestamp == -1 ? next_offset_.load() : 0;
      return encoded(response);
    }
    case ApiKey::kProduce: {
      const auto request = decoded<ProduceRequest>(in, version);
      const ProduceResponse response = produce(request);
      return request.acks == 0 ? std::vector<Piece>() : encoded(response);
    }
    case ApiKey::kInitProducerId: {
      InitProducerIdResponse response;
      response.producer_id = 1;
      response.producer_epoch = 0;
      return encoded(response);
    }
    case ApiKey::kFetch:
      return encoded(fetch(decoded<FetchRequest>(in, version)));
    case ApiKey::kDescribeConfigs:
      return encoded(configs(decoded<DescribeConfigsRequest>(in, version)));
    case ApiKey::kDescribeClientQuotas:
      return encoded(quotas_.describe(decoded<DescribeClientQuotasRequest>(in, version)));
    case ApiKey::kAlterClientQuotas:
      return encoded(quotas_.alter(decoded<AlterClientQuotasRequest>(in, version)));
    default:
      if (!script_.groups) return {};
      return script_.groups->answer(static_cast<ApiKey>(key), version, correlation_id, body,
                                    {.id = kNodeId, .host = "127.0.0.1", .port = port_});
  }
}

}  // namespace leat::test
