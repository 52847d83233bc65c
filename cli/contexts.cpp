// contexts.cpp: the text is kept as lines, and a change touches the lines that it is about: what people wrote by hand
// stays.
#include "cli/contexts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/suggest.h"
#include "client/host_port.h"

namespace leat::cli {
namespace {

constexpr size_t kFileBytesMax = size_t{1} << 20;
constexpr std::string_view kCurrentKey = "current";
constexpr std::string_view kContextPrefix = "context.";
constexpr std::string_view kAddressSuffix = ".bootstrap-server";
constexpr std::string_view kHead = "# Contexts of leat: named addresses. See: leat context --help";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool is_letter_or_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool holds_control_bytes(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; });
}

// The name in "context.NAME.bootstrap-server", which may have dots itself; empty when the key is no such one.
std::string_view name_in(std::string_view key) noexcept {
  if (!key.starts_with(kContextPrefix) || !key.ends_with(kAddressSuffix)) return {};
  if (key.size() <= kContextPrefix.size() + kAddressSuffix.size()) return {};
  return key.substr(kContextPrefix.size(), key.size() - kContextPrefix.size() - kAddressSuffix.size());
}

// What a key that is none was probably meant to be.
std::string hint_for_key(std::string_view key) {
  std::vector<std::string> known{std::string(kCurrentKey)};
  if (key.starts_with(kContextPrefix)) {
    const std::string_view rest = key.substr(kContextPrefix.size());
    const std::string_view name = rest.substr(0, rest.rfind('.'));
    known = {fmt::format("{}{}{}", kContextPrefix, name, kAddressSuffix)};
  }
  return did_you_mean(key, known);
}

std::optional<std::string> environment(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

}  // namespace

Result<void> check_context_name(std::string_view name) {
  const bool good = !name.empty() && is_letter_or_digit(name.front()) &&
                    std::all_of(name.begin(), name.end(),
                                [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; });
  if (good) return {};
  return fail(
      Errc::kInvalidArgument,
      fmt::format("'{}' is no name for a context: letters, digits, '.', '_' and '-' make one, and the first is a "
                  "letter or a digit",
                  name));
}

Error ContextFile::error_at(size_t line_number, std::string_view what) const {
  return {Errc::kCorrupt, fmt::format("{}:{}: {}", path_, line_number, what)};
}

Result<void> ContextFile::add_line(std::string_view text) {
  const size_t number = lines_.size() + 1;
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (holds_control_bytes(text)) return fail(error_at(number, "this is no text: is it the right file?"));
  const std::string_view line = trimmed(text);
  if (line.empty() || line.front() == '#' || line.front() == '!') {
    lines_.push_back({.text = std::string(text), .key = {}, .value = {}});
    return {};
  }
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    return fail(error_at(number, fmt::format("'{}' has no '=': a line is current = NAME, or {}NAME{} = HOST:PORT", line,
                                             kContextPrefix, kAddressSuffix)));
  }
  const std::string key(trimmed(line.substr(0, equals)));
  const std::string value(trimmed(line.substr(equals + 1)));
  const std::string name(name_in(key));
  if (key != kCurrentKey && name.empty()) {
    return fail(error_at(number, fmt::format("unknown key '{}'{}", key, hint_for_key(key))));
  }
  Result<void> checked = check_context_name(key == kCurrentKey ? value : name);
  if (checked && key != kCurrentKey) {
    const Result<std::vector<HostPort>> addresses = parse_host_ports(value);
    if (!addresses) checked = fail(addresses.error());
  }
  if (!checked) return fail(error_at(number, checked.error().context));
  if (const Line* const before = line_of(key); before != nullptr) {
    return fail(error_at(number, fmt::format("{} stands in line {} already", key, before - lines_.data() + 1)));
  }
  lines_.push_back({.text = std::string(text), .key = key, .value = value});
  return {};
}

Result<ContextFile> ContextFile::parse(std::string_view text, std::string path) {
  ContextFile file(std::move(path));
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const size_t end = text.find('\n');
    TRY(file.add_line(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return file;
}

std::string ContextFile::key_of(std::string_view name) {
  return fmt::format("{}{}{}", kContextPrefix, name, kAddressSuffix);
}

const ContextFile::Line* ContextFile::line_of(std::string_view key) const {
  const auto found = std::find_if(lines_.begin(), lines_.end(), [key](const Line& line) { return line.key == key; });
  return found == lines_.end() ? nullptr : &*found;
}

std::vector<Context> ContextFile::contexts() const {
  std::vector<Context> found;
  for (const Line& line : lines_) {
    const std::string_view name = name_in(line.key);
    if (!name.empty()) found.push_back({.name = std::string(name), .bootstrap_servers = line.value});
  }
  std::sort(found.begin(), found.end(), [](const Context& a, const Context& b) { return a.name < b.name; });
  return found;
}

std::vector<std::string> ContextFile::names() const {
  std::vector<std::string> found;
  for (const Context& context : contexts()) found.push_back(context.name);
  return found;
}

Result<Context> ContextFile::find(std::string_view name) const {
  const Line* const line = line_of(key_of(name));
  if (line != nullptr) return Context{.name = std::string(name), .bootstrap_servers = line->value};
  const std::vector<std::string> known = names();
  if (known.empty()) {
    return fail(Errc::kNotFound,
                fmt::format("there is no context '{}', nor any other in {}. Make it with: leat context "
                            "add {} HOST:PORT",
                            name, path_, name));
  }
  const std::string meant = did_you_mean(name, known);
  return fail(Errc::kNotFound, fmt::format("there is no context '{}' in {}{} There are: {}", name, path_,
                                           meant.empty() ? "." : meant, fmt::join(known, ", ")));
}

std::optional<std::string> ContextFile::current() const {
  const Line* const line = line_of(kCurrentKey);
  return line == nullptr ? std::nullopt : std::optional<std::string>(line->value);
}

Result<std::optional<Context>> ContextFile::current_context() const {
  const Line* const line = line_of(kCurrentKey);
  if (line == nullptr) return std::optional<Context>();
  if (contains(line->value)) {
    TRY(context, find(line->value));
    return std::optional<Context>(std::move(context));
  }
  const std::string what =
      fmt::format("the current context '{}' does not exist{}", line->value, did_you_mean(line->value, names()));
  const auto number = static_cast<size_t>(line - lines_.data()) + 1;
  return fail(error_at(number, with_hint(what, "Choose one with: leat context use NAME")));
}

Result<void> ContextFile::put(const Context& context) {
  TRY(check_context_name(context.name));
  TRY(parse_host_ports(context.bootstrap_servers));
  set(key_of(context.name), std::string(trimmed(context.bootstrap_servers)));
  return {};
}

Result<void> ContextFile::remove(std::string_view name) {
  TRY(known, find(name));
  if (current() == known.name) erase(std::string(kCurrentKey));
  erase(key_of(known.name));
  return {};
}

Result<void> ContextFile::set_current(const std::optional<std::string>& name) {
  if (!name) {
    erase(std::string(kCurrentKey));
    return {};
  }
  TRY(known, find(*name));
  set(std::string(kCurrentKey), known.name);
  return {};
}

// A new `current` goes before the first context, a new context to the end.
void ContextFile::set(const std::string& key, const std::string& value) {
  const Line changed{.text = fmt::format("{} = {}", key, value), .key = key, .value = value};
  const auto same = std::find_if(lines_.begin(), lines_.end(), [&key](const Line& line) { return line.key == key; });
  if (same != lines_.end()) {
    *same = changed;
    return;
  }
  if (lines_.empty()) lines_.push_back({.text = std::string(kHead), .key = {}, .value = {}});
  const auto place = key != kCurrentKey ? lines_.end()
                                        : std::find_if(lines_.begin(), lines_.end(),
                                                       [](const Line& line) { return !line.key.empty(); });
  lines_.insert(place, changed);
}

void ContextFile::erase(const std::string& key) {
  std::erase_if(lines_, [&key](const Line& line) { return line.key == key; });
}

std::string ContextFile::to_string() const {
  std::string text;
  for (const Line& line : lines_) text += line.text + "\n";
  return text;
}

Result<std::string> context_file_path() {
  std::string path;
  if (const std::optional<std::string> given = environment("LEAT_CONFIG")) {
    path = *given;
  } else if (const std::optional<std::string> config = environment("XDG_CONFIG_HOME");
             config && config->starts_with('/')) {  // a relative one counts for nothing, says who made the variable
    path = join_path(*config, "leat/contexts");
  } else if (const std::optional<std::string> home = environment("HOME")) {
    path = join_path(*home, ".config/leat/contexts");
  } else {
    return fail(Errc::kNotFound, "where is the file of contexts? Neither LEAT_CONFIG nor HOME says: set one of them");
  }
  std::error_code error;
  const std::filesystem::path linked = std::filesystem::canonical(path, error);
  return error ? path : linked.string();
}

Result<ContextFile> load_contexts(FileSystem& files, const std::string& path) {
  const Result<std::string> text = read_text_file(files, path, kFileBytesMax);
  if (!text && text.error().code == Errc::kNotFound) return ContextFile::parse("", path);
  if (!text) return fail(text.error());
  return ContextFile::parse(*text, path);
}

Result<void> change_contexts(FileSystem& files, const std::string& path,
                             const std::function<Result<void>(ContextFile&)>& change) {
  TRY(make_directories(files, parent_directory(path)));
  const Result<std::unique_ptr<FileLock>> lock = files.lock(path + ".lock");
  if (!lock && lock.error().code == Errc::kLocked) {
    return fail(Errc::kLocked, fmt::format("another leat is changing {}: try again", path));
  }
  if (!lock) return fail(lock.error());
  TRY(file, load_contexts(files, path));
  TRY(change(file));
  return replace_text_file(files, path, file.to_string(), SyncKind::kData);
}

}  // namespace leat::cli
