// log_directory_test.cpp: identity, lock, checkpoints, clean stops, deletion.
#include "core/log/log_directory.h"

#include <fmt/format.h>

#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

struct Fixture {
  SimFileSystem disk{3};
  SeededRandom random{9};
  Result<std::unique_ptr<LogDirectory>> open(int32_t node_id = 1,
                                             std::optional<std::string> cluster_id = std::nullopt) {
    return LogDirectory::open({.files = disk,
                               .path = "/data",
                               .random = random,
                               .node_id = node_id,
                               .cluster_id = std::move(cluster_id),
                               .reserve_bytes = 800});
  }
};

}  // namespace

TEST_CASE("log directory: identity persists, others are refused", "[log][directory]") {
  Fixture f;
  std::string cluster_id;
  std::string directory_id;
  {
    auto directory = f.open();
    REQUIRE(directory);
    CHECK(!(*directory)->was_clean());
    cluster_id = (*directory)->cluster_id();
    directory_id = (*directory)->directory_id();
    CHECK(cluster_id.size() == 22);
    CHECK(f.open().error().code == Errc::kLocked);
  }
  f.disk.lose_power();
  {
    auto directory = f.open(1, cluster_id);
    REQUIRE(directory);
    CHECK((*directory)->cluster_id() == cluster_id);
    CHECK((*directory)->directory_id() == directory_id);
  }
  CHECK(f.open(2).error().code == Errc::kInvalidArgument);
  CHECK(f.open(1, "another").error().code == Errc::kInvalidArgument);
  put_file(f.disk, "/data/meta.properties",
           as_bytes("version=1\ncluster.id=c\nnode.id=1\ndirectory.id=d\nleat.format.version=2\n"));
  CHECK(f.open().error().code == Errc::kUnsupported);
  put_file(f.disk, "/data/meta.properties", as_bytes("#\n#Mon\ncluster.id=c\ndirectory.id=d\nnode.id=1\nversion=1\n"));
  const auto kafkas = f.open();
  REQUIRE(!kafkas);
  CHECK(kafkas.error().context.find("--adopt") != std::string::npos);
  for (const std::string_view bad : {"", "version=1\nleat.format.version=x\n", "version=2\nleat.format.version=1\n",
                                     "version=1\nnode.id=1\nleat.format.version=1\n"}) {
    put_file(f.disk, "/data/meta.properties", as_bytes(bad));
    CHECK(!f.open());
  }
}

TEST_CASE("log directory: a meta.properties that is nobody's is not taken for Kafka's", "[log][directory]") {
  Fixture f;
  REQUIRE(f.open());
  const auto refused = [&f](std::string_view text) {
    put_file(f.disk, "/data/meta.properties", as_bytes(text));
    const auto opened = f.open();
    REQUIRE(!opened);
    return opened.error();
  };
  const auto says = [](const Error& error, std::string_view part) {
    INFO(error.context);
    return error.context.find(part) != std::string::npos && error.context.find('\n') == std::string::npos;
  };
  for (const std::string_view kafkas : {"version=1\ncluster.id=c\nnode.id=7\n", "version=0\nbroker.id=0\n"}) {
    const Error error = refused(kafkas);
    CHECK(error.code == Errc::kUnsupported);
    CHECK(says(error, "--adopt"));
  }
  const std::string_view zeros("\0\0\0\0\0\0", 6);
  for (const std::string_view garbage :
       {std::string_view(""), std::string_view("garbage\n"), std::string_view("a=b\n"), std::string_view("version=1\n"),
        zeros, std::string_view("version=\xff\n"), std::string_view("version=1\nnode.id=x\ncluster.id=c\n")}) {
    const Error error = refused(garbage);
    CHECK(error.code == Errc::kCorrupt);
    CHECK(says(error, "/data/meta.properties: neither Leat's nor Apache Kafka's"));
    CHECK(says(error, "put it back from a copy"));
    CHECK_FALSE(says(error, "--adopt"));
  }
  // Ours, with what it lost: not Kafka's either.
  REQUIRE(f.disk.make_directory("/data/__leat_metadata-0"));
  for (const std::string_view cut : {"version=1\ncluster.id=c\nnode.id=1\n", ""}) {
    const Error error = refused(cut);
    CHECK(error.code == Errc::kCorrupt);
    CHECK(says(error, "the directory is Leat's"));
  }
  REQUIRE(f.disk.remove("/data/meta.properties"));
  CHECK(f.open());
}

TEST_CASE("log directory: a clean stop counts once", "[log][directory]") {
  Fixture f;
  {
    auto directory = f.open();
    const OffsetCheckpoint points{{{"t", 0}, Offset(7)}, {{"u", 3}, Offset(9)}};
    REQUIRE((*directory)->write_checkpoints(points, {{{"t", 0}, Offset(2)}}));
    REQUIRE((*directory)->write_cleaned({{{"t", 0}, Offset(5)}}));
    REQUIRE((*directory)->write_unused_epochs({{{"t", 0}, 4}, {{"u", 3}, INT32_MAX}}));
    REQUIRE((*directory)->mark_clean());
  }
  f.disk.lose_power();
  {
    auto directory = f.open();
    REQUIRE(directory);
    CHECK((*directory)->was_clean());
    const RecoveryHints hints = (*directory)->hints_for({"t", 0});
    CHECK(hints.clean_shutdown);
    CHECK(hints.recovery_point == Offset(7));
    CHECK(hints.log_start == Offset(2));
    CHECK(hints.cleaned == Offset(5));
    CHECK(hints.leader_epoch == 4);
    CHECK((*directory)->hints_for({"u", 3}).leader_epoch == INT32_MAX);
    CHECK((*directory)->hints_for({"x", 0}).recovery_point == Offset(0));
    CHECK((*directory)->hints_for({"x", 0}).leader_epoch == kNoLeaderEpoch);
    CHECK(hints.compacted == Compacted::kMaybe);
    CHECK((*directory)->hints_for({"u", 3}).compacted == Compacted::kNo);
    CHECK((*directory)->hints_for({"x", 0}).compacted == Compacted::kUnknown);
    CHECK(hints.log_start_is_exact);
  }
  f.disk.lose_power();
  auto directory = f.open();
  CHECK(!(*directory)->was_clean());
  CHECK((*directory)->hints_for({"u", 3}).recovery_point == Offset(9));
}

TEST_CASE("log directory: a bad checkpoint is a note, not the end", "[log][directory]") {
  Fixture f;
  REQUIRE(f.open());
  put_file(f.disk, "/data/recovery-point-offset-checkpoint", as_bytes("0\n5\n"));
  put_file(f.disk, "/data/leat-leader-epoch-checkpoint", as_bytes("0\n1\nt 0 4294967296\n"));
  auto directory = f.open();
  REQUIRE(directory);
  CHECK((*directory)->notes().size() == 2);
  CHECK((*directory)->hints_for({"t", 0}).point_is_unknown);
  directory->reset();
  put_file(f.disk, "/data/recovery-point-offset-checkpoint", as_bytes("0\n1\nt 0 4\n"));
  put_file(f.disk, "/data/cleaner-offset-checkpoint", as_bytes("1\n0\n"));
  auto again = f.open();
  REQUIRE(again);
  CHECK((*again)->notes().size() == 2);
  CHECK((*again)->hints_for({"t", 0}).recovery_point == Offset(4));
  CHECK_FALSE((*again)->hints_for({"t", 0}).point_is_unknown);
  CHECK((*again)->hints_for({"t", 0}).compacted == Compacted::kUnknown);
}

TEST_CASE("log directory: folders by kind", "[log][directory]") {
  Fixture f;
  auto directory = f.open();
  for (const std::string_view name : {"t-10", "t-2", "a.b-0", "t-3.abababababababababababababababab-delete",
                                      "t-4.abababababababababababababababab-future", "lost+found"}) {
    REQUIRE(f.disk.make_directory(join_path("/data", name)));
  }
  const auto listing = (*directory)->list();
  REQUIRE(listing);
  REQUIRE(listing->partitions.size() == 3);
  CHECK(listing->partitions[0].name == TopicPartition{"a.b", 0});
  CHECK(listing->partitions[2].name == TopicPartition{"t", 10});
  CHECK(listing->partitions[2].path == "/data/t-10");
  CHECK(listing->unfinished_deletions.size() == 1);
  CHECK(listing->strays.size() == 2);
}

TEST_CASE("log directory: a deletion survives a crash half way", "[log][directory]") {
  for (uint64_t step = 0; step < 20; ++step) {
    Fixture f;
    auto directory = f.open();
    OpenLog log(f.disk);
    log.create();
    log.append_many(5, {});
    log.close();
    log.log.reset();
    if (step > 0) f.disk.lose_power_at(step);
    const Result<std::string> going = (*directory)->begin_deletion({"t", 0}, f.random);
    const bool is_durable = going.has_value();
    const bool is_done = is_durable && (*directory)->finish_deletion(*going).has_value();
    directory->reset();
    f.disk.lose_power();
    auto again = f.open();
    REQUIRE(again);
    const auto listing = (*again)->list();
    INFO("step " << step);
    if (is_durable) CHECK(listing->partitions.empty());
    if (is_done) CHECK(listing->unfinished_deletions.empty());
    for (const std::string& path : listing->unfinished_deletions) REQUIRE((*again)->finish_deletion(path));
    CHECK((*again)->list()->unfinished_deletions.empty());
    if (!listing->partitions.empty()) {  // not deleted after all: then it is whole
      log.recover_unclean(Offset(5));
      CHECK(log.read_all().size() == 5);
      log.log.reset();
    }
  }
}

TEST_CASE("log directory: creating a partition survives a crash at any step", "[log][directory]") {
  for (uint64_t step = 1; step < 20; ++step) {
    SimFileSystem disk(step);
    REQUIRE(make_directories(disk, "/data"));
    OpenLog log(disk);
    const PartitionLog::Open open{.files = disk,
                                  .directory = std::string(kFolder),
                                  .name = {"t", 0},
                                  .topic_id = *Uuid::parse("AAAAAAAAAAAAAAAAAAABAA"),
                                  .config = {}};
    disk.lose_power_at(step);
    const bool created = PartitionLog::create(open).has_value();
    disk.lose_power();
    INFO("step " << step);
    const bool there = disk.stat(kFolder).has_value();
    if (created) REQUIRE(there);
    if (!there) continue;
    log.recover_unclean();
    CHECK(log.append_one({}).base_offset == Offset(0));
  }
}

TEST_CASE("log directory: the disk reserve has a step between stop and go", "[log][directory]") {
  Fixture f;
  auto directory = f.open();
  LogDirectory& d = **directory;
  d.on_free_bytes(800);
  CHECK(!d.health().below_reserve);
  d.on_free_bytes(799);
  CHECK(d.health().below_reserve);
  d.on_free_bytes(850);
  CHECK(d.health().below_reserve);
  d.on_free_bytes(900);
  CHECK(!d.health().below_reserve);
}

TEST_CASE("log directory: a reserve as large as numbers go is never met", "[log][directory]") {
  Fixture f;
  for (const int64_t reserve_bytes : {INT64_MAX, INT64_MAX - 1, INT64_MAX / 9 * 8}) {
    auto directory = LogDirectory::open({.files = f.disk,
                                         .path = "/data",
                                         .random = f.random,
                                         .cluster_id = std::nullopt,
                                         .reserve_bytes = reserve_bytes});
    REQUIRE(directory);
    LogDirectory& d = **directory;
    for (int look = 0; look < 3; ++look) {
      d.on_free_bytes(int64_t{1} << 40);
      CHECK(d.health().below_reserve);
    }
    d.on_free_bytes(INT64_MAX);
    CHECK(d.health().below_reserve == (INT64_MAX - reserve_bytes < reserve_bytes / 8));
  }
}
