// sim_faults.cpp: names of the faults.
#include "core/storage/sim_faults.h"

namespace leat {

std::string_view to_string(SimFault fault) noexcept {
  switch (fault) {
    case SimFault::kPowerLoss:
      return "power loss";
    case SimFault::kPowerLossInside:
      return "power loss inside an operation";
    case SimFault::kProcessKill:
      return "process kill";
    case SimFault::kLostWrite:
      return "lost write";
    case SimFault::kTornWrite:
      return "torn write";
    case SimFault::kReorderedWrite:
      return "reordered write";
    case SimFault::kZeroedBytes:
      return "zeroed bytes";
    case SimFault::kLostCreate:
      return "lost create";
    case SimFault::kLostRemove:
      return "lost remove";
    case SimFault::kLostRename:
      return "lost rename";
    case SimFault::kReorderedNames:
      return "reordered names";
    case SimFault::kFailedSync:
      return "failed sync";
    case SimFault::kFailedDirectorySync:
      return "failed directory sync";
    case SimFault::kNoSpace:
      return "no space";
    case SimFault::kShortWrite:
      return "short write";
    case SimFault::kWriteError:
      return "write error";
    case SimFault::kShortRead:
      return "short read";
    case SimFault::kReadError:
      return "read error";
    case SimFault::kFlippedBit:
      return "flipped bit";
    case SimFault::kRemovedFile:
      return "removed file";
  }
  return "unknown fault";
}

}  // namespace leat
