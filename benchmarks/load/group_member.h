// group_member.h: one member of a group as a client lives it, with raw requests on a blocking connection of its own:
// joins, is given partitions, beats its heart, gives up and takes over as it is told. There is one topic: the load's.
// Thread: one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/load/group_load.h"
#include "benchmarks/load/socket.h"

namespace leat::bench {

class GroupMember {
 public:
  static Result<std::unique_ptr<GroupMember>> connect(const MemberLoad& load);
  virtual ~GroupMember() = default;
  GroupMember(const GroupMember&) = delete;
  GroupMember& operator=(const GroupMember&) = delete;

  // A heartbeat, and what its answer asks for; the first time, the join. In the classic protocol it waits with the
  // others for the end of a rebalance.
  virtual Result<void> round() = 0;
  virtual Result<void> leave() = 0;
  const std::vector<int32_t>& owned() const noexcept { return owned_; }
  // Where the group stands in the first partition that is owned, and the records from there.
  Result<bool> fetch_first_record();

 protected:
  GroupMember(const MemberLoad& load, Socket socket) : load_(load), socket_(std::move(socket)) {}

  const MemberLoad load_;
  Socket socket_;
  std::string member_id_;
  std::vector<int32_t> owned_;
};

}  // namespace leat::bench
