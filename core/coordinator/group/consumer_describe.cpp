// consumer_describe.cpp: what ConsumerGroupDescribe shows of a consumer group.
#include <utility>

#include "core/coordinator/group/consumer_group.h"

namespace leat {
namespace {

// Nothing can be said of topics that are gone: the client wants their names.
std::vector<TopicPartitions> shown(std::vector<TopicPartitions> topics, const TopicCatalog& catalog) {
  std::erase_if(topics, [&catalog](const TopicPartitions& topic) { return !catalog.find(topic.topic_id).has_value(); });
  return topics;
}

}  // namespace

DescribeConsumerGroupReply ConsumerGroup::describe(const TopicCatalog& catalog, const GroupRules& rules) const {
  DescribeConsumerGroupReply reply;
  reply.state = state_name();
  reply.group_epoch = epoch();
  reply.assignment_epoch = target_epoch();
  reply.assignor = preferred_assignor(rules);
  for (const auto& [member_id, member] : members_) {
    DescribedConsumerMember& out = reply.members.emplace_back();
    out.member_id = member_id;
    out.instance_id = member.metadata.instance_id;
    out.rack_id = member.metadata.rack_id;
    out.member_epoch = member.epoch();
    out.client = {.id = member.metadata.client_id, .host = member.metadata.client_host};
    out.subscribed_topic_names = member.metadata.subscribed_topic_names;
    if (!member.regex().empty()) out.subscribed_topic_regex = member.metadata.subscribed_topic_regex;
    out.assignment = shown(to_topic_partitions(held_partitions(member.current)), catalog);
    out.target_assignment = shown(to_topic_partitions(target_of(member_id)), catalog);
    out.is_classic = member.is_classic();
  }
  return reply;
}

}  // namespace leat
