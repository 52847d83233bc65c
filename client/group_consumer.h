// group_consumer.h: reads the partitions of one topic that a group gives this member, from where the group left off.
// Committed is only what the caller called done: every five seconds, before partitions are given up, and at the end; so
// each record comes at least once. Thread: the client's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/group_membership.h"
#include "client/partition_reader.h"
#include "core/base/clock.h"

namespace leat {

// kAuto: the consumer protocol where the broker speaks it.
enum class GroupProtocol : uint8_t { kAuto, kConsumer, kClassic };

struct GroupConsumerOptions {
  std::string group_id;
  std::optional<std::string> instance_id;
  std::string member_id;  // unique; the consumer protocol's members name themselves
  GroupProtocol protocol = GroupProtocol::kAuto;
  Millis commit_interval{5'000};
  ReaderOptions reader;
};

class GroupConsumer {
 public:
  using Offsets = std::map<int32_t, int64_t>;
  struct Hooks {
    // Where to begin with partitions for which nothing is committed.
    std::function<Result<Offsets>(const Topic& topic, const std::vector<int32_t>& partitions)> start_offsets;
    std::function<void(const std::string& line)> notice;  // what a person may want to know
  };

  GroupConsumer(SimpleClient& client, const Clock& clock, Topic topic, GroupConsumerOptions options, Hooks hooks);

  // Keeps up with the group, then waits up to `max_wait` for records of the partitions that are owned.
  Result<void> poll(Millis max_wait, const PartitionReader::OnRecord& on_record);
  // The next offset of each partition that is owned.
  Offsets positions() const;
  // The records below these offsets need not come again: to be committed.
  void done_below(const Offsets& next_offsets) { done_ = next_offsets; }
  const Topic& topic() const noexcept { return topic_; }  // as last looked up: it may grow
  // Commits and leaves. Also to be called after an error: others wait for the partitions.
  Result<void> close();

 private:
  std::unique_ptr<GroupMembership> new_membership() const;  // of the protocol in options_
  Result<void> keep_up();
  Result<MembershipNews> news();
  Result<void> take(const std::vector<int32_t>& assigned);
  Result<void> begin_with(const std::vector<int32_t>& partitions, Offsets& positions);
  Result<void> commit();
  Result<void> return_into_range();
  void read_from(Offsets positions);
  void tell(const std::string& line) const;

  SimpleClient& client_;
  const Clock& clock_;
  Topic topic_;
  GroupConsumerOptions options_;
  Hooks hooks_;
  bool was_member_ = false;
  std::unique_ptr<GroupMembership> membership_;
  std::unique_ptr<PartitionReader> reader_;  // none while nothing is owned
  Offsets done_;
  Offsets committed_;  // as far as this member did it
  Nanos commit_due_{0};
};

}  // namespace leat
