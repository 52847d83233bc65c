// group_conversion.h: a group moves from one protocol to the other while its members stay (KIP-848, as
// group.consumer.migration.policy allows): up when the first member of the consumer protocol joins a classic group,
// down when the last one is gone from a consumer group. Classic members keep their ids, timeouts and protocols, and
// what they own; whoever is parked is answered so that it joins again.
// All that ends the old group and makes the new one stands in one step, and so in one batch: recovery sees both or
// none.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/coordinator/group/group_event.h"
#include "core/coordinator/group/group_record.h"
#include "core/coordinator/group/group_step.h"
#include "core/coordinator/group/group_table.h"

namespace leat {

// The tombstone of the classic group and the records of a consumer group with the same members. Or why it cannot be: as
// Kafka says it to the member that would have joined.
tl::expected<std::vector<GroupRecord>, GroupFault> upgrade_records(const std::string& group_id,
                                                                   const ClassicGroup& group, const GroupRules& rules,
                                                                   const TopicCatalog& catalog);
// The tombstones of the consumer group, all of whose members are classic, and the record of a classic group with them.
// It names no leader: all are to join again, also when a crash comes first.
std::vector<GroupRecord> downgrade_records(const ConsumerGroup& group, const TopicCatalog& catalog, int64_t wall_ms);

// A member wants to join with the consumer protocol where a classic group stands: makes way for it, whether the group
// is empty or not. A fault: it may not, and nothing has changed.
GroupFault make_way_for_consumer(GroupTable& table, GroupStep& step, const ConsumerHeartbeat& join);
void downgrade(GroupTable& table, GroupStep& step, const std::string& group_id);

}  // namespace leat
