// fetch_session_test.cpp: the cache of fetch sessions: ids, epochs, and who makes way for whom.
#include "server/fetch_session.h"

#include "test/support/catch.h"

using namespace leat;

namespace {

std::shared_ptr<FetchSession> session_of(int partitions) {
  auto session = std::make_shared<FetchSession>(IsolationLevel::kReadUncommitted, TopicIdUse::kNames);
  for (int i = 0; i < partitions; ++i) session->watch.put({.topic_id = {}, .topic = "t", .partition = i}, {});
  return session;
}

struct Fixture {
  ManualClock clock;
  SeededRandom random{1};
  FetchSessions sessions{clock, random, {.sessions_max = 3, .partitions_max = 100}};

  std::shared_ptr<FetchSession> insert(int partitions) {
    auto session = session_of(partitions);
    sessions.insert(session);
    return session;
  }
};

}  // namespace

TEST_CASE("fetch sessions: an id is positive, unique, and finds the session", "[server][fetch]") {
  Fixture f;
  const auto first = f.insert(1);
  const auto second = f.insert(2);
  CHECK(first->id > 0);
  CHECK(first->id != second->id);
  CHECK(f.sessions.find(first->id) == first);
  CHECK(f.sessions.partition_count() == 3);
  const int32_t id = first->id;
  f.sessions.remove(id);
  CHECK(f.sessions.find(id) == nullptr);
  CHECK(first->id == kNoFetchSession);
  CHECK(f.sessions.partition_count() == 2);
}

TEST_CASE("fetch sessions: sessions in use are not pushed out by newcomers", "[server][fetch]") {
  Fixture f;
  for (int i = 0; i < 3; ++i) f.insert(1);
  for (int i = 0; i < 20'000; ++i) CHECK(f.insert(50)->id == kNoFetchSession);
  CHECK(f.sessions.count() == 3);
  CHECK(f.sessions.evicted() == 0);
}

TEST_CASE("fetch sessions: the one unused for two minutes makes way", "[server][fetch]") {
  Fixture f;
  const auto idle = f.insert(1);
  const auto used = f.insert(1);
  f.insert(1);
  f.clock.advance(std::chrono::minutes(1));
  f.sessions.touch(*used);
  f.clock.advance(std::chrono::seconds(61));
  const auto newcomer = f.insert(1);
  CHECK(newcomer->id != kNoFetchSession);
  CHECK(idle->id == kNoFetchSession);
  CHECK(used->id != kNoFetchSession);
}

TEST_CASE("fetch sessions: an old small one makes way for a larger one, not for a smaller", "[server][fetch]") {
  Fixture f;
  std::vector<std::shared_ptr<FetchSession>> old = {f.insert(5), f.insert(2), f.insert(7)};
  for (int i = 0; i < 3; ++i) {
    f.clock.advance(std::chrono::minutes(1));
    for (const auto& session : old) f.sessions.touch(*session);
  }
  CHECK(f.insert(2)->id == kNoFetchSession);
  CHECK(f.insert(3)->id != kNoFetchSession);
  CHECK(old[1]->id == kNoFetchSession);
}

TEST_CASE("fetch sessions: all partitions together are bounded", "[server][fetch]") {
  Fixture f;
  CHECK(f.insert(101)->id == kNoFetchSession);
  CHECK(f.insert(60)->id != kNoFetchSession);
  CHECK(f.insert(60)->id == kNoFetchSession);
  CHECK(f.insert(40)->id != kNoFetchSession);
  CHECK(f.sessions.partition_count() == 100);
}

TEST_CASE("fetch sessions: the epoch after the last is 1, never 0", "[server][fetch]") {
  CHECK(FetchSessions::epoch_after(1) == 2);
  CHECK(FetchSessions::epoch_after(INT32_MAX) == 1);
}
