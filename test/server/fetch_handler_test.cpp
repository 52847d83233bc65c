// fetch_handler_test.cpp: Fetch through its handler: long polls, limits, sessions, errors, cold reads.
#include "test/server/data_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

struct Asked {
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
  int32_t bytes_max = 1 << 20;
  int32_t leader_epoch = -1;
  int32_t fetched_epoch = -1;
};

FetchRequest fetch(const std::vector<Asked>& partitions, int32_t session_id = 0, int32_t session_epoch = -1) {
  FetchRequest request;
  request.max_wait_ms = 500;
  request.min_bytes = 1;
  request.max_bytes = 50 << 20;
  request.session_id = session_id;
  request.session_epoch = session_epoch;
  for (const Asked& asked : partitions) {
    FetchRequest::FetchTopic& topic = request.topics.emplace_back();
    topic.topic = asked.topic;
    topic.topic_id = DataFixture::id_of(asked.topic);
    FetchRequest::FetchPartition& partition = topic.partitions.emplace_back();
    partition.partition = asked.partition;
    partition.fetch_offset = asked.offset;
    partition.partition_max_bytes = asked.bytes_max;
    partition.current_leader_epoch = asked.leader_epoch;
    partition.last_fetched_epoch = asked.fetched_epoch;
  }
  return request;
}

Answer<FetchResponse> ask(DataFixture& f, FetchRequest request, int16_t version = 11, ConnectionId connection = 1) {
  for (FetchRequest::FetchTopic& topic : request.topics) {
    if (version >= 13) topic.topic.clear();
    if (version < 13) topic.topic_id = Uuid{};
  }
  return f.run(handle_fetch(f.broker, f.request(version, connection), std::move(request)));
}

size_t bytes_of(const FetchResponse::PartitionData& data) { return data.records->size(); }
const FetchResponse::PartitionData& only(const Answer<FetchResponse>& answer) {
  REQUIRE(answer->responses.size() == 1);
  REQUIRE(answer->responses[0].partitions.size() == 1);
  return answer->responses[0].partitions[0];
}

}  // namespace

TEST_CASE("fetch: what is there is answered at once, by reference", "[server][fetch]") {
  DataFixture f;
  FakePartitionLog& log = f.add("t");
  f.append("t", 0, make_batch("a", 3));
  const auto answer = ask(f, fetch({{.topic = "t"}}));
  CHECK(only(answer).high_watermark == 3);
  CHECK(only(answer).last_stable_offset == 3);
  CHECK(only(answer).records->first().data() == log.stored[0].data());
  CHECK_FALSE(only(answer).aborted_transactions.has_value());
}

TEST_CASE("fetch: a long poll wakes when the high watermark moves, and not before", "[server][fetch]") {
  DataFixture f(JobMode::kOnDemand);
  f.add("t");
  const auto answer = ask(f, fetch({{.topic = "t"}}));
  CHECK_FALSE(answer.there());
  auto group = std::make_shared<AppendGroup>(f.scheduler, 1, Acks::kAll);
  f.table.find("t", 0)->lane().submit(make_batch("a"), ValidationRules{}, group, 0);
  f.scheduler.run_until_idle();
  CHECK_FALSE(answer.there());  // written by nobody yet
  f.scheduler.run_jobs();
  CHECK(bytes_of(only(answer)) > 0);
  CHECK(f.broker.fetch_sessions.under_way_count() == 0);
}

TEST_CASE("fetch: an idle long poll looks once, and once more at its end", "[server][fetch]") {
  DataFixture f;
  FakePartitionLog& log = f.add("t");
  const auto answer = ask(f, fetch({{.topic = "t"}}));
  f.scheduler.advance(Millis(499));
  CHECK_FALSE(answer.there());
  f.scheduler.advance(Millis(2));
  CHECK(answer.there());
  CHECK(bytes_of(only(answer)) == 0);
  CHECK(log.reads_planned == 0);
  CHECK(f.scheduler.timer_count() == 0);
}

TEST_CASE("fetch: min.bytes are waited for", "[server][fetch]") {
  DataFixture f;
  f.add("t");
  const size_t batch_bytes = make_batch("a").size();
  FetchRequest request = fetch({{.topic = "t"}});
  request.min_bytes = static_cast<int32_t>(3 * batch_bytes);
  const auto answer = ask(f, request);
  f.append("t", 0, make_batch("a"));
  f.append("t", 0, make_batch("b"));
  CHECK_FALSE(answer.there());
  f.append("t", 0, make_batch("c"));
  CHECK(bytes_of(only(answer)) == 3 * batch_bytes);
}

TEST_CASE("fetch: the first batch comes whole, the others respect what is left", "[server][fetch]") {
  DataFixture f;
  for (const int32_t partition : {0, 1, 2}) f.add("t", partition);
  f.append("t", 1, make_batch(std::string(10'000, 'x')));
  f.append("t", 2, make_batch(std::string(10'000, 'y')));
  FetchRequest request = fetch({{.topic = "t", .partition = 0, .bytes_max = 10},
                                {.topic = "t", .partition = 1, .bytes_max = 10},
                                {.topic = "t", .partition = 2, .bytes_max = 10}});
  request.max_bytes = 10;
  const auto answer = ask(f, request);
  REQUIRE(answer->responses.size() == 1);
  const auto& partitions = answer->responses[0].partitions;
  CHECK(bytes_of(partitions.at(0)) == 0);
  CHECK(bytes_of(partitions.at(1)) > 10'000);
  CHECK(bytes_of(partitions.at(2)) == 0);
  CHECK(partitions.at(2).high_watermark == 1);
}

TEST_CASE("fetch: a session serves partitions in turn, so that none starves", "[server][fetch]") {
  DataFixture f;
  std::vector<Asked> asked;
  for (int32_t partition = 0; partition < 4; ++partition) {
    f.add("t", partition);
    for (int i = 0; i < 3; ++i) f.append("t", partition, make_batch(std::string(1000, 'x')));
    asked.push_back({.topic = "t", .partition = partition, .bytes_max = 1});
  }
  FetchRequest request = fetch(asked, 0, 0);
  request.max_bytes = 1;
  const auto opened = ask(f, request);
  const int32_t session = opened->session_id;
  REQUIRE(session != 0);
  std::vector<int32_t> served;
  for (int32_t epoch = 1; epoch <= 4; ++epoch) {  // the client never says that it went on: all have bytes all the time
    FetchRequest next = fetch({}, session, epoch);
    next.max_bytes = 1;
    const auto answer = ask(f, next);
    for (const auto& data : answer->responses.at(0).partitions) {
      if (bytes_of(data) > 0) served.push_back(data.partition_index);
    }
  }
  CHECK(served == std::vector<int32_t>{1, 2, 3, 0});
}

TEST_CASE("fetch: errors are answered at once, with offsets of -1", "[server][fetch]") {
  DataFixture f;
  f.add("t");
  f.add("idle");
  f.append("t", 0, make_batch("a", 9));
  REQUIRE(f.table.find("t", 0)->advance_log_start(Offset(8)));
  struct Case {
    Asked asked;
    ErrorCode error;
  };
  const std::vector<Case> cases = {
      {{.topic = "none"}, ErrorCode::kUnknownTopicOrPartition},
      {{.topic = "t", .partition = 3}, ErrorCode::kUnknownTopicOrPartition},
      {{.topic = "t", .partition = -1}, ErrorCode::kUnknownTopicOrPartition},
      {{.topic = "t", .offset = 9, .leader_epoch = 2}, ErrorCode::kFencedLeaderEpoch},
      {{.topic = "t", .offset = 9, .leader_epoch = 4}, ErrorCode::kUnknownLeaderEpoch},
      {{.topic = "t", .offset = 5}, ErrorCode::kOffsetOutOfRange},
      {{.topic = "t", .offset = 10}, ErrorCode::kOffsetOutOfRange},
      {{.topic = "t", .offset = -1}, ErrorCode::kOffsetOutOfRange},
  };
  for (const Case& c : cases) {
    FetchRequest request = fetch({{.topic = "idle"}, c.asked});
    request.max_wait_ms = 10'000;
    const auto answer = ask(f, request);
    REQUIRE(answer.there());
    const auto& data = answer->responses.back().partitions.at(0);
    CHECK(data.error_code == c.error);
    CHECK(data.high_watermark == -1);
    CHECK(data.last_stable_offset == -1);
    CHECK(data.log_start_offset == -1);
  }
}

TEST_CASE("fetch: a follower is refused, a client of a diverging log is told where", "[server][fetch]") {
  DataFixture f;
  f.add("t");
  f.append("t", 0, make_batch("a", 9));
  FetchRequest follower = fetch({{.topic = "t"}});
  follower.replica_id = 2;
  CHECK(only(ask(f, follower)).error_code == ErrorCode::kNotLeaderOrFollower);
  const auto diverged = ask(f, fetch({{.topic = "t", .offset = 5, .fetched_epoch = 2}}), 12);
  CHECK(only(diverged).diverging_epoch.epoch == 2);
  CHECK(only(diverged).diverging_epoch.end_offset == 2);
  CHECK(bytes_of(only(diverged)) == 0);
  const auto same = ask(f, fetch({{.topic = "t", .offset = 5, .fetched_epoch = 3}}), 12);
  CHECK(only(same).diverging_epoch.epoch == -1);
  CHECK(bytes_of(only(same)) > 0);
}

TEST_CASE("fetch: deleted records and deleted topics end a wait with their error", "[server][fetch]") {
  DataFixture f;
  f.add("t");
  f.append("t", 0, make_batch("a", 9));
  REQUIRE(f.table.find("t", 0)->advance_log_start(Offset(3)));
  FetchRequest request = fetch({{.topic = "t", .offset = 9}});
  request.max_wait_ms = 10'000;
  const auto at_end = ask(f, request, 11, 1);
  CHECK_FALSE(at_end.there());
  f.append("t", 0, make_batch("b"));
  CHECK(at_end.there());
  request.topics[0].partitions[0].fetch_offset = 10;
  const auto waiting = ask(f, request, 11, 2);
  CHECK_FALSE(waiting.there());
  f.table.forget(DataFixture::id_of("t"));
  f.scheduler.run_until_idle();
  CHECK(only(waiting).error_code == ErrorCode::kUnknownTopicOrPartition);
}

TEST_CASE("fetch session: only what changed is answered", "[server][fetch]") {
  DataFixture f;
  std::vector<Asked> asked;
  for (int32_t partition = 0; partition < 1000; ++partition) {
    f.add("t", partition);
    asked.push_back({.topic = "t", .partition = partition});
  }
  const auto opened = ask(f, fetch(asked, 0, 0));
  f.scheduler.advance(Millis(501));
  REQUIRE(opened->session_id != 0);
  REQUIRE(opened->responses.at(0).partitions.size() == 1000);
  const auto parked = ask(f, fetch({}, opened->session_id, 1));
  CHECK_FALSE(parked.there());
  f.append("t", 777, make_batch("a"));
  CHECK(only(parked).partition_index == 777);
  CHECK(only(parked).high_watermark == 1);
  CHECK(parked->session_id == opened->session_id);
  // The client moved on: nothing is left to say.
  const auto idle = ask(f, fetch({{.topic = "t", .partition = 777, .offset = 1}}, opened->session_id, 2));
  CHECK_FALSE(idle.there());
  f.scheduler.advance(Millis(501));
  CHECK(idle->responses.empty());
}

TEST_CASE("fetch session: idle fetches cost nothing per partition", "[server][fetch]") {
  DataFixture f;
  std::vector<Asked> asked;
  std::vector<FakePartitionLog*> logs;
  for (int32_t partition = 0; partition < 100; ++partition) {
    logs.push_back(&f.add("t", partition));
    f.append("t", partition, make_batch("a"));
    asked.push_back({.topic = "t", .partition = partition, .offset = 1});
  }
  const auto opened = ask(f, fetch(asked, 0, 0));
  f.scheduler.advance(Millis(501));
  for (int32_t epoch = 1; epoch < 20; ++epoch) {
    const auto answer = ask(f, fetch({}, opened->session_id, epoch));
    f.scheduler.advance(Millis(501));
    CHECK(answer->responses.empty());
  }
  for (const FakePartitionLog* log : logs) CHECK(log->reads_planned == 0);
}

TEST_CASE("fetch session: ids and epochs", "[server][fetch]") {
  DataFixture f;
  f.add("t");
  f.append("t", 0, make_batch("a"));
  const auto opened = ask(f, fetch({{.topic = "t"}}, 0, 0));
  const int32_t id = opened->session_id;
  REQUIRE(id > 0);
  CHECK(ask(f, fetch({}, id + 1, 1))->error_code == ErrorCode::kFetchSessionIdNotFound);
  CHECK(ask(f, fetch({}, id, 2))->error_code == ErrorCode::kInvalidFetchSessionEpoch);
  CHECK(ask(f, fetch({}, id, 1), 13)->error_code == ErrorCode::kFetchSessionTopicIdError);
  CHECK(ask(f, fetch({}, id, 1))->error_code == ErrorCode::kNone);
  CHECK(ask(f, fetch({}, id, 1))->error_code == ErrorCode::kInvalidFetchSessionEpoch);
  CHECK(ask(f, fetch({}, id, 2), 11, 99)->error_code == ErrorCode::kNone);  // from another socket: the same session
  CHECK(ask(f, fetch({{.topic = "t"}}, id, -1))->session_id == 0);
  CHECK(f.broker.fetch_sessions.count() == 0);
}

TEST_CASE("fetch session: forgotten partitions are silent; none left ends the session", "[server][fetch]") {
  DataFixture f;
  f.add("t", 0);
  f.add("t", 1);
  const auto opened = ask(f, fetch({{.topic = "t", .partition = 0}, {.topic = "t", .partition = 1}}, 0, 0));
  f.scheduler.advance(Millis(501));
  FetchRequest forget = fetch({}, opened->session_id, 1);
  forget.forgotten_topics_data.push_back({.topic = "t", .topic_id = {}, .partitions = {0}});
  const auto parked = ask(f, forget);
  f.append("t", 0, make_batch("a"));
  CHECK_FALSE(parked.there());
  f.append("t", 1, make_batch("a"));
  CHECK(only(parked).partition_index == 1);
  forget = fetch({}, opened->session_id, 2);
  forget.forgotten_topics_data.push_back({.topic = "t", .topic_id = {}, .partitions = {1}});
  const auto last = ask(f, forget);
  CHECK(last->session_id == 0);
  CHECK(f.broker.fetch_sessions.count() == 0);
}

TEST_CASE("fetch session: a topic made anew is another topic", "[server][fetch]") {
  DataFixture f;
  f.add("t");
  CHECK(only(ask(f, fetch({{.topic = "gone"}}), 13)).error_code == ErrorCode::kUnknownTopicId);
  const auto opened = ask(f, fetch({{.topic = "t"}}, 0, 0), 13);
  f.scheduler.advance(Millis(501));
  REQUIRE(only(opened).error_code == ErrorCode::kNone);
  const auto parked = ask(f, fetch({}, opened->session_id, 1), 13);
  f.table.forget(DataFixture::id_of("t"));
  f.scheduler.run_until_idle();
  CHECK(only(parked).error_code == ErrorCode::kUnknownTopicOrPartition);
  f.add_with_id("t", 0, DataFixture::id_of("t2"));
  CHECK(only(ask(f, fetch({}, opened->session_id, 2), 13)).error_code == ErrorCode::kInconsistentTopicId);
}

TEST_CASE("fetch session: a later fetch ends the one that is still parked", "[server][fetch]") {
  DataFixture f;
  f.add("t");
  const auto opened = ask(f, fetch({{.topic = "t"}}, 0, 0));
  f.scheduler.advance(Millis(501));
  const auto abandoned = ask(f, fetch({}, opened->session_id, 1), 11, 1);
  CHECK_FALSE(abandoned.there());
  const auto later = ask(f, fetch({}, opened->session_id, 2), 11, 2);
  CHECK(abandoned.there());
  CHECK_FALSE(later.there());
  f.append("t", 0, make_batch("a"));
  CHECK(bytes_of(only(later)) > 0);
}

TEST_CASE("fetch: a closed connection and a shutdown end the wait", "[server][fetch]") {
  DataFixture f;
  f.add("t");
  FetchRequest request = fetch({{.topic = "t"}});
  request.max_wait_ms = INT32_MAX;
  const auto closed = ask(f, request, 11, 1);
  const auto other = ask(f, request, 11, 2);
  f.broker.fetch_sessions.on_connection_closed(1);
  f.scheduler.run_until_idle();
  CHECK(closed.there());
  CHECK_FALSE(other.there());
  f.broker.fetch_sessions.shut_down();
  f.scheduler.run_until_idle();
  CHECK(other.there());
  CHECK(ask(f, request, 11, 3).there());
}

TEST_CASE("fetch: cold bytes are read by a worker, within the same limits", "[server][fetch]") {
  DataFixture f;
  std::vector<Asked> asked;
  for (int32_t partition = 0; partition < 40; ++partition) {
    FakePartitionLog& log = f.add("t", partition);
    if (partition % 3 != 0) log.reads = FakePartitionLog::Reads::kCold;
    f.append("t", partition, make_batch(std::string(1000, 'x')));
    f.append("t", partition, make_batch(std::string(1000, 'x')));
    asked.push_back({.topic = "t", .partition = partition});
  }
  const auto all = ask(f, fetch(asked));
  size_t bytes = 0;
  for (const auto& data : all->responses.at(0).partitions) bytes += bytes_of(data);
  CHECK(bytes == 40 * 2 * make_batch(std::string(1000, 'x')).size());

  FetchRequest limited = fetch(asked);
  limited.max_bytes = 7000;
  const auto some = ask(f, limited);
  bytes = 0;
  for (const auto& data : some->responses.at(0).partitions) bytes += bytes_of(data);
  CHECK(bytes <= 7000);
  CHECK(bytes > 5000);
}

TEST_CASE("fetch: damage and trouble on disk concern their partition only", "[server][fetch]") {
  DataFixture f;
  f.add("bad").reads = FakePartitionLog::Reads::kCold;
  FakePartitionLog& good = f.add("good");
  f.append("bad", 0, make_batch("a"));
  f.append("good", 0, make_batch("a"));
  for (const auto& [error, code] :
       {std::pair{Errc::kCorrupt, ErrorCode::kCorruptMessage}, {Errc::kIo, ErrorCode::kKafkaStorageError}}) {
    static_cast<FakePartitionLog&>(f.table.find("bad", 0)->log()).cold_read_error = error;
    const auto answer = ask(f, fetch({{.topic = "bad"}, {.topic = "good"}}));
    CHECK(answer->responses.at(0).partitions.at(0).error_code == code);
    CHECK(bytes_of(answer->responses.at(1).partitions.at(0)) == good.stored[0].size());
  }
}

TEST_CASE("fetch: who tries again and again to read damage fills no log", "[server][fetch]") {
  DataFixture f;
  f.add("bad").reads = FakePartitionLog::Reads::kCold;
  f.append("bad", 0, make_batch("a"));
  const auto try_often = [&f](Errc error) {
    static_cast<FakePartitionLog&>(f.table.find("bad", 0)->log()).cold_read_error = error;
    const int64_t before = f.broker.damage_log.left_out();
    for (int i = 0; i < 100; ++i)
      CHECK(ask(f, fetch({{.topic = "bad"}}))->responses.at(0).partitions.at(0).error_code != ErrorCode::kNone);
    return f.broker.damage_log.left_out() - before;
  };
  CHECK(try_often(Errc::kOffsetOutOfRange) == 0);  // that is no damage
  CHECK(try_often(Errc::kCorrupt) == 95);
  CHECK(try_often(Errc::kIo) == 100);
}

TEST_CASE("fetch: limits of zero still give the first batch, hot or cold", "[server][fetch]") {
  DataFixture f;
  FakePartitionLog& log = f.add("t");
  if (GENERATE(false, true)) log.reads = FakePartitionLog::Reads::kCold;
  f.append("t", 0, make_batch("a"));
  f.append("t", 0, make_batch("b"));
  FetchRequest request = fetch({{.topic = "t", .bytes_max = 0}});
  request.max_bytes = 0;
  CHECK(bytes_of(only(ask(f, request))) == make_batch("a").size());
}

TEST_CASE("fetch: no response passes the broker's own bound", "[server][fetch]") {
  DataFixture f;
  f.add("t");
  for (int i = 0; i < 20; ++i) f.append("t", 0, make_batch(std::string(1000, 'x')));
  f.broker.fetch_bytes_max = 5000;
  FetchRequest request = fetch({{.topic = "t", .bytes_max = INT32_MAX}});
  request.max_bytes = INT32_MAX;
  request.min_bytes = INT32_MAX;
  const auto answer = ask(f, request);
  REQUIRE_FALSE(answer.there());  // less than min.bytes fits: the timer ends it
  f.scheduler.advance(Millis(501));
  CHECK(bytes_of(only(answer)) <= 5000);
}
