// include_rules.cpp: the rooms' one direction: who may include whom, libuv's two places, and that each header compiles
// alone.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "test/tidy/rules.h"

namespace leat::tidy {

namespace {

bool is_under(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.substr(0, folder.size()) == folder && path[folder.size()] == '/';
}

struct Room {
  std::string_view folder;
  std::string_view may_include;  // folders, separated by spaces; its own is always allowed
};

// The first that a path lies under is its room.
constexpr std::array kRooms{
    Room{"core/base", ""},
    Room{"core/codec", "core/base"},
    Room{"core/record", "core/base core/codec"},
    Room{"core/storage", "core/base"},
    Room{"core/log", "core/base core/codec core/record core/storage"},
    Room{"core/quota", "core/base"},
    Room{"core/metadata", "core/base core/codec core/record core/storage core/log core/quota"},
    Room{"core/coordinator", "core/base core/codec core/record"},
    Room{"net/loop", "core/base"},
    Room{"net/transport", "core/base net/loop"},
    Room{"net/protocol", "core/base core/codec"},
    Room{"server", "core net"},
    Room{"client", "core net"},
    Room{"cli", "core net client"},
    Room{"benchmarks", "core net server client cli test/support"},
    Room{"test", "core net server client cli"},
};

const Room* room_of(std::string_view path) {
  for (const Room& room : kRooms) {
    if (is_under(path, room.folder)) return &room;
  }
  return nullptr;
}

bool may_include(const Room& room, std::string_view included) {
  if (is_under(included, room.folder)) return true;
  std::string_view rest = room.may_include;
  while (!rest.empty()) {
    const size_t end = rest.find(' ');
    if (is_under(included, rest.substr(0, end))) return true;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return false;
}

struct Include {
  size_t line;
  std::string_view path;
  bool quoted;
};

std::optional<Include> include_of(const SourceText& source, size_t index) {
  // The code tells that it is an include and not a comment's; the path itself, a literal, is in the line as written.
  if (source.code[index].rfind("#include", 0) != 0) return std::nullopt;
  const std::string_view line = source.lines[index];
  const size_t begin = line.find_first_of("\"<");
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = line.find_first_of("\">", begin + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{index + 1, line.substr(begin + 1, end - begin - 1), line[begin] == '"'};
}

std::vector<Include> includes_of(const SourceText& source) {
  std::vector<Include> includes;
  for (size_t i = 0; i < source.code.size(); ++i) {
    if (const std::optional<Include> include = include_of(source, i)) includes.push_back(*include);
  }
  return includes;
}

std::string own_header(std::string_view source_path) {
  return std::string(source_path.substr(0, source_path.size() - std::string_view(".cpp").size())) + ".h";
}

// The .cpp files that a CMakeLists.txt names, as paths from the top of the tree.
void collect_built(const SourceText& list, std::set<std::string>& built) {
  const std::string folder = list.path.substr(0, list.path.rfind('/') + 1);
  for (std::string_view line : list.lines) {
    line = line.substr(0, line.find('#'));
    while (!line.empty()) {
      const size_t begin = line.find_first_not_of(" \t()\"");
      if (begin == std::string_view::npos) break;
      line.remove_prefix(begin);
      const size_t end = line.find_first_of(" \t()\"");
      std::string_view word = line.substr(0, end);
      constexpr std::string_view kTop = "${CMAKE_SOURCE_DIR}/";
      const bool from_top = word.substr(0, kTop.size()) == kTop;
      if (from_top) word.remove_prefix(kTop.size());
      built.insert((from_top ? "" : folder) + std::string(word));
      line.remove_prefix(std::min(word.size() + (from_top ? kTop.size() : 0), line.size()));
    }
  }
}

bool is_cmake(std::string_view path) {
  return path.find("CMakeLists.txt") != std::string_view::npos || is_under(path, "cmake");
}

}  // namespace

void check_includes(const SourceText& source, Violations& found) {
  const Room* room = room_of(source.path);
  for (const Include& include : includes_of(source)) {
    if (!include.quoted) {
      const bool uv_room = is_under(source.path, "net/loop") || is_under(source.path, "net/transport");
      if (include.path == "uv.h" && !uv_room && !is_under(source.path, "test/net")) {
        found.push_back({"uv-include", source.path, include.line, "<uv.h> stays inside net/loop and net/transport"});
      }
    } else if (room_of(include.path) == nullptr) {
      found.push_back({"include-path", source.path, include.line,
                       fmt::format("\"{}\": say the path from the top of the tree", include.path)});
    } else if (room != nullptr && !may_include(*room, include.path)) {
      found.push_back(
          {"upward-include", source.path, include.line,
           fmt::format("{} may not know \"{}\": move the name down, or the code up", room->folder, include.path)});
    }
  }
}

Violations check_tree(const std::vector<SourceText>& tree) {
  Violations found;
  std::set<std::string, std::less<>> paths;
  std::set<std::string> built;
  for (const SourceText& source : tree) {
    paths.insert(source.path);
    if (is_cmake(source.path)) collect_built(source, built);
  }
  for (const SourceText& source : tree) {
    if (!source.is_cpp()) continue;
    const std::vector<Include> includes = includes_of(source);
    for (const Include& include : includes) {
      if (include.quoted && paths.find(include.path) == paths.end()) {
        found.push_back(
            {"include-path", source.path, include.line, fmt::format("\"{}\" does not exist", include.path)});
      }
    }
    if (source.is_header()) continue;
    if (built.find(source.path) == built.end()) {
      found.push_back({"not-built", source.path, 1, "no CMakeLists.txt names it"});
    }
    const std::string header = own_header(source.path);
    if (paths.find(header) != paths.end() && (includes.empty() || includes[0].path != header)) {
      found.push_back({"own-header-first", source.path, includes.empty() ? 1 : includes[0].line,
                       fmt::format("include \"{}\" first: it proves that the header compiles alone", header)});
    }
  }
  return found;
}

}  // namespace leat::tidy
