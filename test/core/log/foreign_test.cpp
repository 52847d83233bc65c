// foreign_test.cpp: a topic folder that Apache Kafka 4.4.0 wrote (test/data/kafka-topic) is served unchanged, and
// grows.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "core/log/folder_check.h"
#include "core/storage/posix_file_system.h"
#include "test/core/log/log_fixture.h"
#include "test/support/test_data.h"

using namespace leat;
using namespace leat::test;

namespace {

const std::string kKafkaTopic = test_data_path("kafka-topic");

std::map<std::string, std::string> read_kafka_folder() {
  PosixFileSystem posix;
  std::map<std::string, std::string> contents;
  const auto entries = posix.list(kKafkaTopic + "/kafka-topic-0");
  REQUIRE(entries);
  for (const FileInfo& entry : *entries)
    contents[entry.name] = file_text(posix, kKafkaTopic + "/kafka-topic-0/" + entry.name);
  return contents;
}

void copy_to(FileSystem& disk, const std::map<std::string, std::string>& contents) {
  REQUIRE(make_directories(disk, kFolder));
  for (const auto& [name, text] : contents) put_file(disk, join_path(kFolder, name), as_bytes(text));
  REQUIRE(disk.sync_directory(kFolder));
}

// "offset timestamp value" of each data record.
std::vector<std::string> expected_lines() {
  PosixFileSystem posix;
  std::istringstream text(file_text(posix, kKafkaTopic + "/expected.txt"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    std::istringstream fields(line);
    std::string offset, timestamp, field, value;
    fields >> offset >> timestamp;
    while (fields >> field) value = field;
    lines.push_back(offset + " " + timestamp + " " + value);
  }
  return lines;
}

int64_t timestamp_of(const std::string& line) { return std::stoll(line.substr(line.find(' ') + 1)); }

std::vector<std::string> lines_of(OpenLog& log) {
  std::vector<std::string> lines;
  Offset from = log.log->offsets().log_start;
  while (from < log.log->offsets().log_end) {
    const Result<FetchedBatches> fetched = log.read(from, {.bytes_max = 1});
    if (!fetched) FAIL(fetched.error().context);
    const BatchView batch(fetched->pieces.at(0).view());
    from = batch.next_offset();
    if (batch.is_control()) continue;
    for (const SeenRecord& record : records_of(*fetched))
      lines.push_back(fmt::format("{} {} {}", record.offset, record.timestamp_ms, record.value));
  }
  return lines;
}

}  // namespace

TEST_CASE("foreign: a folder of Apache Kafka's is served unchanged", "[log][foreign]") {
  const std::map<std::string, std::string> contents = read_kafka_folder();
  const std::vector<std::string> expected = expected_lines();
  REQUIRE(expected.size() == 205);
  for (const bool adopted : {true, false}) {
    SimFileSystem disk(1);
    copy_to(disk, contents);
    OpenLog log(disk);
    log.topic_id = Uuid();
    REQUIRE(log.recover({.clean_shutdown = !adopted, .recovery_point = Offset(adopted ? 0 : 207), .foreign = adopted}));
    CHECK(log.report.damaged.empty());
    CHECK(log.report.indexes_rebuilt == 0);
    CHECK(log.log->offsets().log_end == Offset(207));
    CHECK(log.log->topic_id() == read_topic_id(disk, std::string(kFolder)));
    CHECK(lines_of(log) == expected);
    CHECK(log.log->producers().size() == 2);
    for (const auto& [name, text] : contents) {
      INFO(name);
      CHECK(file_text(disk, join_path(kFolder, name)) == text);
    }
    // Every time, as a linear search finds it; like Kafka's own, the search also stops at the marker of a transaction.
    for (const std::string& line : expected) {
      const int64_t wanted = timestamp_of(line);
      const std::optional<TimestampOffset> found = log.lookup(wanted);
      REQUIRE(found);
      CHECK(found->timestamp_ms >= wanted);
      const auto first = std::find_if(expected.begin(), expected.end(),
                                      [wanted](const std::string& other) { return timestamp_of(other) >= wanted; });
      const bool is_marker = std::none_of(expected.begin(), expected.end(), [&found](const std::string& other) {
        return std::stoll(other) == found->offset.v;
      });
      CHECK((is_marker ? found->offset.v < std::stoll(*first) : found->offset.v == std::stoll(*first)));
    }
    // It grows, and what Kafka wrote stays as it was.
    CHECK(log.append_one({.text = "ours"}).base_offset == Offset(207));
    log.close();
    REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = Offset(208)}));
    CHECK(log.report.damaged.empty());
    std::vector<std::string> lines = lines_of(log);
    CHECK(lines.back().substr(0, 4) == "207 ");
    lines.pop_back();
    CHECK(lines == expected);
    for (const auto& [name, text] : contents) {
      if (!name.ends_with(".log")) continue;
      CHECK(file_text(disk, join_path(kFolder, name)).starts_with(text));
    }
  }
}

TEST_CASE("foreign: the offline check finds nothing to say about Kafka's folder", "[log][foreign][check]") {
  SimFileSystem disk(1);
  copy_to(disk, read_kafka_folder());
  const Result<FolderCheck> check = check_folder(disk, std::string(kFolder));
  REQUIRE(check);
  CHECK(!check->has_damage());
  CHECK(check->derived.empty());
  CHECK(check->notes.empty());
  CHECK(check->segments.size() == 7);
}
