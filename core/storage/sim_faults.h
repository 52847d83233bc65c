// sim_faults.h: the kinds of fault that the simulated disk injects, how often each shall come, and how often each has
// come: a simulation fails when some kind was never injected, for then it has not shown what it claims.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace leat {

enum class SimFault : uint8_t {
  kPowerLoss,            // lose_power() was called
  kPowerLossInside,      // ... in the middle of an operation
  kProcessKill,          // handles die, the page cache stays
  kLostWrite,            // unsynced sectors fell back to what was synced
  kTornWrite,            // one write survived in part
  kReorderedWrite,       // a later write survived in full where an earlier one did not
  kZeroedBytes,          // the size survived, the bytes did not: zeros
  kLostCreate,           // unsynced names: a created one vanished,
  kLostRemove,           // a removed one came back,
  kLostRename,           // a renamed one went back
  kReorderedNames,       // a later change of names survived where an earlier one did not
  kFailedSync,           //
  kFailedDirectorySync,  //
  kNoSpace,              //
  kShortWrite,           // a prefix was written, then an error
  kWriteError,           // nothing was written
  kShortRead,            // a prefix was read, then an error
  kReadError,            //
  kFlippedBit,           // of bytes at rest
  kRemovedFile,          // remove_matching()
};
inline constexpr size_t kSimFaultKinds = static_cast<size_t>(SimFault::kRemovedFile) + 1;

std::string_view to_string(SimFault fault) noexcept;

class SimFaultCounts {
 public:
  void add(SimFault fault, uint64_t count = 1) noexcept { counts_[static_cast<size_t>(fault)] += count; }
  void add(const SimFaultCounts& other) noexcept {
    for (size_t i = 0; i < kSimFaultKinds; ++i) counts_[i] += other.counts_[i];
  }
  uint64_t of(SimFault fault) const noexcept { return counts_[static_cast<size_t>(fault)]; }

 private:
  std::array<uint64_t, kSimFaultKinds> counts_{};
};

// One in so many operations of the kind fails; 0: none.
struct SimFaultRates {
  uint64_t sync_one_in = 0;
  uint64_t sync_directory_one_in = 0;
  uint64_t short_write_one_in = 0;
  uint64_t write_error_one_in = 0;
  uint64_t short_read_one_in = 0;
  uint64_t read_error_one_in = 0;
};

}  // namespace leat
