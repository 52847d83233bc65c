// sim_file_system.cpp: see the header. Every operation that changes something passes Disk::begin_change, where the
// power can go.
#include "core/storage/sim_file_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <utility>

#include "core/base/check.h"

namespace leat {

namespace {

constexpr int64_t kEndlessBytes = int64_t{1} << 40;

tl::unexpected<Error> fail_errno(int error_number, std::string_view operation, std::string_view path) {
  return fail(error_from_errno(error_number, fmt::format("{} {}", operation, path)));
}

enum class Power : uint8_t {
  kOn,
  kGoesNow,  // inside this operation
};

}  // namespace

struct SimFileSystem::Disk {
  explicit Disk(const Options& disk_options) : options(disk_options), random(disk_options.seed) {}

  // kGoesNow: the operation may still do its work, or a part of it, but has to answer with power_out().
  Result<Power> begin_change(std::string_view operation, std::string_view path) {
    if (power_out) return fail_power_out(operation, path);
    ++operation_count;
    if (power_loss_in == 0 || --power_loss_in > 0) return Power::kOn;
    power_out = true;
    counts.add(SimFault::kPowerLossInside);
    return Power::kGoesNow;
  }
  static tl::unexpected<Error> fail_power_out(std::string_view operation, std::string_view path) {
    return fail(Errc::kIo, fmt::format("{} {}: the power is out", operation, path));
  }
  bool strikes(uint64_t one_in) { return one_in != 0 && random.one_in(one_in); }
  bool counts_down(uint64_t& counter) { return counter != 0 && --counter == 0; }
  int64_t room_bytes() const {
    return space_bytes ? std::max<int64_t>(0, *space_bytes - tree.used_bytes()) : kEndlessBytes;
  }
  // A new name needs a block now and then.
  bool refuses_name() { return space_bytes.has_value() && room_bytes() == 0 && random.one_in(2); }
  void end_process() {
    ++generation;
    locked.clear();
    power_out = false;
    power_loss_in = 0;
  }

  mutable std::mutex mutex;
  const Options options;
  SeededRandom random;
  SimTree tree;
  std::atomic<bool> page_cache_known{false};
  SimFaultCounts counts;
  SimFaultRates rates;
  std::optional<int64_t> space_bytes;
  std::set<const SimNode*> locked;
  uint64_t generation = 0;  // of the process
  uint64_t operation_count = 0;
  uint64_t power_loss_in = 0;
  uint64_t sync_failure_in = 0;
  uint64_t directory_sync_failure_in = 0;
  int64_t now_ms = 0;
  bool power_out = false;
};

class SimFileSystem::SimFile final : public File {
 public:
  SimFile(std::shared_ptr<Disk> disk, std::shared_ptr<SimNode> node, std::string path, OpenMode mode)
      : disk_(std::move(disk)),
        node_(std::move(node)),
        path_(std::move(path)),
        generation_(disk_->generation),
        failed_syncs_seen_(node_->failed_syncs),
        is_read_only_(mode == OpenMode::kRead) {}

  const std::string& path() const noexcept override { return path_; }
  Result<void> write_at(Position position, std::span<const ByteView> pieces) override;
  Result<size_t> read_at(Position position, MutableByteView into) override;
  Result<std::optional<size_t>> read_cached_at(Position position, MutableByteView into) override;
  bool knows_page_cache() const noexcept override { return disk_->page_cache_known.load(); }
  Result<void> sync(SyncKind kind) override;
  Result<void> truncate(int64_t size_bytes) override;
  Result<int64_t> size() override;
  Result<void> allocate(int64_t size_bytes) override;
  void drop_cache(Position, int64_t) noexcept override {
    const std::lock_guard guard(disk_->mutex);
    if (generation_ == disk_->generation && !disk_->power_out) node_->content.drop_clean_cache();
  }
  // For whoever only hands it on: no system call is given it.
  int descriptor() const noexcept override {
    return disk_->page_cache_known.load() ? std::numeric_limits<int>::max() : -1;
  }

 private:
  Result<void> refuse_if_dead(std::string_view operation) const {
    if (generation_ != disk_->generation) {
      return fail(Errc::kIo, fmt::format("{} {}: opened by a process that is gone", operation, path_));
    }
    if (disk_->power_out) return Disk::fail_power_out(operation, path_);
    return {};
  }
  Result<Power> begin_change(std::string_view operation) {
    TRY(refuse_if_dead(operation));
    if (poisoned_)
      return fail(Errc::kOffline, fmt::format("{} {}: an earlier sync of this file failed", operation, path_));
    return disk_->begin_change(operation, path_);
  }
  size_t growth_allowed(size_t position, size_t size) const;

  const std::shared_ptr<Disk> disk_;
  const std::shared_ptr<SimNode> node_;
  const std::string path_;
  const uint64_t generation_;
  const uint64_t failed_syncs_seen_;
  const bool is_read_only_;
  bool poisoned_ = false;
};

// How many of the bytes the disk has room for.
size_t SimFileSystem::SimFile::growth_allowed(size_t position, size_t size) const {
  const int64_t end_max = node_->content.space_bytes() + disk_->room_bytes();
  const int64_t allowed = std::clamp<int64_t>(end_max - static_cast<int64_t>(position), 0, static_cast<int64_t>(size));
  return static_cast<size_t>(allowed);
}

Result<void> SimFileSystem::SimFile::write_at(Position position, std::span<const ByteView> pieces) {
  const std::lock_guard guard(disk_->mutex);
  TRY(power, begin_change("write"));
  if (is_read_only_) return fail_errno(EBADF, "write", path_);
  if (position.v < 0) return fail_errno(EINVAL, "write", path_);
  std::vector<uint8_t> bytes;
  for (const ByteView piece : pieces) bytes.insert(bytes.end(), piece.begin(), piece.end());
  const size_t at = static_cast<size_t>(position.v);
  const ByteView whole(bytes);
  node_->modified_ms = disk_->now_ms;

  if (power == Power::kGoesNow) {
    node_->content.write(at, whole.first(disk_->random.below(whole.size() + 1)));
    return Disk::fail_power_out("write", path_);
  }
  if (disk_->strikes(disk_->rates.write_error_one_in)) {
    disk_->counts.add(SimFault::kWriteError);
    return fail_errno(EIO, fmt::format("write at {} to", at), path_);
  }
  if (!whole.empty() && disk_->strikes(disk_->rates.short_write_one_in)) {
    disk_->counts.add(SimFault::kShortWrite);
    node_->content.write(at, whole.first(disk_->random.below(whole.size())));
    return fail_errno(EIO, fmt::format("write at {} to", at), path_);
  }
  const size_t allowed = growth_allowed(at, whole.size());
  node_->content.write(at, whole.first(allowed));
  if (allowed == whole.size()) return {};
  disk_->counts.add(SimFault::kNoSpace);
  return fail_errno(ENOSPC, fmt::format("write at {} to", at), path_);
}

Result<std::optional<size_t>> SimFileSystem::SimFile::read_cached_at(Position position, MutableByteView into) {
  if (!disk_->page_cache_known.load()) return std::nullopt;
  TRY(count, read_at(position, into));
  return count;
}

Result<size_t> SimFileSystem::SimFile::read_at(Position position, MutableByteView into) {
  const std::lock_guard guard(disk_->mutex);
  TRY(refuse_if_dead("read"));
  if (position.v < 0) return fail_errno(EINVAL, "read", path_);
  if (disk_->strikes(disk_->rates.read_error_one_in)) {
    disk_->counts.add(SimFault::kReadError);
    return fail_errno(EIO, fmt::format("read at {} of", position.v), path_);
  }
  const ByteView cached = node_->content.cached();
  const size_t begin = std::min(static_cast<size_t>(position.v), cached.size());
  const size_t count = std::min(into.size(), cached.size() - begin);
  if (count == 0) return size_t{0};
  const bool is_short = disk_->strikes(disk_->rates.short_read_one_in);
  std::memcpy(into.data(), cached.data() + begin, is_short ? disk_->random.below(count) : count);
  if (!is_short) return count;
  disk_->counts.add(SimFault::kShortRead);
  return fail_errno(EIO, fmt::format("read at {} of", position.v), path_);
}

Result<void> SimFileSystem::SimFile::sync(SyncKind kind) {
  const std::lock_guard guard(disk_->mutex);
  TRY(power, begin_change("sync"));
  const bool is_durable = kind == SyncKind::kFull || disk_->options.data_sync_survives_power_loss;
  if (power == Power::kGoesNow) {
    if (is_durable && disk_->random.one_in(2)) node_->content.sync();
    return Disk::fail_power_out("sync", path_);
  }
  const bool strikes = disk_->counts_down(disk_->sync_failure_in) || disk_->strikes(disk_->rates.sync_one_in);
  if (strikes) {
    disk_->counts.add(SimFault::kFailedSync);
    node_->content.fail_sync(disk_->random);
    ++node_->failed_syncs;
  }
  // As Linux tells it: once to each handle that was open when it happened.
  if (node_->failed_syncs != failed_syncs_seen_) {
    poisoned_ = true;
    return fail_errno(EIO, "sync", path_);
  }
  if (is_durable) node_->content.sync();
  return {};
}

Result<void> SimFileSystem::SimFile::truncate(int64_t size_bytes) {
  const std::lock_guard guard(disk_->mutex);
  TRY(power, begin_change("truncate"));
  if (is_read_only_ || size_bytes < 0) return fail_errno(EINVAL, fmt::format("truncate to {}", size_bytes), path_);
  const bool happens = power == Power::kOn || disk_->random.one_in(2);
  if (happens && size_bytes != node_->content.size_bytes()) node_->content.truncate(static_cast<size_t>(size_bytes));
  node_->modified_ms = disk_->now_ms;
  if (power == Power::kGoesNow) return Disk::fail_power_out("truncate", path_);
  return {};
}

Result<int64_t> SimFileSystem::SimFile::size() {
  const std::lock_guard guard(disk_->mutex);
  TRY(refuse_if_dead("stat"));
  return node_->content.size_bytes();
}

Result<void> SimFileSystem::SimFile::allocate(int64_t size_bytes) {
  const std::lock_guard guard(disk_->mutex);
  TRY(power, begin_change("allocate"));
  if (power == Power::kGoesNow) return Disk::fail_power_out("allocate", path_);
  if (is_read_only_) return fail_errno(EBADF, "allocate", path_);
  if (size_bytes - node_->content.space_bytes() <= disk_->room_bytes()) {
    node_->content.allocate(static_cast<size_t>(std::max<int64_t>(size_bytes, 0)));
    return {};
  }
  disk_->counts.add(SimFault::kNoSpace);
  return fail_errno(ENOSPC, fmt::format("allocate {} bytes for", size_bytes), path_);
}

class SimFileSystem::SimLock final : public FileLock {
 public:
  SimLock(std::shared_ptr<Disk> disk, const SimNode* node)
      : disk_(std::move(disk)), node_(node), generation_(disk_->generation) {}
  ~SimLock() override {
    const std::lock_guard guard(disk_->mutex);
    if (generation_ == disk_->generation) disk_->locked.erase(node_);
  }

 private:
  const std::shared_ptr<Disk> disk_;
  const SimNode* const node_;
  const uint64_t generation_;
};

SimFileSystem::SimFileSystem(const Options& options) : disk_(std::make_shared<Disk>(options)) {}
SimFileSystem::~SimFileSystem() = default;

Result<std::unique_ptr<File>> SimFileSystem::open(std::string_view path, OpenMode mode) {
  const std::lock_guard guard(disk_->mutex);
  if (disk_->power_out) return Disk::fail_power_out("open", path);
  Result<std::shared_ptr<SimNode>> node = disk_->tree.find(path);
  if (node && (*node)->is_directory) return fail(Errc::kInvalidArgument, fmt::format("open {}: is a directory", path));
  if (node && mode == OpenMode::kCreateNew) return fail_errno(EEXIST, "open", path);
  const bool creates = mode == OpenMode::kCreate || mode == OpenMode::kCreateNew;
  if (!node && creates && node.error().code == Errc::kNotFound) {
    TRY(power, disk_->begin_change("open", path));
    if (power == Power::kGoesNow && disk_->random.one_in(2)) return Disk::fail_power_out("open", path);
    if (disk_->refuses_name()) {
      disk_->counts.add(SimFault::kNoSpace);
      return fail_errno(ENOSPC, "open", path);
    }
    node = disk_->tree.create(path, false, disk_->now_ms);
    if (power == Power::kGoesNow) return Disk::fail_power_out("open", path);
  }
  if (!node) return fail(node.error());
  return std::make_unique<SimFile>(disk_, std::move(*node), std::string(path), mode);
}

namespace {

FileInfo info_of(std::string name, const SimNode& node) {
  return {.name = std::move(name),
          .size_bytes = node.content.size_bytes(),
          .modified_ms = node.modified_ms,
          .is_directory = node.is_directory};
}

}  // namespace

Result<std::vector<FileInfo>> SimFileSystem::list(std::string_view directory) {
  const std::lock_guard guard(disk_->mutex);
  if (disk_->power_out) return Disk::fail_power_out("list", directory);
  TRY(node, disk_->tree.find(directory));
  if (!node->is_directory) return fail_errno(ENOTDIR, "list", directory);
  std::vector<FileInfo> found;
  for (const auto& [name, inside] : node->cached) found.push_back(info_of(name, *inside));
  return found;
}

Result<FileInfo> SimFileSystem::stat(std::string_view path) {
  const std::lock_guard guard(disk_->mutex);
  if (disk_->power_out) return Disk::fail_power_out("stat", path);
  TRY(node, disk_->tree.find(path));
  const size_t slash = path.find_last_of('/');
  return info_of(std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)), *node);
}

Result<void> SimFileSystem::make_directory(std::string_view path) {
  const std::lock_guard guard(disk_->mutex);
  TRY(power, disk_->begin_change("make directory", path));
  if (power == Power::kGoesNow && disk_->random.one_in(2)) return Disk::fail_power_out("make directory", path);
  if (!disk_->tree.find(path) && disk_->refuses_name()) {
    disk_->counts.add(SimFault::kNoSpace);
    return fail_errno(ENOSPC, "make directory", path);
  }
  const Result<std::shared_ptr<SimNode>> node = disk_->tree.create(path, true, disk_->now_ms);
  if (!node) return fail(node.error());
  if (power == Power::kGoesNow) return Disk::fail_power_out("make directory", path);
  return {};
}

Result<void> SimFileSystem::rename(std::string_view from, std::string_view to) {
  const std::lock_guard guard(disk_->mutex);
  TRY(power, disk_->begin_change("rename", from));
  if (power == Power::kGoesNow && disk_->random.one_in(2)) return Disk::fail_power_out("rename", from);
  TRY(disk_->tree.rename(from, to));
  if (power == Power::kGoesNow) return Disk::fail_power_out("rename", from);
  return {};
}

Result<void> SimFileSystem::remove(std::string_view path) {
  const std::lock_guard guard(disk_->mutex);
  TRY(power, disk_->begin_change("remove", path));
  if (power == Power::kGoesNow && disk_->random.one_in(2)) return Disk::fail_power_out("remove", path);
  TRY(disk_->tree.remove(path));
  if (power == Power::kGoesNow) return Disk::fail_power_out("remove", path);
  return {};
}

Result<void> SimFileSystem::sync_directory(std::string_view path) {
  const std::lock_guard guard(disk_->mutex);
  TRY(power, disk_->begin_change("sync directory", path));
  if (power == Power::kGoesNow && disk_->random.one_in(2)) return Disk::fail_power_out("sync directory", path);
  if (disk_->counts_down(disk_->directory_sync_failure_in) || disk_->strikes(disk_->rates.sync_directory_one_in)) {
    TRY(disk_->tree.fail_sync_directory(path, disk_->random));
    disk_->counts.add(SimFault::kFailedDirectorySync);
    return fail_errno(EIO, "sync directory", path);
  }
  TRY(disk_->tree.sync_directory(path));
  if (power == Power::kGoesNow) return Disk::fail_power_out("sync directory", path);
  return {};
}

Result<std::unique_ptr<FileLock>> SimFileSystem::lock(std::string_view path) {
  const Result<std::unique_ptr<File>> file = open(path, OpenMode::kCreate);
  if (!file) return fail(file.error());
  const std::lock_guard guard(disk_->mutex);
  TRY(node, disk_->tree.find(path));
  if (!disk_->locked.insert(node.get()).second) {
    return fail(Errc::kLocked, fmt::format("lock {}: held by another process", path));
  }
  return std::make_unique<SimLock>(disk_, node.get());
}

Result<int64_t> SimFileSystem::free_bytes(std::string_view path) {
  const std::lock_guard guard(disk_->mutex);
  if (disk_->power_out) return Disk::fail_power_out("statvfs", path);
  const Result<std::shared_ptr<SimNode>> node = disk_->tree.find(path);
  if (!node) return fail(node.error());
  return disk_->room_bytes();
}

void SimFileSystem::lose_power() {
  const std::lock_guard guard(disk_->mutex);
  disk_->counts.add(SimFault::kPowerLoss);
  disk_->tree.lose_power(disk_->random, disk_->counts);
  disk_->end_process();
}

void SimFileSystem::kill_process() {
  const std::lock_guard guard(disk_->mutex);
  ENSURE(!disk_->power_out, "a process that lost its power cannot be killed: call lose_power()");
  disk_->counts.add(SimFault::kProcessKill);
  disk_->end_process();
}

void SimFileSystem::lose_power_at(uint64_t operation_count) {
  const std::lock_guard guard(disk_->mutex);
  disk_->power_loss_in = operation_count;
}

bool SimFileSystem::power_is_out() const {
  const std::lock_guard guard(disk_->mutex);
  return disk_->power_out;
}

uint64_t SimFileSystem::operations() const {
  const std::lock_guard guard(disk_->mutex);
  return disk_->operation_count;
}

void SimFileSystem::set_fault_rates(const SimFaultRates& rates) {
  const std::lock_guard guard(disk_->mutex);
  disk_->rates = rates;
}

void SimFileSystem::fail_sync_at(uint64_t sync_count) {
  const std::lock_guard guard(disk_->mutex);
  disk_->sync_failure_in = sync_count;
}

void SimFileSystem::fail_directory_sync_at(uint64_t sync_count) {
  const std::lock_guard guard(disk_->mutex);
  disk_->directory_sync_failure_in = sync_count;
}

void SimFileSystem::set_space_bytes(std::optional<int64_t> space_bytes) {
  const std::lock_guard guard(disk_->mutex);
  disk_->space_bytes = space_bytes;
}

void SimFileSystem::limit_space_to_used_and(int64_t room_bytes) {
  const std::lock_guard guard(disk_->mutex);
  disk_->space_bytes = disk_->tree.used_bytes() + room_bytes;
}

void SimFileSystem::set_page_cache_known(bool known) { disk_->page_cache_known = known; }

void SimFileSystem::set_now_ms(int64_t now_ms) {
  const std::lock_guard guard(disk_->mutex);
  disk_->now_ms = now_ms;
}

Result<void> SimFileSystem::flip_bit(std::string_view path, Position position, int bit) {
  const std::lock_guard guard(disk_->mutex);
  TRY(node, disk_->tree.find(path));
  if (position.v < 0 || position.v >= node->content.size_bytes() || bit < 0 || bit > 7) {
    return fail(Errc::kInvalidArgument, fmt::format("flip bit {} at {} of {}: out of range", bit, position.v, path));
  }
  node->content.flip_bit(static_cast<size_t>(position.v), bit);
  disk_->counts.add(SimFault::kFlippedBit);
  return {};
}

uint64_t SimFileSystem::remove_matching(std::string_view suffix) {
  const std::lock_guard guard(disk_->mutex);
  const uint64_t removed = disk_->tree.remove_matching(suffix);
  disk_->counts.add(SimFault::kRemovedFile, removed);
  return removed;
}

SimFaultCounts SimFileSystem::faults() const {
  const std::lock_guard guard(disk_->mutex);
  return disk_->counts;
}

}  // namespace leat
