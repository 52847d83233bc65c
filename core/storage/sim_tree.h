// sim_tree.h: the names of a simulated disk: folders and files as processes see them, as they are on the platter, and
// the changes of names that are not yet durable, in order over all folders.
//   A change is one creation, removal or rename, atomic. Syncing a folder makes its changes durable, with those others
//   that they rest on (an earlier change of the same name), and nothing else: neither names in other folders nor any
//   file's bytes. A loss of power keeps no change, all, the oldest some (a journal), or any subset in which each name's
//   history is a prefix (file systems that log single names). A folder whose own name is lost is lost with all that is
//   in it.
// Paths: '/' separates; a leading '/' and "." mean nothing; no "..", no links. Any thread, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/storage/sim_faults.h"
#include "core/storage/sim_file_content.h"

namespace leat {

struct SimNode {
  uint64_t id = 0;
  bool is_directory = false;
  bool is_named = true;  // in the cached tree; an open file outlives its name
  int64_t modified_ms = 0;
  uint64_t failed_syncs = 0;
  SimFileContent content;                                                // of a file
  std::map<std::string, std::shared_ptr<SimNode>, std::less<>> cached;   // of a folder
  std::map<std::string, std::shared_ptr<SimNode>, std::less<>> platter;  //
};

class SimTree {
 public:
  SimTree();

  Result<std::shared_ptr<SimNode>> find(std::string_view path) const;                                 // kNotFound
  Result<std::shared_ptr<SimNode>> create(std::string_view path, bool is_directory, int64_t now_ms);  // kAlreadyExists
  Result<void> remove(std::string_view path);
  Result<void> rename(std::string_view from, std::string_view to);
  Result<void> sync_directory(std::string_view path);
  // Some of the folder's changes become durable. The rest is as it was before: names live in a journal, which, unlike a
  // page of a file, does not forget what it could not write while the file system goes on.
  Result<void> fail_sync_directory(std::string_view path, Random& random);
  void lose_power(Random& random, SimFaultCounts& counts);  // names and bytes
  // Takes the names away for good, as if somebody had removed the files long ago.
  uint64_t remove_matching(std::string_view suffix);
  int64_t used_bytes() const;  // of files that have a name

 private:
  struct Entry {
    std::shared_ptr<SimNode> directory;
    std::string name;
    bool operator==(const Entry& other) const noexcept { return directory == other.directory && name == other.name; }
  };
  enum class ChangeKind : uint8_t { kCreate, kRemove, kRename };
  struct Change {
    ChangeKind kind;
    Entry from;  // of a rename
    Entry to;    // what is created or removed, or the new name
    std::shared_ptr<SimNode> node;
    bool touches(const Entry& entry) const noexcept {
      return to == entry || (kind == ChangeKind::kRename && from == entry);
    }
  };

  Result<Entry> locate(std::string_view path) const;
  static std::shared_ptr<SimNode> child(const Entry& entry);
  std::vector<bool> belongs_to(const SimNode& directory) const;
  static void apply_to_platter(const Change& change);
  std::vector<bool> choose_kept(Random& random) const;
  static void count_lost(const std::vector<Change>& changes, const std::vector<bool>& kept, SimFaultCounts& counts);
  static void settle(SimNode& node, Random& random, SimFaultCounts& counts);

  std::shared_ptr<SimNode> root_;
  std::vector<Change> changes_;
  uint64_t next_id_ = 1;
};

}  // namespace leat
