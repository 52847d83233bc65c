// data_fixture.h: a broker of fake logs on a manual scheduler, and requests sent straight to its handlers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/record/batch_builder.h"
#include "core/storage/sim_file_system.h"
#include "server/broker.h"
#include "server/handlers/data_handlers.h"
#include "server/settings.h"
#include "test/server/fake_partition_log.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat::test {

inline Slice make_batch(std::string_view value, int records = 1) {
  BatchBuilder builder;
  for (int i = 0; i < records; ++i) builder.append(text_record("key", value, 1'700'000'000'000));
  Result<Slice> batch = builder.finish();
  REQUIRE(batch.has_value());
  return *batch;
}

// The answer of a handler that may not be there yet.
template <class T>
class Answer {
 public:
  bool there() const noexcept { return value_->has_value(); }
  T& operator*() const {
    REQUIRE(there());
    return **value_;
  }
  T* operator->() const { return &**this; }
  Task<void> fill(Task<T> task) const {
    const std::shared_ptr<std::optional<T>> value = value_;
    return run(std::move(task), value);
  }

 private:
  static Task<void> run(Task<T> task, std::shared_ptr<std::optional<T>> value) {
    value->emplace(co_await std::move(task));
  }
  std::shared_ptr<std::optional<T>> value_ = std::make_shared<std::optional<T>>();
};

struct DataFixture {
  explicit DataFixture(JobMode mode = JobMode::kAutomatic)
      : scheduler(mode),
        files(42),
        table({.scheduler = scheduler, .lane = {}}),
        broker(scheduler, files, random, settings, table) {}
  ~DataFixture() {
    broker.fetch_sessions.shut_down();
    scheduler.run_until_idle();
    scheduler.run_jobs();
  }

  static Uuid id_of(std::string_view topic) {
    Uuid id;
    for (size_t i = 0; i < topic.size() && i < id.bytes.size(); ++i) id.bytes[i] = static_cast<uint8_t>(topic[i]);
    return id;
  }
  FakePartitionLog& add(const std::string& topic, int32_t partition = 0) {
    return add_with_id(topic, partition, id_of(topic));
  }
  FakePartitionLog& add_with_id(const std::string& topic, int32_t partition, const Uuid& id) {
    auto log = std::make_unique<FakePartitionLog>(TopicPartition{topic, partition}, FlushPolicy::kCommit, id);
    FakePartitionLog& fake = *log;
    table.add({.name = topic, .id = id, .settings = {}}, partition, std::move(log));
    return fake;
  }
  void append(const std::string& topic, int32_t partition, Slice batch) {
    auto group = std::make_shared<AppendGroup>(scheduler, 1, Acks::kAll);
    table.find(topic, partition)->lane().submit(std::move(batch), ValidationRules{}, group, 0);
    scheduler.run_until_idle();
    REQUIRE(group->outcomes[0].finished);
  }

  Request request(int16_t version, ConnectionId connection = 1) {
    Request made;
    made.connection = connection;
    made.version = version;
    made.origin =
        std::make_shared<const RequestOrigin>(RequestOrigin{.peer = "", .listener_name = "PLAINTEXT", .client_id = ""});
    return made;
  }
  template <class T>
  Answer<T> run(Task<T> task) {
    Answer<T> answer;
    spawn(answer.fill(std::move(task)));
    scheduler.run_until_idle();
    return answer;
  }

  ManualScheduler scheduler;
  SeededRandom random{42};
  SimFileSystem files;
  Settings settings;
  PartitionTable table;
  Broker broker;
};

}  // namespace leat::test
