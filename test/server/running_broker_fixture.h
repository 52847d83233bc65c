// running_broker_fixture.h: one life after another of a whole broker on a simulated disk and a manual scheduler, and
// what is done to its files between them.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/log/file_names.h"
#include "core/record/batch_builder.h"
#include "core/storage/sim_file_system.h"
#include "server/metadata_store.h"
#include "server/running_broker.h"
#include "server/settings.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat::test {

template <class T>
Task<void> into(Task<T> task, std::optional<T>* result) {
  result->emplace(co_await std::move(task));
}

// One life after another of a broker on the same disk.
struct World {
  explicit World(uint64_t seed = 1) : files(seed), random(seed) {
    settings.data_dir = "/data";
    settings.disk_reserve_bytes = 1 << 20;
  }
  ~World() {
    if (broker != nullptr) (void)stop();
  }

  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    spawn(into(std::move(task), &result));
    for (int i = 0; i < 100 && !result; ++i) {
      scheduler.run_until_idle();
      if (!result) scheduler.advance(Millis(100));
    }
    REQUIRE(result.has_value());
    return std::move(*result);
  }
  Result<void> start(Adopt adopt = Adopt::kNo) {
    RunningBroker::Parts parts{scheduler, files, random, settings, adopt};
    Result<std::unique_ptr<RunningBroker>> started = run(RunningBroker::start(parts));
    if (!started) UNSCOPED_INFO(started.error().context);
    if (!started) return fail(started.error());
    broker = std::move(*started);
    return {};
  }
  Result<void> stop() {
    Result<void> stopped = run(broker->shut_down());
    broker.reset();
    scheduler.run_until_idle();
    return stopped;
  }
  void crash() {
    files.lose_power_at(1);
    (void)stop();
    files.lose_power();
  }
  void create_topic(const std::string& name, int32_t partitions) {
    CreateTopicEvent event;
    event.name = name;
    event.partition_count = partitions;
    std::vector<CreateTopicEvent> events = {event};
    const auto created = run(broker->broker().metadata->create_topics(std::move(events), Validate::kAndDo));
    REQUIRE(created.at(0).has_value());
  }
  Uuid id_of(std::string_view topic) { return broker->broker().metadata->find_topic(topic)->state->id; }
  Partition* find(std::string_view topic, int32_t partition) {
    return broker->broker().partitions->find(topic, partition);
  }
  // The base offset, or nullopt when it was refused.
  std::optional<Offset> produce(std::string_view topic, int32_t partition, std::string_view value) {
    BatchBuilder builder;
    builder.append(text_record("k", value, scheduler.clock().wall_ms()));
    AppendInput input;
    input.batch.bytes = *builder.finish();
    input.batch.record_count = 1;
    input.batch.max_timestamp_ms = scheduler.clock().wall_ms();
    const AppendOutcome outcome = run(find(topic, partition)->lane().append(std::move(input), Acks::kAll));
    if (outcome.error) return std::nullopt;
    return outcome.base_offset;
  }
  bool exists(const std::string& path) { return files.stat(path).has_value(); }

  SimFileSystem files;
  SeededRandom random;
  ManualScheduler scheduler;
  Settings settings;
  std::unique_ptr<RunningBroker> broker;
};

inline void put_file(FileSystem& files, const std::string& path, std::string_view text) {
  const auto file = *files.open(path, OpenMode::kCreate);
  const std::array<ByteView, 1> pieces = {as_bytes(text)};
  REQUIRE(file->write_at(Position(0), pieces));
  REQUIRE(file->sync(SyncKind::kData));
}

inline void flip_byte(FileSystem& files, const std::string& path, int64_t position) {
  const auto file = *files.open(path, OpenMode::kReadWrite);
  std::array<uint8_t, 1> byte{};
  REQUIRE(file->read_at(Position(position), byte));
  byte[0] ^= 0x10;
  const std::array<ByteView, 1> pieces = {ByteView(byte)};
  REQUIRE(file->write_at(Position(position), pieces));
  REQUIRE(file->sync(SyncKind::kData));
}

// As if the system had written all back: a loss of power takes nothing any more.
inline void sync_all(FileSystem& files, const std::string& data_dir) {
  std::vector<std::string> folders = {data_dir};
  for (size_t i = 0; i < folders.size(); ++i) {
    const std::vector<FileInfo> entries = *files.list(folders[i]);
    for (const FileInfo& entry : entries) {
      const std::string path = join_path(folders[i], entry.name);
      if (entry.is_directory) {
        folders.push_back(path);
      } else {
        const auto file = *files.open(path, OpenMode::kReadWrite);
        REQUIRE(file->sync(SyncKind::kFull));
      }
    }
    REQUIRE(files.sync_directory(folders[i]));
  }
}

// Where each batch of a segment begins.
inline std::vector<int64_t> batch_positions(FileSystem& files, const std::string& path) {
  const Result<std::string> text = read_text_file(files, path);
  REQUIRE(text.has_value());
  std::vector<int64_t> positions;
  ByteView rest = as_bytes(*text);
  while (!rest.empty()) {
    const Result<std::optional<BatchView>> batch = BatchView::parse(rest);
    REQUIRE((batch.has_value() && batch->has_value()));
    positions.push_back(static_cast<int64_t>(text->size() - rest.size()));
    rest = rest.subspan(static_cast<size_t>((*batch)->size_bytes()));
  }
  return positions;
}

}  // namespace leat::test
