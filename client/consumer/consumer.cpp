// consumer.cpp: the public face of ConsumerCore.
#include <leat/consumer.h>

#include "client/consumer/consumer_core.h"

namespace leat::client {

Consumer::Consumer(std::shared_ptr<detail::ConsumerCore> core) noexcept : core_(std::move(core)) {}
Consumer::~Consumer() { core_->shut_down(); }

Result<> Consumer::subscribe(std::vector<std::string> topics) {
  return core_->subscribe({.topics = std::move(topics)});
}
Result<> Consumer::subscribe_pattern(std::string pattern) {
  if (pattern.empty()) return Error(Cause::kInvalidArgument, "the pattern is empty");
  return core_->subscribe({.pattern = std::move(pattern)});
}
Result<> Consumer::unsubscribe() { return core_->unsubscribe(); }
Result<> Consumer::assign(std::vector<TopicPartition> partitions) { return core_->assign(std::move(partitions)); }
std::vector<TopicPartition> Consumer::assignment() const { return core_->assignment(); }

Pending<Records> Consumer::poll(int64_t timeout_ms) { return core_->poll(timeout_ms); }
void Consumer::poll_each(std::function<Continue(Result<Records>)> on_records) {
  core_->poll_each(std::move(on_records));
}

Result<> Consumer::pause(const std::vector<TopicPartition>& partitions) { return core_->set_paused(partitions, true); }
Result<> Consumer::resume(const std::vector<TopicPartition>& partitions) {
  return core_->set_paused(partitions, false);
}
Result<> Consumer::seek(const TopicPartition& partition, int64_t offset) { return core_->seek(partition, offset); }
Result<int64_t> Consumer::position(const TopicPartition& partition) const { return core_->position(partition); }

Pending<> Consumer::commit() { return core_->commit(std::nullopt); }
Pending<> Consumer::commit(Offsets offsets) { return core_->commit(std::move(offsets)); }
Pending<Offsets> Consumer::committed(std::vector<TopicPartition> partitions) {
  return core_->committed(std::move(partitions));
}
Pending<std::map<TopicPartition, OffsetAndTimestamp>> Consumer::offsets_for_times(
    std::map<TopicPartition, int64_t> times) {
  return core_->offsets_for_times(std::move(times));
}
Pending<> Consumer::close(int64_t timeout_ms) { return core_->close(timeout_ms); }

std::optional<Error> Consumer::trouble() const { return core_->trouble(); }
ConsumerStats Consumer::stats() const { return core_->stats(); }
std::string Consumer::member_id() const { return core_->member_id(); }
GroupProtocol Consumer::group_protocol() const { return core_->group_protocol(); }

}  // namespace leat::client
