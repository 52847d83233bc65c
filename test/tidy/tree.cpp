// tree.cpp: the walk over our tree. It does not ask git, which a release tarball does not have.
#include "test/tidy/tree.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string>

namespace leat::tidy {

namespace {

namespace fs = std::filesystem;

bool is_skipped_folder(const fs::path& top, const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (name == ".ci") return false;
  if (name.rfind('.', 0) == 0 || name == "build" || name == "leat-data") return true;
  return fs::relative(folder, top) == fs::path("test/data");
}

bool is_ours(const fs::path& file) {
  constexpr std::array kExtensions{".h", ".cpp", ".cmake", ".md", ".sh", ".py"};
  constexpr std::array kNames{"CMakeLists.txt", "dev", "run", ".clang-tidy"};
  const std::string name = file.filename().string();
  const std::string extension = file.extension().string();
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end() ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

std::vector<SourceText> read_tree(const fs::path& top) {
  std::vector<SourceText> tree;
  for (auto at = fs::recursive_directory_iterator(top); at != fs::recursive_directory_iterator(); ++at) {
    if (at->is_directory()) {
      if (is_skipped_folder(top, at->path())) at.disable_recursion_pending();
    } else if (is_ours(at->path())) {
      tree.push_back(SourceText::parse(fs::relative(at->path(), top).generic_string(), read_file(at->path())));
    }
  }
  std::sort(tree.begin(), tree.end(), [](const SourceText& a, const SourceText& b) { return a.path < b.path; });
  return tree;
}

}  // namespace leat::tidy
