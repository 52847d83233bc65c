// assignors.h: how the leader of a classic group shares partitions among its members: Kafka's "range" (in
// range_assignment.h), "roundrobin" and "cooperative-sticky". Sticky keeps what members own as far as the shares stay
// even (they differ by one at most among members with the same subscription), and never gives a partition to a new
// owner while its old one still has it: such a partition is left out, and given in the rebalance that follows when the
// old owner has let it go. Pure: the same input gives the same shares, whatever the order of the members.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <leat/consumer.h>

namespace leat::client::detail {

struct AssignedMember {
  std::string member_id;
  std::optional<std::string> instance_id;
  std::vector<std::string> topics;
  std::vector<TopicPartition> owned = {};
  int32_t generation = -1;  // in which it came to own them; of two claims the newer one counts
};

// By member id; every member has an entry. Topics without a count do not exist.
using Shares = std::map<std::string, std::vector<TopicPartition>>;

std::string_view assignor_name(ClassicAssignor assignor) noexcept;  // on the wire
std::optional<ClassicAssignor> assignor_named(std::string_view name) noexcept;

Shares share_out(ClassicAssignor assignor, std::vector<AssignedMember> members,
                 const std::map<std::string, int32_t>& partition_counts);

}  // namespace leat::client::detail
