// contexts.h: the file of contexts: named addresses, so that nobody types them again. A small text, kept by `leat
// context` and fit for an editor:
//   # or ! begins a comment                   comments and empty lines stay where they are
//   current = staging                         the one that is used when nothing else names an address; may be missing
//   context.staging.bootstrap-server = broker.example:9092,other.example:9092
// Blanks around '=' and at both ends of a line mean nothing. A name begins with a letter or digit and goes on with
// letters, digits, '.', '_' and '-'. A key stands once. Anything else is an error that names file and line: a slip of
// the pen shall never lead to another cluster. Thread: any one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/storage/file_system.h"

namespace leat::cli {

struct Context {
  std::string name;
  std::string bootstrap_servers;  // host:port, separated by commas
};

class ContextFile {
 public:
  // `path` is for messages: kCorrupt is "PATH:LINE: what is wrong, and what would be right".
  static Result<ContextFile> parse(std::string_view text, std::string path);

  const std::string& path() const noexcept { return path_; }
  std::vector<Context> contexts() const;   // by name
  std::vector<std::string> names() const;  // sorted
  // kNotFound with the nearest name, or all of them.
  Result<Context> find(std::string_view name) const;
  bool contains(std::string_view name) const { return line_of(key_of(name)) != nullptr; }
  // The name that `current` has, whether there is such a context or not; none: the file names none.
  std::optional<std::string> current() const;
  // That context; kCorrupt, with file and line, when there is none of that name.
  Result<std::optional<Context>> current_context() const;

  Result<void> put(const Context& context);  // made, or its address changed. kInvalidArgument: the name or the address
  Result<void> remove(std::string_view name);  // kNotFound as above; when it was the current one, none is
  Result<void> set_current(const std::optional<std::string>& name);  // kNotFound as above
  std::string to_string() const;

 private:
  struct Line {
    std::string text;
    std::string key;  // empty: a comment, or nothing
    std::string value;
  };

  explicit ContextFile(std::string path) : path_(std::move(path)) {}
  static std::string key_of(std::string_view name);
  const Line* line_of(std::string_view key) const;
  Result<void> add_line(std::string_view text);
  Error error_at(size_t line_number, std::string_view what) const;
  void set(const std::string& key, const std::string& value);
  void erase(const std::string& key);

  std::string path_;
  std::vector<Line> lines_;
};

// What a name may be; kInvalidArgument.
Result<void> check_context_name(std::string_view name);

// $LEAT_CONFIG, else $XDG_CONFIG_HOME/leat/contexts, else $HOME/.config/leat/contexts; links are followed, so that a
// link stays one. kNotFound: the environment does not say.
Result<std::string> context_file_path();
// A file that is not there holds nothing.
Result<ContextFile> load_contexts(FileSystem& files, const std::string& path);
// Reads the file, changes it, and writes it anew: after a crash the old or the new one is there, whole. Two that change
// it at once do not lose each other's work: the second is kLocked.
Result<void> change_contexts(FileSystem& files, const std::string& path,
                             const std::function<Result<void>(ContextFile&)>& change);

}  // namespace leat::cli
