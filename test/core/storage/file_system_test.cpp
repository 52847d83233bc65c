// file_system_test.cpp: what every FileSystem does the same: each test runs on the posix one and on the simulated one.
#include "core/storage/file_system.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <numeric>

#include "core/storage/posix_file_system.h"
#include "core/storage/sim_file_system.h"
#include "test/support/catch.h"
#include "test/support/temporary_directory.h"

namespace leat {
namespace {

void on_each_file_system(const std::function<void(FileSystem&, const std::string& root)>& test) {
  {
    INFO("posix");
    const TemporaryDirectory directory;
    PosixFileSystem files;
    test(files, directory.path());
  }
  INFO("simulated");
  SimFileSystem files(1);
  REQUIRE(files.make_directory("/data"));
  test(files, "/data");
}

template <class T>
Errc code_of(const Result<T>& result) {
  REQUIRE_FALSE(result);
  return result.error().code;
}

std::unique_ptr<File> open_or_fail(FileSystem& files, const std::string& path, OpenMode mode) {
  Result<std::unique_ptr<File>> file = files.open(path, mode);
  INFO(path);
  REQUIRE(file);
  return std::move(*file);
}

void write_text(File& file, int64_t position, std::string_view text) {
  const std::array<ByteView, 1> pieces{as_bytes(text)};
  REQUIRE(file.write_at(Position(position), pieces));
}

std::string read_text(File& file, int64_t position, size_t size) {
  std::string text(size, '?');
  const Result<size_t> count = file.read_at(Position(position), {reinterpret_cast<uint8_t*>(text.data()), size});
  REQUIRE(count);
  return text.substr(0, *count);
}

std::string names_in(FileSystem& files, const std::string& directory) {
  const Result<std::vector<FileInfo>> entries = files.list(directory);
  REQUIRE(entries);
  std::string names;
  for (const FileInfo& entry : *entries) names += fmt::format("{}{} ", entry.name, entry.is_directory ? "/" : "");
  return names;
}

}  // namespace

TEST_CASE("file: written pieces are read back at their position", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    const auto file = open_or_fail(files, root + "/a", OpenMode::kCreateNew);
    const std::array<ByteView, 5> pieces{as_bytes("one"), as_bytes(""), as_bytes("two"), as_bytes("three"),
                                         as_bytes("")};
    REQUIRE(file->write_at(Position(10), pieces));
    CHECK(*file->size() == 21);
    CHECK(read_text(*file, 10, 11) == "onetwothree");
    CHECK(read_text(*file, 0, 10) == std::string(10, '\0'));
    CHECK(read_text(*file, 16, 100) == "three");  // fewer at the end
    CHECK(read_text(*file, 21, 5).empty());
    CHECK(read_text(*file, 4000, 5).empty());
    CHECK(file->path() == root + "/a");
  });
}

TEST_CASE("file: an empty write changes nothing", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    const auto file = open_or_fail(files, root + "/a", OpenMode::kCreate);
    REQUIRE(file->write_at(Position(100), {}));
    const std::array<ByteView, 2> pieces{};
    REQUIRE(file->write_at(Position(100), pieces));
    CHECK(*file->size() == 0);
  });
}

TEST_CASE("file: more pieces than one system call takes", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    std::vector<uint8_t> bytes(5000);
    std::iota(bytes.begin(), bytes.end(), uint8_t{0});
    std::vector<ByteView> pieces;
    for (size_t begin = 0, i = 0; begin < bytes.size(); ++i) {
      const size_t size = std::min<size_t>(i % 3, bytes.size() - begin);
      pieces.push_back(ByteView(bytes).subspan(begin, size));
      begin += size;
    }
    REQUIRE(pieces.size() > 4096);
    const auto file = open_or_fail(files, root + "/a", OpenMode::kCreate);
    REQUIRE(file->write_at(Position(7), pieces));
    std::vector<uint8_t> back(bytes.size());
    REQUIRE(*file->read_at(Position(7), back) == bytes.size());
    CHECK(back == bytes);
  });
}

TEST_CASE("file: truncation cuts, and growth after it shows zeros", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    const auto file = open_or_fail(files, root + "/a", OpenMode::kCreate);
    write_text(*file, 0, "abcdefgh");
    REQUIRE(file->truncate(3));
    CHECK(*file->size() == 3);
    REQUIRE(file->truncate(6));
    CHECK(read_text(*file, 0, 10) == std::string("abc\0\0\0", 6));
    CHECK_FALSE(file->truncate(-1));
    CHECK(file->sync(SyncKind::kData));
    CHECK(file->sync(SyncKind::kFull));
  });
}

TEST_CASE("file: allocation leaves the size alone", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    const auto file = open_or_fail(files, root + "/a", OpenMode::kCreate);
    write_text(*file, 0, "abc");
    const Result<void> allocated = file->allocate(100'000);
    if (!allocated) CHECK(allocated.error().code == Errc::kUnsupported);
    CHECK(*file->size() == 3);
    file->drop_cache(Position(0), 3);
    CHECK(read_text(*file, 0, 10) == "abc");
  });
}

TEST_CASE("open: modes", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    const std::string path = root + "/a";
    CHECK(code_of(files.open(path, OpenMode::kRead)) == Errc::kNotFound);
    CHECK(code_of(files.open(path, OpenMode::kReadWrite)) == Errc::kNotFound);
    CHECK(code_of(files.open(root + "/no/a", OpenMode::kCreate)) == Errc::kNotFound);
    write_text(*open_or_fail(files, path, OpenMode::kCreateNew), 0, "kept");
    CHECK(code_of(files.open(path, OpenMode::kCreateNew)) == Errc::kAlreadyExists);
    CHECK(read_text(*open_or_fail(files, path, OpenMode::kCreate), 0, 9) == "kept");
    CHECK(read_text(*open_or_fail(files, path, OpenMode::kReadWrite), 0, 9) == "kept");
    const auto reader = open_or_fail(files, path, OpenMode::kRead);
    const std::array<ByteView, 1> pieces{as_bytes("x")};
    CHECK_FALSE(reader->write_at(Position(0), pieces));
    CHECK_FALSE(reader->truncate(0));
    CHECK(read_text(*reader, 0, 9) == "kept");
  });
}

TEST_CASE("open: a folder is no file, a file is no folder", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    for (const OpenMode mode : {OpenMode::kRead, OpenMode::kReadWrite, OpenMode::kCreate}) {
      CHECK(code_of(files.open(root, mode)) == Errc::kInvalidArgument);
    }
    open_or_fail(files, root + "/a", OpenMode::kCreate);
    CHECK_FALSE(files.list(root + "/a"));
    CHECK_FALSE(files.open(root + "/a/b", OpenMode::kCreate));
    CHECK_FALSE(files.sync_directory(root + "/a"));
    CHECK_FALSE(files.make_directory(root + "/a"));
  });
}

TEST_CASE("errors name operation, path and reason", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    const auto missing = files.open(root + "/missing", OpenMode::kRead);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().context.find(root + "/missing") != std::string::npos);
    CHECK(missing.error().context.find("No such file") != std::string::npos);
  });
}

TEST_CASE("list and stat: names in order, sizes, kinds, times", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    REQUIRE(files.make_directory(root + "/b"));
    write_text(*open_or_fail(files, root + "/c", OpenMode::kCreate), 0, "12345");
    open_or_fail(files, root + "/a", OpenMode::kCreate);
    CHECK(names_in(files, root) == "a b/ c ");
    CHECK(names_in(files, root + "/b").empty());
    const Result<FileInfo> info = files.stat(root + "/c");
    REQUIRE(info);
    CHECK(info->name == "c");
    CHECK(info->size_bytes == 5);
    CHECK_FALSE(info->is_directory);
    CHECK(files.stat(root + "/b")->is_directory);
    CHECK(code_of(files.stat(root + "/d")) == Errc::kNotFound);
    CHECK(code_of(files.list(root + "/d")) == Errc::kNotFound);
  });
}

TEST_CASE("rename: replaces files, moves between folders, and says what is missing", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    REQUIRE(files.make_directory(root + "/d"));
    const auto first = open_or_fail(files, root + "/a", OpenMode::kCreate);
    write_text(*first, 0, "first");
    write_text(*open_or_fail(files, root + "/b", OpenMode::kCreate), 0, "second");
    REQUIRE(files.rename(root + "/a", root + "/b"));
    CHECK(names_in(files, root) == "b d/ ");
    CHECK(*read_text_file(files, root + "/b") == "first");
    REQUIRE(files.rename(root + "/b", root + "/d/b"));
    write_text(*first, 5, " and more");  // the handle follows the file, not the name
    CHECK(*read_text_file(files, root + "/d/b") == "first and more");
    CHECK(code_of(files.rename(root + "/no", root + "/x")) == Errc::kNotFound);
    CHECK(code_of(files.rename(root + "/d/b", root + "/no/b")) == Errc::kNotFound);
    open_or_fail(files, root + "/f", OpenMode::kCreate);
    CHECK_FALSE(files.rename(root + "/f", root + "/d"));
    CHECK_FALSE(files.rename(root + "/d", root + "/f"));
    REQUIRE(files.rename(root + "/d", root + "/e"));
    CHECK(*read_text_file(files, root + "/e/b") == "first and more");
  });
}

TEST_CASE("remove: files and empty folders; an open file lives on", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    REQUIRE(files.make_directory(root + "/d"));
    const auto file = open_or_fail(files, root + "/d/a", OpenMode::kCreate);
    write_text(*file, 0, "abc");
    CHECK(code_of(files.remove(root + "/d")) == Errc::kAlreadyExists);
    REQUIRE(files.remove(root + "/d/a"));
    CHECK(read_text(*file, 0, 3) == "abc");
    write_text(*file, 3, "d");
    REQUIRE(files.remove(root + "/d"));
    CHECK(code_of(files.remove(root + "/d")) == Errc::kNotFound);
    CHECK(code_of(files.make_directory(root + "/x/y")) == Errc::kNotFound);
    CHECK(names_in(files, root).empty());
  });
}

TEST_CASE("lock: one holder at a time", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    Result<std::unique_ptr<FileLock>> held = files.lock(root + "/.lock");
    REQUIRE(held);
    const auto refused = files.lock(root + "/.lock");
    CHECK(code_of(refused) == Errc::kLocked);
    CHECK(refused.error().context.find(root + "/.lock") != std::string::npos);
    held->reset();
    CHECK(files.lock(root + "/.lock"));
    CHECK(files.lock(root + "/.lock"));
    CHECK_FALSE(files.lock(root + "/no/.lock"));
  });
}

TEST_CASE("free_bytes is about the disk of a path", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    REQUIRE(files.free_bytes(root));
    CHECK(*files.free_bytes(root) > 0);
    CHECK(code_of(files.free_bytes(root + "/no")) == Errc::kNotFound);
  });
}

TEST_CASE("read_text_file: whole, within its limit", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    write_text(*open_or_fail(files, root + "/a", OpenMode::kCreate), 0, "0123456789");
    CHECK(*read_text_file(files, root + "/a") == "0123456789");
    CHECK(*read_text_file(files, root + "/a", 10) == "0123456789");
    CHECK(code_of(read_text_file(files, root + "/a", 9)) == Errc::kLimit);
    CHECK(code_of(read_text_file(files, root + "/b")) == Errc::kNotFound);
  });
}

TEST_CASE("replace_text_file: new text whole, whatever an earlier try left", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    write_text(*open_or_fail(files, root + "/a.tmp", OpenMode::kCreate), 0, "a longer text that a crash left behind");
    REQUIRE(replace_text_file(files, root + "/a", "first", SyncKind::kData));
    REQUIRE(replace_text_file(files, root + "/a", "", SyncKind::kFull));
    CHECK(read_text_file(files, root + "/a")->empty());
    REQUIRE(replace_text_file(files, root + "/a", "third", SyncKind::kData));
    CHECK(*read_text_file(files, root + "/a") == "third");
    CHECK(names_in(files, root) == "a ");
    CHECK(code_of(replace_text_file(files, root + "/no/a", "x", SyncKind::kData)) == Errc::kNotFound);
  });
}

TEST_CASE("make_directories and remove_tree: parents, repeats, missing ones", "[storage]") {
  on_each_file_system([](FileSystem& files, const std::string& root) {
    REQUIRE(make_directories(files, root + "/x/y/z"));
    REQUIRE(make_directories(files, root + "/x/y/z/"));
    write_text(*open_or_fail(files, root + "/x/y/f", OpenMode::kCreate), 0, "text");
    CHECK(code_of(make_directories(files, root + "/x/y/f")) == Errc::kAlreadyExists);
    CHECK_FALSE(make_directories(files, root + "/x/y/f/g"));
    REQUIRE(remove_tree(files, root + "/x"));
    REQUIRE(remove_tree(files, root + "/x"));
    REQUIRE(remove_tree(files, root + "/x/y/z"));
    CHECK(names_in(files, root).empty());
  });
}

TEST_CASE("paths: parent and join", "[storage]") {
  CHECK(parent_directory("/a/b") == "/a");
  CHECK(parent_directory("/a/b//") == "/a");
  CHECK(parent_directory("/a") == "/");
  CHECK(parent_directory("/") == "/");
  CHECK(parent_directory("a/b") == "a");
  CHECK(parent_directory("a") == ".");
  CHECK(parent_directory("") == ".");
  CHECK(join_path("/a", "b") == "/a/b");
  CHECK(join_path("/a/", "b") == "/a/b");
  CHECK(join_path("/", "b") == "/b");
  CHECK(join_path("", "b") == "b");
}

}  // namespace leat
