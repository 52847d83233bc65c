// sim_file_system.h: a disk in memory that fails as disks do, from a seed: the same seed and the same calls give the
// same failures. What it believes of file systems (ext4 and xfs with data=ordered, and the weaker promises of POSIX
// where they differ), so that what survives here survives there:
//   - File::sync makes the file's bytes and size durable, whichever handle wrote them, but not its name; sync_directory
//   makes
//     the names of one folder durable, but nobody's bytes. sim_file_content.h and sim_tree.h say what may become of the
//     rest.
//   - A write is torn at sectors of 512 bytes, never inside one. Bytes that were synced are never damaged by a
//   neighbour's write.
//   - A rename is atomic, also over a file. A file that was renamed before its bytes were synced may be empty or zeros.
//   - After a failed sync the dirty bytes are gone for good even if later syncs succeed. Each handle that was open
// then is told
//     by its next sync, as Linux does since 4.13; one opened later is not.
//   - A killed process loses nothing but its handles: what it wrote is visible to the next one, though it is not
//   durable yet.
//   - A full disk takes the part of a write for which it has room, and may refuse new names. What was allocated for a
//   file is that file's, also after a loss of power when a sync came behind it, until it is truncated.
// Not modelled: stale blocks of other files in fresh space (data=writeback), damage by a drive that does not keep its
// word. Thread: any, under one lock, for the sake of tests that bring workers; a simulation needs one thread for its
// order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/random.h"
#include "core/storage/file_system.h"
#include "core/storage/sim_faults.h"
#include "core/storage/sim_tree.h"

namespace leat {

class SimFileSystem final : public FileSystem {
 public:
  struct Options {
    uint64_t seed = 1;
    bool data_sync_survives_power_loss = true;  // false: as on macOS, where only SyncKind::kFull does
  };
  explicit SimFileSystem(uint64_t seed) : SimFileSystem(Options{.seed = seed}) {}
  explicit SimFileSystem(const Options& options);
  ~SimFileSystem() override;

  Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) override;
  Result<std::vector<FileInfo>> list(std::string_view directory) override;
  Result<FileInfo> stat(std::string_view path) override;
  Result<void> make_directory(std::string_view path) override;
  Result<void> rename(std::string_view from, std::string_view to) override;
  Result<void> remove(std::string_view path) override;
  Result<void> sync_directory(std::string_view path) override;
  Result<std::unique_ptr<FileLock>> lock(std::string_view path) override;
  Result<int64_t> free_bytes(std::string_view path) override;

  // The end of the process, after which every File and lock of before is dead: its calls fail with kIo.
  void lose_power();
  void kill_process();
  // The power goes in the middle of the count-th operation from now (1: the next) that changes something; that and all
  // later ones fail until lose_power() has decided what is left. 0 takes it back.
  void lose_power_at(uint64_t operation_count);
  bool power_is_out() const;
  uint64_t operations() const;  // so far, of those that change something

  void set_fault_rates(const SimFaultRates& rates);  // {} stops them
  void fail_sync_at(uint64_t sync_count);            // the count-th sync of a file from now; 0 takes it back
  void fail_directory_sync_at(uint64_t sync_count);
  void set_space_bytes(std::optional<int64_t> space_bytes);  // of the whole disk; nullopt: endless
  void limit_space_to_used_and(int64_t room_bytes);          // from now on so many more
  void set_now_ms(int64_t now_ms);                           // for modification times
  void set_page_cache_known(bool known);  // whether read_cached_at gives anything, and files seem to have descriptors
  Result<void> flip_bit(std::string_view path, Position position, int bit);
  uint64_t remove_matching(std::string_view suffix);  // files, by the end of their name; durable

  SimFaultCounts faults() const;

 private:
  class SimFile;
  class SimLock;
  struct Disk;

  std::shared_ptr<Disk> disk_;  // outlives the FileSystem while handles are about
};

}  // namespace leat
