// codec_rows.cpp: decoding and encoding of the hot messages, at their newest versions, with the frame around them.
#include <fmt/format.h>

#include <utility>

#include "benchmarks/load/load.h"
#include "benchmarks/micro/micro.h"
#include "core/base/check.h"
#include "net/protocol/frame.h"
#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/metadata.h"
#include "net/protocol/messages/produce.h"

namespace leat::bench {
namespace {

constexpr size_t kSizeFieldBytes = 4;

template <class PieceOrSlice>
size_t size_of(const std::vector<PieceOrSlice>& pieces) {
  size_t size = 0;
  for (const PieceOrSlice& piece : pieces) size += piece.size();
  return size;
}

// A frame without its size field, in one slice, as a connection gives it.
template <class PieceOrSlice>
Slice payload_of(const Result<std::vector<PieceOrSlice>>& pieces) {
  ENSURE(pieces.has_value());
  std::vector<uint8_t> bytes;
  for (const PieceOrSlice& piece : *pieces) bytes.insert(bytes.end(), piece.view().begin(), piece.view().end());
  return Slice::copy_of(ByteView(bytes).subspan(kSizeFieldBytes));
}

template <class Request>
void add_request(const std::string& name, Request request) {
  constexpr int16_t kVersion = Request::kVersions.max;
  add_micro("codec/" + name + "_request_decode", [request](benchmark::State& state) {
    const Slice payload = payload_of(encode_request(request, kVersion, 1, "leat-bench"));
    for ([[maybe_unused]] auto _ : state) {
      MessageReader in(payload);
      const Result<RequestHeader> header = decode_request_header(in);
      Request decoded;
      ENSURE(header.has_value() && decode(in, kVersion, decoded));
      benchmark::DoNotOptimize(decoded);
    }
    set_bytes(state, payload.size());
  });
  add_micro("codec/" + name + "_request_encode", [request](benchmark::State& state) {
    size_t size = 0;
    for ([[maybe_unused]] auto _ : state) {
      const Result<std::vector<Slice>> pieces = encode_request(request, kVersion, 1, "leat-bench");
      size = size_of(*pieces);
    }
    set_bytes(state, size);
  });
}

template <class Response>
void add_response(const std::string& name, Response response) {
  constexpr int16_t kVersion = Response::kVersions.max;
  add_micro("codec/" + name + "_response_encode", [response](benchmark::State& state) {
    size_t size = 0;
    for ([[maybe_unused]] auto _ : state) {
      const Result<std::vector<Piece>> pieces = encode_response(response, kVersion, 1);
      size = size_of(*pieces);
    }
    set_bytes(state, size);
  });
  add_micro("codec/" + name + "_response_decode", [response](benchmark::State& state) {
    const Slice payload = payload_of(encode_response(response, kVersion, 1));
    for ([[maybe_unused]] auto _ : state) {
      const Result<Response> decoded = decode_response<Response>(payload, kVersion, 1);
      ENSURE(decoded.has_value());
    }
    set_bytes(state, payload.size());
  });
}

const Uuid& topic_id() {
  static const Uuid id = *Uuid::parse("AAAAAAAAAAAAAAAAAAABAA");
  return id;
}

ProduceRequest produce_request(const BatchShape& shape) {
  ProduceRequest request;
  request.acks = -1;
  request.timeout_ms = 30'000;
  ProduceRequest::TopicProduceData topic;
  topic.topic_id = topic_id();
  topic.partition_data.push_back({.index = 0, .records = Records(Slice::copy_of(make_batch(shape)))});
  request.topic_data.push_back(std::move(topic));
  return request;
}

ProduceResponse produce_response() {
  ProduceResponse response;
  ProduceResponse::TopicProduceResponse topic;
  topic.topic_id = topic_id();
  topic.partition_responses.emplace_back();
  response.responses.push_back(std::move(topic));
  return response;
}

FetchRequest fetch_request(int32_t partition_count) {
  FetchRequest request;
  request.max_wait_ms = 500;
  request.min_bytes = 1;
  FetchRequest::FetchTopic topic;
  topic.topic_id = topic_id();
  for (int32_t i = 0; i < partition_count; ++i) {
    topic.partitions.emplace_back();
    topic.partitions.back().partition = i;
    topic.partitions.back().partition_max_bytes = 1 << 20;
  }
  request.topics.push_back(std::move(topic));
  return request;
}

FetchResponse fetch_response(int32_t partition_count, const BatchShape& shape) {
  FetchResponse response;
  FetchResponse::FetchableTopicResponse topic;
  topic.topic_id = topic_id();
  const Slice batch = Slice::copy_of(make_batch(shape));
  for (int32_t i = 0; i < partition_count; ++i) {
    topic.partitions.emplace_back();
    topic.partitions.back().partition_index = i;
    topic.partitions.back().records = Records(batch);
  }
  response.responses.push_back(std::move(topic));
  return response;
}

MetadataRequest metadata_request() {
  MetadataRequest request;
  request.topics = std::vector<MetadataRequest::MetadataRequestTopic>(1);
  request.topics->front().name = "orders";
  return request;
}

MetadataResponse metadata_response(int topic_count, int32_t partition_count) {
  MetadataResponse response;
  response.brokers.push_back({.node_id = 1, .host = "127.0.0.1", .port = 9092, .rack = std::nullopt});
  response.cluster_id = "AAAAAAAAAAAAAAAAAAABAA";
  for (int t = 0; t < topic_count; ++t) {
    MetadataResponse::MetadataResponseTopic topic;
    topic.name = fmt::format("topic-{}", t);
    topic.topic_id = topic_id();
    for (int32_t p = 0; p < partition_count; ++p) {
      topic.partitions.emplace_back();
      topic.partitions.back().partition_index = p;
      topic.partitions.back().leader_id = 1;
      topic.partitions.back().replica_nodes = {1};
      topic.partitions.back().isr_nodes = {1};
    }
    response.topics.push_back(std::move(topic));
  }
  return response;
}

}  // namespace

void register_codec_rows() {
  constexpr BatchShape kSmall{.record_count = 1, .record_bytes = 100};
  constexpr BatchShape kThousand{.record_count = 1000, .record_bytes = 100};
  add_request("produce_100B_x_1", produce_request(kSmall));
  add_request("produce_100B_x_1000", produce_request(kThousand));
  add_response("produce", produce_response());
  add_request("fetch_1_partition", fetch_request(1));
  add_request("fetch_100_partitions", fetch_request(100));
  add_response("fetch_1_partition", fetch_response(1, kThousand));
  add_response("fetch_100_partitions", fetch_response(100, kSmall));
  add_request("metadata", metadata_request());
  add_response("metadata_1_topic", metadata_response(1, 1));
  add_response("metadata_100_topics_of_10", metadata_response(100, 10));
}

}  // namespace leat::bench
