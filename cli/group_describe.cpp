// group_describe.cpp: leat group describe: how far a group has come in each partition, who reads it, and who its
// members are.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/group_words.h"
#include "cli/json_text.h"
#include "cli/text_table.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

struct DescribeOptions {
  std::vector<std::string> names;
};

struct Progress {
  std::optional<int64_t> committed;
  std::optional<int64_t> log_end;  // none: the partition is gone
  const client::GroupMember* owner = nullptr;

  std::optional<int64_t> lag() const {
    if (!committed || !log_end) return std::nullopt;
    return std::max<int64_t>(*log_end - *committed, 0);
  }
};
using ProgressByPartition = std::map<client::TopicPartition, Progress>;

// Of partitions that are not gone.
Result<void> add_log_ends(Session& session, client::Admin& admin, ProgressByPartition& partitions) {
  std::set<std::string> names;
  for (const auto& [name, progress] : partitions) names.insert(name.topic);
  std::map<client::TopicPartition, int64_t> times;
  for (const std::string& name : names) {
    const client::Result<std::vector<client::TopicInfo>> topics = admin.describe_topics({name}).wait();
    const bool gone = !topics && topics.error().kafka_code() == ErrorCode::kUnknownTopicOrPartition;
    if (gone) continue;
    if (!topics) return fail(session.failure(topics.error()));
    for (const client::PartitionInfo& partition : topics->front().partitions) {
      const client::TopicPartition present{.topic = name, .partition = partition.partition};
      if (partitions.contains(present)) times[present] = client::kLatestOffset;
    }
  }
  if (times.empty()) return {};
  TRY(ends, session.wait(admin.list_offsets(std::move(times))));
  for (const auto& [name, end] : ends) partitions[name].log_end = end.offset;
  return {};
}

Result<ProgressByPartition> progress_of(Session& session, client::Admin& admin, const client::GroupInfo& group) {
  ProgressByPartition partitions;
  TRY(committed, session.wait(admin.list_group_offsets(group.group_id)));
  for (const auto& [name, offset] : committed) partitions[name].committed = offset.offset;
  for (const client::GroupMember& member : group.members) {
    for (const client::TopicPartition& name : member.assigned) partitions[name].owner = &member;
  }
  TRY(add_log_ends(session, admin, partitions));
  return partitions;
}

// "orders:0,1 prices:0"
std::string compact(const std::vector<client::TopicPartition>& partitions) {
  std::string text;
  const client::TopicPartition* before = nullptr;
  for (const client::TopicPartition& one : partitions) {
    if (before != nullptr && before->topic == one.topic) {
      text += fmt::format(",{}", one.partition);
    } else {
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ", one.topic, one.partition);
    }
    before = &one;
  }
  return text.empty() ? "-" : text;
}

JsonRaw json_partitions(const std::vector<client::TopicPartition>& partitions) {
  std::vector<JsonValue> values;
  for (const client::TopicPartition& one : partitions) {
    values.emplace_back(JsonObject({{"topic", one.topic}, {"partition", one.partition}}).raw());
  }
  return json_array(values);
}

JsonRaw json_members(const client::GroupInfo& group) {
  const bool has_epochs = group.group_epoch >= 0;
  std::vector<JsonValue> members;
  for (const client::GroupMember& member : group.members) {
    JsonObject one({{"member_id", member.member_id},
                    {"group_instance_id", or_null(member.instance_id)},
                    {"client_id", member.client_id},
                    {"host", member.client_host},
                    {"assignment", json_partitions(member.assigned)}});
    if (has_epochs) {
      one.add("member_epoch", member.member_epoch);
      one.add("target_assignment", json_partitions(member.target));
    }
    members.emplace_back(one.raw());
  }
  return json_array(members);
}

void print_json(Session& session, const client::GroupInfo& group, const ProgressByPartition& partitions) {
  std::vector<JsonValue> rows;
  for (const auto& [name, progress] : partitions) {
    JsonObject row({{"topic", name.topic},
                    {"partition", name.partition},
                    {"committed_offset", or_null(progress.committed)},
                    {"log_end_offset", or_null(progress.log_end)},
                    {"lag", or_null(progress.lag())}});
    row.add("member_id", progress.owner ? JsonValue(progress.owner->member_id) : JsonValue(nullptr));
    rows.emplace_back(row.raw());
  }
  JsonObject line({{"group", group.group_id},
                   {"type", group.type},
                   {"state", group.state},
                   {"protocol_type", group.protocol_type},
                   {"assignor", group.assignor}});
  if (group.group_epoch >= 0) {
    line.add("group_epoch", group.group_epoch);
    line.add("assignment_epoch", group.assignment_epoch);
  }
  line.add("members", json_members(group));
  line.add("partitions", json_array(rows));
  session.out(line.line());
}

std::string or_dash(const std::optional<int64_t>& number) { return number ? std::to_string(*number) : "-"; }

void print_text(Session& session, const client::GroupInfo& group, const ProgressByPartition& partitions) {
  const std::string assignor = group.assignor.empty() ? "" : "  assignor " + group.assignor;
  const std::string epoch = group.group_epoch < 0 ? "" : fmt::format("  epoch {}", group.group_epoch);
  session.out(fmt::format("Group {}  type {}  state {}{}{}  members {}\n", group.group_id, group.type, group.state,
                          assignor, epoch, group.members.size()));
  TextTable table({"TOPIC", "PARTITION", "COMMITTED", "LOG-END", "LAG", "MEMBER", "CLIENT", "HOST"});
  for (const auto& [name, progress] : partitions) {
    const client::GroupMember* const owner = progress.owner;
    table.add({name.topic, std::to_string(name.partition), or_dash(progress.committed), or_dash(progress.log_end),
               or_dash(progress.lag()), owner ? owner->member_id : "-", owner ? owner->client_id : "-",
               owner ? owner->client_host : "-"});
  }
  session.out(partitions.empty() ? "Nothing is committed.\n" : table.to_string());
  if (group.members.empty()) return;
  const bool has_epochs = group.group_epoch >= 0;
  TextTable members({"MEMBER", "INSTANCE", "CLIENT", "HOST", has_epochs ? "EPOCH" : "PARTITIONS", "ASSIGNMENT",
                     has_epochs ? "TARGET" : ""});
  for (const client::GroupMember& member : group.members) {
    members.add({member.member_id, member.instance_id.value_or("-"), member.client_id, member.client_host,
                 has_epochs ? std::to_string(member.member_epoch) : std::to_string(member.assigned.size()),
                 compact(member.assigned), has_epochs ? compact(member.target) : ""});
  }
  session.out("\n" + members.to_string());
}

Result<void> describe_one(Session& session, client::Admin& admin, const std::string& name) {
  const client::Result<client::GroupInfo> group = admin.describe_group(name).wait();
  if (!group) return fail(no_group(session, group.error(), name));
  TRY(partitions, progress_of(session, admin, *group));
  if (session.options.json) {
    print_json(session, *group, partitions);
  } else {
    print_text(session, *group, partitions);
  }
  return {};
}

// A group that is refused does not keep the others; without a broker there is no going on.
Result<int> describe(Session& session, const DescribeOptions& options) {
  TRY(connected, session.client());
  int code = kExitOk;
  for (const std::string& name : options.names) {
    const Result<void> described = describe_one(session, connected->admin(), name);
    if (described) continue;
    if (!session.is_refusal(described.error())) return fail(described.error());
    code = kExitFailed;
    session.tell(described.error());
  }
  return code;
}

}  // namespace

Action declare_group_describe(Flags& flags) {
  const auto options = std::make_shared<DescribeOptions>();
  flags.words("group", options->names, Need::kRequired, "One or more groups");
  return [options](Session& session) { return describe(session, *options); };
}

}  // namespace leat::cli
