// sim_tree.cpp: see the header.
#include "core/storage/sim_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <set>

namespace leat {

namespace {

tl::unexpected<Error> fail_errno(int error_number, std::string_view operation, std::string_view path) {
  return fail(error_from_errno(error_number, fmt::format("{} {}", operation, path)));
}

std::string_view take_component(std::string_view& path) noexcept {
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view component = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (!component.empty() && component != ".") return component;
  }
  return {};
}

}  // namespace

SimTree::SimTree() : root_(std::make_shared<SimNode>()) { root_->is_directory = true; }

// The folder of a path and the last name in it; an empty name for the root itself.
Result<SimTree::Entry> SimTree::locate(std::string_view path) const {
  std::string_view rest = path;
  Entry entry{.directory = root_, .name = std::string(take_component(rest))};
  for (std::string_view next = take_component(rest); !next.empty(); next = take_component(rest)) {
    const std::shared_ptr<SimNode> node = child(entry);
    if (node == nullptr) return fail_errno(ENOENT, "find", path);
    if (!node->is_directory) return fail_errno(ENOTDIR, "find", path);
    entry = {.directory = node, .name = std::string(next)};
  }
  return entry;
}

std::shared_ptr<SimNode> SimTree::child(const Entry& entry) {
  if (entry.name.empty()) return entry.directory;
  const auto found = entry.directory->cached.find(entry.name);
  return found == entry.directory->cached.end() ? nullptr : found->second;
}

Result<std::shared_ptr<SimNode>> SimTree::find(std::string_view path) const {
  TRY(entry, locate(path));
  std::shared_ptr<SimNode> node = child(entry);
  if (node == nullptr) return fail_errno(ENOENT, "find", path);
  return node;
}

Result<std::shared_ptr<SimNode>> SimTree::create(std::string_view path, bool is_directory, int64_t now_ms) {
  TRY(entry, locate(path));
  if (child(entry) != nullptr) return fail_errno(EEXIST, "create", path);
  auto node = std::make_shared<SimNode>();
  node->id = next_id_++;
  node->is_directory = is_directory;
  node->modified_ms = now_ms;
  entry.directory->cached[entry.name] = node;
  changes_.push_back({.kind = ChangeKind::kCreate, .from = {}, .to = entry, .node = node});
  return node;
}

Result<void> SimTree::remove(std::string_view path) {
  TRY(entry, locate(path));
  const std::shared_ptr<SimNode> node = child(entry);
  if (node == nullptr) return fail_errno(ENOENT, "remove", path);
  if (node == root_) return fail_errno(EBUSY, "remove", path);
  if (!node->cached.empty()) return fail_errno(ENOTEMPTY, "remove", path);
  node->is_named = false;
  entry.directory->cached.erase(entry.name);
  changes_.push_back({.kind = ChangeKind::kRemove, .from = {}, .to = entry, .node = node});
  return {};
}

Result<void> SimTree::rename(std::string_view from, std::string_view to) {
  TRY(old_entry, locate(from));
  TRY(new_entry, locate(to));
  const std::shared_ptr<SimNode> node = child(old_entry);
  if (node == nullptr) return fail_errno(ENOENT, fmt::format("rename {} to", from), to);
  const std::shared_ptr<SimNode> replaced = child(new_entry);
  if (replaced == node) return {};
  int error_number = 0;
  if (node == root_ || new_entry.directory == node) error_number = EINVAL;
  if (replaced != nullptr && replaced->is_directory && !node->is_directory) error_number = EISDIR;
  if (replaced != nullptr && !replaced->is_directory && node->is_directory) error_number = ENOTDIR;
  if (replaced != nullptr && !replaced->cached.empty()) error_number = ENOTEMPTY;
  if (error_number != 0) return fail_errno(error_number, fmt::format("rename {} to", from), to);
  if (replaced != nullptr) replaced->is_named = false;
  old_entry.directory->cached.erase(old_entry.name);
  new_entry.directory->cached[new_entry.name] = node;
  changes_.push_back({.kind = ChangeKind::kRename, .from = old_entry, .to = new_entry, .node = node});
  return {};
}

// The changes in the folder, and all earlier ones of a name that one of them touches.
std::vector<bool> SimTree::belongs_to(const SimNode& directory) const {
  std::vector<bool> belongs(changes_.size(), false);
  for (size_t i = changes_.size(); i-- > 0;) {
    const Change& change = changes_[i];
    const bool is_here = change.to.directory.get() == &directory || change.from.directory.get() == &directory;
    belongs[i] = is_here;
    for (size_t later = i + 1; later < changes_.size() && !belongs[i]; ++later) {
      const Change& next = changes_[later];
      belongs[i] = belongs[later] && (change.touches(next.to) || (next.from.directory && change.touches(next.from)));
    }
  }
  return belongs;
}

void SimTree::apply_to_platter(const Change& change) {
  switch (change.kind) {
    case ChangeKind::kCreate:
      change.to.directory->platter[change.to.name] = change.node;
      return;
    case ChangeKind::kRemove:
      change.to.directory->platter.erase(change.to.name);
      return;
    case ChangeKind::kRename:
      change.from.directory->platter.erase(change.from.name);
      change.to.directory->platter[change.to.name] = change.node;
      return;
  }
}

Result<void> SimTree::sync_directory(std::string_view path) {
  TRY(directory, find(path));
  if (!directory->is_directory) return fail_errno(ENOTDIR, "sync directory", path);
  const std::vector<bool> belongs = belongs_to(*directory);
  std::vector<Change> rest;
  for (size_t i = 0; i < changes_.size(); ++i) {
    if (belongs[i]) apply_to_platter(changes_[i]);
    if (!belongs[i]) rest.push_back(std::move(changes_[i]));
  }
  changes_ = std::move(rest);
  return {};
}

Result<void> SimTree::fail_sync_directory(std::string_view path, Random& random) {
  TRY(directory, find(path));
  const std::vector<bool> belongs = belongs_to(*directory);
  const uint64_t durable_count =
      random.below(static_cast<uint64_t>(std::count(belongs.begin(), belongs.end(), true)) + 1);
  uint64_t seen = 0;
  std::vector<Change> rest;
  for (size_t i = 0; i < changes_.size(); ++i) {
    const bool is_durable = belongs[i] && seen++ < durable_count;
    if (is_durable) apply_to_platter(changes_[i]);
    if (!is_durable) rest.push_back(std::move(changes_[i]));
  }
  changes_ = std::move(rest);
  return {};
}

std::vector<bool> SimTree::choose_kept(Random& random) const {
  const size_t count = changes_.size();
  std::vector<bool> kept(count, false);
  const uint64_t pattern = random.below(5);
  if (pattern == 0) return kept;
  if (pattern == 1) return std::vector<bool>(count, true);
  if (pattern == 2) {
    std::fill_n(kept.begin(), random.below(count + 1), true);
    return kept;
  }
  const uint64_t lost_of_four = 1 + random.below(3);
  for (size_t i = 0; i < count; ++i) {
    kept[i] = random.below(4) >= lost_of_four;
    for (size_t earlier = 0; earlier < i && kept[i]; ++earlier) {
      const Change& before = changes_[earlier];
      const bool is_same_name =
          changes_[i].touches(before.to) || (before.from.directory && changes_[i].touches(before.from));
      // A folder leaves only after what was in it has left; what is in a folder of an unsettled name may come or go.
      const bool is_inside = changes_[i].kind == ChangeKind::kRemove && before.to.directory == changes_[i].node;
      if (!kept[earlier] && (is_same_name || is_inside)) kept[i] = false;
    }
  }
  return kept;
}

void SimTree::count_lost(const std::vector<Change>& changes, const std::vector<bool>& kept, SimFaultCounts& counts) {
  bool earlier_was_lost = false;
  for (size_t i = 0; i < changes.size(); ++i) {
    if (kept[i] && earlier_was_lost) counts.add(SimFault::kReorderedNames);
    if (kept[i]) continue;
    earlier_was_lost = true;
    switch (changes[i].kind) {
      case ChangeKind::kCreate:
        counts.add(SimFault::kLostCreate);
        break;
      case ChangeKind::kRemove:
        counts.add(SimFault::kLostRemove);
        break;
      case ChangeKind::kRename:
        counts.add(SimFault::kLostRename);
        break;
    }
  }
}

void SimTree::lose_power(Random& random, SimFaultCounts& counts) {
  const std::vector<bool> kept = choose_kept(random);
  for (size_t i = 0; i < changes_.size(); ++i) {
    if (kept[i]) apply_to_platter(changes_[i]);
  }
  count_lost(changes_, kept, counts);
  changes_.clear();
  settle(*root_, random, counts);
}

// What is on the platter is all there is.
void SimTree::settle(SimNode& node, Random& random, SimFaultCounts& counts) {  // NOLINT: recursion by depth of folders
  node.is_named = true;
  node.cached = node.platter;
  if (!node.is_directory) node.content.lose_power(random, counts);
  for (const auto& [name, inside] : node.cached) settle(*inside, random, counts);
}

namespace {

using NodeSet = std::set<const SimNode*>;

// NOLINTNEXTLINE: recursion by depth of folders
void remove_cached(SimNode& node, std::string_view suffix, NodeSet& removed) {
  for (auto at = node.cached.begin(); at != node.cached.end();) {
    const bool is_gone = !at->second->is_directory && std::string_view(at->first).ends_with(suffix);
    if (!is_gone) remove_cached(*at->second, suffix, removed);
    if (is_gone) {
      removed.insert(at->second.get());
      at->second->is_named = false;
      node.platter.erase(at->first);
    }
    at = is_gone ? node.cached.erase(at) : std::next(at);
  }
}

void remove_from_platter(SimNode& node, const NodeSet& removed) {  // NOLINT: recursion by depth of folders
  std::erase_if(node.platter, [&removed](const auto& named) { return removed.contains(named.second.get()); });
  for (const auto& [name, inside] : node.cached) remove_from_platter(*inside, removed);
}

int64_t bytes_below(const SimNode& node) {  // NOLINT: recursion by depth of folders
  int64_t size_bytes = node.content.space_bytes();
  for (const auto& [name, inside] : node.cached) size_bytes += bytes_below(*inside);
  return size_bytes;
}

}  // namespace

uint64_t SimTree::remove_matching(std::string_view suffix) {
  NodeSet removed;
  std::vector<std::shared_ptr<SimNode>> alive;  // until the changes that name them are gone
  for (const Change& change : changes_) alive.push_back(change.node);
  remove_cached(*root_, suffix, removed);
  remove_from_platter(*root_, removed);
  std::erase_if(changes_, [&removed](const Change& change) { return removed.contains(change.node.get()); });
  return removed.size();
}

int64_t SimTree::used_bytes() const { return bytes_below(*root_); }

}  // namespace leat
