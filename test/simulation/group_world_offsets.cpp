// group_world_offsets.cpp: who may commit, and that what was committed is what is fetched until it may go.
#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "test/simulation/group_world.h"
#include "test/simulation/group_world_expect.h"

namespace leat {

// What is accepted stands in the log with the step, and nothing else does.
void GroupWorld::check_commit(const GroupRequester* from, const CommitOffsets& commit, const CommitOffsetsReply& reply,
                              const GroupOutput& output) {
  std::vector<OffsetToCommit> accepted;
  if (reply.error == GroupErrc::kNone) {
    expect(reply.partitions.size() == commit.offsets.size(),
           [] { return std::string("a reply to a commit is not in step with it"); });
    for (size_t i = 0; i < commit.offsets.size(); ++i) {
      if (reply.partitions[i] == GroupErrc::kNone) accepted.push_back(commit.offsets[i]);
    }
  }
  const auto records = std::count_if(output.records.begin(), output.records.end(), [](const GroupRecord& record) {
    return std::holds_alternative<OffsetCommitRecord>(record);
  });
  expect(static_cast<size_t>(records) == accepted.size(),
         [&] { return fmt::format("{} offsets accepted, {} in the log", accepted.size(), records); });
  for (const OffsetToCommit& offset : accepted) {
    const LedgerOffset* in_log = broker_.ledger().offset({commit.group_id, offset.topic, offset.partition});
    expect(in_log != nullptr && in_log->offset == offset.offset && in_log->leader_epoch == offset.leader_epoch &&
               in_log->metadata == offset.metadata,
           [&] { return fmt::format("offset {} was accepted, and is not in the log so", offset.offset); });
  }
  check_committer(commit, accepted);
  if (from == this && commit.generation_or_epoch < 0 && !accepted.empty()) counts_.add(GroupHappening::kSimpleCommit);
}

void GroupWorld::check_committer(const CommitOffsets& commit, const std::vector<OffsetToCommit>& accepted) const {
  const LedgerGroup* group = broker_.ledger().find(commit.group_id);
  if (group != nullptr && group->is_consumer()) check_consumer_committer(commit, *group, accepted);
  const bool is_simple = commit.group_id.starts_with("simple-");
  if (is_simple) {
    expect(accepted.size() == commit.offsets.size(),
           [&] { return "a commit to a group without members was refused: " + commit.group_id; });
  }
  if (accepted.empty() || is_simple) return;
  if (commit.generation_or_epoch < 0) {
    expect(!has_guaranteed_member(commit.group_id),
           [&] { return commit.group_id + " has members, and took a commit of somebody else"; });
  } else if (group == nullptr || !group->is_consumer()) {
    const int32_t latest = classic_generation(commit.group_id);
    expect(commit.generation_or_epoch == latest, [&] {
      return fmt::format("a commit with generation {} was accepted by {} at {}", commit.generation_or_epoch,
                         commit.group_id, latest);
    });
  }
  for (const OffsetToCommit& offset : accepted) {
    const std::optional<CatalogTopic> topic = topics_.find(offset.topic);
    if (!topic) continue;
    for (const SimMember* owner : claims_.owners(commit.group_id, {topic->id, offset.partition})) {
      expect(owner->member_id() == commit.member_id || !owner->is_guaranteed(), [&] {
        return fmt::format("a commit of {} at {} was accepted for {}-{}, which is owned by {}", commit.member_id,
                           commit.generation_or_epoch, offset.topic, offset.partition, owner->to_string());
      });
    }
  }
}

// All that matters stands in the log: the member, its epoch, and (KIP-1251) since which epoch it holds each partition:
// what was sent before the member heard of its new epoch is good if it holds the partition all along.
void GroupWorld::check_consumer_committer(const CommitOffsets& commit, const LedgerGroup& group,
                                          const std::vector<OffsetToCommit>& accepted) const {
  if (commit.generation_or_epoch < 0) {
    expect(accepted.empty() || group.members.empty(),
           [&] { return commit.group_id + " has members, and took a commit without an epoch"; });
    return;
  }
  const auto found = group.members.find(commit.member_id);
  if (found == group.members.end()) {
    expect(accepted.empty(), [&] { return "a commit was accepted of who is no member: " + commit.member_id; });
    return;
  }
  const LedgerMember& member = found->second;
  if (commit.generation_or_epoch == member.epoch) {
    expect(member.is_classic || accepted.size() == commit.offsets.size(),
           [&] { return fmt::format("a commit of {} in its epoch {} was refused", commit.member_id, member.epoch); });
    return;
  }
  for (const OffsetToCommit& offset : accepted) {
    const std::optional<CatalogTopic> topic = topics_.find(offset.topic);
    const auto held = topic ? member.held.find({topic->id, offset.partition}) : member.held.end();
    const bool is_held_since = held != member.held.end() && held->second <= commit.generation_or_epoch;
    expect(commit.generation_or_epoch < member.epoch && is_held_since, [&] {
      return fmt::format("a commit of {} with epoch {} was accepted at {}", commit.member_id,
                         commit.generation_or_epoch, member.epoch);
    });
  }
}

void GroupWorld::check_fetch(const FetchOffsets& fetch, const FetchOffsetsReply& reply) const {
  expect(reply.error == GroupErrc::kNone, [&] { return "offsets cannot be fetched of " + fetch.group_id; });
  size_t expected = 0;
  if (fetch.topics) {
    for (const FetchOffsetsTopic& topic : *fetch.topics) expected += topic.partitions.size();
  } else {
    for (const auto& [key, offset] : broker_.ledger().offsets()) expected += key.group_id == fetch.group_id ? 1 : 0;
  }
  expect(reply.offsets.size() == expected,
         [&] { return fmt::format("{} has {} offsets, not {}", fetch.group_id, reply.offsets.size(), expected); });
  for (const CommittedOffset& offset : reply.offsets) {
    const LedgerOffset* in_log = broker_.ledger().offset({fetch.group_id, offset.topic, offset.partition});
    const LedgerOffset none;
    const LedgerOffset& right = in_log == nullptr ? none : *in_log;
    expect(offset.error == GroupErrc::kNone && offset.offset == right.offset &&
               offset.leader_epoch == right.leader_epoch && offset.metadata == right.metadata,
           [&] {
             return fmt::format("{} fetched {} of {}-{}, which is {}", fetch.group_id, offset.offset, offset.topic,
                                offset.partition, right.offset);
           });
  }
}

void GroupWorld::check_deleted_offsets(const DeleteOffsets& event, const DeleteOffsetsReply& reply) {
  if (reply.error != GroupErrc::kNone) return;
  expect(reply.partitions.size() == event.partitions.size(),
         [] { return std::string("a reply to a deletion of offsets is not in step with it"); });
  for (size_t i = 0; i < event.partitions.size(); ++i) {
    if (reply.partitions[i] != GroupErrc::kNone) continue;
    const std::string& topic = event.partitions[i].first;
    const int32_t partition = event.partitions[i].second;
    counts_.add(GroupHappening::kOffsetsDeleted);
    expect(broker_.ledger().offset({event.group_id, topic, partition}) == nullptr,
           [&] { return fmt::format("the offset of {}-{} was deleted and is there", topic, partition); });
    expect(!is_followed(event.group_id, topic),
           [&] { return fmt::format("offsets of {} were deleted while it is followed", topic); });
  }
}

void GroupWorld::check_deleted_group(const DeleteGroup& event, const DeleteGroupReply& reply) {
  if (reply.error != GroupErrc::kNone) return;
  counts_.add(GroupHappening::kGroupDeleted);
  expect(!has_guaranteed_member(event.group_id), [&] { return event.group_id + " was deleted with its members"; });
  expect(broker_.ledger().find(event.group_id) == nullptr,
         [&] { return event.group_id + " was deleted and is still in the log"; });
  for (const auto& [key, offset] : broker_.ledger().offsets()) {
    expect(key.group_id != event.group_id, [&] { return event.group_id + " was deleted, its offsets were not"; });
  }
}

void GroupWorld::check_gone_topic(const TopicGone& event) const {
  for (const auto& entry : broker_.ledger().offsets()) {
    expect(entry.first.topic != event.topic,
           [&] { return fmt::format("{} is gone, its offset in {} is not", event.topic, entry.first.group_id); });
  }
}

}  // namespace leat
