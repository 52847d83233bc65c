// group_consumer.cpp: one thread does it all in turn: heartbeats and commits stand between fetches, whose wait is
// therefore to be short.
#include "client/group_consumer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client/classic_membership.h"
#include "client/consumer_membership.h"

namespace leat {
namespace {

constexpr Millis kIdlePause{100};  // nothing is owned: until the next look at the group

// The group has moved on, or is about to: others will go on from the last commit.
bool is_of_the_past(ErrorCode code) noexcept {
  return code == ErrorCode::kIllegalGeneration || code == ErrorCode::kUnknownMemberId ||
         code == ErrorCode::kRebalanceInProgress || code == ErrorCode::kFencedInstanceId ||
         code == ErrorCode::kStaleMemberEpoch || code == ErrorCode::kFencedMemberEpoch;
}

std::vector<int32_t> partitions_of(const GroupConsumer::Offsets& offsets) {
  std::vector<int32_t> partitions;
  for (const auto& [partition, offset] : offsets) partitions.push_back(partition);
  return partitions;
}

bool has_partition(const Topic& topic, int32_t index) {
  return std::any_of(topic.partitions.begin(), topic.partitions.end(),
                     [index](const auto& partition) { return partition.partition_index == index; });
}

}  // namespace

GroupConsumer::GroupConsumer(SimpleClient& client, const Clock& clock, Topic topic, GroupConsumerOptions options,
                             Hooks hooks)
    : client_(client),
      clock_(clock),
      topic_(std::move(topic)),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      membership_(new_membership()) {}

std::unique_ptr<GroupMembership> GroupConsumer::new_membership() const {
  MembershipOptions membership;
  membership.group_id = options_.group_id;
  membership.topic = topic_.name.value_or("");
  membership.instance_id = options_.instance_id;
  if (options_.protocol == GroupProtocol::kClassic) {
    return std::make_unique<ClassicMembership>(client_, clock_, std::move(membership));
  }
  return std::make_unique<ConsumerMembership>(client_, clock_, std::move(membership), options_.member_id);
}

void GroupConsumer::tell(const std::string& line) const {
  if (hooks_.notice) hooks_.notice(fmt::format("group '{}': {}", options_.group_id, line));
}

Result<void> GroupConsumer::poll(Millis max_wait, const PartitionReader::OnRecord& on_record) {
  TRY(keep_up());
  if (clock_.monotonic() >= commit_due_) TRY(commit());
  if (!reader_) {
    pause_for(std::min(max_wait, kIdlePause));
    return {};
  }
  Result<void> read = reader_->poll(max_wait, on_record);
  if (!read && read.error().code == Errc::kOffsetOutOfRange) return return_into_range();
  return read;
}

GroupConsumer::Offsets GroupConsumer::positions() const { return reader_ ? reader_->positions() : Offsets{}; }

Result<MembershipNews> GroupConsumer::news() {
  Result<MembershipNews> heard = membership_->keep_up();
  const bool unspoken = !heard && heard.error().code == Errc::kUnsupported;
  if (unspoken && !was_member_ && options_.protocol == GroupProtocol::kAuto) {
    tell("the broker does not speak the consumer protocol; joining with the classic one");
    options_.protocol = GroupProtocol::kClassic;
    membership_ = new_membership();
    heard = membership_->keep_up();
  }
  if (heard) was_member_ = true;
  return heard;
}

Result<void> GroupConsumer::keep_up() {
  TRY(heard, news());
  if (heard.lost) {
    tell("it went on without this member, which joins again; records since its last commit may come twice");
    reader_.reset();
    done_.clear();
    committed_.clear();
  }
  if (!heard.assigned) return {};
  TRY(take(*heard.assigned));
  return membership_->confirm(*heard.assigned);
}

Result<void> GroupConsumer::take(const std::vector<int32_t>& assigned) {
  const Offsets owned = positions();
  Offsets next;
  std::vector<int32_t> added;
  for (const int32_t partition : assigned) {
    const auto kept = owned.find(partition);
    if (kept == owned.end()) {
      added.push_back(partition);
    } else {
      next.insert(*kept);
    }
  }
  if (next.size() < owned.size()) TRY(commit());  // whoever is given them next begins there
  std::erase_if(done_, [&next](const auto& entry) { return !next.contains(entry.first); });
  std::erase_if(committed_, [&next](const auto& entry) { return !next.contains(entry.first); });
  if (!added.empty()) TRY(begin_with(added, next));
  if (assigned.empty()) {
    tell("no partitions for this member");
  } else {
    tell(fmt::format("reading {} of {}", fmt::join(assigned, ", "), topic_.name.value_or("")));
  }
  read_from(std::move(next));
  return {};
}

Result<void> GroupConsumer::begin_with(const std::vector<int32_t>& partitions, Offsets& positions) {
  const std::string name = topic_.name.value_or("");
  const bool known = std::all_of(partitions.begin(), partitions.end(),
                                 [this](int32_t partition) { return has_partition(topic_, partition); });
  if (!known) {  // the topic has grown
    TRY(topic, client_.topic(name, AutoCreate::kNo));
    topic_ = std::move(topic);
  }
  TRY(committed, fetch_committed(client_, options_.group_id, {{.topic = name, .partitions = partitions}}));
  std::vector<int32_t> fresh;
  for (const int32_t partition : partitions) {
    const auto found = committed.find({.topic = name, .partition = partition});
    if (found == committed.end()) {
      fresh.push_back(partition);
    } else {
      positions[partition] = found->second;
      committed_[partition] = found->second;
    }
  }
  if (fresh.empty()) return {};
  TRY(started, hooks_.start_offsets(topic_, fresh));
  positions.insert(started.begin(), started.end());
  return {};
}

void GroupConsumer::read_from(Offsets positions) {
  reader_.reset();
  if (positions.empty()) return;
  reader_ = std::make_unique<PartitionReader>(client_, topic_, std::move(positions), options_.reader);
}

Result<void> GroupConsumer::commit() {
  commit_due_ = clock_.monotonic() + options_.commit_interval;
  const std::string topic = topic_.name.value_or("");
  std::map<TopicPartition, int64_t> offsets;
  for (const auto& [partition, offset] : done_) {
    const auto before = committed_.find(partition);
    if (before != committed_.end() && before->second == offset) continue;
    offsets[{.topic = topic, .partition = partition}] = offset;
  }
  if (offsets.empty()) return {};
  TRY(refused, commit_offsets(client_, options_.group_id, membership_->committer(), offsets));
  for (const RefusedOffset& one : refused) {
    if (!is_of_the_past(one.error)) {
      return fail(to_error(one.error, fmt::format("the offset of {} was not committed", one.partition)));
    }
    tell(fmt::format("the offset of {} was not committed ({}); its records may come again", one.partition,
                     error_name(one.error)));
    offsets.erase(one.partition);
  }
  for (const auto& [name, offset] : offsets) committed_[name.partition] = offset;
  return {};
}

// Committed offsets that retention, or a topic made again, has left behind: to the nearest that is there, so that no
// more is left out than is gone.
Result<void> GroupConsumer::return_into_range() {
  Offsets next = positions();
  TRY(earliest, list_offsets(client_, topic_, kEarliestOffset, partitions_of(next)));
  TRY(latest, list_offsets(client_, topic_, kLatestOffset, partitions_of(next)));
  for (auto& [partition, offset] : next) {
    const int64_t inside = std::clamp(offset, earliest[partition].offset, latest[partition].offset);
    if (inside == offset) continue;
    tell(fmt::format("{}-{} has no offset {}: going on at {}", topic_.name.value_or(""), partition, offset, inside));
    offset = inside;
  }
  read_from(std::move(next));
  return {};
}

Result<void> GroupConsumer::close() {
  if (!was_member_) return {};
  Result<void> committed = commit();
  Result<void> left = membership_->leave();
  reader_.reset();
  return committed ? left : committed;
}

}  // namespace leat
