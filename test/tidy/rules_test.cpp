// rules_test.cpp: each tidy rule finds its own kind of violation, and leaves alone what only looks like one.
#include "test/tidy/rules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "test/support/catch.h"

namespace leat::tidy {

namespace {

constexpr const char* kTop = "// sample.cpp: a sample of some length.\n";

// "rule:line" of everything that is found, sorted.
std::vector<std::string> names(const Violations& found) {
  std::vector<std::string> result;
  for (const Violation& violation : found) result.push_back(violation.rule + ":" + std::to_string(violation.line));
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::string> found_in(const std::string& path, const std::string& text) {
  return names(check_file(SourceText::parse(path, text)));
}

// What is found in one line of a source at `path`, under a proper first line.
std::vector<std::string> found_in_line(const std::string& path, const std::string& line) {
  const std::string top = path.substr(path.size() - 2) == ".h" ? "// A header for the test.\n#pragma once\n"
                                                               : "// A source for the test.\n\n";
  return found_in(path, top + line + "\n");
}

using Names = std::vector<std::string>;

std::string lines(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += "  work();\n";
  return text;
}

}  // namespace

TEST_CASE("tidy: comments and literals are not code", "[tidy]") {
  const SourceText source = SourceText::parse("core/a.cpp",
                                              "int a = 1'000; // throw\nauto s = \"throw\\\"{\"; /* {\n { */ char c = "
                                              "'{';\nauto r = R\"x(throw\n\")x\"; f();\n");
  REQUIRE(source.code.size() == source.lines.size());
  for (const std::string& line : source.code) {
    CHECK(line.find("throw") == std::string::npos);
    CHECK(line.find('{') == std::string::npos);
  }
  CHECK(source.code[0].substr(0, 14) == "int a = 1'000;");
  CHECK(source.code[2].find("char c") != std::string::npos);
  CHECK(source.code[4].find("f();") != std::string::npos);
}

TEST_CASE("tidy: line length counts characters, not bytes", "[tidy]") {
  CHECK(found_in_line("core/a.cpp", std::string(121, 'x')) == Names{"line-length:3"});
  CHECK(found_in_line("core/a.cpp", std::string(120, 'x')).empty());
  std::string umlauts;
  for (int i = 0; i < 120; ++i) umlauts += "ü";
  CHECK(found_in_line("core/a.cpp", "// " + umlauts.substr(0, 2 * 117)).empty());
  CHECK(found_in("docs/a.md", std::string(500, 'x')).empty());
}

TEST_CASE("tidy: file length", "[tidy]") {
  std::string text = kTop;
  for (int i = 0; i < 799; ++i) text += "\n";
  CHECK(found_in("core/sample.cpp", text).empty());
  CHECK(found_in("core/sample.cpp", text + "\n") == Names{"file-length:800"});
}

TEST_CASE("tidy: long functions are found whatever they look like", "[tidy]") {
  const std::vector<std::string> heads{
      "void f() {",
      "template <class T>\nstatic Result<std::vector<T>> f(int a, std::function<void(int)> b) {",
      "Foo::Foo(int a, int b) noexcept : a_(a), b_{b}, c_{{1, 2}} {",
      "auto Foo::operator()(int a) const& -> std::string {",
      "TEST_CASE(\"long\", \"[x]\") {",
      "struct stat f(int x) {",
      "const auto kAction = [](int a) {",
      "bool operator==(const Foo& a, const Foo& b) noexcept {",
      "extern \"C\" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {",
  };
  for (const std::string& head : heads) {
    INFO(head);
    const auto head_lines = static_cast<size_t>(std::count(head.begin(), head.end(), '\n')) + 1;
    const std::string before = "// A source for the test.\nnamespace leat {\nint before{0};\n";
    const std::string fits = before + head + "\n" + lines(kFunctionLinesMax - head_lines - 1) + "}\n}\n";
    const std::string long_one = before + head + "\n" + lines(kFunctionLinesMax - head_lines) + "}\n}\n";
    CHECK(found_in("core/a.cpp", fits).empty());
    CHECK(found_in("core/a.cpp", long_one) == Names{"function-length:4"});
  }
}

TEST_CASE("tidy: long members and lambdas are measured as part of what holds them", "[tidy]") {
  const std::string in_class =
      "// A source for the test.\nclass Foo final : public Bar<void(int)> {\n public:\n  void f() {\n" + lines(69) +
      "  }\n  int x_ = 0;\n};\n";
  CHECK(found_in("core/a.cpp", in_class) == Names{"function-length:4"});
  const std::string lambda =
      "// A source for the test.\nvoid f() {\n  run(1, [&](int a) {\n" + lines(66) + "  });\n  if (x) {\n  }\n}\n";
  CHECK(found_in("core/a.cpp", lambda) == Names{"function-length:2"});
}

TEST_CASE("tidy: long tables, classes and namespaces are no functions", "[tidy]") {
  std::string rows;
  for (int i = 0; i < 100; ++i) rows += "  {1, f(2), {3}},\n";
  for (const char* head : {"constexpr Row kRows[] = {", "constexpr std::array kRows{", "enum class Errc : uint8_t {",
                           "struct alignas(64) Foo {", "namespace leat::tidy {",
                           "class [[nodiscard]] Foo : public Base<int(int)> {", "namespace {"}) {
    INFO(head);
    CHECK(found_in("core/a.cpp", std::string("// A source for the test.\n") + head + "\n" + rows + "};\n").empty());
  }
}

TEST_CASE("tidy: branches of the preprocessor that unbalance braces are reported", "[tidy]") {
  const std::string text =
      "// A source for the test.\n#ifdef A\nvoid f() {\n#else\nvoid g() {\n#endif\n  work();\n}\n" + lines(70);
  CHECK(found_in("core/a.cpp", text) == Names{"function-length:3"});
}

TEST_CASE("tidy: every file says first what it is", "[tidy]") {
  CHECK(found_in("core/a.cpp", "#include <array>\n") == Names{"top-comment:1"});
  CHECK(found_in("core/a.cpp", "// a.cpp\n") == Names{"top-comment:1"});
  CHECK(found_in("core/a.cpp", "// b.cpp: what another file does.\n") == Names{"top-comment:1"});
  CHECK(found_in("core/a.cpp", "// core/a.cpp: what this file does.\n").empty());
  CHECK(found_in("core/a.cpp", "// Two kinds: this one and the other.\n").empty());
  CHECK(found_in("cmake/Foo.cmake", "add_library(x)\n") == Names{"top-comment:1"});
  CHECK(found_in("test/run.sh", "#!/bin/sh\necho\n") == Names{"top-comment:2"});
  CHECK(found_in("test/run.sh", "#!/bin/sh\n# Runs what there is to run.\n").empty());
}

TEST_CASE("tidy: includes go one way", "[tidy]") {
  CHECK(found_in_line("core/log/a.h", "#include \"net/loop/task.h\"") == Names{"upward-include:3"});
  CHECK(found_in_line("core/base/a.h", "#include \"core/codec/reader.h\"") == Names{"upward-include:3"});
  CHECK(found_in_line("net/protocol/a.h", "#include \"server/broker.h\"") == Names{"upward-include:3"});
  CHECK(found_in_line("client/a.h", "#include \"server/broker.h\"") == Names{"upward-include:3"});
  CHECK(found_in_line("cli/a.cpp", "#include \"server/settings.h\"") == Names{"upward-include:3"});
  CHECK(found_in_line("server/a.cpp", "#include \"test/support/catch.h\"") == Names{"upward-include:3"});
  CHECK(found_in_line("server/handlers/a.cpp", "#include \"core/log/partition_log.h\"").empty());
  CHECK(found_in_line("core/log/a.h", "#include \"core/storage/file_system.h\"").empty());
  CHECK(found_in_line("core/log/a.h", "// #include \"net/loop/task.h\"").empty());
}

TEST_CASE("tidy: include paths begin at the top, and libuv stays in its rooms", "[tidy]") {
  CHECK(found_in_line("core/log/a.h", "#include \"segment.h\"") == Names{"include-path:3"});
  CHECK(found_in_line("core/log/a.h", "#include \"../base/bytes.h\"") == Names{"include-path:3"});
  CHECK(found_in_line("server/a.cpp", "#include <uv.h>") == Names{"uv-include:3"});
  CHECK(found_in_line("net/loop/a.cpp", "#include <uv.h>").empty());
}

TEST_CASE("tidy: banned calls", "[tidy]") {
  const std::vector<std::pair<std::string, std::string>> samples{
      {"core/a.cpp", "std::thread([] {}).detach();"},
      {"server/a.cpp", "::sleep(1);"},
      {"test/core/a.cpp", "std::this_thread::sleep_for(x);"},
      {"core/a.cpp", "int x = rand() % 6;"},
      {"core/a.cpp", "std::srand(7);"},
      {"server/a.cpp", "auto now = time(nullptr);"},
      {"core/a.cpp", "auto now = std::chrono::system_clock::now();"},
      {"net/loop/a.cpp", "std::chrono::steady_clock::now();"},
      {"core/a.cpp", "std::cout << 1;"},
      {"server/a.cpp", "std::printf(x);"},
      {"core/a.cpp", "if (x) throw Foo();"},
      {"server/a.cpp", "} catch (...) {"},
      {"core/a.cpp", "f(result.value());"},
      {"core/a.cpp", "std::mutex mutex_;"},
      {"server/a.cpp", "std::thread worker_;"},
      {"net/loop/a.cpp", "uv_queue_work(a, b, c, d);"},
      {"server/a.cpp", "std::exit(1);"},
      {"core/a.cpp", "assert(x);"},

      {"test/a.cpp", "std::random_device device;"},
      {"core/a.cpp", "out << std::endl;"}};
  for (const auto& [path, line] : samples) {
    INFO(path << ": " << line);
    CHECK(found_in_line(path, line).size() == (line.find("std::thread(") != std::string::npos ? 2u : 1u));
  }
}

TEST_CASE("tidy: what only looks like a banned call passes", "[tidy]") {
  const std::vector<std::pair<std::string, std::string>> samples{{"core/a.cpp", "// never throw, never sleep()"},
                                                                 {"core/a.cpp", "log(\"throw sleep(1)\");"},
                                                                 {"core/a.cpp", "operand(1);"},
                                                                 {"core/a.cpp", "timer.sleep(1);"},
                                                                 {"core/a.cpp", "static_assert(sizeof(x) == 4);"},
                                                                 {"core/a.cpp", "int64_t wall_time(0);"},
                                                                 {"cli/a.cpp", "std::cout << 1;"},
                                                                 {"server/main.cpp", "std::printf(x);"},
                                                                 {"core/a.cpp", "throw_away();"},
                                                                 {"net/loop/a.cpp", "std::thread worker_;"},
                                                                 {"server/a.cpp", "std::mutex mutex_;"},
                                                                 {"core/a.cpp", "snprintf(a, b, c);"},
                                                                 {"core/a.cpp", "j.value(\"key\", 1);"},
                                                                 {"server/a.cpp", "Session::exit(1);"}};
  for (const auto& [path, line] : samples) {
    INFO(path << ": " << line);
    CHECK(found_in_line(path, line).empty());
  }
}

TEST_CASE("tidy: leftovers and machine paths", "[tidy]") {
  CHECK(found_in_line("core/a.cpp", "// FIXME later") == Names{"leftover:3"});
  CHECK(found_in_line("core/a.cpp", "// TODO: later") == Names{"leftover:3"});
  CHECK(found_in_line("core/a.cpp", "// TODO() later") == Names{"leftover:3"});
  CHECK(found_in_line("core/a.cpp", "// TODO(when macOS has it): sendfile").empty());
  CHECK(found_in_line("core/a.cpp", "int kTODOs = 1;").empty());
  CHECK(found_in("docs/a.md", "see /home/me/leat\n") == Names{"machine-path:1"});
  CHECK(found_in("docs/a.md", "see ../shared\n").empty());
}

TEST_CASE("tidy: names that say nothing", "[tidy]") {
  CHECK(found_in("core/utils/crc.cpp", "// Sums of bytes in a file.\n") == Names{"vague-name:1"});
  CHECK(found_in("core/log/log_helpers.cpp", "// Sums of bytes in a file.\n") == Names{"vague-name:1"});
  CHECK(found_in("core/log/commonest.cpp", "// Sums of bytes in a file.\n").empty());
}

TEST_CASE("tidy: headers guard themselves and import no namespace", "[tidy]") {
  CHECK(found_in("core/a.h", "// What this header is about.\n") == Names{"pragma-once:1"});
  CHECK(found_in_line("core/a.h", "using namespace std;") == Names{"using-namespace:3"});
}

TEST_CASE("tidy: sources that nobody builds, and includes of nothing", "[tidy]") {
  const auto file = [](const char* path, const char* text) { return SourceText::parse(path, text); };
  const std::vector<SourceText> tree{
      file("core/CMakeLists.txt", "add_library(x STATIC\n  a.cpp\n  b.cpp)  # c.cpp\n"),
      file("core/a.cpp", "// A.\n#include \"core/a.h\"\n"),
      file("core/a.h", "// A.\n"),
      file("core/b.cpp", "// B.\n#include \"core/a.h\"\n#include \"core/b.h\"\n"),
      file("core/b.h", "// B.\n#include \"core/gone.h\"\n"),
      file("core/c.cpp", "// C.\n"),
      file("test/CMakeLists.txt", "add_executable(t \"${CMAKE_SOURCE_DIR}/test/support/main.cpp\" t.cpp)\n"),
      file("test/support/main.cpp", "// Main.\n"),
      file("test/t.cpp", "// T.\n"),
  };
  CHECK(names(check_tree(tree)) == Names{"include-path:2", "not-built:1", "own-header-first:2"});
}

TEST_CASE("tidy: a violation names file, line and rule", "[tidy]") {
  CHECK(Violation{"line-length", "core/a.cpp", 7, "121 columns"}.to_string() ==
        "core/a.cpp:7: [line-length] 121 columns");
}

}  // namespace leat::tidy
