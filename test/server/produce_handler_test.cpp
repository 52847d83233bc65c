// produce_handler_test.cpp: Produce through its handler: acks, errors, several partitions, timeouts, back pressure.
#include "test/server/data_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

ProduceRequest produce(const std::string& topic, std::vector<std::pair<int32_t, std::optional<Slice>>> partitions,
                       int16_t acks = -1) {
  ProduceRequest request;
  request.acks = acks;
  request.timeout_ms = 1500;
  ProduceRequest::TopicProduceData& data = request.topic_data.emplace_back();
  data.name = topic;
  data.topic_id = DataFixture::id_of(topic);
  for (auto& [index, slice] : partitions) {
    ProduceRequest::PartitionProduceData& partition = data.partition_data.emplace_back();
    partition.index = index;
    if (slice) partition.records = Records(*slice);
  }
  return request;
}

using MaybeResponse = std::optional<ProduceResponse>;
const ProduceResponse::PartitionProduceResponse& first(const Answer<MaybeResponse>& answer) {
  return (*answer)->responses.at(0).partition_responses.at(0);
}

}  // namespace

TEST_CASE("produce: several partitions of a request, each with its own answer", "[server][produce]") {
  DataFixture f;
  f.add("t", 0);
  f.add("t", 1);
  f.append("t", 1, make_batch("before", 5));
  const auto answer = f.run(handle_produce(
      f.broker, f.request(12), produce("t", {{1, make_batch("a", 2)}, {7, make_batch("b")}, {0, make_batch("c")}})));
  REQUIRE(answer->has_value());
  const auto& partitions = (*answer)->responses.at(0).partition_responses;
  REQUIRE(partitions.size() == 3);
  CHECK(partitions[0].base_offset == 5);
  CHECK(partitions[1].error_code == ErrorCode::kUnknownTopicOrPartition);
  CHECK(partitions[1].base_offset == -1);
  CHECK(partitions[2].base_offset == 0);
  CHECK(partitions[2].log_start_offset == 0);
}

TEST_CASE("produce: by topic id from version 13", "[server][produce]") {
  DataFixture f;
  f.add("t");
  ProduceRequest request = produce("t", {{0, make_batch("a")}});
  request.topic_data[0].name.clear();
  CHECK(first(f.run(handle_produce(f.broker, f.request(13), request))).error_code == ErrorCode::kNone);
  request.topic_data[0].topic_id = DataFixture::id_of("other");
  CHECK(first(f.run(handle_produce(f.broker, f.request(13), request))).error_code == ErrorCode::kUnknownTopicId);
}

TEST_CASE("produce: acks=0 answers nothing, its error does", "[server][produce]") {
  DataFixture f;
  f.add("t");
  CHECK_FALSE((*f.run(handle_produce(f.broker, f.request(12), produce("t", {{0, make_batch("a")}}, 0)))).has_value());
  CHECK((*f.run(handle_produce(f.broker, f.request(12), produce("t", {{1, make_batch("a")}}, 0)))).has_value());
}

TEST_CASE("produce: what no broker takes", "[server][produce]") {
  DataFixture f;
  f.add("t");
  f.add("__consumer_offsets");
  const auto code_of = [&](const std::string& topic, std::optional<Slice> records, int16_t acks) {
    return first(f.run(handle_produce(f.broker, f.request(12), produce(topic, {{0, std::move(records)}}, acks))))
        .error_code;
  };
  CHECK(code_of("t", make_batch("a"), 5) == ErrorCode::kInvalidRequiredAcks);
  CHECK(code_of("t", make_batch("a"), -2) == ErrorCode::kInvalidRequiredAcks);
  CHECK(code_of("t", std::nullopt, -1) == ErrorCode::kInvalidRecord);
  CHECK(code_of("t", Slice{}, -1) == ErrorCode::kInvalidRecord);
  CHECK(code_of("none", make_batch("a"), -1) == ErrorCode::kUnknownTopicOrPartition);
  CHECK(code_of("__consumer_offsets", make_batch("a"), -1) == ErrorCode::kInvalidTopicException);
  Slice flipped = make_batch("a");
  flipped.unpublished()[flipped.size() - 1] ^= 1;
  CHECK(code_of("t", flipped, -1) == ErrorCode::kCorruptMessage);
  CHECK(f.table.find("t", 0)->offsets().log_end == Offset(0));
}

TEST_CASE("produce: transactional batches without a coordinator", "[server][produce]") {
  DataFixture f;
  f.add("t");
  BatchOptions options;
  options.kind = BatchKind::kTransactional;
  options.producer_id = 7;
  options.producer_epoch = 0;
  options.base_sequence = 0;
  BatchBuilder builder(options);
  builder.append(text_record("k", "v", 1));
  ProduceRequest request = produce("t", {{0, *builder.finish()}});
  CHECK(first(f.run(handle_produce(f.broker, f.request(12), request))).error_code ==
        ErrorCode::kTransactionalIdAuthorizationFailed);
  request.transactional_id = "tx";
  CHECK(first(f.run(handle_produce(f.broker, f.request(12), request))).error_code ==
        ErrorCode::kInvalidProducerIdMapping);
}

TEST_CASE("produce: a full disk says so, and the next produce succeeds", "[server][produce]") {
  DataFixture f;
  FakePartitionLog& log = f.add("t");
  log.fault = FakePartitionLog::Fault::kWriteFails;
  const auto full = f.run(handle_produce(f.broker, f.request(12), produce("t", {{0, make_batch("a")}})));
  CHECK(first(full).error_code == ErrorCode::kKafkaStorageError);
  CHECK(first(full).error_message == std::optional<std::string>("no space left"));
  CHECK(first(f.run(handle_produce(f.broker, f.request(12), produce("t", {{0, make_batch("b")}})))).base_offset == 0);
}

TEST_CASE("produce: a failed sync acknowledges nothing, then or later", "[server][produce]") {
  DataFixture f;
  FakePartitionLog& log = f.add("t");
  log.fault = FakePartitionLog::Fault::kSyncFails;
  CHECK(first(f.run(handle_produce(f.broker, f.request(12), produce("t", {{0, make_batch("a")}})))).error_code ==
        ErrorCode::kKafkaStorageError);
  CHECK(first(f.run(handle_produce(f.broker, f.request(12), produce("t", {{0, make_batch("b")}})))).error_code ==
        ErrorCode::kKafkaStorageError);
}

TEST_CASE("produce: a disk that hangs costs the asker its timeout, not for ever", "[server][produce]") {
  DataFixture f(JobMode::kOnDemand);
  f.add("t");
  const auto answer = f.run(handle_produce(f.broker, f.request(12), produce("t", {{0, make_batch("a")}})));
  f.scheduler.advance(Millis(1000));
  CHECK_FALSE(answer.there());
  f.scheduler.advance(Millis(1000));
  CHECK(first(answer).error_code == ErrorCode::kRequestTimedOut);
  f.scheduler.run_jobs();
  CHECK(f.table.find("t", 0)->offsets().log_end == Offset(1));
}

TEST_CASE("produce: deleted under way", "[server][produce]") {
  DataFixture f(JobMode::kOnDemand);
  f.add("t");
  const auto flying = f.run(handle_produce(f.broker, f.request(12), produce("t", {{0, make_batch("a")}})));
  const auto queued = f.run(handle_produce(f.broker, f.request(12), produce("t", {{0, make_batch("b")}})));
  f.table.find("t", 0)->retire([] {});
  f.scheduler.run_until_idle();
  CHECK(first(queued).error_code == ErrorCode::kUnknownTopicOrPartition);
  CHECK_FALSE(flying.there());
  f.scheduler.run_jobs();
  CHECK(first(flying).error_code == ErrorCode::kNone);
}

TEST_CASE("produce: beyond the append budget requests wait, in order", "[server][produce]") {
  DataFixture f(JobMode::kOnDemand);
  f.add("t");
  f.broker.append_budget.set_max(200);
  std::vector<Answer<MaybeResponse>> answers;
  for (int i = 0; i < 20; ++i) {
    answers.push_back(
        f.run(handle_produce(f.broker, f.request(12), produce("t", {{0, make_batch(std::string(50, 'x'))}}))));
  }
  CHECK(f.broker.append_budget.waiting() > 0);
  CHECK(f.broker.append_budget.bytes_used() <= 200);
  while (f.scheduler.run_job()) f.scheduler.run_until_idle();
  for (int i = 0; i < 20; ++i) CHECK(first(answers[static_cast<size_t>(i)]).base_offset == i);
  CHECK(f.broker.append_budget.bytes_used() == 0);
}
