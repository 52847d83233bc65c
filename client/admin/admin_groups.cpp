// admin_groups.cpp: groups and their offsets. ConsumerGroupDescribe with DescribeGroups for what is no consumer group.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "client/admin/admin_work.h"
#include "client/cluster/offset_messages.h"
#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "net/protocol/messages/consumer_group_describe.h"
#include "net/protocol/messages/delete_groups.h"
#include "net/protocol/messages/describe_groups.h"
#include "net/protocol/messages/list_groups.h"
#include "net/protocol/messages/offset_delete.h"

namespace leat::client::detail {
namespace {

constexpr const char* kConsumerProtocolType = "consumer";

bool equal_in_any_case(std::string_view a, std::string_view b) noexcept {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool passes(const std::vector<std::string>& wanted, std::string_view value) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(),
                                       [value](const std::string& one) { return equal_in_any_case(one, value); });
}

std::vector<TopicPartition> flattened(const ConsumerGroupDescribeResponse::Assignment& assignment) {
  std::vector<TopicPartition> partitions;
  for (const auto& topic : assignment.topic_partitions) {
    for (const int32_t index : topic.partitions) partitions.push_back({.topic = topic.topic_name, .partition = index});
  }
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

// What a leader gave its members is theirs to understand: of other than consumers, and of broken ones, nothing is said.
std::vector<TopicPartition> flattened(const std::string& protocol_type, const Bytes& assignment) {
  std::vector<TopicPartition> partitions;
  if (protocol_type != kConsumerProtocolType || assignment.empty()) return partitions;
  const leat::Result<ConsumerProtocolAssignment> decoded = decode_value<ConsumerProtocolAssignment>(assignment);
  if (!decoded) return partitions;
  for (const auto& topic : decoded->assigned_partitions) {
    for (const int32_t index : topic.partitions) partitions.push_back({.topic = topic.topic, .partition = index});
  }
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

Error missing(const std::string& group_id) {
  return Error::from_broker(ErrorCode::kGroupIdNotFound, fmt::format("group '{}'", group_id));
}

// Of an answer that tells of each partition: those that were refused.
template <class Answer>
PartitionErrors refused_in(const Answer& answer, const std::string& group_id) {
  PartitionErrors refused;
  for (const auto& topic : answer.topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code == ErrorCode::kNone) continue;
      const TopicPartition name{.topic = topic.name, .partition = partition.partition_index};
      refused.emplace(name, Error::from_broker(partition.error_code,
                                               fmt::format("group '{}', {}-{}", group_id, name.topic, name.partition)));
    }
  }
  return refused;
}

// none: no group of this kind has the name, or the broker knows none of this kind.
leat::Task<Result<std::optional<GroupInfo>>> describe_as_consumer(Coordinator& coordinator) {
  const std::string group_id = coordinator.group_id();
  std::function<ConsumerGroupDescribeRequest(int16_t)> make = [&group_id](int16_t) {
    ConsumerGroupDescribeRequest request;
    request.group_ids.push_back(group_id);
    return request;
  };
  std::function<ErrorCode(const ConsumerGroupDescribeResponse&)> error_of =
      [](const ConsumerGroupDescribeResponse& answer) {
        return answer.groups.empty() ? ErrorCode::kNone : answer.groups.front().error_code;
      };
  const Result<ConsumerGroupDescribeResponse> answer =
      co_await ask_coordinator<ConsumerGroupDescribeResponse, ConsumerGroupDescribeRequest>(
          coordinator, std::move(make), std::move(error_of), INT16_MAX);
  if (!answer && answer.error().cause() == Cause::kUnsupported) co_return std::optional<GroupInfo>();
  if (!answer) co_return answer.error();
  if (answer->groups.empty()) co_return std::optional<GroupInfo>();
  const auto& described = answer->groups.front();
  if (described.error_code == ErrorCode::kGroupIdNotFound || described.error_code == ErrorCode::kUnsupportedVersion) {
    co_return std::optional<GroupInfo>();
  }
  if (described.error_code != ErrorCode::kNone) {
    co_return Error::from_broker(described.error_code, fmt::format("group '{}'", group_id), described.error_message);
  }
  GroupInfo group;
  group.group_id = group_id;
  group.type = "consumer";
  group.state = described.group_state;
  group.protocol_type = kConsumerProtocolType;
  group.assignor = described.assignor_name;
  group.group_epoch = described.group_epoch;
  group.assignment_epoch = described.assignment_epoch;
  for (const auto& member : described.members) {
    group.members.push_back({.member_id = member.member_id,
                             .instance_id = member.instance_id,
                             .client_id = member.client_id,
                             .client_host = member.client_host,
                             .member_epoch = member.member_epoch,
                             .assigned = flattened(member.assignment),
                             .target = flattened(member.target_assignment)});
  }
  std::optional<GroupInfo> found(std::move(group));
  co_return found;
}

leat::Task<Result<GroupInfo>> describe_as_classic(Coordinator& coordinator) {
  const std::string group_id = coordinator.group_id();
  std::function<DescribeGroupsRequest(int16_t)> make = [&group_id](int16_t) {
    DescribeGroupsRequest request;
    request.groups.push_back(group_id);
    return request;
  };
  std::function<ErrorCode(const DescribeGroupsResponse&)> error_of = [](const DescribeGroupsResponse& answer) {
    return answer.groups.empty() ? ErrorCode::kGroupIdNotFound : answer.groups.front().error_code;
  };
  const Result<DescribeGroupsResponse> answer = co_await ask_coordinator<DescribeGroupsResponse, DescribeGroupsRequest>(
      coordinator, std::move(make), std::move(error_of), INT16_MAX);
  if (!answer) co_return answer.error();
  if (answer->groups.empty()) co_return missing(group_id);
  const auto& described = answer->groups.front();
  if (described.error_code != ErrorCode::kNone) {
    co_return Error::from_broker(described.error_code, fmt::format("group '{}'", group_id), described.error_message);
  }
  if (described.group_state == "Dead") co_return missing(group_id);  // how older brokers say it
  GroupInfo group;
  group.group_id = group_id;
  group.type = "classic";
  group.state = described.group_state;
  group.protocol_type = described.protocol_type;
  group.assignor = described.protocol_data;
  for (const auto& member : described.members) {
    group.members.push_back({.member_id = member.member_id,
                             .instance_id = member.group_instance_id,
                             .client_id = member.client_id,
                             .client_host = member.client_host,
                             .member_epoch = -1,
                             .assigned = flattened(described.protocol_type, member.member_assignment),
                             .target = {}});
  }
  co_return group;
}

}  // namespace

leat::Task<Result<std::vector<GroupSummary>>> list_groups(AdminSelf self, GroupFilter filter) {
  const Result<ClusterInfo> cluster = co_await describe_cluster(self);
  if (!cluster) co_return cluster.error();
  std::vector<GroupSummary> groups;
  for (const BrokerInfo& broker : cluster->brokers) {
    // For a broker that does not tell what the filter asks for the encoding fails, with kUnsupported.
    std::function<ListGroupsRequest(int16_t)> make = [&filter](int16_t) {
      ListGroupsRequest request;
      request.states_filter = filter.states;
      request.types_filter = filter.types;
      return request;
    };
    std::function<ErrorCode(const ListGroupsResponse&)> error_of = [](const ListGroupsResponse& response) {
      return response.error_code;
    };
    const Result<ListGroupsResponse> answer = co_await AdminWork::ask_node<ListGroupsResponse, ListGroupsRequest>(
        self, broker.node_id, std::move(make), std::move(error_of));
    if (!answer) co_return answer.error();
    if (answer->error_code != ErrorCode::kNone) {
      co_return Error::from_broker(answer->error_code, fmt::format("groups of broker {}", broker.node_id));
    }
    for (const auto& listed : answer->groups) {
      if (!passes(filter.states, listed.group_state) || !passes(filter.types, listed.group_type)) continue;
      groups.push_back({.group_id = listed.group_id,
                        .type = listed.group_type,
                        .state = listed.group_state,
                        .protocol_type = listed.protocol_type});
    }
  }
  std::sort(groups.begin(), groups.end(),
            [](const GroupSummary& a, const GroupSummary& b) { return a.group_id < b.group_id; });
  co_return groups;
}

leat::Task<Result<GroupInfo>> describe_group(AdminSelf self, std::string group_id) {
  Coordinator coordinator(self->cluster(), std::move(group_id), self->stopped());
  Result<std::optional<GroupInfo>> as_consumer = co_await describe_as_consumer(coordinator);
  if (!as_consumer) co_return as_consumer.error();
  if (*as_consumer) co_return **std::move(as_consumer);
  Result<GroupInfo> as_classic = co_await describe_as_classic(coordinator);
  co_return as_classic;
}

leat::Task<Result<>> delete_group(AdminSelf self, std::string group_id) {
  Coordinator coordinator(self->cluster(), group_id, self->stopped());
  std::function<DeleteGroupsRequest(int16_t)> make = [&group_id](int16_t) {
    DeleteGroupsRequest request;
    request.groups_names.push_back(group_id);
    return request;
  };
  std::function<ErrorCode(const DeleteGroupsResponse&)> error_of = [](const DeleteGroupsResponse& answer) {
    return answer.results.empty() ? ErrorCode::kGroupIdNotFound : answer.results.front().error_code;
  };
  const Result<DeleteGroupsResponse> answer = co_await ask_coordinator<DeleteGroupsResponse, DeleteGroupsRequest>(
      coordinator, std::move(make), std::move(error_of), INT16_MAX);
  if (!answer) co_return answer.error();
  if (answer->results.empty()) co_return missing(group_id);
  const auto& deleted = answer->results.front();
  if (deleted.error_code == ErrorCode::kNone) co_return Result<>();
  co_return Error::from_broker(deleted.error_code, fmt::format("group '{}' was not deleted", group_id),
                               deleted.error_message);
}

leat::Task<Result<Offsets>> list_group_offsets(AdminSelf self, std::string group_id, std::vector<TopicPartition> only) {
  Coordinator coordinator(self->cluster(), group_id, self->stopped());
  std::sort(only.begin(), only.end());
  std::optional<std::vector<TopicPartition>> partitions;
  if (!only.empty()) partitions = only;
  std::function<OffsetFetchRequest(int16_t)> make = [&](int16_t version) {
    return make_offset_fetch(group_id, partitions, version);
  };
  std::function<ErrorCode(const OffsetFetchResponse&)> error_of = error_of_offset_fetch;
  const Result<OffsetFetchResponse> answer = co_await ask_coordinator<OffsetFetchResponse, OffsetFetchRequest>(
      coordinator, std::move(make), std::move(error_of), kOffsetVersionMax);
  if (!answer) co_return answer.error();
  co_return offsets_in(*answer, group_id);
}

leat::Task<Result<PartitionErrors>> alter_group_offsets(AdminSelf self, std::string group_id, Offsets offsets) {
  Coordinator coordinator(self->cluster(), group_id, self->stopped());
  std::function<OffsetCommitRequest(int16_t)> make = [&](int16_t) {
    return make_offset_commit(group_id, Committer{}, offsets);
  };
  std::function<ErrorCode(const OffsetCommitResponse&)> error_of = error_of_offset_commit;
  const Result<OffsetCommitResponse> answer = co_await ask_coordinator<OffsetCommitResponse, OffsetCommitRequest>(
      coordinator, std::move(make), std::move(error_of), kOffsetVersionMax);
  if (!answer) co_return answer.error();
  co_return refused_in(*answer, group_id);
}

leat::Task<Result<PartitionErrors>> delete_group_offsets(AdminSelf self, std::string group_id,
                                                         std::vector<TopicPartition> partitions) {
  Coordinator coordinator(self->cluster(), group_id, self->stopped());
  std::sort(partitions.begin(), partitions.end());
  std::function<OffsetDeleteRequest(int16_t)> make = [&](int16_t) {
    OffsetDeleteRequest request;
    request.group_id = group_id;
    for (const TopicPartition& name : partitions) {
      if (request.topics.empty() || request.topics.back().name != name.topic) {
        request.topics.emplace_back().name = name.topic;
      }
      request.topics.back().partitions.push_back({.partition_index = name.partition});
    }
    return request;
  };
  std::function<ErrorCode(const OffsetDeleteResponse&)> error_of = [](const OffsetDeleteResponse& answer) {
    return answer.error_code;
  };
  const Result<OffsetDeleteResponse> answer = co_await ask_coordinator<OffsetDeleteResponse, OffsetDeleteRequest>(
      coordinator, std::move(make), std::move(error_of), INT16_MAX);
  if (!answer) co_return answer.error();
  if (answer->error_code != ErrorCode::kNone) {
    co_return Error::from_broker(answer->error_code, fmt::format("group '{}' keeps its offsets", group_id));
  }
  co_return refused_in(*answer, group_id);
}

}  // namespace leat::client::detail
