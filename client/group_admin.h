// group_admin.h: groups listed, described, deleted. Thread: the client's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/simple_client.h"

namespace leat {

struct GroupSummary {
  std::string group_id;
  std::string type;  // "classic", "consumer", ...; "" where the broker does not tell
  std::string state;
  std::string protocol_type;
};

struct GroupFilter {  // empty: all; in any case
  std::vector<std::string> states;
  std::vector<std::string> types;
};

// Of every broker, by id. kUnsupported: a filter on what the broker does not tell.
Result<std::vector<GroupSummary>> list_groups(SimpleClient& client, const GroupFilter& filter);

struct GroupMemberDetails {
  std::string member_id;
  std::optional<std::string> instance_id;
  std::string client_id;
  std::string client_host;
  int32_t member_epoch = -1;             // consumer protocol
  std::vector<TopicPartition> assigned;  // sorted, as is the next; of a classic group only where it is of consumers
  std::vector<TopicPartition> target;    // consumer protocol: what it shall own when the group has settled
};

struct GroupDetails {
  std::string group_id;
  std::string type;  // "classic" or "consumer"
  std::string state;
  std::string protocol_type;
  std::string assignor;
  int32_t group_epoch = -1;       // consumer protocol
  int32_t assignment_epoch = -1;  // the same
  std::vector<GroupMemberDetails> members;

  // Only then do its offsets change from outside.
  bool is_empty() const noexcept { return members.empty() && state == "Empty"; }
};

// kNotFound says what to do.
Result<GroupDetails> describe_group(SimpleClient& client, const std::string& group_id);

// kNotFound and kPolicyViolation (it has members) say what to do.
Result<void> delete_group(SimpleClient& client, const std::string& group_id);

}  // namespace leat
